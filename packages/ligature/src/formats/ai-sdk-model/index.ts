/** Vercel AI SDK, ModelMessage: what `generateText` takes and returns. */
import { type Codec, declareHomes } from "../engine/codec.ts"
import { defineCodec } from "../engine/known-codecs.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"

/** What ModelMessage can express. Signatures live in provider options, which only their own provider can fill. */
const capabilities = declareHomes({
  native: [
    "result-error",
    "result-image",
    "result-document",
    "result-video",
    "structured-result",
    "empty-result",
    "thinking",
    "block-order",
    "parallel-calls",
    "call-grouping",
    "call-id",
    "result-tool-name",
    "audio",
    "system-in-the-middle",
  ],
})

export const aiSdkModel: Codec = defineCodec({
  format: "ai-sdk-model",
  title: "AI SDK ModelMessage",
  capabilities,
  decode,
  encode,
})
