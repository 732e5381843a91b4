/** Conversation → Codex rollout: the records it came with, touched as little as can be, or a new session. */
import { type Conversation, isWire, type Wire } from "../../model/index.ts"
import type { EncodeOptions } from "../../formats/engine/codec.ts"
import { newSession } from "./new-session.ts"
import { type PathOptions, readPath } from "./path.ts"
import { format } from "./records.ts"
import { Rewriter } from "./rewrite.ts"
import { type Dialect, weave } from "./weave.ts"

const dialect: Dialect = {
  replace: (record, payload) => ({ ...record, payload }),
  replaceWords: (record, message) => ({ ...record, payload: { ...(record["payload"] as Wire), message } }),
  wrap: (payload, like) => {
    const timestamp = like?.["timestamp"]
    return { ...(typeof timestamp === "string" && { timestamp }), type: "response_item", payload }
  },
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const native = conversation.native?.[format]
  if (!isWire(native) || !Array.isArray(native["records"])) return { records: newSession(conversation, options) }
  const records = native["records"] as readonly unknown[]
  const { entries, repeated } = readPath(records, native as PathOptions)
  const written = new Rewriter(format, entries).conversation(conversation)
  return { records: weave(records, { entries, repeated }, written, dialect) }
}
