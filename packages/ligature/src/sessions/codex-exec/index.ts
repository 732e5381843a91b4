/**
 * `codex exec --json`: the stream of a run without a screen, kept by whoever started it. No agent opens such a file, so
 * it is only read: encode gives the records back as they came.
 */
import { type Conversation, isWire, LigatureError, type Wire } from "../../model/index.ts"
import type { Capabilities } from "../../formats/engine/codec.ts"
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { capabilities as rollout } from "../codex-rollout/capabilities.ts"
import { decode } from "./decode.ts"
import { format } from "./items.ts"
import { outline, pulse, recognise } from "./session.ts"

const capabilities: Capabilities = {
  homes: {
    ...rollout.homes,
    "result-error": "native",
    "result-image": "none",
    thinking: "native",
    "thinking-signature": "none",
    "raw-arguments": "none",
    "free-text-call": "none",
    "system-in-the-middle": "none",
  },
}

const encode = (conversation: Conversation): Wire => {
  const native = conversation.native?.[format]
  if (isWire(native) && Array.isArray(native["records"])) return { records: native["records"] }
  throw new LigatureError("not-expressible", `Expected a conversation read from ${format}: no agent opens such files`)
}

export const codexExec: SessionCodec = withDepthLimit({
  format,
  title: "codex exec --json",
  capabilities,
  decode,
  encode,
  session: { agent: "Codex CLI", layout: "lines", writes: "none", view: "effective", aliases: [], recognise, outline, pulse },
})
