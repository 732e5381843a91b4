/**
 * Codex CLI until September 2025. Read like its successor, without the wrapping; default view: effective, which here is
 * all there is. Written back only to repair: today's Codex does not list these files.
 */
import { type Conversation, isWire, LigatureError, type Transcript, type Wire } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec } from "../../formats/engine/session.ts"
import { capabilities } from "../codex-rollout/capabilities.ts"
import { pulseOfItem } from "../codex-rollout/pulse.ts"
import { recordsOf } from "../codex-rollout/records.ts"
import { Rewriter } from "../codex-rollout/rewrite.ts"
import { transcribe } from "../codex-rollout/transcribe.ts"
import { type Dialect, weave } from "../codex-rollout/weave.ts"
import { outline } from "./outline.ts"
import { read } from "./read.ts"
import { recognise } from "./recognise.ts"
import { format } from "./records.ts"

const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const records = recordsOf(value)
  const { messages, diagnostics } = transcribe(read(records, options.branch), format, options.lines)
  const envelope: Wire = isWire(value) && records === value["records"] ? value : { records }
  return {
    format,
    messages,
    native: { [format]: envelope },
    origin: { provider: "openai" },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}

const dialect: Dialect = {
  replace: (_, item) => item,
  replaceWords: (record) => record,
  wrap: (item) => item,
}

const encode = (conversation: Conversation): Wire => {
  const native = conversation.native?.[format]
  if (!isWire(native) || !Array.isArray(native["records"])) {
    const what = `Expected a conversation read from ${format}: no agent opens new files of this age`
    throw new LigatureError("not-expressible", what)
  }
  const records = native["records"] as readonly unknown[]
  const { entries, repeated } = read(records)
  const written = new Rewriter(format, entries).conversation(conversation)
  return { records: weave(records, { entries, repeated }, written, dialect) }
}

export const codexRolloutOld: SessionCodec = withDepthLimit({
  format,
  title: "Codex rollout, until 2025",
  capabilities,
  wraps: "openai-responses",
  decode,
  encode,
  session: {
    agent: "Codex CLI",
    layout: "lines",
    writes: "own",
    view: "effective",
    profile: "openai-responses",
    aliases: [],
    recognise,
    outline,
    pulse: (record) => (isWire(record) ? pulseOfItem(record) : {}),
  },
})
