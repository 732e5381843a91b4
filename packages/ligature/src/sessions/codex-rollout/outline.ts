/** What a rollout says beside its messages: who and where, the paths through it, where it was compacted. */
import { isWire, type Wire } from "../../model/index.ts"
import type { SessionCompaction, SessionOutline, SessionPath } from "../../formats/engine/session.ts"
import type { Entry } from "./entry.ts"
import { isPrompt, textOf } from "./items.ts"
import { abandonedId, activeId } from "./path.ts"
import { neededBase, readSession } from "./read-session.ts"
import { payloadOf, recordsOf, textField } from "./records.ts"
import { isMessage, type Link, linksTo } from "./walk.ts"

const titleLength = 80

const promptOf = ({ source, words }: Entry): string | undefined => {
  if (words) return words.role === "user" ? words.text : undefined
  return isPrompt(source) ? textOf(source) : undefined
}

const titleOf = (links: readonly Link[]): string | undefined => {
  for (const { entry } of links) {
    const prompt = entry && promptOf(entry)?.trim()
    if (prompt) return (prompt.split("\n", 1)[0] ?? "").slice(0, titleLength)
  }
  return undefined
}

const recordOf = (link: Link | undefined): number | undefined => link?.entry?.record ?? link?.replacement?.record

const pathOf = (id: string, kind: SessionPath["kind"], links: readonly Link[], leaves?: number): SessionPath => {
  const title = titleOf(links)
  const [first] = links
  return {
    id,
    kind,
    ...(title !== undefined && { title }),
    messages: links.filter(({ entry }) => entry && isMessage(entry)).length,
    first: recordOf(first) ?? 0,
    ...(leaves !== undefined && { leaves }),
  }
}

const compactionOf = (record: Wire, index: number): SessionCompaction | undefined => {
  const payload = payloadOf(record, "compacted")
  if (!payload) return undefined
  const summary = textField(payload, "message")
  return { record: index, kind: "summary", ...(summary !== undefined && { summary }) }
}

/** The last value of a field that later headers and turns may say anew. */
const latest = (records: readonly unknown[], type: string, field: string): string | undefined => {
  for (let index = records.length - 1; index >= 0; index--) {
    const value = textField(payloadOf(records[index], type), field)
    if (value !== undefined) return value
  }
  return undefined
}

/** The thread that started this one, as older headers say it. */
const spawnedBy = (meta: Wire | undefined): string | undefined => {
  let source: unknown = meta?.["source"]
  for (const key of ["subagent", "thread_spawn"]) source = isWire(source) ? source[key] : undefined
  return isWire(source) ? textField(source, "parent_thread_id") : undefined
}

export const outline = (value: unknown): SessionOutline => {
  const records = recordsOf(value)
  const { walk, repeated } = readSession(records)
  const headers = records.flatMap((record): readonly Wire[] => {
    const header = payloadOf(record, "session_meta")
    return header ? [header] : []
  })
  // A fork copies the header of the session it came from behind its own.
  const [meta] = headers
  const first = records.find(isWire)
  const active = linksTo(walk.tip.whole)
  const paths = walk.abandoned.map(({ tip, fork }, ordinal) =>
    pathOf(abandonedId(ordinal), "abandoned", linksTo(tip.whole, fork.whole), recordOf(fork.whole)),
  )
  const compactions = records.flatMap((record, index) =>
    isWire(record) && !repeated.has(index) ? (compactionOf(record, index) ?? []) : [],
  )
  const parent = textField(meta, "parent_thread_id") ?? spawnedBy(meta)
  const needs = headers.flatMap((header) => neededBase(header) ?? [])
  const fields = {
    id: textField(meta, "id") ?? textField(meta, "session_id"),
    title: titleOf(active),
    folder: textField(meta, "cwd") ?? latest(records, "turn_context", "cwd"),
    model: latest(records, "turn_context", "model"),
    agentVersion: textField(meta, "cli_version"),
    startedAt: textField(meta, "timestamp") ?? textField(first, "timestamp"),
  }
  const known: Partial<SessionOutline> = Object.fromEntries(Object.entries(fields).filter(([, field]) => field))
  return {
    ...known,
    ...(parent !== undefined && { subagent: { session: parent } }),
    paths: [pathOf(activeId, "active", active), ...paths],
    compactions,
    ...(needs.length > 0 && { needs }),
  }
}
