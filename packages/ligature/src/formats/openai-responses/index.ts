/** OpenAI Responses API: requests and lists of input items. */
import type { Codec } from "../engine/codec.ts"
import { withDepthLimit } from "../engine/depth-door.ts"
import { takesBack } from "./allowed.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { extras } from "./extras.ts"

export const openaiResponses: Codec = withDepthLimit({
  format: "openai-responses",
  title: "OpenAI Responses",
  capabilities,
  decode,
  encode,
  extras,
  takesBack,
})
