/**
 * Sessions of Continue: `history[]` of items, each a message and what the agent knows about it. Written back when they were read
 * here; not made of other agents' conversations.
 *
 * The default view is `whole`, with each summary where it is; `effective` begins with the last one, as the agent does. A summary
 * is kept on the item it follows: here it is a record of its own, after the results of that item. Thinking has an item of its
 * own before the message it belongs to, and is one message with it.
 */
import { type Diagnostic, isWire, phrase, type Wire } from "../../model/index.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"
import { anomaly } from "../engine/anomaly.ts"
import type { CallIds } from "../engine/call-id.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, stringOf, textOf, wireOf } from "../engine/fields.ts"
import { patch } from "../engine/patch.ts"
import type { FindOptions, FoundPath, RecordMessage, RecordReading, WritePlace } from "../engine/session-format.ts"
import { callsIn, format, isSilent, messageOf, readItem, statesOf } from "./read-item.ts"
import { writeItem } from "./write-item.ts"

const historyOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : listOf(wireOf(value)["history"]))

/** The key under which a summary that is a record has the item it is kept on. */
const bearer = "summaryOf"

const isSummary = (record: unknown): record is Wire => isWire(record) && isWire(record[bearer])

/** Items, and after the results of an item the summary that is kept on it. With the index of the item of each. */
const unfolded = (history: readonly unknown[]): { readonly records: readonly unknown[]; readonly homes: readonly number[] } => {
  const records: unknown[] = []
  const homes: number[] = []
  let waiting: number | undefined
  const flush = (): void => {
    const item = waiting === undefined ? undefined : history[waiting]
    if (waiting !== undefined && isWire(item)) {
      records.push({ [bearer]: item, text: item["conversationSummary"] })
      homes.push(waiting)
    }
    waiting = undefined
  }
  history.forEach((item, index) => {
    const role = isWire(item) ? messageOf(item)["role"] : undefined
    const isMessage = role === "user" || role === "assistant" || role === "system" || role === "thinking"
    if (isMessage) flush()
    records.push(item)
    homes.push(index)
    if (!isWire(item) || !(isMessage || role === "tool") || stringOf(item["conversationSummary"]) === "") return
    flush()
    waiting = index
    if (role !== "assistant" || callsIn(item).length === 0) flush()
  })
  flush()
  return { records, homes }
}

/** Items with their summaries again. One whose item is gone gets an item that says nothing else. */
const folded = (records: readonly unknown[]): readonly unknown[] => {
  const out = records.filter((record) => !isSummary(record))
  const places = new Map<unknown, number[]>()
  out.forEach((item, index) => {
    const text = isWire(item) ? item["conversationSummary"] : undefined
    if (text !== undefined) places.set(text, [...(places.get(text) ?? []), index])
  })
  const added = new Map<unknown, Wire[]>()
  let previous: unknown
  for (const record of records) {
    if (!isSummary(record)) {
      previous = record
      continue
    }
    const before = wireOf(record[bearer])["conversationSummary"]
    const index = places.get(before)?.shift()
    const conversationSummary = record["text"]
    if (index !== undefined) out[index] = patch(wireOf(out[index]), { conversationSummary })
    else {
      const own = { message: { role: "assistant", content: "" }, contextItems: [], conversationSummary }
      added.set(previous, [...(added.get(previous) ?? []), own])
    }
  }
  if (added.size === 0) return out
  const last = (item: unknown, index: number): readonly Wire[] => (out.indexOf(item) === index ? (added.get(item) ?? []) : [])
  return [...(added.get(undefined) ?? []), ...out.flatMap((item, index) => [item, ...last(item, index)])]
}

/** For each record: the ids that tool items answer before the model or the user speaks again. */
const answeredAfter = (records: readonly unknown[]): readonly ReadonlySet<string>[] => {
  const sets: ReadonlySet<string>[] = []
  let answered = new Set<string>()
  records.toReversed().forEach((item, at) => {
    sets[records.length - 1 - at] = answered
    if (!isWire(item) || isSummary(item)) return
    const { role, toolCallId } = messageOf(item)
    if (role === "tool") answered.add(stringOf(toolCallId))
    else if ((role === "assistant" || role === "user") && !isSilent(item)) answered = new Set()
  })
  return sets
}

const countIds = (records: readonly unknown[]): ReadonlyMap<string, number> => {
  const uses = new Map<string, number>()
  for (const item of records) {
    if (!isWire(item) || messageOf(item)["role"] !== "assistant") continue
    for (const call of callsIn(item)) {
      const id = stringOf(call["id"])
      if (id !== "") uses.set(id, (uses.get(id) ?? 0) + 1)
    }
  }
  return uses
}

const readSummary = ({ text }: Wire): RecordReading => ({
  messages: [{ role: "user", blocks: [{ type: "text", text: stringOf(text) }], summary: true }],
  compaction: { kind: "summary", summary: stringOf(text) },
  starts: false,
})

const readAlone = (item: Wire, answered: ReadonlySet<string> = new Set(), ids: CallIds = { uses: new Map(), calls: 0 }): RecordReading => {
  if (isSummary(item)) return readSummary(item)
  const messages = readItem(item, answered, ids)
  return messages ? { messages } : { findings: [{ kind: "malformed-record", what: "Expected a message of a known role" }] }
}

