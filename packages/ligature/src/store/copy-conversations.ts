/**
 * Copies conversations from one store to another, of whatever kind: a backup, a restore and a move are the same operation.
 * Writers may go on meanwhile. Of each conversation everything is copied that was acknowledged before its turn came, and each
 * copy is read back and compared before it counts.
 */
import type { Diagnostic } from "../model/index.ts"
import { type Dump, fingerprintOfDump, isWithin, type Restored } from "./dump.ts"
import type { Page, Store } from "./store.ts"
import { StoreError } from "./store-error.ts"

export interface CopyOptions {
  /** Only these conversations. Default: all that are there when it begins. */
  readonly ids?: readonly string[]
  /** Continue a copy that is the beginning of what is there by now, as a repeated backup does. Default false. */
  readonly extend?: boolean
  /** Told of each conversation when it is done. */
  readonly onCopied?: (copied: Copied) => void
}

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
export const copyFrom = async (
  from: Store,
  write: (dump: Dump) => Promise<Restored>,
  options: CopyOptions,
): Promise<CopyResult> => {
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

export const copyConversations = (from: Store, to: Store, options: CopyOptions = {}): Promise<CopyResult> =>
  copyFrom(from, (dump) => restoreVerified(to, dump, options.extend), options)
