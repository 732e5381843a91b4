/** Claude Code: session files, one record per line. */
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { outline } from "./outline.ts"
import { place } from "./place.ts"
import { pulse } from "./pulse.ts"
import { recognise } from "./recognise.ts"
import { format } from "./tree/record.ts"

export const claudeCode: SessionCodec = withDepthLimit({
  format,
  title: "Claude Code session",
  capabilities,
  wraps: "anthropic",
  decode,
  encode,
  session: {
    agent: "Claude Code",
    layout: "lines",
    writes: "any",
    view: "whole",
    profile: "anthropic",
    aliases: ["claude"],
    recognise,
    outline,
    pulse,
    place,
  },
})
