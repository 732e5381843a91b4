/**
 * Compacts conversations of a store in the background. It looks for what has changed, takes the summary lease of a
 * conversation that has grown too large, and compacts it while its agent goes on. Any number of processes may watch one
 * store: the lease lets one of them work on a conversation at a time, and another continues what a killed one began.
 */
import { LigatureError } from "../../model/index.ts"
import type { ConversationRecord, Lease, Loaded, NewEntry, Store } from "../../store/index.ts"
import { StoreError } from "../../store/store-error.ts"
import { checkMs, checkTokens } from "../policy/settings-for.ts"
import type { Prepared, PrepareOptions } from "./ladder.ts"
import { type CompactStoredOptions, prepareCompaction, prepareOptions } from "./prepare.ts"
import { type CompactionListener, type CompactionOutcome, guarded } from "./stored/notes.ts"
import { type Leased, newOwner, platform, summaryLeaseMs, type Surroundings, timerMs, withSummaryLease } from "./stored/surroundings.ts"
import { appendCompaction, type AppendOutcome, isStillOnPath } from "./write/append-entries.ts"
import { withoutThinkingOf } from "./write/edit-stored.ts"

// Compacts one stored conversation: loads the whole path, prepares, and appends. Others may append meanwhile.
// Never rejects for what a summariser or another writer does; errors of the store itself are thrown.

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

interface CompactConversationOptions extends CompactStoredOptions, OnceOptions {
  readonly store: Store
  readonly id: string
  /** Of the summary lease. */
  readonly leaseMs?: number
  /** For a caller that holds the summary lease itself: called before each append, throws when the lease was lost. */
  readonly assertLease?: () => Promise<void>
}

const never = new AbortController().signal

/** What was prepared for a stored conversation, and for which path. */
interface Work {
  readonly loaded: Loaded
  readonly terms: PrepareOptions
  readonly prepared: Prepared
}

