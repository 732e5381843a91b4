/** Lists of SDK items in, valid lists out, and the way between items and entries of a store. */
import { sameElements } from "../../formats/engine/codec.ts"
import { openaiResponses } from "../../formats/openai-responses/index.ts"
import { type Block, type Conversation, isWire, type Message, type Report, type Transcript, type Wire } from "../../model/index.ts"
import { resolveProfile } from "../../rules/index.ts"
import { assertAdapter, type AdapterOptions, settleFor, tell } from "../settle-for.ts"

// Items of the Agents SDK ↔ items of the Responses API. The SDK spells a few fields its own way; everything else, its
// `providerData` included, is left where it is, so that an item comes back from a store as it went in.

const renamedTypes: readonly (readonly [item: string, wire: string])[] = [
  ["function_call_result", "function_call_output"],
  ["computer_call_result", "computer_call_output"],
]
const toWireType: ReadonlyMap<unknown, string> = new Map(renamedTypes)
const toItemType: ReadonlyMap<unknown, string> = new Map(renamedTypes.map(([item, wire]) => [wire, item]))

/** These are spelled as on the wire already. */
const spelledAlike: ReadonlySet<unknown> = new Set(["tool_search_call", "tool_search_output"])

const renamed = (item: Wire, from: string, to: string): Wire => {
  if (!(from in item)) return item
  const { [from]: value, ...rest } = item
  return { ...rest, [to]: value }
}

/** Marks an output that the SDK held as `{ type: "text" }` and not as a bare string. */
const outputType = "output_type"

/** Forms in which an output is one object; as a list they never occur. */
const lonePart: ReadonlySet<unknown> = new Set(["image", "file"])

const outputToWire = (item: Wire): Wire => {
  const { output } = item
  if (!isWire(output)) return item
  if (output["type"] === "text" && typeof output["text"] === "string" && Object.keys(output).length === 2) {
    return { ...item, output: output["text"], [outputType]: "text" }
  }
  return lonePart.has(output["type"]) ? { ...item, output: [output] } : item
}

const outputToItem = (wire: Wire): Wire => {
  const { [outputType]: type, ...item } = wire
  const { output } = item
  if (type === "text" && typeof output === "string") return { ...item, output: { type, text: output } }
  const [only] = Array.isArray(output) ? (output as readonly unknown[]) : []
  const alone = Array.isArray(output) && output.length === 1 && isWire(only) && lonePart.has(only["type"])
  return alone ? { ...item, output: only } : item
}

const encryptedKeys = ["encrypted_content", "encryptedContent"] as const

/** The summary is in `content`, what proves its origin in `providerData`. */
const reasoningToWire = (item: Wire): Wire => {
  const { content, providerData, ...rest } = item
  const given = isWire(providerData) ? encryptedKeys.map((key) => providerData[key]) : []
  const encrypted = given.find((value) => typeof value === "string")
  return {
    ...rest,
    summary: content ?? [],
    ...(providerData !== undefined && { providerData }),
    ...(encrypted !== undefined && { encrypted_content: encrypted }),
  }
}

const reasoningToItem = (wire: Wire): Wire => {
  const { summary, encrypted_content: _, ...rest } = wire
  return { ...rest, content: summary ?? [] }
}

/** The wire item of an SDK item. Never fails on data: what is no object goes through as it is. */
const itemToWire = (item: unknown): unknown => {
  if (!isWire(item) || spelledAlike.has(item["type"])) return item
  const type = item["type"]
  if (type === "reasoning") return reasoningToWire(item)
  const wireType = toWireType.get(type)
  const typed = wireType === undefined ? item : { ...item, type: wireType }
  const called = typeof item["callId"] === "string" ? renamed(typed, "callId", "call_id") : typed
  return type === "function_call_result" ? outputToWire(called) : called
}

const textOf = (content: unknown): string => {
  const parts: readonly unknown[] = Array.isArray(content) ? content : []
  return parts.flatMap((part) => (isWire(part) && typeof part["text"] === "string" ? [part["text"]] : [])).join("\n\n")
}

