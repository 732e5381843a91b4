/** Codex CLI: rollout files, `~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl`. */
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { capabilities } from "./capabilities.ts"
import { decode } from "./decode.ts"
import { encode } from "./encode.ts"
import { outline } from "./outline.ts"
import { place } from "./place.ts"
import { pulse } from "./pulse.ts"
import { recognise } from "./recognise.ts"
import { format } from "./records.ts"

export const codexRollout: SessionCodec = withDepthLimit({
  format,
  title: "Codex rollout",
  capabilities,
  wraps: "openai-responses",
  decode,
  encode,
  session: {
    agent: "Codex CLI",
    layout: "lines",
    writes: "any",
    view: "effective",
    profile: "openai-responses",
    aliases: ["codex"],
    recognise,
    outline,
    pulse,
    place,
  },
})
