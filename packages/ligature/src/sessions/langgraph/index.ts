/**
 * The messages of one LangGraph thread, as its newest checkpoint has them: `{ thread, checkpoint, namespace?, messages, pending?,
 * interrupted? }`. They are in a checkpoint database, which is read and never written. A message is the plain object of its
 * fields, with its class in `type` (`ai`, `tool`, `human`, `system`, `remove`), or wrapped as LangChain writes it to JSON.
 *
 * What a node has written but no checkpoint has yet (`pending`) is added as the graph's reducer would. While the graph waits for
 * a person (`interrupted`), calls at the end that nobody answered wait for approval. Both views are the same.
 */
import { isWire, LigatureError, type Wire } from "../../model/index.ts"
import { malformedBlock } from "../../formats/engine/malformed.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import type { FindOptions, FoundPath, RecordReading } from "../engine/session-format.ts"
import { format, readMessage, unwrap } from "./read-message.ts"

const removeAll = "__remove_all__"

/**
 * The state after all writes, in order: a message with a known id takes the place of the old one, a `remove` takes one out,
 * others are appended. Linear: ids are looked up, and what was taken out leaves a gap until the end.
 */
const reduced = (messages: readonly unknown[], pending: readonly unknown[]): readonly unknown[] => {
  let slots: unknown[] = []
  let places = new Map<string, number>()
  const gone = Symbol("gone")
  const add = (record: unknown, isPending: boolean): void => {
    const message = unwrap(record)
    const id = message && textAt(message.fields, "id")
    const place = id === undefined ? undefined : places.get(id)
    if (message?.kind === "remove") {
      if (id === removeAll) [slots, places] = [[], new Map()]
      else if (place !== undefined) slots[place] = gone
      return
    }
    if (isPending && place !== undefined) {
      slots[place] = record
      return
    }
    if (id !== undefined) places.set(id, slots.length)
    slots.push(record)
  }
  for (const record of messages) add(record, false)
  for (const record of pending) add(record, true)
  return slots.filter((record) => record !== gone)
}

const read = (record: Wire): RecordReading => ({
  messages: [readMessage(record) ?? { role: "user", blocks: [malformedBlock(format, record)] }],
})

/** Calls of the last assistant message that nothing answers. */
const awaiting = (records: readonly unknown[]): ((record: Wire, index: number) => RecordReading) => {
  const messages = records.map((record) => (isWire(record) ? readMessage(record) : undefined))
  const last = messages.findLastIndex((message) => message?.role === "assistant")
  const after = messages.slice(last + 1).flatMap((message) => message?.blocks ?? [])
  const answered = new Set(after.flatMap((block) => (block.type === "result" ? [block.callId] : [])))
  return (record, index) => {
    const reading = read(record)
    if (index !== last) return reading
    const waiting = (reading.messages ?? []).map((message) => ({
      ...message,
      blocks: message.blocks.map((block) =>
        block.type === "call" && !answered.has(block.id) ? { ...block, pending: "approval" as const } : block,
      ),
    }))
    return { messages: waiting }
  }
}

const find = (value: unknown, records: readonly unknown[], { branch }: FindOptions): FoundPath => {
  const { checkpoint, thread, interrupted } = wireOf(value)
  const id = textOf(checkpoint) ?? textOf(thread) ?? "thread"
  return {
    path: [...records.keys()],
    id,
    isKnown: branch === undefined || branch === id,
    diagnostics: [],
    ...(interrupted === true && { read: awaiting(records) }),
  }
}

export const langgraph = defineSession({
  format,
  title: "LangGraph thread",
  agent: "LangGraph",
  sources:
    "langchain-ai/langgraph libs/checkpoint-sqlite and libs/checkpoint serde/jsonplus.py; a database in langchain-ai/langchain-academy",
  aliases: ["langchain"],
  capabilities: { homes: { ...openaiChat.capabilities.homes, "result-error": "native", "result-tool-name": "native" } },
  layout: "value",
  listKey: "messages",
  view: "whole",
  strays: "text",
  records: (value) => {
    const { messages, pending } = wireOf(value)
    return Array.isArray(value) ? reduced(value, []) : reduced(listOf(messages), listOf(pending))
  },
  wrap: () => {
    const what = "LangGraph threads are in a database that Ligature only reads. Convert the thread to another format."
    throw new LigatureError("not-expressible", what)
  },
  find,
  read,
  about: (value) => {
    const { thread, namespace } = wireOf(value)
    const id = textOf(thread)
    return { id, ...(textOf(namespace) !== undefined && { subagent: { ...(id !== undefined && { session: id }) } }) }
  },
  marks: [],
  // Its files are databases; the value that is read from one can still be stored as JSON.
  valueMarks: [
    {
      certainty: "certain",
      evidence: "it has the messages of a thread at a checkpoint",
      isOn: (value) => {
        const { thread, checkpoint, messages } = wireOf(value)
        return typeof thread === "string" && typeof checkpoint === "string" && Array.isArray(messages)
      },
    },
  ],
})
