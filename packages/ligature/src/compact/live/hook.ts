/**
 * Compaction as a hook of the agent loop: before each request it is asked whether the view has grown too large. The run
 * holds the write lease, so the hook appends through the run. In the background it lets the agent go on while the
 * summariser works, and appends what was prepared before a later request; only at the hard limit it waits.
 */
import { type Profile, settle } from "../../rules/index.ts"
import type { Conversation } from "../../model/index.ts"
import type { Entry, Lease, Loaded, NewEntry, Store } from "../../store/index.ts"
import { estimateMeter, fitsIn, noSize, type Size } from "../meter/meter.ts"
import { settingsFor } from "../policy/settings-for.ts"
import { limitsOf } from "../policy/when-to-compact.ts"
import { type CompactStoredOptions, modelName, prepareCompaction, prepareOptions } from "./prepare.ts"
import { newOwner, platform, summaryLeaseMs, withSummaryLease } from "./stored/surroundings.ts"
import { type Prepared, type PrepareOptions, scaledTokens, sizeOf } from "./ladder.ts"
import { type CompactionOutcome, isCompactedSince, providerFactor, type ReportedUsage } from "./stored/notes.ts"
import { trimResults, withoutThinkingOf } from "./write/edit-stored.ts"
import { coversEarlier } from "./write/append-entries.ts"

/** `between`: before a request. `overflow`: the provider rejected it as too long; without new entries the run ends. */
export type CompactionReason = "between" | "overflow"

/** What a run hands to its hook. */
export interface CompactContext {
  /** What the next request would be made of. */
  readonly conversation: Conversation
  /** How many tokens the last answer cost, as far as the provider reported it. */
  readonly usage: ReportedUsage | undefined
  readonly reason: CompactionReason
  /** With `overflow`: what there was too much of. */
  readonly over?: keyof Size
  /** What every request carries beside the conversation, as it is sent: system prompt, tools. The same object for a whole run. */
  readonly beside: object
  readonly store: Store
  readonly signal: AbortSignal
  /** Appends summary and hide entries under the lease of the run. */
  readonly append: (entries: readonly NewEntry[]) => Promise<readonly string[]>
  /** The path with everything that was appended since the hook was called. */
  readonly current: () => Loaded
  /** For hooks that append through the store itself; call it again before each append. */
  readonly lease: () => Lease
  /** Whether the model has a tool that reads back what is out of sight: only then is it told how. Default true. */
  readonly canRecall?: boolean
  /** The provider that the run sends its requests to. */
  readonly profile?: Profile
}

/** Called before each request, when no call is open. It may append entries that hide or summarise, or do nothing. */
export interface Compact {
  (loaded: Loaded, context: CompactContext): unknown
  /** What it wants for `RunOptions.trimResultTokens`, where the run does not set it. */
  readonly trimResultTokens?: number
}

export interface HookOptions extends CompactStoredOptions {
  /** Let the agent go on while a compaction is being prepared. Default false: requests wait for it. */
  readonly background?: boolean
}

/** What is being prepared for a conversation, and for which path. */
interface Job {
  readonly tip: string | null
  readonly prepared: Promise<Prepared>
  done: Prepared | undefined
}

/** The counting of a provider holds for the view it was asked with, not for one that was compacted since. */
const countedTokens = ({ entries }: Loaded, { usage }: CompactContext): number | undefined => {
  if (usage?.inputTokens === undefined || isCompactedSince(entries)) return undefined
  return usage.inputTokens + (usage.outputTokens ?? 0)
}

/** What was appended after a tip; undefined when what was prepared there can no longer be written. */
const addedSince = (entries: readonly Entry[], tip: string | null): readonly Entry[] | undefined => {
  const at = tip === null ? -1 : entries.findLastIndex(({ id }) => id === tip)
  const added = entries.slice(at + 1)
  return (at < 0 && tip !== null) || coversEarlier(added) !== undefined ? undefined : added
}

