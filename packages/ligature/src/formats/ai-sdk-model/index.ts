/** Vercel AI SDK, ModelMessage: what `generateText` takes and returns. */
import type { Codec } from "../engine/codec.ts"
import { withDepthLimit } from "../engine/depth-door.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"

export const aiSdkModel: Codec = withDepthLimit({
  format: "ai-sdk-model",
  title: "AI SDK ModelMessage",
  capabilities,
  decode,
  encode,
})
