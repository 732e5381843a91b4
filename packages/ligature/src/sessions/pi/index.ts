/** Sessions of the pi coding agent, and of OpenClaw, which is built on it. */
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { format } from "./format.ts"
import { outline, place, pulse } from "./outline.ts"
import { recognise } from "./recognise.ts"

export const pi: SessionCodec = withDepthLimit({
  format,
  title: "pi session",
  capabilities,
  decode,
  encode,
  session: { agent: "pi", layout: "lines", writes: "any", view: "whole", aliases: ["openclaw"], recognise, outline, pulse, place },
})
