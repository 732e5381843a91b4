/**
 * Retention: removes the conversations that were not used for a while. Each is judged again at the moment of its removal, so
 * that one which somebody goes on with meanwhile is kept.
 */
import { allConversations } from "./copy-conversations.ts"
import type { ConversationRecord, Store } from "./store.ts"
import { StoreError } from "./store-error.ts"

export type PruneOptions = (
  | {
      /** Remove what was last used before this time, in milliseconds since 1970. */
      readonly before: number
    }
  | {
      /** Remove what was last used longer ago than this, in milliseconds. */
      readonly olderThanMs: number
      /** Milliseconds since 1970. Default: the clock of the system. */
      readonly now?: number
    }
) & {
  /** Remove nothing, only say what would be removed. Default false. */
  readonly dryRun?: boolean
}

export interface Pruned {
  /** Only what was last used before this time was looked at. */
  readonly before: number
  readonly removed: readonly ConversationRecord[]
  /** Old enough, but not removed: somebody holds a lease of it, used it meanwhile, or the store failed. */
  readonly kept: readonly { readonly conversation: ConversationRecord; readonly error: StoreError }[]
}

/** Removals that wait together share what is done once for all of them. */
const atOnce = 50

const timeOf = (options: PruneOptions): number => {
  const before = "before" in options ? options.before : (options.now ?? Date.now()) - options.olderThanMs
  if (Number.isFinite(before)) return before
  throw new StoreError("bad-entry", `Expected a time in milliseconds, got ${before}`)
}

/** Newest last. */
const oldOnes = async (store: Store, before: number): Promise<readonly ConversationRecord[]> => {
  const { conversations } = await allConversations(store)
  return conversations.filter(({ updated }) => updated < before).toReversed()
}

export const prune = async (store: Store, options: PruneOptions): Promise<Pruned> => {
  const before = timeOf(options)
  const old = await oldOnes(store, before)
  if (options.dryRun === true) return { before, removed: old, kept: [] }
  const refusals = new Map<ConversationRecord, StoreError>()
  const remove = async (conversation: ConversationRecord): Promise<void> => {
    try {
      await store.remove(conversation.id, { updatedBefore: before })
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      refusals.set(conversation, error)
    }
  }
  for (let from = 0; from < old.length; from += atOnce) await Promise.all(old.slice(from, from + atOnce).map(remove))
  const removed = old.filter((conversation) => !refusals.has(conversation))
  // One that is missing by now was removed by somebody else.
  const kept = [...refusals].flatMap(([conversation, error]) =>
    error.reason === "missing-conversation" ? [] : [{ conversation, error }],
  )
  return { before, removed, kept }
}
