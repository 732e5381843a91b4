/** Lists of SDK items in, valid lists out, and the way between items and entries of a store. */
import { sameElements } from "../../formats/engine/codec.ts"
import { openaiResponses } from "../../formats/openai-responses/index.ts"
import { resolveProfile } from "../../rules/index.ts"
import { type Block, type Conversation, isWire, type Message, type Report, type Transcript } from "../../model/index.ts"
import { type AdapterOptions, settleFor, tell } from "../settle-for.ts"
import { itemToWire, wireToItem } from "./item-wire.ts"

/** What items of the SDK have in common: a type, or a role where the type may be left out. */
export interface AgentItem {
  readonly type?: string | undefined
  readonly role?: string | undefined
}

const { format } = openaiResponses
const responses = resolveProfile(format)

/** The messages of a list of items: what a model said in one go is one message. */
export const messagesOf = (items: readonly AgentItem[]): readonly Message[] =>
  openaiResponses.decode(items.map(itemToWire)).messages

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
  const given = items.map(itemToWire)
  const { wires, report } = validWires(openaiResponses.decode(given), options)
  const places = new Map(given.map((wire, index) => [wire, items[index] as Item]))
  const written = itemsOfWires(wires) as readonly Item[]
  const valid = wires.map((wire, index) => places.get(wire) ?? (written[index] as Item))
  if (sameElements(valid, items)) return items as Item[]
  tell(report, options)
  return valid
}
