/** Anthropic Messages API: requests and message lists. */
import type { Wire } from "../../model/index.ts"
import { type Codec, declareHomes, type Feature } from "../engine/codec.ts"
import { defineCodec } from "../engine/known-codecs.ts"
import { listsTools, stubDescription, stubSchema } from "../engine/tools.ts"
import { takesBack } from "./allowed.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"

/** What the Messages API can express. */
const capabilities = declareHomes({
  native: [
    "result-error",
    "result-image",
    "result-document",
    "empty-result",
    "thinking",
    "thinking-signature",
    "redacted-thinking",
    "block-order",
    "parallel-calls",
    "call-grouping",
    "call-id",
    "cache-marks",
    "citations",
    "server-tools",
    "compaction-marks",
    "tool-references",
  ],
  convention: ["refusal", "system-in-the-middle"],
})

// What a wire value says beyond the model: marks for the prompt cache, and citations.

const nothing: readonly Feature[] = []

const extras = ({ cache_control: mark, citations }: Wire): readonly Feature[] => {
  const cited = Array.isArray(citations) && citations.length > 0
  if (!mark && !cited) return nothing
  return cited ? (mark ? ["cache-marks", "citations"] : ["citations"]) : ["cache-marks"]
}

export const anthropic: Codec = defineCodec({
  format: "anthropic",
  title: "Anthropic Messages",
  capabilities,
  decode,
  encode,
  extras,
  takesBack,
  declareTools: (request, names) => {
    if (listsTools(request["tools"])) return undefined
    const tools = names.map((name) => ({ name, description: stubDescription, input_schema: stubSchema }))
    return { ...request, tools }
  },
})
