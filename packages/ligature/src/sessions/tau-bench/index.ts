/** Results of tau-bench: a list of runs, each with the Chat Completions messages of its agent under `traj`. */
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { singlePath } from "../engine/single-path.ts"
import { capabilities } from "./capabilities.ts"
import { decode, format } from "./decode.ts"
import { encode } from "./encode.ts"
import { outline, recognise, sessionsIn } from "./session.ts"

export const tauBench: SessionCodec = withDepthLimit({
  format,
  title: "tau-bench results",
  capabilities,
  decode: singlePath(decode, outline),
  encode,
  session: {
    agent: "tau-bench",
    layout: "value",
    writes: "own",
    view: "whole",
    idsRepeat: true,
    aliases: ["taubench", "tau"],
    recognise,
    sessionsIn,
    outline,
  },
})