/** What the SDK demands of items that we had to write: a status, a list of parts, a text. */
const asMessage = (wire: Wire): Wire => {
  const { role, content } = wire
  if (role === "assistant") {
    const parts = typeof content === "string" ? [{ type: "output_text", text: content }] : content
    const { status = "completed" } = wire
    return parts === content && status === wire["status"] ? wire : { ...wire, status, content: parts }
  }
  return role === "system" && typeof content !== "string" ? { ...wire, content: textOf(content) } : wire
}

/** The SDK item of a wire item; `nameOf` knows the tool of a call by its id. */
const wireToItem = (wire: unknown, nameOf: (callId: unknown) => string | undefined): unknown => {
  if (!isWire(wire) || spelledAlike.has(wire["type"])) return wire
  const { type } = wire
  if (type === "message" || (type === undefined && "role" in wire)) return asMessage(wire)
  if (type === "reasoning") return reasoningToItem(wire)
  const itemType = toItemType.get(type)
  const called = renamed(itemType === undefined ? wire : { ...wire, type: itemType }, "call_id", "callId")
  if (itemType !== "function_call_result") return called
  const given = "status" in called ? called : { ...called, status: "completed", [outputType]: "text" }
  const name = typeof given["name"] === "string" ? given["name"] : (nameOf(wire["call_id"]) ?? "")
  return outputToItem({ ...given, name })
}

/** What items of the SDK have in common: a type, or a role where the type may be left out. */
export interface AgentItem {
  readonly type?: string | undefined
  readonly role?: string | undefined
}

const { format } = openaiResponses
const responses = resolveProfile(format)

/** The messages of a list of items: what a model said in one go is one message. */
export const messagesOf = (items: readonly AgentItem[]): readonly Message[] => openaiResponses.decode(items.map(itemToWire)).messages

/**
 * What the model said between two things the client said is one message, also where it was stored in pieces: the SDK
 * may save a turn in several steps.
 */
const joinSpeech = (messages: readonly Message[]): readonly Message[] => {
  const joined: Message[] = []
  let speech: { readonly blocks: Block[]; readonly items: unknown[] } | undefined
  for (const message of messages) {
    const said = message.role === "assistant" ? message.native?.[format] : undefined
    if (!Array.isArray(said)) {
      speech = undefined
      joined.push(message)
      continue
    }
    if (!speech) {
      speech = { blocks: [], items: [] }
      joined.push({ ...message, blocks: speech.blocks, native: { [format]: speech.items } })
    }
    for (const block of message.blocks) speech.blocks.push(block)
    for (const item of said as readonly unknown[]) speech.items.push(item)
  }
  return joined
}

export const itemsOfWires = (wires: readonly unknown[]): readonly AgentItem[] => {
  const names = new Map<unknown, string>()
  for (const wire of wires) {
    if (!isWire(wire) || typeof wire["name"] !== "string" || wire["output"] !== undefined) continue
    names.set(wire["call_id"], wire["name"])
  }
  return wires.map((wire) => wireToItem(wire, (id) => names.get(id)) as AgentItem)
}

const wiresOf = (conversation: Conversation): readonly unknown[] => {
  const { input } = openaiResponses.encode(conversation)
  return typeof input === "string" ? [{ role: "user", content: input }] : ((input ?? []) as readonly unknown[])
}

/** The wire items of a transcript, valid, and what had to be done. */
export const validWires = (
  transcript: Transcript,
  options: AdapterOptions,
): { readonly wires: readonly unknown[]; readonly report: Report } => {
  const joined = { ...transcript, format, messages: joinSpeech(transcript.messages) }
  const { conversation, report } = settleFor(joined, { profile: { ...responses, last: "any" }, ...options })
  return { wires: wiresOf(conversation), report }
}

/**
 * The items, valid for a model: for input that was not kept in a session. A valid list comes back as the very same list.
 *
 * @example
 * const input = validItems(messages)
 */
export const validItems = <Item extends AgentItem>(items: readonly Item[], options: AdapterOptions = {}): Item[] => {
  assertAdapter(options)
  const given = items.map(itemToWire)
  const { wires, report } = validWires(openaiResponses.decode(given), options)
  const places = new Map(given.map((wire, index) => [wire, items[index] as Item]))
  const written = itemsOfWires(wires) as readonly Item[]
  const valid = wires.map((wire, index) => places.get(wire) ?? (written[index] as Item))
  if (sameElements(valid, items)) return items as Item[]
  tell(report, options)
  return valid
}
