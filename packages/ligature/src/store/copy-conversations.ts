/**
 * Copies conversations from one store to another, of whatever kind: a backup, a restore and a move are the same operation.
 * Writers may go on meanwhile. Of each conversation everything is copied that was acknowledged before its turn came, and each
 * copy is read back and compared before it counts.
 */
import { assertOptions, type Diagnostic, type OptionNames } from "../model/index.ts"
import { type Dump, fingerprintOfDump, isWithin, type Restored } from "./dump.ts"
import { listedBefore } from "./inputs.ts"
import { StoreError } from "./store-error.ts"
import type { ConversationRecord, Page, Store } from "./store.ts"

export interface CopyOptions {
  /** Only these conversations. Default: all that are there when it begins. */
  readonly ids?: readonly string[]
  /** Continue a copy that is the beginning of what is there by now, as a repeated backup does. Default false. */
  readonly extend?: boolean
  /** Told of each conversation when it is done. */
  readonly onCopied?: (copied: Copied) => void
}

/** Every name of the options. */
export const copyNames: OptionNames<CopyOptions> = { ids: true, extend: [true, false], onCopied: true }

export interface Copied {
  readonly conversation: string
  readonly outcome: Restored
  readonly operations: number
  /** Equal for equal conversations, in whatever store. */
  readonly fingerprint: string
  /** What could not be read of the original and is not in the copy. */
  readonly damage: readonly Diagnostic[]
}

export interface CopyResult {
  readonly copied: readonly Copied[]
  /** Conversations that were not copied, and why: one of the same name says something else, or a store failed. */
  readonly problems: readonly { readonly conversation: string; readonly error: StoreError }[]
  /** Things in the source that are no conversations. */
  readonly unreadable: Page["unreadable"]
}

/** All at once: between two pages of a list, a conversation that is written to would move to the page before. */
export const allConversations = (store: Store): Promise<Page> => store.list({ limit: Number.MAX_SAFE_INTEGER })

const copiedAs = (dump: Dump, outcome: Restored): Copied => {
  const { id, operations, damage } = dump
  return { conversation: id, outcome, operations: operations.length, fingerprint: fingerprintOfDump(dump), damage }
}

/** Dumps come from a store or out of a file; a problem with one of them is no reason to leave out the others. */
interface Source {
  readonly id: string
  readonly dump: () => Promise<Dump>
  /** It was in a list: one that is not there any more was removed since, and nothing is missing for it. */
  readonly isListed: boolean
}

/** Lets each dump be written, in turn. */
export const copyEach = async (
  sources: Iterable<Source> | AsyncIterable<Source>,
  write: (dump: Dump) => Promise<Restored>,
  { onCopied = () => {} }: CopyOptions,
): Promise<Omit<CopyResult, "unreadable">> => {
  const copied: Copied[] = []
  const problems: { conversation: string; error: StoreError }[] = []
  for await (const { id, dump: read, isListed } of sources) {
    try {
      const dump = await read()
      const done = copiedAs(dump, await write(dump))
      copied.push(done)
      onCopied(done)
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      if (!isListed || error.reason !== "missing-conversation") problems.push({ conversation: id, error })
    }
  }
  return { copied, problems }
}

/** Lets the conversations of a store be written, oldest first: a copy that is cut short has what changes least. */
export const copyFrom = async (from: Store, write: (dump: Dump) => Promise<Restored>, options: CopyOptions): Promise<CopyResult> => {
  const { conversations, unreadable } = options.ids ? { conversations: [], unreadable: [] } : await allConversations(from)
  const ids = options.ids ?? conversations.map(({ id }) => id).toReversed()
  const sources = ids.map((id) => ({ id, dump: () => from.dump(id), isListed: options.ids === undefined }))
  return { ...(await copyEach(sources, write, options)), unreadable }
}

/** Writes a dump into a store, reads it back, and throws unless all of it is there. */
export const restoreVerified = async (to: Store, dump: Dump, extend = false): Promise<Restored> => {
  const outcome = await to.restore(dump, { extend })
  if (isWithin(dump, await to.dump(dump.id))) return outcome
  const message = `The copy of conversation ${JSON.stringify(dump.id)} is not what was written. Do not rely on it`
  throw new StoreError("unreadable", message, { conversation: dump.id })
}

export const copyConversations = async (from: Store, to: Store, options: CopyOptions = {}): Promise<CopyResult> => {
  assertOptions(options, copyNames)
  return copyFrom(from, (dump) => restoreVerified(to, dump, options.extend), options)
}

// Retention: removes the conversations that were not used for a while. Each is judged again at the moment of its removal, so
// that one which somebody goes on with meanwhile is kept.

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
  assertOptions(options as object, { before: true, olderThanMs: true, now: true, dryRun: true })
  const before = "before" in options ? options.before : (options.now ?? Date.now()) - options.olderThanMs
  if (Number.isFinite(before)) return before
  throw new StoreError("bad-entry", `Expected a time in milliseconds, got ${before}`)
}

/** Newest last. */
const oldOnes = async (store: Store, before: number): Promise<readonly ConversationRecord[]> => {
  const { conversations } = await store.list({ limit: Number.MAX_SAFE_INTEGER, after: listedBefore(before) })
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
  const kept = [...refusals].flatMap(([conversation, error]) => (error.reason === "missing-conversation" ? [] : [{ conversation, error }]))
  return { before, removed, kept }
}