/** The first half: loads and prepares. Writes nothing. */
const prepareWork = async (options: CompactConversationOptions): Promise<Work> => {
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
const concludeWork = async (
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
  const append = (entries: readonly NewEntry[]): Promise<AppendOutcome> =>
    appendCompaction({
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
  const { store, id, assertLease, leaseMs = summaryLeaseMs, signal = never } = options
  if (assertLease) return compactNow(options)
  const { newId } = { ...platform, ...options.surroundings }
  const terms = { store, conversation: id, owner: newOwner(newId()), leaseMs }
  const leased = await withSummaryLease(terms, (renew, lost) =>
    compactNow({ ...options, assertLease: renew, signal: AbortSignal.any([signal, lost]) }),
  )
  if (leased.type === "done") return leased.result
  const detail = leased.type === "held" ? `${leased.holder} is compacting it` : leased.error.message
  const result: CompactionOutcome = { outcome: "refused", reason: "held", detail, failed: [] }
  if (options.onEvent) guarded(options.onEvent)({ type: "compaction-end", conversation: id, result })
  return result
}

export interface BackgroundOptions {
  /** Who works. Default: this process, and this compactor in it. */
  readonly owner?: string
  /** Conversations that are compacted at the same time, at most. Default 2. */
  readonly concurrency?: number
  /** How often the store is searched for changes, in milliseconds. 0: never, only `notice` counts. Default 2,000. */
  readonly pollMs?: number
  /** How long the summary lease runs without being renewed, in milliseconds. Default 30,000. */
  readonly leaseMs?: number
  /**
   * How long to wait before trying again to write what was prepared, while somebody else holds the write lease, in
   * milliseconds; at least 100. Default 5,000.
   */
  readonly heldWaitMs?: number
  /** The write lease of a conversation, where this process holds it. */
  readonly writeLease?: (id: string) => Lease | undefined
  /** Which conversations are watched. Default: all. */
  readonly watches?: (record: ConversationRecord) => boolean
}

interface WatchedStore extends BackgroundOptions, CompactStoredOptions {
  readonly store: Store
}

interface Job {
  readonly controller: AbortController
  readonly done: Promise<CompactionOutcome | undefined>
}

const pageSize = 200
/** Each holds the path of its conversation. */
const mostKept = 64
const shortestPauseMs = 100
const defaultHeldWaitMs = 5_000

export class BackgroundCompactor {
  readonly #options: WatchedStore
  readonly #concurrency: number
  readonly #owner: string
  readonly #surroundings: Surroundings
  readonly #seen = new Map<string, number>()
  readonly #waiting = new Set<string>()
  readonly #running = new Map<string, Job>()
  /** Conversations to look at again: changed while they were worked on, or held by somebody else. */
  readonly #again = new Set<string>()
  /** Prepared, and a summary paid for, but not written: an agent held the conversation. Tried again before anything else. */
  readonly #kept = new Map<string, Work>()
  /** When to look at a conversation again; one each. */
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()
  #poll: ReturnType<typeof setInterval> | undefined
  #polling: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: WatchedStore) {
    const { concurrency = 2 } = options
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw new LigatureError("bad-option", `Expected a whole number of 1 or more as concurrency, got ${concurrency}`)
    }
    checkMs("pollMs", options.pollMs)
    checkMs("leaseMs", options.leaseMs, 1)
    checkMs("heldWaitMs", options.heldWaitMs)
    this.#concurrency = concurrency
    this.#options = options
    this.#surroundings = { ...platform, ...options.surroundings }
    this.#owner = options.owner ?? newOwner(this.#surroundings.newId())
  }

  /** Begins to watch. Does not keep the process alive. */
  start(): void {
    const { pollMs = 2_000 } = this.#options
    if (this.#poll !== undefined || this.#stopped || pollMs <= 0) return
    this.#poll = setInterval(() => void this.look(), pollMs)
    this.#poll.unref()
    void this.look()
  }

  /** Looks through the store once for conversations that have changed. */
  look(): Promise<void> {
    this.#polling = this.#polling.then(() => this.#lookThrough()).catch((error: unknown) => this.#fail("", error))
    return this.#polling
  }

  async #lookThrough(): Promise<void> {
    const { store, watches } = this.#options
    let after: string | undefined
    for (;;) {
      if (this.#stopped) return
      const page = await store.list({ limit: pageSize, ...(after !== undefined && { after }) })
      let news = 0
      for (const record of page.conversations) {
        if (this.#seen.get(record.id) === record.updated) continue
        this.#seen.set(record.id, record.updated)
        news++
        if (watches?.(record) !== false) this.notice(record.id)
      }
      // Newest first: after a page without news there is none.
      if (news === 0 || page.next === undefined) return
      after = page.next
    }
  }

  /** Says that a conversation has changed. */
  notice(id: string): void {
    if (this.#stopped) return
    if (this.#running.has(id)) this.#again.add(id)
    else this.#waiting.add(id)
    this.#next()
  }

  /** Cancels the work on a conversation, or all of it. Nothing is left behind. */
  cancel(id?: string): void {
    for (const [name, { controller }] of this.#running) if (id === undefined || id === name) controller.abort()
    for (const [name, timer] of this.#timers) if (id === undefined || id === name) clearTimeout(timer)
    for (const later of [this.#waiting, this.#again, this.#kept, this.#timers]) {
      if (id === undefined) later.clear()
      else later.delete(id)
    }
  }

  /** When it returns, nothing waits and nothing runs. */
  async idle(): Promise<void> {
    await this.#polling
    while (this.#running.size > 0 || this.#waiting.size > 0) {
      await Promise.all([...this.#running.values()].map(({ done }) => done))
    }
  }

  /** Ends the watch and cancels what runs. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#poll)
    this.cancel()
    await this.idle()
  }

  #next(): void {
    for (const id of this.#waiting) {
      if (this.#running.size >= this.#concurrency) return
      this.#waiting.delete(id)
      const controller = new AbortController()
      const done = this.#work(id, controller.signal).finally(() => {
        this.#running.delete(id)
        if (this.#again.delete(id)) this.notice(id)
        else this.#next()
      })
      this.#running.set(id, { controller, done })
    }
  }

  #emit(event: Parameters<CompactionListener>[0]): void {
    this.#options.onEvent?.(event)
  }

  #fail(conversation: string, error: unknown): undefined {
    this.#emit({ type: "compaction-error", conversation, error })
    return undefined
  }

  async #work(id: string, cancelled: AbortSignal): Promise<CompactionOutcome | undefined> {
    try {
      const leased = await this.#leased(id, cancelled)
      if (leased.type === "done") {
        this.#emit({ type: "lease-end", conversation: id, reason: leased.lost ? "lost" : "released" })
        return leased.result
      }
      this.#emit({ type: "lease-end", conversation: id, reason: leased.type })
      if (leased.type === "held") this.#lookAgain(id, leased.expires)
      return undefined
    } catch (error) {
      // One that was removed needs no compaction.
      if (error instanceof StoreError && error.reason === "missing-conversation") return undefined
      return this.#fail(id, error)
    }
  }

  #leased(id: string, cancelled: AbortSignal): Promise<Leased<CompactionOutcome>> {
    const { store, leaseMs = summaryLeaseMs, writeLease } = this.#options
    return withSummaryLease({ store, conversation: id, owner: this.#owner, leaseMs }, (assertLease, lost) => {
      this.#emit({ type: "lease-start", conversation: id })
      const signal = AbortSignal.any([cancelled, lost])
      const lease = writeLease && { lease: () => writeLease(id) }
      return this.#compact({ ...this.#options, id, assertLease, heldWaitMs: 0, signal, ...lease })
    })
  }

  /** What could not be written for an agent that holds the conversation is kept: asking the model again would cost again. */
  async #compact(options: CompactConversationOptions): Promise<CompactionOutcome> {
    const { id, store } = options
    const kept = this.#kept.get(id)
    this.#kept.delete(id)
    if (kept && (await isStillOnPath(store, kept.loaded))) return this.#conclude(options, kept, true)
    return this.#conclude(options, await prepareWork(options), false)
  }

  /** Tried once: whoever waits for the agent with the summary lease in hand keeps the agent's own hook from it. */
  async #conclude(options: CompactConversationOptions, work: Work, isAgain: boolean): Promise<CompactionOutcome> {
    const { id, signal } = options
    const outcome = await concludeWork(options, work, { isAgain })
    const isHeld = outcome.outcome === "refused" && outcome.reason === "held"
    if (!isHeld || signal?.aborted === true) return outcome
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= mostKept && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(id, work)
    // The agent may end without another append.
    this.#later(id, this.#options.heldWaitMs ?? defaultHeldWaitMs)
    return outcome
  }

  /** Somebody else works on it. Should they die, it is looked at when their lease has run out. */
  #lookAgain(id: string, expires: number): void {
    this.#later(id, expires - this.#surroundings.now() + shortestPauseMs)
  }

  #later(id: string, delayMs: number): void {
    if (this.#stopped) return
    clearTimeout(this.#timers.get(id))
    const timer = setTimeout(
      () => {
        this.#timers.delete(id)
        this.notice(id)
      },
      timerMs(Math.max(shortestPauseMs, delayMs)),
    )
    timer.unref()
    this.#timers.set(id, timer)
  }
}
