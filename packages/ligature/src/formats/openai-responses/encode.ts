/**
 * Conversation → OpenAI Responses. Items of this format go back as they came. Reasoning is written only where it came
 * from here, and the items it led to keep their ids only while it stands in front of them.
 */
import { type Conversation, isWire, type Item, type Wire } from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../engine/codec.ts"
import { allowed } from "./allowed.ts"
import { ItemIds } from "./item-ids.ts"
import { ItemWriter } from "./item-writer.ts"
import { nativeOf } from "./items.ts"

/** The instructions of the body, where the conversation still begins with them. */
const instructionsOf = (conversation: Conversation): unknown => {
  const [first] = conversation.items
  const native = first?.role === "system" ? nativeOf(first) : undefined
  if (first?.role !== "system" || !isWire(native) || !("instructions" in native)) return undefined
  const [only] = first.blocks
  if (only?.type === "opaque" && nativeOf(only) === native["instructions"]) return native["instructions"]
  return first.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")
}

const envelope = (conversation: Conversation, instructions: unknown, stripping: boolean): Wire => {
  const native = nativeOf(conversation)
  const body = isWire(native) ? (stripping ? allowed.body(native) : native) : {}
  if (instructions !== undefined) return { ...body, instructions }
  if (typeof body["instructions"] !== "string" || body["instructions"] === "") return body
  const { instructions: _, ...rest } = body
  return rest
}

/** The request said its input as one text, and still says nothing else. */
const isTextInput = (items: readonly Item[]): boolean => {
  const [only] = items
  return items.length === 1 && only?.role === "user" && typeof nativeOf(only) === "string"
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const stripping = options.extras === "strip"
  const instructions = instructionsOf(conversation)
  const body = envelope(conversation, instructions, stripping)
  const items = instructions === undefined ? conversation.items : conversation.items.slice(1)
  const writer = new ItemWriter(new ItemIds(body["model"]))
  for (const item of items) {
    if (item.role === "exchange") writer.exchange(item)
    else writer.client(item)
  }
  const written = writer.items
  // In place: `map` makes a list with room for holes, which JSON.stringify walks more slowly.
  if (stripping) for (let index = 0; index < written.length; index++) written[index] = allowed.item(written[index])
  const [first] = written
  if (isTextInput(items) && isWire(first)) return { ...body, input: first["content"] }
  const previous = body["input"]
  return { ...body, input: sameElements(written, previous) ? previous : written }
}
