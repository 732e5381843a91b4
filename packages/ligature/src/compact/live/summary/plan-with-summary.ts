/**
 * The step of the ladder that asks a model. The deterministic strategy after it shows what would be out of sight; that is
 * what the model has to summarise, without what the last summary covers. Then the strategy plans again with the summary in
 * front, and the guard adds the names that neither of them kept.
 */
import type { Conversation, Item } from "../../../model/index.ts"
import type { Loaded } from "../../../store/index.ts"
import type { Size } from "../../meter/meter.ts"
import { apply, viewSize } from "../../plan/make-plan.ts"
import { type Context, isRequest, type Plan, type Strategy } from "../../plan/plan.ts"
import type { CompactSettings } from "../../policy/settings.ts"
import { userLanguage } from "../../summary/instructions.ts"
import {
  coveredBy,
  importantNames,
  lostNames,
  type NamedItem,
  readSummary,
  summaryBlock,
  summaryStrategyName,
  withSummary,
} from "../../summary/with-summary.ts"
import { type PreviousSummary, type SummariserRequest, summariserRequests, type SummaryWork } from "../../summary/request.ts"
import { passagesOf } from "../../text/item-text.ts"
import { type Archive, hiddenByPeople } from "../stored/archive.ts"
import { type CompactionListener, coverageBeside, type FailedStrategy } from "../stored/notes.ts"
import { addSpent, askForSummary, expectedSpent, nothingSpent, type Spent, type Summarise, type SummaryAnswer } from "./ask-model.ts"

interface SummaryPlanInput {
  readonly archive: Archive
  readonly base: Strategy
  readonly limit: Size
  readonly context: Context
  readonly settings: CompactSettings
  readonly summarise: Summarise
  readonly goal?: string
  readonly signal: AbortSignal
  readonly emit: CompactionListener
  /** The objection to a plan when a summary is put before what it shows; undefined: none. */
  readonly objection: (asking: Asking) => Objection | undefined
}

type Objection = Extract<FailedStrategy["reason"], "gain-too-small" | "does-not-pay">

/** A summary that might be asked for. */
interface Asking {
  readonly plan: Plan
  /** The tokens it adds to what the plan shows. */
  readonly answerTokens: number
  /** What the summariser would read and may write, if it is right the first time. */
  readonly spent: () => Spent
}

const objections: Readonly<Record<Objection, string>> = {
  "gain-too-small": "Not asked: with a summary in front, the view would save too little",
  "does-not-pay": "Not asked: with what the summariser reads and writes, it would pay back too late",
}

/** Where the content of a summary differs from what it covers, by position. */
export interface SummaryCoverage {
  /**
   * It covers them and the summariser did not see them: they went to make room for the summary, or there was none for
   * them in what it read. The next one is given them.
   */
  readonly untold: readonly number[]
  /** It is about them and they stay in view, because it was shorter than it might have been. The next one is not given them again. */
  readonly toldInView: readonly number[]
}

type Planned =
  | {
      readonly type: "planned"
      readonly plan: Plan
      readonly coverage: SummaryCoverage
    }
  | { readonly type: "failed"; readonly by: "plan" | "summariser"; readonly failed: FailedStrategy }

/** With what all answers have cost, also those that were of no use. */
export type SummaryPlan = Planned & { readonly spent: Spent }

type Positioned = SummaryWork["items"]

/** Positions of what there was no room for in the question. */
type LeftOut = Pick<SummariserRequest, "leftOut">

interface EarlierSummary extends PreviousSummary {
  /** The entries it covers, and where its content differs from them. */
  readonly ids: ReadonlySet<string>
  readonly coverage: SummaryCoverage
}

/** The newest summary by a model that still counts. */
const previousOf = (loaded: Loaded): EarlierSummary | undefined => {
  const { entries, stale, sources } = loaded
  const gone = new Set(stale)
  const visible = new Set(sources)
  const hidden = hiddenByPeople(loaded)
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at]
    if (entry?.kind !== "summary" || gone.has(entry.id) || !visible.has(entry.id)) continue
    // One about something that a person has hidden since would repeat it for ever.
    if (entry.covers.some(({ id }) => hidden.has(id))) continue
    const found = readSummary(entry.message)
    if (found) return { ...found, ids: new Set(entry.covers.map(({ id }) => id)), coverage: coverageBeside(entries, at) }
  }
  return undefined
}

