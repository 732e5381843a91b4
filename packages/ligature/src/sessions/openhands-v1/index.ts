/** OpenHands since its SDK: a conversation is a log of events, one file each, here joined as lines. */
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { singlePath } from "../engine/single-path.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { format } from "./event.ts"
import { outline, pulse, recognise } from "./session.ts"

export const openhandsV1: SessionCodec = withDepthLimit({
  format,
  title: "OpenHands conversation",
  capabilities,
  decode: singlePath(decode, outline),
  encode,
  session: {
    agent: "OpenHands",
    layout: "lines",
    writes: "own",
    view: "whole",
    aliases: ["openhands", "openhands-sdk"],
    recognise,
    outline,
    pulse,
  },
})
