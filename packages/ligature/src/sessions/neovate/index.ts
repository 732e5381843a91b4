/** Neovate Code: sessions as JSON lines, a tree of messages by parent. */
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { outline, place, pulse } from "./outline.ts"
import { recognise } from "./recognise.ts"
import { format } from "./records.ts"

export const neovate: SessionCodec = withDepthLimit({
  format,
  title: "Neovate Code session",
  capabilities,
  decode,
  encode,
  session: {
    agent: "Neovate Code",
    layout: "lines",
    writes: "any",
    view: "effective",
    aliases: ["neovate-code"],
    recognise,
    outline,
    pulse,
    place,
  },
})
