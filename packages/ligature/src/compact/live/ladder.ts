/**
 * Tries one strategy after the other until a view is small enough and worth its cost:
 *
 *   summary (a model's summary before what the strategies below keep) ─> digest ─> mask ─> window
 *
 * One that fails gives its reason and the next one is tried, so that whatever the summariser does, the agent goes on
 * with a valid view. When nothing fits, nothing is written: the history is never replaced by an error text.
 */
import type { Profile } from "../../rules/index.ts"
import type { Conversation, Item, JsonValue } from "../../model/index.ts"
import type { NewEntry } from "../../store/index.ts"
import { addSizes, fitsIn, type Meter, noSize, type Size } from "../meter/meter.ts"
import { apply } from "../plan/make-plan.ts"
import type { Context, Plan, Protection, Strategy } from "../plan/plan.ts"
import { compactionStatistics, type CompactionStatistics, frontOf } from "../policy/compaction-statistics.ts"
import type { CompactSettings } from "../policy/settings.ts"
import { careful, strategiesFor } from "../policy/settings-for.ts"
import { isWorthIt, type Measure, paysBack, type Verdict } from "../policy/when-to-compact.ts"
import { summaryStrategyName } from "../summary/with-summary.ts"
import type { Archive } from "./stored/archive.ts"
import { type CompactionListener, compactionNote, type CompactionOutcome, type FailedStrategy, type Past } from "./stored/notes.ts"
import { addSpent, nothingSpent, type Summarise } from "./summary/ask-model.ts"
import { planWithSummary, type SummaryCoverage, type SummaryPlan } from "./summary/plan-with-summary.ts"
import { entriesOfPlan, type WriteOptions } from "./write/entries-of-plan.ts"
import { withoutVoidThinking } from "./write/edit-stored.ts"
import { type Shown, verifyEntries } from "./write/append-entries.ts"

export interface PrepareOptions {
  readonly settings: CompactSettings
  readonly meter: Meter
  readonly summarise?: Summarise
  readonly goal?: string
  readonly protect?: Protection
  /** The provider, where that is known, for strategies that choose by it. */
  readonly profile?: Profile
  /** Of every request what is not in the conversation: system prompt, tools. Default: nothing. */
  readonly beside?: Size
  /** Tokens of the view, where somebody knows better than the meter. */
  readonly tokens?: number
  /** Compact without asking the policy, to this many tokens or to the target. */
  readonly force?: boolean
  readonly targetTokens?: number
  /** The provider has refused the view: it has too many tokens, or too many bytes. */
  readonly overflow?: Measure
  /** Whether the model has a tool that reads back what is out of sight. Default true. */
  readonly canRecall?: boolean
  /** Instead of the strategies the settings name. */
  readonly strategies?: readonly Strategy[]
  readonly signal: AbortSignal
  readonly now: () => number
  readonly emit: CompactionListener
}

export type Prepared =
  | {
      readonly ready: true
      readonly strategy: string
      readonly entries: readonly NewEntry[]
      readonly statistics: CompactionStatistics
      readonly failed: readonly FailedStrategy[]
    }
  | {
      readonly ready: false
      readonly result: Exclude<CompactionOutcome, { readonly outcome: "compacted" }>
      /** To be written all the same: that the summariser has failed counts, also where nothing came of it. */
      readonly note?: NewEntry
    }

/** Of a request that holds these items. */
export const sizeOf = (items: readonly Item[], meter: Meter, beside: Size): Size =>
  items.reduce((sum, item) => addSizes(sum, meter.sizeOfItem(item)), beside)

/** Tokens as the provider counts them. */
export const scaledTokens = (size: Size, factor: number): Size => ({ ...size, tokens: Math.ceil(size.tokens * factor) })

/** A plan without a summary by a model has no coverage to record. */
const coversExactly: SummaryCoverage = { untold: [], toldInView: [] }

interface Written {
  readonly entries: readonly NewEntry[]
  readonly shown: Shown
}

export type Due = Extract<Verdict, { readonly compact: true }>