/** Positions of what a summary is about. Up to its end there may be items that stayed verbatim beside it. */
const summarisedBy = ({ upTo, ids, coverage }: EarlierSummary, { entries, owners, positions }: Archive): ReadonlySet<number> => {
  const items = entries.flatMap(({ id }, index) => (ids.has(id) ? (owners[index] ?? []) : []))
  const untold = new Set(coverage.untold)
  const summarised = [...items.map((item) => positions[item] ?? item), ...coverage.toldInView]
  return new Set(summarised.filter((position) => position <= upTo && !untold.has(position)))
}

const failedBy = (by: "plan" | "summariser", reason: FailedStrategy["reason"], detail: string): Planned => ({
  type: "failed",
  by,
  failed: { strategy: summaryStrategyName, reason, detail },
})

const textOf = ({ items }: Conversation): string =>
  items.flatMap((item) => passagesOf(item).flatMap(({ title, text }) => [title, text])).join("\n")

/** What a summary may have of a limit. */
const mostShare = 0.25
/** From here on a room counts as filled: strategies take whole items and lines. */
const filledShare = 0.8

class SummaryPlanner {
  readonly #input: SummaryPlanInput
  readonly #answerTokens: number
  readonly #language: string | undefined
  readonly #userText: string
  readonly #previous: EarlierSummary | undefined
  /** Positions that the last summary is about. */
  readonly #summarised: ReadonlySet<number>
  spent = nothingSpent

  constructor(input: SummaryPlanInput) {
    this.#input = input
    const { items } = input.archive.conversation
    this.#previous = previousOf(input.archive.loaded)
    this.#summarised = this.#previous ? summarisedBy(this.#previous, input.archive) : new Set()
    this.#language = userLanguage(items)
    this.#userText = items
      .flatMap((item) => (item.role === "user" ? item.blocks : []))
      .flatMap((block) => (block.type === "text" ? [block.text] : []))
      .join("\n")
    this.#answerTokens = Math.max(50, Math.min(input.settings.summary.maxTokens, Math.floor(input.limit.tokens * mostShare)))
  }

