/** Vercel AI SDK, ModelMessage: what `generateText` takes and returns. */
import type { Codec } from "../codec.ts"
import { withDepthLimit } from "../depth-door.ts"
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
