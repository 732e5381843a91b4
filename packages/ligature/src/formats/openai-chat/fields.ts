/**
 * Reasoning is in fields beside the content, under several names and often under more than one at once. All of them
 * together are one thinking block whose native value is those fields, so that they go back verbatim and in order, or
 * leave the message together.
 */
import { isWire, type Native, type ThinkingBlock, type Wire } from "../../model/index.ts"
import { asWire, isGiven } from "../engine/wire.ts"

// The name of this format, and the wire value a block, message or envelope of it came with.

export const format = "openai-chat"

interface Carrying {
  readonly native?: Native
}

/** Any value: malformed parts are kept too. */
export const nativeOf = (value: Carrying): unknown => value.native?.["openai-chat"]

export const nativeWireOf = (value: Carrying): Wire | undefined => asWire(value.native?.["openai-chat"])

/** Whether a message that is not the assistant's has calls, which are written as the assistant's. */
export const saysCalls = (native: Wire): boolean => isGiven(native["tool_calls"]) || isGiven(native["function_call"])

export const withoutCalls = (native: Wire | undefined): Wire => {
  const { tool_calls: _, function_call: __, ...kept } = native ?? {}
  return kept
}

/** In the order in which their text is believed: the most detailed first. */
export const reasoningFields = ["reasoning_details", "thinking_blocks", "reasoning_content", "reasoning"] as const

/** Where an entry of a list says its text. */
export const detailTexts = ["text", "summary", "thinking"] as const
const proofFields = ["signature", "data"] as const

export const firstText = (wire: Wire, fields: readonly string[]): string => {
  for (const field of fields) {
    const value = wire[field]
    if (typeof value === "string" && value !== "") return value
  }
  return ""
}

const gather = (value: unknown, fields: readonly string[]): readonly string[] => {
  if (!Array.isArray(value)) return []
  return value.flatMap((detail) => (isWire(detail) ? [firstText(detail, fields)] : [])).filter((text) => text !== "")
}

export const isFilled = (value: unknown): boolean =>
  typeof value === "string" ? value.trim() !== "" : Array.isArray(value) && value.length > 0

/** Asked of every assistant message, hence written out. */
export const saysReasoning = (message: Wire): boolean =>
  isFilled(message["reasoning_content"]) ||
  isFilled(message["reasoning"]) ||
  isFilled(message["reasoning_details"]) ||
  isFilled(message["thinking_blocks"])

/** The reasoning of a message; none where every field is missing or blank. */
export const readReasoning = (message: Wire): ThinkingBlock | undefined => {
  if (!saysReasoning(message)) return undefined
  const fields: Record<string, unknown> = {}
  for (const field of reasoningFields) if (isFilled(message[field])) fields[field] = message[field]
  const details = fields["reasoning_details"] ?? fields["thinking_blocks"]
  const [signature] = gather(details, proofFields)
  const shown = gather(details, detailTexts).join("\n")
  const text = shown === "" ? firstText(fields, ["reasoning_content", "reasoning"]) : shown
  return {
    type: "thinking",
    text,
    ...(signature !== undefined && { signature }),
    ...(text === "" && { redacted: true as const }),
    native: { "openai-chat": fields },
  }
}

const plainFields = ["reasoning_content", "reasoning"] as const

/** Whether the fields still say the text of the block; lists of details are never edited. */
const saysText = (native: Wire, text: string): boolean => {
  if (native["reasoning_details"] !== undefined || native["thinking_blocks"] !== undefined) return true
  for (const field of plainFields) if (typeof native[field] === "string" && native[field] !== text) return false
  return true
}

/** The fields with the text that an invariant changed; several that said the same say the same again. */
const repaired = (native: Wire, text: string): Wire => {
  const first = firstText(native, plainFields)
  if (first === text) return native
  const changed = plainFields.filter((field) => native[field] === first).map((field) => [field, text])
  return { ...native, ...Object.fromEntries(changed) }
}

/** The fields that say this thinking: those it came in, or the most common one. */
export const fieldsOf = (thinking: ThinkingBlock): Wire => {
  const native = nativeWireOf(thinking)
  if (native && !("type" in native)) return saysText(native, thinking.text) ? native : repaired(native, thinking.text)
  return thinking.text === "" ? {} : { reasoning_content: thinking.text }
}

/** `bare`: fields that say nothing differ as well. No `fields`: nothing is asked. */
export const sameReasoning = (native: Wire, fields: Wire | undefined, bare: boolean): boolean => {
  if (fields === undefined) return true
  for (const field of reasoningFields) {
    const value = native[field]
    if (field in fields ? value !== fields[field] : bare ? value !== undefined : isFilled(value)) return false
  }
  return true
}
