/** Sessions of goose: its JSON lines, and the rows of its database as the same records. */
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { format } from "./format.ts"
import { outline, place, pulse } from "./outline.ts"
import { recognise } from "./recognise.ts"

export const goose: SessionCodec = withDepthLimit({
  format,
  title: "goose session",
  capabilities,
  decode,
  encode,
  session: { agent: "goose", layout: "lines", writes: "own", view: "effective", aliases: [], recognise, outline, pulse, place },
})
