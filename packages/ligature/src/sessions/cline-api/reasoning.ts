/**
 * Reasoning that is no Anthropic thinking block. These agents keep it in four places: as a block of type `reasoning`,
 * as a record of its own before the message, and in the fields `reasoning_content` and `reasoning_details` of a
 * message. Other providers made it, so Anthropic never gets it back; here it stays where it was.
 */
import { type Block, isWire, type OpaqueBlock, type ThinkingBlock, type Wire } from "../../model/index.ts"
import { anthropic } from "../../formats/anthropic/index.ts"
import { xmlText } from "../../formats/xml-text/index.ts"
import { format } from "./records.ts"

/** The texts of a list such as `summary` or `reasoning_details`. */
const textsIn = (list: unknown): readonly string[] => {
  if (!Array.isArray(list)) return []
  return list.flatMap((part) => {
    const said = isWire(part) ? (part["text"] ?? part["summary"]) : part
    return typeof said === "string" && said !== "" ? [said] : []
  })
}

const readReasoning = (wire: Wire): ThinkingBlock => {
  const said = wire["text"]
  const text = typeof said === "string" && said !== "" ? said : textsIn(wire["summary"]).join("\n")
  const sealed = wire["encrypted_content"]
  const signature = typeof sealed === "string" && sealed !== "" && { signature: sealed }
  const redacted = text === "" && { redacted: true as const }
  return { type: "thinking", text, ...signature, ...redacted, native: { [format]: wire } }
}

/** The last part of a message is a seal of Gemini's; nobody else can read it. */
const readSeal = (block: OpaqueBlock, wire: unknown): OpaqueBlock => ({
  ...block,
  text: "",
  native: { [format]: wire },
})

/** A thinking block without signature is what these agents write for providers that sign nothing. */
const readThinking = (block: ThinkingBlock): ThinkingBlock => {
  const wire = block.native?.[xmlText.format]
  return wire === undefined ? block : { ...block, native: { [format]: wire } }
}

/** A block as this format means it, where that differs from what Anthropic would make of it. */
export const readOwnBlock = (block: Block): Block => {
  if (block.type === "thinking") return readThinking(block)
  if (block.type !== "opaque") return block
  const wire = block.native[anthropic.format]
  if (block.kind === "reasoning" && isWire(wire)) return readReasoning(wire)
  return block.kind === "thoughtSignature" ? readSeal(block, wire) : block
}

/** Reasoning of a record before the message, which it must not be parted from. */
export const readReasoningItem = (record: Wire): ThinkingBlock => ({ ...readReasoning(record), tied: true })

/** The record, or block, of reasoning whose text may have changed. */
export const rewriteReasoning = (wire: Wire, block: ThinkingBlock): Wire => {
  if (wire["type"] === "thinking") return wire["thinking"] === block.text ? wire : { ...wire, thinking: block.text }
  if (readReasoning(wire).text === block.text) return wire
  if (typeof wire["text"] === "string" && wire["text"] !== "") return { ...wire, text: block.text }
  return { ...wire, summary: [{ type: "summary_text", text: block.text }] }
}

/** Reasoning in the fields of a message. Its native value is the record: nothing of it is in the content. */
export const readReasoningFields = (record: Wire): ThinkingBlock | undefined => {
  const { reasoning_content: said, reasoning_details: details } = record
  const text = typeof said === "string" && said !== "" ? said : textsIn(details).join("\n")
  return text === "" ? undefined : { type: "thinking", text, native: { [format]: record } }
}
