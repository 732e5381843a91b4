/** What a history says of itself beside its messages: when it began, the task, where it was cut down, where it lies. */
import { isWire, type Wire } from "../../model/index.ts"
import type { SessionCompaction, SessionOutline, SessionPlace } from "../../formats/engine/session.ts"
import { isoOf } from "../engine/iso-time.ts"
import { hiddenRecords, isMessage, isSummary, isTruncationMarker, markOf, recordsOf, timeOf } from "./records.ts"

const wordsLookedAt = 4000
const titleLength = 80

const firstText = (record: Wire): string => {
  const { content } = record
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  const block: unknown = content.find((part) => isWire(part) && typeof part["text"] === "string")
  return isWire(block) ? String(block["text"]) : ""
}

const timesOf = (records: readonly unknown[]): readonly [first: number | undefined, last: number | undefined] => {
  const first = records.find((record) => timeOf(record) !== undefined)
  const last = records.findLast((record) => timeOf(record) !== undefined)
  return [timeOf(first), timeOf(last)]
}

/** There is one path; its id is the time of its last message, or its place where messages have no times. */
export const pathId = (records: readonly unknown[]): string => String(timesOf(records)[1] ?? records.length - 1)

const titleOf = (record: Wire): string => {
  const said = firstText(record).slice(0, wordsLookedAt)
  const task = /<(task|feedback|user_message)>\s*([^<]*)/.exec(said)?.[2] ?? said
  const line = task.trim().split("\n", 1)[0] ?? ""
  return line.length > titleLength ? `${line.slice(0, titleLength - 1)}…` : line
}

const compactionsIn = (records: readonly unknown[]): readonly SessionCompaction[] =>
  records.flatMap((record, index): readonly SessionCompaction[] => {
    if (!isWire(record)) return []
    if (isSummary(record)) return [{ record: index, kind: "summary", summary: firstText(record) }]
    return isTruncationMarker(record) ? [{ record: index, kind: "truncation" }] : []
  })

const folderHeading = /^# Current Work(?:space|ing) Directory \(/m

const folderIn = (record: Wire): string | undefined => {
  const { content } = record
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [{ text: content }]
  for (const block of blocks) {
    const said = isWire(block) && typeof block["text"] === "string" ? block["text"] : ""
    const start = said.search(folderHeading)
    const found = start < 0 ? undefined : /\(([^\n]+)\) Files/.exec(said.slice(start, start + wordsLookedAt))
    if (found?.[1] !== undefined) return found[1]
  }
  return undefined
}

export const outline = (value: unknown): SessionOutline => {
  const records = recordsOf(value)
  const messages = records.filter(isMessage)
  const [startedAt] = timesOf(records)
  const task = messages.find((record) => record["role"] === "user" && markOf(record)?.["role"] === undefined)
  const title = task && titleOf(task)
  const folder = task && folderIn(task)
  const modelInfo = messages.findLast((record) => isWire(record["modelInfo"]))?.["modelInfo"]
  const model = isWire(modelInfo) && typeof modelInfo["modelId"] === "string" ? modelInfo["modelId"] : undefined
  const hidden = hiddenRecords(records)
  const seen = messages.filter((record) => !hidden.has(record)).length
  return {
    ...(startedAt !== undefined && { id: String(startedAt), startedAt: isoOf(startedAt) }),
    ...(title !== undefined && title !== "" && { title }),
    ...(folder !== undefined && { folder }),
    ...(model !== undefined && { model }),
    paths: [{ id: pathId(records), kind: "active", messages: seen, first: 0, ...(title && { title }) }],
    compactions: compactionsIn(records),
  }
}

const homes = {
  cline: "saoudrizwan.claude-dev",
  roo: "rooveterinaryinc.roo-cline",
  kilo: "kilocode.kilo-code",
} as const

const rooFields = ["condenseId", "condenseParent", "isSummary", "truncationId", "truncationParent", "reasoning_content"]

/** Agents name the folder of a task after the time it began. */
export const place = (value: unknown): SessionPlace => {
  const records = recordsOf(value)
  const roo = records.some((record) => isWire(record) && rooFields.some((field) => field in record))
  const task = String(timesOf(records)[0] ?? "<taskId>")
  return {
    path: `<globalStorage>/${roo ? homes.roo : homes.cline}/tasks/${task}/api_conversation_history.json`,
    resume: "open the task in the agent's history",
    note:
      `the task must be in the agent's task index, with a ui_messages.json beside the file; <globalStorage> is the ` +
      `editor's User/globalStorage folder, and the agents' folders in it are ${Object.values(homes).join(", ")}`,
  }
}
