/** Results of tau2-bench: simulations of an agent and a user who both have tools. */
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { singlePath } from "../engine/single-path.ts"
import { capabilities } from "./capabilities.ts"
import { decode, format } from "./decode.ts"
import { encode } from "./encode.ts"
import { outline, recognise, sessionsIn } from "./session.ts"

export const tau2: SessionCodec = withDepthLimit({
  format,
  title: "tau2-bench results",
  capabilities,
  decode: singlePath(decode, outline),
  encode,
  session: {
    agent: "tau2-bench",
    layout: "value",
    writes: "own",
    view: "effective",
    aliases: ["tau2-bench", "tau-squared"],
    recognise,
    sessionsIn,
    outline,
  },
})
