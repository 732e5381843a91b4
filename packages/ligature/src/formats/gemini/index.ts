/** Google Gemini generateContent: requests and lists of contents. */
import { type Codec, declareHomes, type WireReason } from "../engine/codec.ts"
import { defineCodec } from "../engine/known-codecs.ts"
import { inShort, type WireDifference } from "../engine/wire-difference.ts"
import { takesBack } from "./allowed.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"

/** What the generateContent API can express. */
const capabilities = declareHomes({
  native: [
    "structured-result",
    "thinking-signature",
    "block-order",
    "parallel-calls",
    "call-grouping",
    "result-tool-name",
    "audio",
    "server-tools",
  ],
  convention: [
    "result-error",
    "result-image",
    "result-document",
    "result-video",
    "empty-result",
    "thinking",
    "call-id",
    "citations",
    "refusal",
  ],
})

const explain = (difference: WireDifference): WireReason | undefined => {
  if (difference.type === "changed" && /\.function_?[rR]esponse\.name$/.test(difference.path)) {
    const what = `requires the name of the function in ${difference.path}; ${inShort(difference.before)} would be sent as ${inShort(difference.after)}`
    return { rule: "result-name", what, repair: "named the function that was called" }
  }
  if (difference.type !== "added" || difference.field !== "thoughtSignature") return undefined
  const what = `requires \`thoughtSignature\` on the first function call of a turn, ${difference.path}; the documented placeholder would be added`
  return { rule: "thought-signature", what, repair: "added the documented placeholder for a signature" }
}

export const gemini: Codec = defineCodec({
  format: "gemini",
  title: "Google Gemini",
  capabilities,
  decode,
  encode,
  explain,
  takesBack,
})
