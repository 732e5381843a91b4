/** What a session says of itself: header, name, model, branches and compactions; and what one record does, cheaply. */
import { isWire, shellWord, type Wire } from "../../model/index.ts"
import type { RecordPulse, SessionCompaction, SessionOutline, SessionPath, SessionPlace } from "../../formats/engine/session.ts"
import { recordsOf, textOf } from "../engine/fields.ts"
import { branchesOf } from "../engine/branches.ts"
import { nameOfLeaf, readTree } from "../engine/read-tree.ts"
import { walkTo } from "../engine/walk.ts"
import { messageOf, naming } from "./format.ts"
import { callIdsOf, readEntry } from "./read-entry.ts"
import { namedPlace } from "../engine/place-names.ts"

const titleLength = 60

/** The first words of the first prompt among these records. */
const promptAmong = (records: readonly unknown[], indices: readonly number[]): string | undefined => {
  for (const index of indices) {
    const message = messageOf(records[index])
    if (message?.["role"] !== "user") continue
    const block = readEntry(records[index])?.blocks.find((each) => each.type === "text")
    if (block?.type === "text") return block.text.slice(0, titleLength).replaceAll(/\s+/g, " ").trim()
  }
  return undefined
}

const countMessages = (records: readonly unknown[], indices: readonly number[]): number => {
  let count = 0
  for (const index of indices) if (readEntry(records[index])) count++
  return count
}

const titled = (title: string | undefined) => (title === undefined ? {} : { title })

const pathsOf = (
  records: readonly unknown[],
): { readonly paths: readonly SessionPath[]; readonly active: readonly number[] } => {
  const tree = readTree(records, naming)
  const { path: active } = walkTo(tree, tree.tip)
  const idAt = (index: number): string => nameOfLeaf(tree, index)
  const paths: SessionPath[] = []
  if (tree.tip >= 0) {
    const counts = { messages: countMessages(records, active), first: active[0] ?? 0 }
    paths.push({ id: idAt(tree.tip), kind: "active", ...titled(promptAmong(records, active)), ...counts })
  }
  for (const { leaf, own, leaves } of branchesOf(tree, active)) {
    const messages = countMessages(records, own)
    if (messages === 0) continue
    const inOrder = own.toReversed()
    const counts = { messages, first: inOrder[0] ?? leaf, ...(leaves >= 0 && { leaves }) }
    paths.push({ id: idAt(leaf), kind: "abandoned", ...titled(promptAmong(records, inOrder)), ...counts })
  }
  return { paths, active }
}

const compactionAt = (record: Wire, index: number): SessionCompaction => {
  const summary = textOf(record["summary"])
  return { record: index, kind: "summary", ...(summary !== undefined && { summary }) }
}

export const outline = (value: unknown): SessionOutline => {
  const records = recordsOf(value)
  const { paths, active } = pathsOf(records)
  const compactions: SessionCompaction[] = []
  let name: string | undefined
  let model: string | undefined
  for (const index of active) {
    const record = records[index] as Wire
    if (record["type"] === "compaction") compactions.push(compactionAt(record, index))
    if (record["type"] === "session_info") name = textOf(record["name"]) ?? name
    if (record["type"] === "model_change") model = textOf(record["modelId"]) ?? model
    const message = messageOf(record)
    if (message?.["role"] === "assistant") model = textOf(message["model"]) ?? model
  }
  const header = records.find((record): record is Wire => isWire(record) && record["type"] === "session") ?? {}
  const [id, folder, startedAt, parent] = ["id", "cwd", "timestamp", "parentSession"].map((key) => textOf(header[key]))
  const title = name ?? paths[0]?.title
  return {
    ...(id !== undefined && { id }),
    ...titled(title),
    ...(folder !== undefined && { folder }),
    ...(model !== undefined && { model }),
    ...(startedAt !== undefined && { startedAt }),
    paths,
    compactions,
    ...(parent !== undefined && { needs: [`the session ${parent} it was forked from, for what is not copied here`] }),
  }
}

export const pulse = (record: unknown): RecordPulse => {
  const message = messageOf(record)
  if (!message) return {}
  if (message["role"] === "user") return { starts: true }
  if (message["role"] === "toolResult") {
    return typeof message["toolCallId"] === "string" ? { results: [message["toolCallId"]] } : {}
  }
  const calls = callIdsOf(record)
  return calls.length > 0 ? { calls } : {}
}

export const place = (value: unknown): SessionPlace => {
  const { id, folder = "/", startedAt = "" } = outline(value)
  const home = folder.replace(/^[/\\]/, "").replaceAll(/[/\\:]/g, "-")
  const time = startedAt.replaceAll(/[^\w+-]/g, "-")
  return namedPlace({
    id,
    otherwise: "session",
    path: (name) => `~/.pi/agent/sessions/--${home}--/${time}_${name}.jsonl`,
    resume: () => "pi --resume",
    note: `run it in ${shellWord(folder)}, the folder the session names, and pick the session from the list`,
  })
}
