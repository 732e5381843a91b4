/**
 * What the provider is sent instead of what the client sends, where a conversation was compacted: summaries in the place of
 * what they stand for, everything else with the bytes it came with. And where the gateway answered calls of the model itself
 * (recall), the calls and their results, which the client never saw.
 *
 *   client    u1  a1  u2  a2  u3             sent   S(u1 a1)  u2  a2  r2  a2'  u3
 *
 * Nothing of it changes from one request to the next, until the next compaction.
 */
import { decode, encode, type Message, settle } from "ligature"
import { sliceBody } from "../conversation/slices.ts"
import { splice, writeList } from "../exchange/write-body.ts"
import type { Json, Wire } from "../wires/wire.ts"
import type { ConversationRecord } from "./conversation-record.ts"
import { unitsOf } from "./units.ts"

export interface Viewed {
  readonly bytes: Buffer
  /** Of the body without its history: the prompt, the tools. */
  readonly besideBytes: number
}

/** `tools`: declarations to add. Undefined: the body is no history, or says only what is new. */
export const viewBody = (record: ConversationRecord, body: Buffer, wire: Wire, tools: readonly unknown[]): Viewed | undefined => {
  const slices = sliceBody(body, wire.list)
  const value = slices && (JSON.parse(body.toString("utf8")) as Json)
  const before = value?.[wire.list]
  if (!slices || !value || !Array.isArray(before) || typeof value["previous_response_id"] === "string") return undefined
  const transcript = decode(wire.name, value as never)
  const { units } = unitsOf(transcript.messages)
  if (units.length !== record.units.length) return undefined
  const { order, upTo } = record.view ?? { order: [], upTo: 0 }
  const unitOf = new Map(record.units.slice(0, upTo).flatMap(({ entries }, at) => entries.map((entry) => [entry, at] as const)))
  const firstUnit = units[0]?.messages[0]
  const messages: Message[] = firstUnit ? transcript.messages.slice(0, transcript.messages.indexOf(firstUnit)) : [...transcript.messages]
  const told = new Set<number>()
  for (const { entry, message } of order) {
    const at = unitOf.get(entry)
    if (message) messages.push(message)
    else if (at !== undefined && !told.has(at)) messages.push(...(units[at]?.messages ?? []))
    if (at !== undefined) told.add(at)
  }
  for (const { messages: own } of units.slice(upTo)) messages.push(...own)
  const { conversation } = settle({ ...transcript, messages }, { tip: "open" })
  const list = (encode(conversation, wire.name).value as Json)[wire.list]
  if (!Array.isArray(list)) return undefined
  const written = writeList(list, before, body, slices.elements)
  const changed = new Map<string, Buffer | undefined>([[wire.list, written]])
  if (tools.length > 0) changed.set("tools", withTools(value["tools"], tools, body, slices.members.get("tools")))
  const bytes = splice(body, slices.members, changed)
  return { bytes, besideBytes: bytes.length - written.length }
}

/** Added at the end: what was there keeps its bytes. */
const withTools = (
  given: unknown,
  tools: readonly unknown[],
  body: Buffer,
  span: { readonly start: number; readonly end: number } | undefined,
): Buffer => {
  const more = tools.map((tool) => JSON.stringify(tool)).join(",")
  if (!Array.isArray(given) || given.length === 0 || !span) return Buffer.from(`[${more}]`)
  return Buffer.concat([body.subarray(span.start, span.end - 1), Buffer.from(`,${more}]`)])
}
