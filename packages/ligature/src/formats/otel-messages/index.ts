/** OpenTelemetry gen_ai: the messages that tracing products record as attributes of a span. */
import { type Codec, declareHomes } from "../engine/codec.ts"
import { defineCodec } from "../engine/known-codecs.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"

/** What the messages of the tracing standard can express. They have no error flag and no signatures. */
const capabilities = declareHomes({
  native: [
    "structured-result",
    "empty-result",
    "thinking",
    "block-order",
    "parallel-calls",
    "call-grouping",
    "call-id",
    "audio",
    "system-in-the-middle",
    "speaker-name",
  ],
  convention: ["result-error", "result-image", "result-document", "result-video"],
})

export const otelMessages: Codec = defineCodec({
  format: "otel-messages",
  title: "OpenTelemetry gen_ai messages",
  capabilities,
  decode,
  encode,
})
