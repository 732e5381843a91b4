/** Slots → the wire blocks an answer in one piece would have had; the decoder reads them. */
import { type Block, limitDepth, parseJson, type Wire } from "../../../model/index.ts"
import { cutArguments } from "../../engine/recorder/arguments.ts"
import type { Slot, SlotKind } from "../../engine/recorder/draft.ts"
import { stringOf } from "../../engine/recorder/fields.ts"
import { readBlock } from "../decode.ts"
import type { AnthropicState } from "./reader.ts"

const kinds: ReadonlyMap<unknown, SlotKind> = new Map([
  ["text", "text"],
  ["thinking", "thinking"],
  ["redacted_thinking", "thinking"],
  ["tool_use", "call"],
  ["image", "media"],
  ["document", "media"],
] as const)

export const kindOfBlock = (wire: Wire): SlotKind => kinds.get(wire["type"]) ?? "opaque"

/** The input as the deltas say it; without any, as the start of the block says it. */
const inputOf = (fields: Wire, raw: string): unknown => (raw === "" ? fields["input"] : (parseJson(raw) ?? raw))

/** What deltas of a server-side block carry: the input of a tool, or the text of a compaction. */
const withDeltas = (fields: Wire, raw: string): Wire => {
  if (raw === "") return { ...fields }
  return fields["type"] === "compaction" ? { ...fields, content: raw } : { ...fields, input: inputOf(fields, raw) }
}

/** The block as it would have come in one piece. */
const wireOf = ({ kind, state: { fields }, pieces }: Slot<AnthropicState>, whole: boolean): Wire => {
  const raw = pieces.text
  switch (kind) {
    case "text":
      return { ...fields, type: "text", text: raw }
    case "thinking":
      if (fields["type"] === "redacted_thinking") return { ...fields }
      return { ...fields, thinking: raw, signature: stringOf(fields["signature"]) }
    case "call":
      return { ...fields, input: whole ? inputOf(fields, raw) : raw }
    case "media":
      return { ...fields }
    case "opaque":
      return withDeltas(fields, raw)
  }
}

export const buildBlock = (slot: Slot<AnthropicState>, whole: boolean): Block | readonly Block[] => {
  const wire = limitDepth(wireOf(slot, whole))
  slot.state.wire = wire
  const block = readBlock(wire)
  return "type" in block && block.type === "call" && !whole ? { ...block, ...cutArguments(slot.pieces.text) } : block
}