/** Reads items one after the other: thinking is one message with what the model says next. */
const itemReader = (records: readonly unknown[], ids: CallIds): ((record: Wire, index: number) => RecordReading) => {
  const answered = answeredAfter(records)
  let open: string | undefined
  return (item, index) => {
    const reading = readAlone(item, answered[index], ids)
    const [first] = reading.messages ?? []
    const isThinking = messageOf(item)["role"] === "thinking"
    const isModel = isThinking || messageOf(item)["role"] === "assistant"
    const response = first?.role === "assistant" ? (isThinking ? (open ?? `#${index}`) : open) : undefined
    if (isThinking) open = response ?? open
    else if (isModel || first) open = undefined
    return { ...reading, ...(response !== undefined && { response }) }
  }
}

const find = (_: unknown, records: readonly unknown[], { branch, view }: FindOptions): FoundPath => {
  const last = view === "effective" ? records.findLastIndex(isSummary) : -1
  const path = [...records.keys()].slice(Math.max(0, last)).filter((index) => isWire(records[index]))
  const ids: CallIds = { uses: countIds(records), calls: 0 }
  const shared = [...ids.uses].filter(([, uses]) => uses > 1)
  const diagnostics = shared.map(([id, uses]): Diagnostic => anomaly("collapsed-id", {}, `${uses} calls have the id ${id}`, [id]))
  return { path, id: "active", isKnown: branch === undefined || branch === "active", diagnostics, read: itemReader(records, ids) }
}

const write = (messages: readonly RecordMessage[], like: Wire | undefined, place: WritePlace): Wire => {
  if (!like || !isSummary(like)) return writeItem(messages, like, place)
  const text = messages.flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === "text" ? [block.text] : []))).join("\n\n")
  return patch(like, { text })
}

const modelIn = ({ promptLogs }: Wire): string | undefined => {
  const log = wireOf(listOf(promptLogs)[0])
  return textOf(wireOf(log["completionOptions"])["model"]) ?? textOf(log["modelTitle"])
}

const isItem = (value: unknown): value is Wire => isWire(value) && typeof messageOf(value)["role"] === "string"

/** Empty, or with a message among its first items. */
const hasHistory = (value: unknown): value is Wire & { readonly history: readonly unknown[] } => {
  const history = wireOf(value)["history"]
  return Array.isArray(history) && (history.length === 0 || history.slice(0, 8).some(isItem))
}

export const continueSession = defineSession({
  format,
  title: "Continue session",
  agent: "Continue",
  sources:
    "continuedev/continue core/index.d.ts and core/util/history.ts; sessions in oleg121203/Developer; sessions of version 1.5.47 of the command line, which was run",
  noun: "items",
  // Chat messages, thinking in items of its own, the state of each call.
  capabilities: {
    homes: {
      ...openaiChat.capabilities.homes,
      "result-error": "native",
      "result-image": "none",
      "result-document": "none",
      "result-video": "none",
      thinking: "native",
      "thinking-signature": "native",
      "redacted-thinking": "native",
      "raw-arguments": "native",
      "free-text-call": "none",
      "call-id": "native",
      "result-tool-name": "convention",
      "compaction-marks": "native",
    },
  },
  layout: "value",
  listKey: "history",
  view: "whole",
  records: (value) => unfolded(historyOf(value)).records,
  homes: (value) => unfolded(historyOf(value)).homes,
  wrap: (value, records, change) => {
    if (value === undefined) {
      const [header, ...items] = records
      return { ...wireOf(header), history: items }
    }
    const history = change ? folded(records) : historyOf(value)
    if (!isWire(value)) return { history }
    return change ? { ...value, history } : value
  },
  find,
  read: (item) => readAlone(item),
  write,
  results: (records) => (records.some((item) => isWire(item) && statesOf(item).length > 0) ? "with-call" : "own"),
  header: ({ session: { id, title = "Conversation", folder = "" } }) => [{ sessionId: id, title, workspaceDirectory: folder }],
  writes: "own",
  facts: (item) => ({ model: modelIn(item) }),
  about: (value) => {
    const { sessionId, title, workspaceDirectory } = wireOf(value)
    return { id: textOf(sessionId), title: textOf(title), folder: textOf(workspaceDirectory) }
  },
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "a history with a sessionId and a workspaceDirectory",
      isOn: (value, syntax) =>
        syntax === "value" && hasHistory(value) && typeof value["sessionId"] === "string" && "workspaceDirectory" in value,
    },
    {
      certainty: "likely",
      evidence: "a history of messages with contextItems",
      isOn: (value, syntax) =>
        syntax === "value" && hasHistory(value) && value.history.slice(0, 8).some((item) => isItem(item) && "contextItems" in item),
    },
  ],
  place: () => ({
    path: (name) => `~/.continue/sessions/${name}.json`,
    resume: (name) => `cn --fork ${name}`,
    otherwise: "<sessionId>",
    note: phrase`In an editor, open it from the history of the side bar, which lists what ~/.continue/sessions/sessions.json names.`,
  }),
})
