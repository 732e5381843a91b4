/** Sessions of opencode, as `opencode export` writes them and `opencode import` reads them. */
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { format } from "./fields.ts"
import { outline, place, recognise } from "./outline.ts"

export const opencodeExport: SessionCodec = withDepthLimit({
  format,
  title: "opencode session export",
  capabilities,
  decode,
  encode,
  session: {
    agent: "opencode",
    layout: "value",
    writes: "any",
    view: "whole",
    aliases: ["opencode"],
    recognise,
    outline,
    place,
  },
})
