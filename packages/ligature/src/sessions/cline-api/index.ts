/**
 * Cline, Roo Code and Kilo Code: `api_conversation_history.json`, what the model saw of a task. A list of Anthropic messages
 * with fields of the agent beside them. Which text is a call is known only beside the other texts, so that a path is read at
 * once and a history may be written several times; all else is the engine's.
 */
import { isWire, limitDepth, phrase, type Wire } from "../../model/index.ts"
import { anthropic } from "../../formats/anthropic/index.ts"
import { recordsLookedAt, type SessionCodec, type SessionCompaction } from "../../formats/engine/session.ts"
import { defineSession } from "../engine/define-session.ts"
import type { SessionFormat, FoundPath, SessionFacts } from "../engine/session-format.ts"
import { migrateStyle } from "./migrate.ts"
import { pathReader } from "./read.ts"
import {
  format,
  isMessage,
  isReasoningItem,
  isReasoningRecord,
  listKey,
  pathIn,
  recordsOf,
  timeOf,
  isSummary,
  isTruncationMarker,
  markOf,
} from "./records.ts"
import { writeHistory } from "./write.ts"
import { textOf, wireOf } from "../engine/fields.ts"
import { isoOf } from "../engine/iso-time.ts"

// What a history says of itself beside its messages: when it began, the task, where it was cut down, where it lies.

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
const pathId = (records: readonly unknown[]): string => String(timesOf(records)[1] ?? records.length - 1)

/** The message that began the task. */
const taskOf = (records: readonly unknown[]): Wire | undefined =>
  records.find((record): record is Wire => isMessage(record) && record["role"] === "user" && markOf(record)?.["role"] === undefined)

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

const factsOf = (records: readonly unknown[]): SessionFacts => {
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
const glanceIn = (records: readonly unknown[]): NonNullable<FoundPath["glance"]> => {
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
const place: NonNullable<SessionFormat["place"]> = ({ id = "<taskId>" }, value) => {
  const roo = recordsOf(value).some((record) => isWire(record) && rooFields.some((field) => field in record))
  return {
    path: () => `<globalStorage>/${roo ? homes.roo : homes.cline}/tasks/${id}/api_conversation_history.json`,
    resume: () => phrase`open the task in the agent's history`,
    note: phrase`the task must be in the agent's task index, with a ui_messages.json next to the file; <globalStorage> is the editor's User/globalStorage folder, and the agents' folders in it are ${Object.values(homes).join(", ")}`,
  }
}

const openings = ["<task>", "<environment_details>", "<user_message>", "<feedback>", "[TASK RESUMPTION]", "<answer>"]

const textsOf = ({ content }: Wire): readonly string[] => {
  if (typeof content === "string") return [content]
  if (!Array.isArray(content)) return []
  const blocks: readonly unknown[] = content.slice(0, 8)
  return blocks.flatMap((block) => (isWire(block) && typeof block["text"] === "string" ? [block["text"]] : []))
}

const opensTask = (record: Wire): boolean =>
  textsOf(record).some((text) => openings.some((opening) => text.slice(0, 200).trimStart().startsWith(opening)))

const hasTime = (record: unknown): boolean => {
  const time = timeOf(record)
  return time !== undefined && Number.isInteger(time) && time >= 1e12 && time < 1e13
}

/** Content as this format has it: other formats have messages with times too. */
const hasContent = ({ content, parts }: Wire): boolean => parts === undefined && (typeof content === "string" || Array.isArray(content))

const ownFields = ["condenseParent", "truncationParent", "isTruncationMarker", "condenseId"]
const foreignFields = ["tool_calls", "tool_call_id", "uuid", "sessionId"]

/**
 * The first messages of a list that could be one of these. A list of `say` and `ask` entries is what the agent shows, and not
 * what the model saw.
 */
const messagesIn = (value: unknown, syntax: "lines" | "value"): readonly Wire[] => {
  if (syntax !== "value" || !Array.isArray(value)) return []
  const looked: readonly unknown[] = value.slice(0, recordsLookedAt)
  const messages = looked.filter(isMessage).filter(hasContent)
  const others = looked.filter((record) => !isMessage(record) && !isReasoningItem(record))
  const isForeign = others.length > messages.length || messages.some((record) => foreignFields.some((field) => field in record))
  return isForeign ? [] : messages
}

const definition: SessionFormat = {
  format,
  title: "Cline, Roo and Kilo task history",
  agent: "Cline / Roo / Kilo",
  sources:
    "cline/cline apps/vscode/src/shared/messages/content.ts and RooCodeInc/Roo-Code src/core/task-persistence (2026); tasks in RooCodeInc/Roo-Code and vshulcz/deja-vu",
  aliases: ["cline", "roo", "kilo-code"],
  /** What Anthropic's blocks can, names of models, and summaries. */
  capabilities: { homes: { ...anthropic.capabilities.homes, thinking: "native", "compaction-marks": "convention" } },
  wraps: "anthropic",
  layout: "list",
  listKey,
  pathOf: (_, index) => `[${index}]`,
  view: "effective",
  profile: "anthropic",
  ids: "optional",
  records: recordsOf,
  find: (_, records, { branch, view, tools }) => {
    const path = pathIn(records, view)
    const id = pathId(records)
    const read = pathReader(records, path, tools)
    return {
      path,
      id,
      isKnown: branch === undefined || branch === id,
      compactions: compactionsIn(records),
      diagnostics: [],
      read: (record, index) => (isReasoningRecord(record) ? {} : read(record, index)),
      glance: glanceIn(records),
    }
  },
  read: (record) => (isReasoningRecord(record) ? {} : pathReader([record], [0], undefined)(record, 0)),
  results: "with-user",
  writesAll: true,
  header: () => [],
  about: (value) => factsOf(recordsOf(value)),
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "messages are tagged with the summary or marker that hides them",
      isOn: (value, syntax) => messagesIn(value, syntax).some((record) => ownFields.some((field) => field in record)),
    },
    {
      certainty: "certain",
      evidence: "the messages of a list have ts, a time of 13 digits",
      isOn: (value, syntax) => {
        const messages = messagesIn(value, syntax)
        return messages.filter(hasTime).length * 2 > messages.length
      },
    },
    {
      // A bare list of messages without such marks is a request.
      certainty: "likely",
      evidence: "a list of messages opens as Cline-like agents open a task",
      isOn: (value, syntax) => {
        const first = messagesIn(value, syntax).find((record) => record["role"] === "user")
        return first !== undefined && opensTask(first)
      },
    },
  ],
  place,
}

const codec = defineSession(definition)

export const clineApi: SessionCodec = {
  ...codec,
  encode: (conversation, options) => writeHistory(definition, conversation, options),
  ...(anthropic.extras && { extras: anthropic.extras }),
  session: { ...codec.session, migrate: (value, options) => migrateStyle(limitDepth(value), options) },
}

export { migrateStyle } from "./migrate.ts"
