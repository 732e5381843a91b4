/** Conversation → the trajectory file it came from; the very same value where nothing changed. */
import { type Conversation, isWire, type Native, type Wire } from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../../formats/engine/codec.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"
import { format } from "./decode.ts"
import { fileOf, isSpoken, listKeyOf, recordsOf } from "./trajectory.ts"

/** Which record each Chat message stood for: messages and carriers of results name both. */
const recordsByWire = (conversation: Conversation): ReadonlyMap<unknown, unknown> => {
  const records = new Map<unknown, unknown>()
  const note = (native: Native | undefined): void => {
    const wire = native?.[openaiChat.format]
    if (wire !== undefined && native?.[format] !== undefined) records.set(wire, native[format])
  }
  for (const item of conversation.items) {
    if (item.role !== "exchange") {
      note(item.native)
      continue
    }
    note(item.message.native)
    for (const { carrier } of item.outcomes) note(carrier)
    note(item.reply?.native)
  }
  return records
}

/** A result as the format writes it. mini-swe-agent has the plain field. */
const asRecord = (wire: unknown, key: string): unknown => {
  if (key !== "history" || !isWire(wire) || wire["role"] !== "tool") return wire
  const { tool_call_id: id, ...rest } = wire
  return id === undefined ? wire : { ...rest, tool_call_ids: [id] }
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const file = fileOf(conversation.native?.[format])
  const key = listKeyOf(file)
  const before = recordsOf(file)
  const { messages } = openaiChat.encode(conversation, { ...options, extras: "keep" })
  const byWire = recordsByWire(conversation)
  const wires: readonly unknown[] = Array.isArray(messages) ? messages : []
  const list = wires.map((wire) => byWire.get(wire) ?? asRecord(wire, key))
  for (const record of before) if (!isSpoken(record)) list.push(record)
  return sameElements(list, before) ? file : { ...file, [key]: list }
}