class Hook {
  readonly #options: HookOptions
  readonly #owner: string
  readonly #jobs = new Map<string, Job>()
  readonly #measured = new WeakMap<object, Size>()

  constructor(options: HookOptions) {
    this.#options = options
    this.#owner = newOwner((options.surroundings?.newId ?? platform.newId)())
  }

  async #prepare(loaded: Loaded, context: CompactContext): Promise<Prepared> {
    const tokens = countedTokens(loaded, context)
    const terms = {
      ...this.#terms(loaded, context),
      ...(context.reason === "overflow" && { overflow: context.over ?? "tokens" }),
      ...(tokens !== undefined && { tokens }),
    }
    const asks = terms.summarise !== undefined && terms.settings.strategy === "summary"
    const isDue = asks && (context.reason === "overflow" || this.#isAbove("trigger", loaded, context))
    return isDue ? this.#summarised(loaded, context, terms) : prepareCompaction(loaded, terms)
  }

  /** Under the summary lease. Whoever holds it is asking a model too; only a request that might be refused does not wait. */
  async #summarised(loaded: Loaded, context: CompactContext, terms: PrepareOptions): Promise<Prepared> {
    const { summarise: _, ...unasked } = terms
    const slot = { store: context.store, conversation: loaded.id, owner: this.#owner, leaseMs: summaryLeaseMs }
    let hasBegun = false
    const asked = withSummaryLease(slot, (__, lost) => {
      hasBegun = true
      return prepareCompaction(loaded, { ...terms, signal: AbortSignal.any([terms.signal, lost]) })
    })
    // A store that gives no lease now may still be written to.
    const leased = await asked.catch((error: unknown) => {
      if (hasBegun) throw error
      return { type: "failed", error } as const
    })
    const isCut = leased.type === "done" && leased.lost && !leased.result.ready
    if (leased.type === "done" && !isCut) return leased.result
    if (context.reason === "overflow" || this.#isAbove("hard", loaded, context)) return prepareCompaction(loaded, unasked)
    const detail = leased.type === "held" ? `${leased.holder} is compacting it` : "The summary lease could not be had or kept"
    return { ready: false, result: { outcome: "refused", reason: "held", detail, failed: [] } }
  }

  #end(conversation: string, result: CompactionOutcome): void {
    this.#options.onEvent?.({ type: "compaction-end", conversation, result })
  }

