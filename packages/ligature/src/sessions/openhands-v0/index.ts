/** OpenHands before its SDK (and OpenDevin): trajectories, evaluation outputs and event logs. */
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { openhandsV1 } from "../openhands-v1/index.ts"
import { singlePath } from "../engine/single-path.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { format } from "./event.ts"
import { outline, pulse, recognise, sessionsIn } from "./session.ts"

export const openhandsV0: SessionCodec = withDepthLimit({
  format,
  title: "OpenHands trajectory",
  capabilities: openhandsV1.capabilities,
  decode: singlePath(decode, outline),
  encode,
  session: {
    agent: "OpenHands",
    layout: "list",
    listKey: "history",
    orLines: true,
    writes: "own",
    view: "whole",
    idsRepeat: true,
    aliases: ["opendevin", "openhands-trajectory", "openhands-events"],
    recognise,
    sessionsIn,
    outline,
    pulse,
  },
})
