/**
 * Compacts one stored conversation: loads the whole path, prepares, and appends. Others may append meanwhile.
 * Never rejects for what a summariser or another writer does; errors of the store itself are thrown.
 */
import type { Lease, Loaded, NewEntry, Store } from "../../store/index.ts"
import { checkTokens } from "../policy/settings-for.ts"
import { type CompactStoredOptions, prepareOptions } from "./options.ts"
import { newOwner } from "./platform/owner.ts"
import type { Prepared, PrepareOptions } from "./ladder.ts"
import { prepareCompaction } from "./prepare.ts"
import { type CompactionOutcome, guarded } from "./stored/events.ts"
import { summaryLeaseMs, withSummaryLease } from "./summary/summary-lease.ts"
import { platform, type Surroundings } from "./platform/surroundings.ts"
import { appendCompaction, type AppendOutcome } from "./write/append-entries.ts"
import { withoutThinkingOf } from "./write/strip-thinking.ts"

export interface OnceOptions {
  /** Compact now, whether it is due or not. */
  readonly force?: boolean
  /** With `force`: to this many tokens. Default: the target of the settings. */
  readonly targetTokens?: number
  /** The write lease of the conversation, where the caller holds it. */
  readonly lease?: Lease | (() => Lease | undefined)
  /** How long to wait while somebody else holds the write lease, in milliseconds. Default 0. */
  readonly heldWaitMs?: number
  readonly signal?: AbortSignal
}

export interface CompactConversationOptions extends CompactStoredOptions, OnceOptions {
  readonly store: Store
  readonly id: string
  /** For a caller that holds the summary lease itself: called before each append, throws when the lease was lost. */
  readonly assertLease?: () => Promise<void>
}

const never = new AbortController().signal

/** What was prepared for a stored conversation, and for which path. */
export interface Work {
  readonly loaded: Loaded
  readonly terms: PrepareOptions
  readonly prepared: Prepared
}

/** The first half: loads and prepares. Writes nothing. */
export const prepareWork = async (options: CompactConversationOptions): Promise<Work> => {
  const { store, id, force, targetTokens, signal = never } = options
  checkTokens("targetTokens", targetTokens)
  const loaded = await store.load(id)
  const terms = prepareOptions(options, loaded, signal)
  const prepared = await prepareCompaction(loaded, {
    ...terms,
    ...(force !== undefined && { force }),
    ...(targetTokens !== undefined && { targetTokens }),
  })
  return { loaded, terms, prepared }
}

const isHeld = (result: CompactionOutcome): boolean => result.outcome === "refused" && result.reason === "held"

/**
 * The second half: appends. May be tried again with the same work, as long as its path is unchanged; then it is not reported again that
 * somebody holds the conversation.
 */
export const concludeWork = async (
  options: CompactConversationOptions,
  { loaded, terms, prepared }: Work,
  { isAgain = false }: { readonly isAgain?: boolean } = {},
): Promise<CompactionOutcome> => {
  const { store, id, lease, heldWaitMs = 0, assertLease, signal = never } = options
  const surroundings: Surroundings = { ...platform, ...options.surroundings }
  const end = (result: CompactionOutcome): CompactionOutcome => {
    if (!(isAgain && isHeld(result))) terms.emit({ type: "compaction-end", conversation: id, result })
    return result
  }
  const append = (entries: readonly NewEntry[]): Promise<AppendOutcome> => appendCompaction({
    store,
    loaded,
    entries,
    ...(terms.settings.thinking === "strip" && { beside: withoutThinkingOf }),
    operation: surroundings.newId(),
    lease: typeof lease === "function" ? lease : () => lease,
    signal,
    sleep: surroundings.sleep,
    heldWaitMs,
    now: surroundings.now,
    ...(assertLease && { assertLease }),
  })
  if (!prepared.ready) {
    if (prepared.result.outcome === "unchanged") return prepared.result
    // A note that cannot be written now is written with the next failure.
    if (prepared.note) await append([prepared.note])
    return end(prepared.result)
  }
  const { strategy, entries, statistics, failed } = prepared
  const written = await append(entries)
  if (!written.ok) return end({ outcome: "refused", reason: written.reason, detail: written.detail, failed })
  const { ids, tip } = written.appended
  return end({ outcome: "compacted", strategy, failed, statistics, ids, tip })
}

const compactNow = async (options: CompactConversationOptions): Promise<CompactionOutcome> =>
  concludeWork(options, await prepareWork(options))

/** Under the summary lease, unless the caller holds it (`assertLease`): one compaction of a conversation at a time. */
export const compactConversation = async (options: CompactConversationOptions): Promise<CompactionOutcome> => {
  const { store, id, assertLease, signal = never } = options
  if (assertLease) return compactNow(options)
  const { newId } = { ...platform, ...options.surroundings }
  const terms = { store, conversation: id, owner: newOwner(newId()), leaseMs: summaryLeaseMs }
  const leased = await withSummaryLease(terms, (renew, lost) =>
    compactNow({ ...options, assertLease: renew, signal: AbortSignal.any([signal, lost]) }),
  )
  if (leased.type === "done") return leased.result
  const detail = leased.type === "held" ? `${leased.holder} is compacting it` : leased.error.message
  const result: CompactionOutcome = { outcome: "refused", reason: "held", detail, failed: [] }
  if (options.onEvent) guarded(options.onEvent)({ type: "compaction-end", conversation: id, result })
  return result
}
