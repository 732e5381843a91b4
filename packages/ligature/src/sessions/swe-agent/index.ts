/** Trajectories of SWE-agent (`.traj`: `history` beside `trajectory`) and of mini-swe-agent (`messages`). */
import { openaiChat } from "../../formats/openai-chat/index.ts"
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { singlePath } from "../engine/single-path.ts"
import { decode, format } from "./decode.ts"
import { encode } from "./encode.ts"
import { outline, recognise, sessionsIn } from "./session.ts"

export const sweAgent: SessionCodec = withDepthLimit({
  format,
  title: "SWE-agent trajectory",
  capabilities: openaiChat.capabilities,
  decode: singlePath(decode, outline),
  encode,
  session: {
    agent: "SWE-agent",
    layout: "value",
    writes: "own",
    view: "whole",
    idsRepeat: true,
    aliases: ["sweagent", "mini-swe-agent", "traj"],
    recognise,
    sessionsIn,
    outline,
  },
})
