/** Events → content parts of a model message, as the SDK itself puts them into the history; the decoder reads them. */
import { type Block, isWire, parseJson, type Wire } from "../../../model/index.ts"
import { cutArguments } from "../../engine/recorder/arguments.ts"
import { readPart } from "../read-part.ts"

/** Streams say `providerMetadata`, messages `providerOptions`. */
export const optionsOf = (event: Wire): Wire => {
  const metadata = event["providerMetadata"] ?? event["providerOptions"]
  return isWire(metadata) ? { providerOptions: metadata } : {}
}

/** Providers send the input as JSON text, the SDK as the value. */
export const inputOf = (value: unknown): unknown => (typeof value === "string" ? (parseJson(value) ?? value) : value)

/** `raw`: the text of the input, for a call whose end never came. */
export const buildCall = (part: Wire, raw: string, whole: boolean, waiting: boolean): Block | readonly Block[] => {
  const block = readPart(whole || part["providerExecuted"] === true ? part : { ...part, input: raw })
  if (!("type" in block) || block.type !== "call") return block
  if (!whole) return { ...block, ...cutArguments(raw) }
  return waiting ? { ...block, pending: "approval" } : block
}

/** What a tool gave back, in the shape the SDK stores: a text stays a text, anything else is an object once. */
export const outputOf = (value: unknown, failed: boolean): Wire => {
  const type = typeof value === "string" ? "text" : "json"
  return { type: failed ? `error-${type}` : type, value: value === undefined ? null : value }
}
