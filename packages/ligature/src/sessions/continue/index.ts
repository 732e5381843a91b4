/** Sessions of Continue. Written back when they were read here; not made of other agents' conversations. */
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { format } from "./fields.ts"
import { outline, place, recognise } from "./outline.ts"

export const continueSession: SessionCodec = withDepthLimit({
  format,
  title: "Continue session",
  capabilities,
  decode,
  encode,
  session: {
    agent: "Continue",
    layout: "value",
    writes: "own",
    view: "whole",
    aliases: [],
    recognise,
    outline,
    place,
  },
})
