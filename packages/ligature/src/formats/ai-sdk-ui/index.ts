/** Vercel AI SDK, UIMessage: what `useChat` shows and applications store. */
import { type Codec, declareHomes } from "../engine/codec.ts"
import { defineCodec } from "../engine/known-codecs.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"

/** What UIMessage can express. Outputs are any JSON: media inside are carried by the shape the SDK gives content. */
const capabilities = declareHomes({
  native: [
    "result-error",
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
  convention: ["result-image", "result-document", "result-video"],
})

export const aiSdkUi: Codec = defineCodec({ format: "ai-sdk-ui", title: "AI SDK UIMessage", capabilities, decode, encode })
