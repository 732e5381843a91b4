/** Conversation → session file: back into the file it was read from, or as a new one. */
import { type Conversation, isWire, type Wire } from "../../model/index.ts"
import type { EncodeOptions } from "../../formats/engine/codec.ts"
import type { NativeSession } from "./decode.ts"
import { newSession } from "./new-session.ts"
import { format } from "./tree/record.ts"
import { rewrite } from "./rewrite.ts"

/** The file a conversation was read from. */
export const nativeSession = (conversation: Conversation, name: string): NativeSession | undefined => {
  const native = conversation.native?.[name]
  if (!isWire(native) || !Array.isArray(native["records"]) || !Array.isArray(native["read"])) return undefined
  const { records, read, repeated } = native
  return { records, read, ...(Array.isArray(repeated) && { repeated }) }
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const session = nativeSession(conversation, format)
  return { records: session ? rewrite(conversation, session, format) : newSession(conversation, options) }
}
