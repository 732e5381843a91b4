/**
 * Items as they were streamed → blocks, read by the decoder: the first block of a message keeps the whole item, later
 * ones their part.
 *
 * A server knows items by their id only once the response has ended well. Until then ids are left out, so that nobody
 * looks them up, and reasoning that has nothing but its id is not signed.
 */
import { type Block, jsonText, limitDepth, text, type Wire } from "../../../model/index.ts"
import { cutArguments } from "../../engine/recorder/arguments.ts"
import type { Slot, SlotKind } from "../../engine/recorder/draft.ts"
import { callKindOf } from "../items.ts"
import { readAssistant, readModelItem } from "../read-items.ts"
import { type ItemState, type ResponsesState, wireItem } from "./items.ts"

export const kindOfItem = (type: string): SlotKind => {
  if (type === "reasoning") return "thinking"
  return callKindOf(type) ? "call" : "opaque"
}

const readPart = ({ slots }: ItemState, wire: Wire, index: number): Block => {
  const block = readAssistant(wire)[index]
  if (block) return block
  const said = slots[index]?.pieces.text ?? ""
  return index === 0 ? { ...text(said), native: { "openai-responses": wire } } : text(said)
}

const withoutId = (wire: Wire): Wire => {
  const { id: _, ...rest } = wire
  return rest
}

/** `known`: the response ended well, so that the server knows its items. */
export const buildBlock = (slot: Slot<ResponsesState>, whole: boolean, known: boolean): Block => {
  const { item, part } = slot.state
  const { type } = item
  const wire = known || type === "local_shell_call" ? limitDepth(wireItem(item, whole)) : withoutId(limitDepth(wireItem(item, whole)))
  if (type === "message") return readPart(item, wire, part)
  const block = readModelItem(wire, type, known)
  if (block.type === "thinking") return known || block.signature !== undefined ? block : { ...block, unsigned: true }
  if (block.type !== "call" || whole) return block
  if (type === "custom_tool_call") return { ...block, raw: slot.pieces.text, fault: "unparsable" }
  const given = wire[callKindOf(type)?.field ?? ""]
  return { ...block, ...cutArguments(typeof given === "string" ? given : (given === undefined ? "" : jsonText(given))) }
}
