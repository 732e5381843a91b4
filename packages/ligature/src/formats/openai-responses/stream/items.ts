/** One item of a response in the making, and the wire item it amounts to. */
import { isWire, type Wire } from "../../../model/index.ts"
import type { Slot } from "../../engine/recorder/draft.ts"
import { listOf, stringOf } from "../../engine/recorder/fields.ts"
import { Pieces } from "../../engine/recorder/pieces.ts"

/** What a block remembers: its item, and which part of it the block is. */
export interface ResponsesState {
  readonly item: ItemState
  readonly part: number
}

export interface ItemState {
  readonly type: string
  /** The item as its start announced it; as its end says it, once that has come. */
  wire: Wire
  done: boolean
  /** One per block: the parts of a message, or the item itself. Parts may come out of order. */
  readonly slots: (Slot<ResponsesState> | undefined)[]
  /** Parts of a message as announced, with fields that came later. */
  readonly parts: Record<string, unknown>[]
  /** Texts of a reasoning item. */
  readonly summary: Pieces[]
  readonly content: Pieces[]
}

export const newItem = (wire: Wire): ItemState => ({
  type: stringOf(wire["type"]) || "message",
  wire,
  done: false,
  slots: [],
  parts: [],
  summary: [],
  content: [],
})

export const pieceAt = (list: Pieces[], index: number): Pieces => {
  while (list.length <= index) list.push(new Pieces())
  return list[index] as Pieces
}

const textField = (part: Wire): "text" | "refusal" => (part["type"] === "refusal" ? "refusal" : "text")

/** The words of a content part; undefined for a part that has none. */
export const partText = (part: unknown): string | undefined => {
  const words = isWire(part) ? part[textField(part)] : undefined
  return typeof words === "string" ? words : undefined
}

/** The parts of a message item, with the text that has come. */
const messageParts = (item: ItemState): readonly Wire[] => {
  if (item.done) return listOf(item.wire["content"]).filter(isWire)
  return item.slots.flatMap((slot, index): readonly Wire[] => {
    const part = item.parts[index] ?? { type: "output_text", annotations: [] }
    if (!slot) return []
    return [slot.kind === "text" ? { ...part, [textField(part)]: slot.pieces.text } : part]
  })
}

const summaryOf = (texts: readonly Pieces[], type: string): readonly Wire[] =>
  texts.map((pieces) => ({ type, text: pieces.text }))

const settledStatus = (item: Wire, whole: boolean): Wire =>
  "status" in item ? { ...item, status: whole ? "completed" : "incomplete" } : item

/** The wire item. `whole`: nothing of it is missing. */
export const wireItem = (item: ItemState, whole: boolean): Wire => {
  const { wire, type } = item
  if (item.done && whole) return wire
  const raw = item.slots[0]?.pieces.text ?? ""
  if (type === "message") return { ...settledStatus(wire, whole), content: messageParts(item) }
  if (type === "function_call") return { ...settledStatus(wire, whole), arguments: raw }
  if (type === "custom_tool_call") return { ...settledStatus(wire, whole), input: raw }
  if (type !== "reasoning" || item.done) return wire
  const content = item.content.length > 0 && { content: summaryOf(item.content, "reasoning_text") }
  return { ...settledStatus(wire, whole), summary: summaryOf(item.summary, "summary_text"), ...content }
}
