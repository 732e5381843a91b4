/** The name of the format, and the way back to what it said. */
import { isWire, type Native, type Wire } from "../../model/index.ts"

export const format = "ai-sdk-ui"

export const nativeOf = (value: { readonly native?: Native }): unknown => value.native?.[format]

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** Parts that are for the screen alone: the SDK never sends them to a model. They come back with their message. */
export const isScreenPart = (part: unknown): boolean => {
  const type = isWire(part) ? textOf(part["type"]) : ""
  return type === "step-start" || type.startsWith("data-") || type.startsWith("source")
}

/**
 * The parts of a message. Version 4 also knew messages without: their content and tool invocations are given the shape
 * of parts, text first, as the SDK itself orders them for a model.
 */
export const partsOf = (message: Wire): readonly unknown[] => {
  const { parts, content, toolInvocations: invocations } = message
  if (Array.isArray(parts)) return parts
  if (Array.isArray(content) && !Array.isArray(invocations)) return content
  const said = content ?? message["text"]
  const words = typeof said === "string" && said !== "" ? [{ type: "text", text: said }] : isWire(said) ? [said] : []
  if (!Array.isArray(invocations)) return words
  return [...words, ...invocations.map((toolInvocation: unknown) => ({ type: "tool-invocation", toolInvocation }))]
}
