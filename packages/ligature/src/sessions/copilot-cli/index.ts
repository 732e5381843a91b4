/** Sessions of GitHub Copilot CLI: the file `events.jsonl` of a session's folder. */
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { format } from "./format.ts"
import { outline, place, pulse } from "./outline.ts"
import { recognise } from "./recognise.ts"

export const copilotCli: SessionCodec = withDepthLimit({
  format,
  title: "Copilot CLI session",
  capabilities,
  decode,
  encode,
  session: {
    agent: "GitHub Copilot CLI",
    layout: "lines",
    writes: "own",
    view: "whole",
    aliases: ["copilot"],
    recognise,
    outline,
    pulse,
    place,
  },
})
