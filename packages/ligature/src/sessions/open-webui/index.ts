/** Chats of Open WebUI, as it exports them: calls as cards inside of the content, or as items of the output. */
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { format } from "./format.ts"
import { outline, place, sessionsIn } from "./outline.ts"
import { recognise } from "./recognise.ts"

export const openWebui: SessionCodec = withDepthLimit({
  format,
  title: "Open WebUI chat",
  capabilities,
  decode,
  encode,
  session: {
    agent: "Open WebUI",
    layout: "value",
    writes: "own",
    view: "whole",
    aliases: ["openwebui"],
    recognise,
    sessionsIn,
    outline,
    place,
  },
})
