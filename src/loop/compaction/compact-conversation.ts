/**
 * Compacts one stored conversation: loads everything that was said, prepares, and appends. Others may append meanwhile.
 * Never rejects for what a summariser or another writer does; errors of the store itself are thrown.
 *
 *     const result = await compactConversation({ store, id, summarise, settings: { windowTokens: 200_000 } })
 */
import { estimateMeter, type Meter } from "../../compact/meter/index.ts"
import type { Protection } from "../../compact/protection.ts"
import { noSize } from "../../compact/size.ts"
import type { Strategy } from "../../compact/strategy.ts"
import { type Profile, resolveProfile } from "../../laws/index.ts"
import type { Lease, Loaded, NewEntry, Store } from "../../store/index.ts"
import { lastModel } from "../iteration-note.ts"
import { newOwner } from "../log/owner.ts"
import { platform, type Surroundings } from "../surroundings.ts"
import { appendBehind, type AppendOutcome } from "./write/append-behind.ts"
import { type CompactionListener, type CompactionOutcome, guarded } from "./events.ts"
import { type Prepared, type PrepareOptions, prepareCompaction } from "./prepare.ts"
import { checkTokens, settingsFor, type SettingsChoice } from "./settings.ts"
import { withoutThinkingOf } from "./write/strip-thinking.ts"
import type { Summarise } from "./summary/summarise.ts"
import { summaryLeaseMs, withSummaryLease } from "./summary/summary-lease.ts"

export interface CompactOptions {
  readonly summarise?: Summarise
  readonly settings?: SettingsChoice
  /** Name of the model that is spoken to: chooses among `settings.models`. Default: the one that spoke last, where `run` noted it. */
  readonly model?: string
  /** The provider that is spoken to: says whether thinking is bound. Default: as `run` noted it last, else it is not. */
  readonly profile?: Profile | string
  /** What the agent is about to do: what is said about it is kept first. The newest request counts by itself. */
  readonly goal?: string
  /** What stays verbatim beside the usual. */
  readonly protect?: Protection
  /** Default: the estimator. */
  readonly meter?: Meter
  /**
   * Tokens of every request that are not in the conversation: system prompt, tools. Default: what a run says its requests
   * carry, where the run asks; else 0.
   */
  readonly besideTokens?: number
  /** Instead of the strategies that the settings name; the first that fits is used. */
  readonly strategies?: readonly Strategy[]
  readonly onEvent?: CompactionListener
  readonly surroundings?: Partial<Surroundings>
}

export interface CompactConversationOptions extends CompactOptions {
  readonly store: Store
  readonly id: string
  /** Compact now, without asking the policy. */
  readonly force?: boolean
  /** With `force`: to this many tokens. Default: the target of the settings. */
  readonly targetTokens?: number
  /** The write lease of the conversation, where the caller holds it. */
  readonly lease?: Lease | (() => Lease | undefined)
  /** How long to wait while somebody else holds the write lease, in milliseconds. Default 0. */
  readonly heldWaitMs?: number
  /** For a caller that holds the summary lease itself: asked before each append, throws when the lease was lost. */
  readonly insist?: () => Promise<void>
  readonly signal?: AbortSignal
}

const never = new AbortController().signal

/** The options of the preparation for a conversation, with defaults filled in; `carried`: what requests carry beside it. */
export const prepareOptions = (
  options: CompactOptions,
  { entries }: Pick<Loaded, "entries">,
  signal: AbortSignal,
  carried = noSize,
): PrepareOptions => {
  const last = lastModel(entries)
  const {
    summarise,
    settings,
    model = last.model,
    profile,
    goal,
    protect,
    meter = estimateMeter,
    besideTokens,
    strategies,
    onEvent,
    surroundings,
  } = options
  checkTokens("besideTokens", besideTokens)
  const spokenTo = profile === undefined ? undefined : resolveProfile(profile)
  const isBound = spokenTo?.boundThinking ?? last.boundThinking
  return {
    settings: settingsFor({ ...(isBound && { thinking: "strip" }), ...settings }, model),
    meter,
    signal,
    now: surroundings?.now ?? platform.now,
    emit: onEvent ? guarded(onEvent) : () => undefined,
    ...(summarise && { summarise }),
    ...(goal !== undefined && { goal }),
    ...(protect && { protect }),
    ...(spokenTo && { profile: spokenTo }),
    beside: { ...carried, ...(besideTokens !== undefined && { tokens: besideTokens }) },
    ...(strategies && { strategies }),
  }
}

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
 * The second half: appends. May be tried again with the same work, as long as its path stands; then it is no news that
 * somebody holds the conversation.
 */
export const concludeWork = async (
  options: CompactConversationOptions,
  { loaded, terms, prepared }: Work,
  { isAgain = false }: { readonly isAgain?: boolean } = {},
): Promise<CompactionOutcome> => {
  const { store, id, lease, heldWaitMs = 0, insist, signal = never } = options
  const surroundings: Surroundings = { ...platform, ...options.surroundings }
  const end = (result: CompactionOutcome): CompactionOutcome => {
    if (!(isAgain && isHeld(result))) terms.emit({ type: "compaction-end", conversation: id, result })
    return result
  }
  const append = (entries: readonly NewEntry[]): Promise<AppendOutcome> => appendBehind({
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
    ...(insist && { insist }),
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

/** Under the summary lease, unless the caller holds it (`insist`): one compaction of a conversation at a time. */
export const compactConversation = async (options: CompactConversationOptions): Promise<CompactionOutcome> => {
  const { store, id, insist, signal = never } = options
  if (insist) return compactNow(options)
  const { newId } = { ...platform, ...options.surroundings }
  const terms = { store, conversation: id, owner: newOwner(newId()), leaseMs: summaryLeaseMs }
  const leased = await withSummaryLease(terms, (renew, lost) =>
    compactNow({ ...options, insist: renew, signal: AbortSignal.any([signal, lost]) }),
  )
  if (leased.type === "done") return leased.result
  const detail = leased.type === "held" ? `${leased.holder} is compacting it` : leased.error.message
  const result: CompactionOutcome = { outcome: "refused", reason: "held", detail, failed: [] }
  if (options.onEvent) guarded(options.onEvent)({ type: "compaction-end", conversation: id, result })
  return result
}
