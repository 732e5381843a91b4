/** Google Gemini generateContent: requests and lists of contents. */
import type { Codec } from "../codec.ts"
import { withDepthLimit } from "../depth-door.ts"
import { takesBack } from "./allowed.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"

export const gemini: Codec = withDepthLimit({
  format: "gemini",
  title: "Google Gemini",
  capabilities,
  decode,
  encode,
  takesBack,
})
