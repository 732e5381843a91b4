/**
 * The name of the format, and the shapes around its messages. An export is a list of chats; a chat holds the tree of
 * its messages by id, the message it stands at, and a copy of the path to it. One stored message of the assistant may
 * hold several rounds of calls and results: a `Turn` ties the messages that were read from it together.
 */
import { type Block, isWire, type Native, type Wire } from "../../model/index.ts"
import { nativeIn } from "../engine/fields.ts"
import type { Reading } from "../engine/put-back.ts"

export const format = "open-webui"

/** One stored message, and all blocks read from it, in order. What was read from it bears it as its native value. */
export interface Turn {
  readonly stored: Wire
  readonly blocks: readonly Block[]
}

/** What the decoder remembers for the way back. The records of the reading are the stored messages. */
export interface ChatReading extends Reading {
  readonly value: unknown
}

export const turnOf = (value: { readonly native?: Native }): Turn | undefined => {
  const native = value.native?.[format]
  return isWire(native) && isWire(native["stored"]) ? (native as unknown as Turn) : undefined
}

export const nativeOf = (value: { readonly native?: Native }): Wire | undefined => nativeIn(value, format)

/** The first chat, where a whole export is given. */
export const entryOf = (value: unknown): Wire => {
  const entry = Array.isArray(value) ? value.find(isWire) : value
  return isWire(entry) ? entry : {}
}

/** The chat itself: exports wrap it in the row it is stored in. */
export const chatOf = (entry: Wire): Wire => (isWire(entry["chat"]) ? entry["chat"] : entry)

const historyOf = (chat: Wire): Wire | undefined =>
  isWire(chat["history"]) && isWire(chat["history"]["messages"]) ? chat["history"] : undefined

export interface Nodes {
  readonly nodes: readonly unknown[]
  /** The ids under which the tree keeps them, which a node's own may have ceased to be. */
  readonly keys?: readonly string[]
  readonly currentId?: unknown
  /** The tree by id; without it, the chat is a plain list. */
  readonly history?: Wire
}

export const nodesOf = (chat: Wire): Nodes => {
  const history = historyOf(chat)
  if (history) {
    const messages = history["messages"] as Wire
    return { nodes: Object.values(messages), keys: Object.keys(messages), currentId: history["currentId"], history }
  }
  return { nodes: Array.isArray(chat["messages"]) ? chat["messages"] : [] }
}
