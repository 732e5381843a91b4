/**
 * An application's messages in a Ligature store. They are written as they are said, damage included, and read back valid:
 * a process that died between a call and its result leaves a history that can be sent at once.
 */
import { aiSdkModel } from "../../formats/ai-sdk-model/index.ts"
import type { Lease, NewEntry, Store } from "../../store/index.ts"
import { ensureConversation, loadIfThere } from "../conversation-of.ts"
import { type AdapterOptions, settleFor, tell } from "../settle-for.ts"
import type { SdkMessage } from "./valid-messages.ts"

export interface StoredMessagesOptions extends AdapterOptions {
  readonly store: Store
  /** Id of the conversation; created when the first message is appended. */
  readonly conversation: string
  /** Under which appends are written, where several processes share the conversation. */
  readonly lease?: Lease
}

export interface StoredMessages {
  /** All messages, valid; empty for a new conversation. */
  load<Message extends SdkMessage = StoredMessage>(): Promise<Message[]>
  /** Adds messages in order, all or none. An unknown outcome may be repeated under the same operation. */
  append(messages: readonly SdkMessage[], options?: { readonly operation?: string }): Promise<void>
}

/** A message as it came from the store; the SDK's own types are given by the caller: `load<ModelMessage>()`. */
export interface StoredMessage extends SdkMessage {
  readonly content: unknown
}

export const storedMessages = ({ store, conversation: id, lease, ...options }: StoredMessagesOptions): StoredMessages => {
  let ensured = false
  return {
    async load<Message extends SdkMessage>(): Promise<Message[]> {
      const loaded = await loadIfThere(store, id)
      if (!loaded) return []
      const { conversation, report } = settleFor({ ...loaded.transcript, format: aiSdkModel.format }, options)
      tell(report, options)
      return aiSdkModel.encode(conversation)["messages"] as Message[]
    },
    async append(messages, { operation } = {}) {
      const entries = aiSdkModel.decode(messages).messages.map((message): NewEntry => ({ kind: "message", message }))
      if (entries.length === 0) return
      if (!ensured) await ensureConversation(store, id)
      ensured = true
      await store.append(id, entries, { ...(lease && { lease }), ...(operation !== undefined && { operation }) })
    },
  }
}