  async #write(loaded: Loaded, context: CompactContext, prepared: Prepared, added: readonly Entry[] = []): Promise<void> {
    if (!prepared.ready) {
      if (prepared.note) await context.append([prepared.note])
      if (prepared.result.outcome === "refused") this.#end(loaded.id, prepared.result)
      return
    }
    const { strategy, statistics, failed, entries } = prepared
    const stripped = this.#terms(loaded, context).settings.thinking === "strip" ? withoutThinkingOf(added) : []
    const ids = await context.append([...entries, ...stripped])
    this.#end(loaded.id, { outcome: "compacted", strategy, failed, statistics, ids, tip: ids.at(-1) ?? null })
  }

  /** The path with its new results as short as the settings want them. */
  async #trimmed(loaded: Loaded, context: CompactContext): Promise<Loaded> {
    const { settings, meter, canRecall = true } = this.#terms(loaded, context)
    const { maxTokens: tokens } = settings.results
    const { entries, elided } = trimResults(loaded.entries, () => loaded, { tokens, meter, canRecall })
    if (entries.length === 0) return loaded
    await context.append(entries)
    this.#options.onEvent?.({ type: "results-trimmed", conversation: loaded.id, elided })
    return context.current()
  }

  readonly run: Compact = async (path, context) => {
    const { background = false } = this.#options
    const loaded = await this.#trimmed(path, context)
    const isAtLimit =
      loaded === path ? this.#exceeds("hard", context.conversation, loaded, context) : this.#isAbove("hard", loaded, context)
    const mustWait = !background || context.reason === "overflow" || isAtLimit
    // What the provider rejected is no longer what the job was begun for.
    const job = context.reason === "overflow" ? undefined : this.#jobs.get(loaded.id)
    if (job) {
      const prepared = mustWait ? await job.prepared : job.done
      if (prepared === undefined) return
      this.#jobs.delete(loaded.id)
      const isCompacted = await this.#conclude(loaded, context, job, prepared)
      // It was prepared for an earlier view. At the limit, this one gets its own chance: nothing may have come of it, or
      // too much may have been appended since.
      if (!mustWait || (isCompacted && !this.#isAbove("hard", context.current(), context))) return
    }
    const latest = context.current()
    if (!mustWait) return this.#begin(latest, context)
    this.#jobs.delete(loaded.id)
    await this.#write(latest, context, await this.#prepare(latest, context))
  }

  /** Whether the view is compacted now. */
  async #conclude(loaded: Loaded, context: CompactContext, job: Job, prepared: Prepared): Promise<boolean> {
    const added = addedSince(loaded.entries, job.tip)
    if (added) {
      await this.#write(loaded, context, prepared, added)
      return prepared.ready
    }
    this.#end(loaded.id, {
      outcome: "refused",
      reason: "path-changed",
      detail: "The path changed while the compaction was prepared",
      failed: [],
    })
    return false
  }

  #begin(loaded: Loaded, context: CompactContext): void {
    const prepared = this.#prepare(loaded, context)
    const job: Job = { tip: loaded.tip, prepared, done: undefined }
    this.#jobs.set(loaded.id, job)
    const forget = (): void => {
      if (this.#jobs.get(loaded.id) === job) this.#jobs.delete(loaded.id)
    }
    const fail = (error: unknown): void => {
      forget()
      this.#options.onEvent?.({ type: "compaction-error", conversation: loaded.id, error })
    }
    prepared.then((done) => {
      job.done = done
      // That there is nothing to do now means nothing for the next request.
      if (!done.ready && done.result.outcome === "unchanged") forget()
    }, fail)
  }

  /** What holds for the model. */
  #terms(loaded: Loaded, { signal, beside, canRecall = true, profile: ofRun }: CompactContext): PrepareOptions {
    const { model, profile = typeof model === "object" ? ofRun : undefined } = this.#options
    const options = { ...this.#options, ...(profile !== undefined && { profile }) }
    return { ...prepareOptions(options, loaded, signal, this.#carried(beside)), canRecall }
  }

  /** What a run sends with every request is measured once. */
  #carried(beside: object): Size {
    let size = this.#measured.get(beside)
    if (size === undefined) {
      size = Object.keys(beside).length === 0 ? noSize : (this.#options.meter ?? estimateMeter).sizeOfTools(beside)
      this.#measured.set(beside, size)
    }
    return size
  }

  /** Above the hard limit the next request might be refused. */
  #isAbove(limit: "trigger" | "hard", loaded: Loaded, context: CompactContext): boolean {
    return this.#exceeds(limit, settle(loaded.transcript, { tip: "open" }).conversation, loaded, context)
  }

  #exceeds(limit: "trigger" | "hard", conversation: Conversation, loaded: Loaded, context: CompactContext): boolean {
    const { settings, meter, beside = noSize } = this.#terms(loaded, context)
    const factor = providerFactor(loaded, conversation, meter, beside)
    const view = scaledTokens(sizeOf(conversation.items, meter, beside), factor)
    const tokens = Math.max(view.tokens, countedTokens(loaded, context) ?? 0)
    return !fitsIn({ ...view, tokens }, limitsOf(settings, scaledTokens(beside, factor))[limit])
  }
}

/** For the `compact` option of `run`. In the background it remembers what it is preparing. */
export const hookOf = (options: HookOptions): Compact => {
  const { results } = settingsFor(options.settings, modelName(options))
  return Object.assign(new Hook(options).run, { trimResultTokens: results.maxTokens })
}
