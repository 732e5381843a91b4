/** What a history says of itself beside its messages: when it began, the task, where it was cut down, where it lies. */
import { isWire, type Wire } from "../../model/index.ts"
import type { SessionCompaction } from "../../formats/engine/session.ts"
import { textOf, wireOf } from "../engine/fields.ts"
import { isoOf } from "../engine/iso-time.ts"
import type { FoundPath, SessionFacts, SessionFormat } from "../engine/session-format.ts"
import { isMessage, isSummary, isTruncationMarker, markOf, recordsOf, timeOf } from "./records.ts"

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

/** The message that began the task. */
const taskOf = (records: readonly unknown[]): Wire | undefined =>
  records.find((record): record is Wire => isMessage(record) && record["role"] === "user" && markOf(record)?.["role"] === undefined)

const titleOf = (record: Wire): string => {
  const said = firstText(record).slice(0, wordsLookedAt)
  const task = /<(task|feedback|user_message)>\s*([^<]*)/.exec(said)?.[2] ?? said
  const line = task.trim().split("\n", 1)[0] ?? ""
  return line.length > titleLength ? `${line.slice(0, titleLength - 1)}…` : line
}

export const compactionsIn = (records: readonly unknown[]): readonly SessionCompaction[] =>
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

export const factsOf = (records: readonly unknown[]): SessionFacts => {
  const [startedAt] = timesOf(records)
  const task = taskOf(records)
  const modelInfo = records.findLast((record) => isMessage(record) && isWire(record["modelInfo"]))
  return {
    ...(startedAt !== undefined && { id: String(startedAt), startedAt: isoOf(startedAt) }),
    title: task && titleOf(task),
    folder: task && folderIn(task),
    model: textOf(wireOf(wireOf(modelInfo)["modelInfo"])["modelId"]),
  }
}

/** The path is called by the message that began the task. */
export const glanceIn = (records: readonly unknown[]): NonNullable<FoundPath["glance"]> => {
  const task = taskOf(records)
  return (record) => ({
    roles: isMessage(record) ? [record["role"] === "assistant" ? "assistant" : "user"] : [],
    title: record === task && titleOf(task),
  })
}

const homes = {
  cline: "saoudrizwan.claude-dev",
  roo: "rooveterinaryinc.roo-cline",
  kilo: "kilocode.kilo-code",
} as const

const rooFields = ["condenseId", "condenseParent", "isSummary", "truncationId", "truncationParent", "reasoning_content"]

/** Agents name the folder of a task after the time it began. */
export const place: NonNullable<SessionFormat["place"]> = ({ id = "<taskId>" }, value) => {
  const roo = recordsOf(value).some((record) => isWire(record) && rooFields.some((field) => field in record))
  return {
    path: () => `<globalStorage>/${roo ? homes.roo : homes.cline}/tasks/${id}/api_conversation_history.json`,
    resume: () => "open the task in the agent's history",
    note:
      `the task must be in the agent's task index, with a ui_messages.json beside the file; <globalStorage> is the ` +
      `editor's User/globalStorage folder, and the agents' folders in it are ${Object.values(homes).join(", ")}`,
  }
}
