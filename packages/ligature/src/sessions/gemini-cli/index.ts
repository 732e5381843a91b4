/** Sessions of the Gemini CLI: until April 2026 one JSON object per file, since then JSON lines of the same records. */
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { format } from "./fields.ts"
import { outline, place, pulse, recognise } from "./outline.ts"

export const geminiCli: SessionCodec = withDepthLimit({
  format,
  title: "Gemini CLI session",
  capabilities,
  decode,
  encode,
  session: {
    agent: "Gemini CLI",
    layout: "value",
    orLines: true,
    writes: "any",
    view: "effective",
    profile: "gemini",
    aliases: [],
    recognise,
    outline,
    pulse,
    place,
  },
})