  #positioned(indexes: readonly number[]): Positioned {
    const { archive } = this.#input
    return indexes.map((index) => ({
      item: archive.conversation.items[index] as Item,
      position: archive.positions[index] ?? index,
    }))
  }

  async plan(): Promise<Planned> {
    const { base, limit, archive, context, objection } = this.#input
    const room = { tokens: Math.max(0, limit.tokens - this.#answerTokens), bytes: limit.bytes }
    const below = base.plan(archive.conversation, room, context)
    if (below.outcome !== "compacted") return failedBy("plan", below.outcome, below.reason ?? "It fits as it is")
    const out = coveredBy(below)
    const covered = this.#positioned(out)
    if (covered.length === 0) return failedBy("plan", "refused", "Nothing is taken out of sight, so that there is nothing to summarise")
    // A strategy that fills its room also fills what a short answer leaves of it, so it comes to the longest one. Where it has
    // no more to show, the answer may be as short as it likes.
    const { tokens } = viewSize(archive.conversation, below.decisions, below.summaries, context.meter)
    const answerTokens = tokens < room.tokens * filledShare ? 0 : this.#answerTokens
    const work = this.#work(covered, this.#standingBeside(out))
    const against = objection({ plan: below, answerTokens, spent: () => expectedSpent(work, summariserRequests(work)) })
    if (against !== undefined) return failedBy("plan", against, objections[against])
    const answer = await this.#ask(work)
    if (!answer.ok) return failedBy("summariser", answer.reason, answer.detail)
    return this.#guarded(covered, work, answer)
  }

  /** Requests of the user that stay in view when these items are out of sight. */
  #standingBeside(out: readonly number[]): Positioned {
    const gone = new Set(out)
    const { items } = this.#input.archive.conversation
    return this.#positioned(items.flatMap((item, index) => (isRequest(item) && !gone.has(index) ? [index] : [])))
  }

  #work(covered: Positioned, standing: Positioned): SummaryWork {
    const { settings, context, goal } = this.#input
    const items = covered.filter(({ position }) => !this.#summarised.has(position))
    return {
      standing,
      // With nothing new, the whole is summarised again: that happens when the settings changed.
      items: items.length === 0 ? covered : items,
      ...(this.#previous && items.length > 0 && { previous: this.#previous }),
      ...(goal !== undefined && { goal }),
      ...(this.#language !== undefined && { language: this.#language }),
      style: settings.summary.style,
      answerTokens: this.#answerTokens,
      windowTokens: settings.summary.windowTokens,
      meter: context.meter,
    }
  }

  async #ask(work: SummaryWork): Promise<SummaryAnswer & LeftOut> {
    const { settings, summarise, signal, emit, archive } = this.#input
    const conversation = archive.loaded.id
    const requests = summariserRequests(work)
    emit({ type: "summary-start", conversation, items: work.items.length, parts: requests.length })
    const userText = this.#userText
    const answer = await askForSummary({ work, requests, summarise, settings, conversation, signal, userText })
    this.spent = addSpent(this.spent, answer)
    emit({
      type: "summary-end",
      conversation,
      ok: answer.ok,
      requests: answer.requests,
      ...(!answer.ok && { reason: answer.reason }),
    })
    return { ...answer, leftOut: requests.flatMap(({ leftOut }) => leftOut) }
  }

  /** The plan with a summary in front, and which of the names it shows nowhere. */
  #planWith(text: string, covered: Positioned, lost: readonly NamedItem[]): Plan {
    const { base, limit, archive, context } = this.#input
    const [first, last] = [covered[0]?.position ?? 0, covered.at(-1)?.position ?? 0]
    return withSummary(base, summaryBlock({ text, first, last, lost })).plan(archive.conversation, limit, context)
  }

  async #guarded(covered: Positioned, work: SummaryWork, given: LeftOut & { readonly text: string }): Promise<Planned> {
    const { settings, archive } = this.#input
    let { text, leftOut } = given
    let plan = this.#planWith(text, covered, [])
    if (settings.summary.names !== "off" && plan.outcome === "compacted") {
      const names = importantNames(covered, { names: settings.summary.nameCount })
      const missing = (): readonly NamedItem[] => lostNames(names, textOf(apply(archive.conversation, plan)))
      let lost = missing()
      if (lost.length > 0 && settings.summary.names === "retry") {
        const list = lost.map((name) => name.text).join(", ")
        const again = await this.#ask({ ...work, complaint: `Your last answer left out these names; say what became of them: ${list}` })
        if (again.ok) {
          text = again.text
          leftOut = again.leftOut
          plan = this.#planWith(text, covered, [])
          lost = plan.outcome === "compacted" ? missing() : lost
        }
      }
      // The list takes room from the evidence; where it does not fit, the plan without it is used.
      const listed = lost.length === 0 ? plan : this.#planWith(text, covered, lost)
      if (listed.outcome === "compacted") plan = listed
    }
    if (plan.outcome !== "compacted") return failedBy("plan", plan.outcome, plan.reason ?? "It fits as it is")
    const summarised = new Set([...(work.previous ? this.#summarised : []), ...covered.map(({ position }) => position)])
    for (const position of leftOut) summarised.delete(position)
    const out = new Set(this.#positioned(coveredBy(plan)).map(({ position }) => position))
    const coverage = {
      untold: [...out].filter((position) => !summarised.has(position)),
      toldInView: [...summarised].filter((position) => !out.has(position)),
    }
    return { type: "planned", plan, coverage }
  }
}

/** Never rejects for what a summariser does. */
export const planWithSummary = async (input: SummaryPlanInput): Promise<SummaryPlan> => {
  const rung = new SummaryPlanner(input)
  return { ...(await rung.plan()), spent: rung.spent }
}
