/**
 * The messages of a LangGraph thread → Transcript. What a node has written but no checkpoint holds yet is added as the
 * graph's reducer would: a message with a known id takes the place of the old one, `RemoveMessage` takes one out,
 * others are appended. While the graph waits for a person, calls at the end that nobody answered wait for approval.
 * Both views are the same: a checkpoint holds what the next request would say.
 */
import { type Diagnostic, type Message, type Transcript } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { malformedBlock } from "../../formats/engine/malformed.ts"
import { anomaly } from "../engine/anomaly.ts"
import { textAt } from "../engine/fields.ts"
import { readMessage } from "./read-message.ts"
import { format, unwrap, valueOf } from "./value.ts"

const removeAll = "__remove_all__"

/**
 * The state after all writes, in order. Linear: ids are looked up, and what was taken out leaves a gap until the end.
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
      if (id === removeAll) {
        slots = []
        places = new Map()
      } else if (place !== undefined) slots[place] = gone
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

/** Calls of the last assistant message that nothing answers. */
const awaiting = (messages: Message[]): void => {
  const last = messages.findLastIndex(({ role }) => role === "assistant")
  const message = messages[last]
  if (!message) return
  const answered = new Set<string>()
  for (let index = last + 1; index < messages.length; index++) {
    for (const block of messages[index]?.blocks ?? []) if (block.type === "result") answered.add(block.callId)
  }
  const blocks = message.blocks.map((block) =>
    block.type === "call" && !answered.has(block.id) ? { ...block, pending: "approval" as const } : block,
  )
  messages[last] = { ...message, blocks }
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const { envelope, messages: held, pending } = valueOf(value)
  const diagnostics: Diagnostic[] = []
  const messages: Message[] = []
  reduced(held, pending).forEach((record, index) => {
    const unwrapped = unwrap(record)
    const message = unwrapped && readMessage(unwrapped, record)
    if (message) {
      messages.push(message)
      return
    }
    const place = { message: messages.length, path: `messages[${index}]` }
    diagnostics.push(anomaly("malformed-record", place, "A message is of no class that is known"))
    messages.push({ role: "user", blocks: [malformedBlock(format, record)], native: { [format]: record } })
  })
  if (envelope["interrupted"] === true) awaiting(messages)
  return {
    format,
    messages,
    native: { [format]: value },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
