/** OpenAI Responses API: requests and lists of input items. */
import { isWire, type Wire } from "../../model/index.ts"
import { type Codec, declareHomes, type Feature } from "../engine/codec.ts"
import { defineCodec } from "../engine/known-codecs.ts"
import { takesBack } from "./allowed.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"

/** What the Responses API can express. */
const capabilities = declareHomes({
  native: [
    "result-image",
    "result-document",
    "thinking-signature",
    "block-order",
    "parallel-calls",
    "raw-arguments",
    "free-text-call",
    "call-id",
    "item-id",
    "cache-marks",
    "citations",
    "refusal",
    "server-tools",
    "system-in-the-middle",
    "compaction-marks",
    "tool-references",
  ],
  convention: ["result-error", "empty-result", "thinking", "redacted-thinking", "call-grouping", "result-tool-name", "audio"],
})

// What a wire item says beyond the model: who it is, marks for the prompt cache, and citations.

/** True when the item, or a part of its content, passes the test. */
const anywhere = (native: Wire, test: (wire: Wire) => boolean): boolean => {
  if (test(native)) return true
  const { content } = native
  return Array.isArray(content) && content.some((part) => isWire(part) && test(part))
}

const isMarked = (wire: Wire): boolean => Boolean(wire["prompt_cache_breakpoint"])

const isCited = ({ annotations }: Wire): boolean => Array.isArray(annotations) && annotations.length > 0

const nothing: readonly Feature[] = []

const extras = (native: Wire): readonly Feature[] => {
  const named = Boolean(native["id"] ?? native["status"] ?? native["phase"])
  const marked = anywhere(native, isMarked)
  const cited = anywhere(native, isCited)
  if (!named && !marked && !cited) return nothing
  const found: Feature[] = []
  if (named) found.push("item-id")
  if (marked) found.push("cache-marks")
  if (cited) found.push("citations")
  return found
}

export const openaiResponses: Codec = defineCodec({
  format: "openai-responses",
  title: "OpenAI Responses",
  capabilities,
  decode,
  encode,
  extras,
  takesBack,
})
