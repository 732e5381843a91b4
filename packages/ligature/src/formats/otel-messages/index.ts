/** OpenTelemetry gen_ai: the messages that tracing products record as attributes of a span. */
import type { Codec } from "../engine/codec.ts"
import { withDepthLimit } from "../engine/depth-door.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"

export const otelMessages: Codec = withDepthLimit({
  format: "otel-messages",
  title: "OpenTelemetry gen_ai messages",
  capabilities,
  decode,
  encode,
})
