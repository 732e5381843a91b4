/**
 * A trajectory → Transcript. The messages are those of Chat Completions, but for results, which name their calls in a
 * list (`tool_call_ids`). Runs without native calls keep their actions as text, as the model wrote them. Both views
 * are the same: what a history processor hid from the model is not recorded.
 */
import { isWire, type Message, type Transcript, type Wire } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"
import { fileOf, isSpoken, listKeyOf, recordsOf } from "./trajectory.ts"

export const format = "swe-agent"

/**
 * The record as a Chat message. Several ids in one record stay as they are: the codec of the messages knows that
 * shape.
 */
const asMessage = (record: unknown): unknown => {
  if (!isWire(record) || record["role"] !== "tool" || typeof record["tool_call_id"] === "string") return record
  const ids = record["tool_call_ids"]
  if (!Array.isArray(ids) || ids.length !== 1 || typeof ids[0] !== "string") return record
  const { tool_call_ids: _, ...rest } = record
  return { ...rest, tool_call_id: ids[0] }
}

/** Each message names the record it came from, so that an untouched one is written as it was. */
const naming = (message: Message, record: unknown): Message => ({
  ...message,
  native: { ...message.native, [format]: record },
})

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const file = fileOf(value)
  const spoken = recordsOf(file).filter(isSpoken)
  const wires = spoken.map(asMessage)
  const { diagnostics, messages, ...read } = openaiChat.decode(wires, options)
  const records = new Map<unknown, unknown>()
  wires.forEach((wire, index) => records.set(wire, spoken[index]))
  const key = listKeyOf(file)
  const placed = diagnostics?.map((found) => {
    const path = found.place.path?.replace(/^messages(?=\[)/, key)
    return path === undefined ? found : { ...found, place: { ...found.place, path } }
  })
  return {
    ...read,
    format,
    messages: messages.map((message) => {
      const wire = message.native?.[openaiChat.format] as Wire | undefined
      return wire === undefined ? message : naming(message, records.get(wire))
    }),
    // The empty envelope says that the messages are of that format: its encoder then knows their fields.
    native: { [openaiChat.format]: {}, [format]: file },
    ...(placed && { diagnostics: placed }),
  }
}