interface LadderInput {
  readonly archive: Archive
  readonly context: Context
  /** The view as it is now. */
  readonly before: Conversation
  readonly verdict: Due
  readonly options: PrepareOptions
  /** By what our counts were multiplied to count as the provider does. */
  readonly factor: number
}

export class Ladder {
  readonly #archive: Archive
  readonly #options: PrepareOptions
  readonly #context: Context
  readonly #before: Conversation
  readonly #verdict: Due
  readonly failed: FailedStrategy[] = []
  /** It was asked, and gave nothing of use. That its summary does not fit does not count as its failure. */
  #summariserFailed = false
  #spent = nothingSpent
  readonly #factor: number
  readonly started: number

  constructor({ archive, context, before, verdict, options, factor }: LadderInput) {
    this.#factor = factor
    this.#archive = archive
    this.#options = options
    this.#context = context
    this.#before = before
    this.#verdict = verdict
    this.started = options.now()
  }

  get #limit(): Size {
    const { beside = noSize } = this.#options
    const { tokens, bytes } = this.#verdict.target
    return { tokens: Math.max(0, tokens - beside.tokens), bytes: Math.max(0, bytes - beside.bytes) }
  }

  /** Rather no compaction than one without a summary, for now. */
  get #waits(): boolean {
    return this.#options.settings.summary.onFailure === "wait" && this.#verdict.reason === "trigger"
  }

  /** The note of a summariser that failed without anything being compacted. */
  noteOfFailure(): NewEntry | undefined {
    if (!this.#summariserFailed) return undefined
    return { kind: "note", name: compactionNote, value: { summaryFailed: true, failed: this.#noted() } }
  }

  #noted(): JsonValue {
    return this.failed.map(({ strategy, reason }) => ({ strategy, reason }))
  }

  async climb(past: Past): Promise<Prepared | undefined> {
    const { settings, summarise, emit } = this.#options
    const strategies = (this.#options.strategies ?? strategiesFor(settings, this.#options.canRecall)).map(careful)
    const conversation = this.#archive.loaded.id
    const wantsSummary = settings.strategy === "summary" && summarise !== undefined
    if (wantsSummary && past.failures >= settings.summary.maxFailures && settings.summary.maxFailures > 0) {
      this.failed.push({
        strategy: summaryStrategyName,
        reason: "error",
        detail: `not asked: it failed ${past.failures} times in a row`,
      })
      if (this.#waits) return undefined
    } else if (wantsSummary) {
      for (const base of strategies) {
        const rung = await this.#summary(base, summarise)
        this.#spent = addSpent(this.#spent, rung.spent)
        if (rung.type === "planned") {
          const prepared = this.#take(rung.plan, rung.coverage)
          if (prepared) {
            emit({ type: "strategy-end", strategy: summaryStrategyName, conversation })
            return prepared
          }
        } else this.failed.push(rung.failed)
        // Another base changes what is kept, not what the summariser does nor, as each fills the target, gain and cost.
        this.#summariserFailed = rung.type === "failed" && rung.by === "summariser"
        const reason = this.failed.at(-1)?.reason
        if (this.#summariserFailed || reason === "gain-too-small" || reason === "does-not-pay") break
      }
      emit({
        type: "strategy-end",
        strategy: summaryStrategyName,
        conversation,
        ...(this.failed.at(-1) && { failed: this.failed.at(-1) as FailedStrategy }),
      })
      if (this.#waits) return undefined
    }
    for (const strategy of strategies) {
      if (this.#options.signal.aborted) return undefined
      const prepared = this.#take(strategy.plan(this.#archive.conversation, this.#limit, this.#context))
      const last = this.failed.at(-1)
      emit({
        type: "strategy-end",
        strategy: strategy.name,
        conversation,
        ...(prepared === undefined && last && { failed: last }),
      })
      if (prepared) return prepared
    }
    return undefined
  }

  #summary(base: Strategy, summarise: Summarise): Promise<SummaryPlan> {
    const { settings, goal, signal, emit, meter, beside = noSize } = this.#options
    const { conversation } = this.#archive
    return planWithSummary({
      // The same conditions as in `#take`, but before the summariser is paid for.
      objection: ({ plan, answerTokens, spent }) => {
        const final = settings.thinking === "strip" ? withoutVoidThinking(conversation, plan, meter) : plan
        const view = apply(conversation, final)
        const before = sizeOf(this.#before.items, meter, beside)
        const after = sizeOf(view.items, meter, addSizes(beside, { ...noSize, tokens: answerTokens }))
        if (!isWorthIt(before, after, this.#verdict)) return "gain-too-small"
        const { inputTokens: summaryInput, outputTokens: summaryOutput } = spent()
        const prefixKept = beside.tokens + frontOf(this.#before, view, meter).tokens
        const cost = { before: before.tokens, after: after.tokens, prefixKept, summaryInput, summaryOutput }
        return paysBack(cost, this.#verdict, settings) ? undefined : "does-not-pay"
      },
      archive: this.#archive,
      base,
      limit: this.#limit,
      context: this.#context,
      settings,
      summarise,
      signal,
      emit,
      ...(goal !== undefined && { goal }),
    })
  }

  #take(plan: Plan, coverage: SummaryCoverage = coversExactly): Prepared | undefined {
    const { strategy } = plan
    const fail = (reason: FailedStrategy["reason"], detail: string): undefined => {
      this.failed.push({ strategy, reason, detail })
      return undefined
    }
    if (plan.outcome !== "compacted") return fail(plan.outcome, plan.reason ?? "It fits as it is")
    const { settings, meter, beside = noSize } = this.#options
    const final = settings.thinking === "strip" ? withoutVoidThinking(this.#archive.conversation, plan, meter) : plan
    const { entries, shown } = this.#written(final)
    const before = sizeOf(this.#before.items, meter, beside)
    const after = sizeOf(shown.conversation.items, meter, beside)
    if (!shown.same && !(shown.isFaithful && fitsIn(after, this.#verdict.target)))
      return fail("differs", "The store would show another view than the plan wants")
    if (entries.length === 0) return fail("unchanged", "The view is what the strategy would make of it")
    if (!isWorthIt(before, after, this.#verdict))
      return fail("gain-too-small", `It would save ${before.tokens - after.tokens} tokens and ${before.bytes - after.bytes} bytes`)
    return this.#ready(final, entries, shown.conversation, coverage)
  }

  /** The entries of a plan, and what the store would show with them. */
  #written(plan: Plan): Written {
    const expected = apply(this.#archive.conversation, plan)
    const writtenWith = (options: WriteOptions): Written => {
      const entries = entriesOfPlan(this.#archive, plan, options)
      return { entries, shown: verifyEntries(this.#archive, entries, expected) }
    }
    const plain = writtenWith({})
    if (plain.shown.same) return plain
    // A result that answered nothing may be taken for the answer to a call that is left: then it is written as text.
    const spelled = writtenWith({ spellStrays: true })
    return spelled.shown.same || !plain.shown.isFaithful ? spelled : plain
  }

  #ready(plan: Plan, written: readonly NewEntry[], after: Conversation, coverage: SummaryCoverage): Prepared {
    const { untold, toldInView } = coverage
    const { settings, meter, now } = this.#options
    const statistics = compactionStatistics({
      strategy: plan.strategy,
      archive: this.#archive.conversation,
      before: this.#before,
      after,
      plan: plan.statistics,
      meter,
      settings,
      summary: this.#spent,
      durationMs: Math.max(0, now() - this.started),
    })
    const value: Record<string, JsonValue> = {
      strategy: plan.strategy,
      before: statistics.before.tokens,
      after: statistics.after.tokens,
      afterBytes: statistics.after.bytes,
      ...(this.#factor !== 1 && { factor: this.#factor }),
      ...(untold.length > 0 && { untold }),
      ...(toldInView.length > 0 && { toldInView }),
      ...(this.#summariserFailed && { summaryFailed: true }),
      failed: this.#noted(),
    }
    const entries: readonly NewEntry[] = [...written, { kind: "note", name: compactionNote, value }]
    return { ready: true, strategy: plan.strategy, entries, statistics, failed: this.failed }
  }
}
