/**
 * Notes on the path of a stored conversation: what a run noted beside each answer (who answered, what it cost), what
 * earlier compactions noted about themselves, and what follows from both for the next one. Rewinding a conversation
 * leaves the notes out together with what they are about.
 */
import { type Conversation, isWire, type Wire } from "../../../model/index.ts"
import type { Entry, Loaded } from "../../../store/index.ts"
import { calibrationFactor, type Meter, type Size } from "../../meter/meter.ts"
import type { Elided } from "../../plan/plan.ts"
import type { CompactionStatistics } from "../../policy/compaction-statistics.ts"
import type { Rejection } from "../../summary/validate-answer.ts"
import { summaryStrategyName } from "../../summary/with-summary.ts"

/** Why a summariser gave no summary. */
export type SummaryFailure = Rejection | "error" | "timeout" | "cancelled"

/** A strategy that was tried and did not give the view. */
export interface FailedStrategy {
  readonly strategy: string
  /** Why not: what the summariser did, or that the plan does not fit, does not save enough or pays back too late. */
  readonly reason: SummaryFailure | Rejection | "refused" | "gain-too-small" | "does-not-pay" | "unchanged" | "differs"
  readonly detail: string
}

export type CompactionRefusal =
  /** Something that would be covered is no longer on the path, or was changed: the conversation was rewound. */
  | "path-changed"
  /** Somebody else has compacted the conversation meanwhile. */
  | "compacted-elsewhere"
  /** Somebody else holds the lease of the conversation. */
  | "held"
  /** Appends of others came in between each time. */
  | "busy"
  /** No strategy gives a view that is small enough and worth it. */
  | "nothing-fits"
  | "cancelled"

export type CompactionOutcome =
  | {
      readonly outcome: "compacted"
      readonly strategy: string
      readonly failed: readonly FailedStrategy[]
      readonly statistics: CompactionStatistics
      /** The entries that were appended. */
      readonly ids: readonly string[]
      readonly tip: string | null
    }
  | {
      readonly outcome: "unchanged"
      readonly reason: "below-trigger" | "too-soon" | "does-not-pay" | "fits"
      readonly tokens: number
      readonly bytes: number
    }
  | {
      readonly outcome: "refused"
      readonly reason: CompactionRefusal
      readonly detail: string
      readonly failed: readonly FailedStrategy[]
    }

interface InConversation {
  readonly conversation: string
}

export type CompactionEvent =
  | ({
      readonly type: "compaction-start"
      readonly view: Size
      readonly target: Size
      readonly why: "trigger" | "hard-limit" | "overflow"
    } & InConversation)
  | ({ readonly type: "summary-start"; readonly items: number; readonly parts: number } & InConversation)
  | ({
      readonly type: "summary-end"
      readonly ok: boolean
      readonly reason?: SummaryFailure
      readonly requests: number
    } & InConversation)
  | ({ readonly type: "strategy-end"; readonly strategy: string; readonly failed?: FailedStrategy } & InConversation)
  | ({ readonly type: "compaction-end"; readonly result: CompactionOutcome } & InConversation)
  /** Of a hook: new results were shortened before any request held them. */
  | ({ readonly type: "results-trimmed"; readonly elided: readonly Elided[] } & InConversation)
  /** Of a Compactor: the lease of the summary slot. */
  | ({ readonly type: "lease-start" } & InConversation)
  | ({ readonly type: "lease-end"; readonly reason: "released" | "held" | "lost" } & InConversation)
  | ({ readonly type: "compaction-error"; readonly error: unknown } & InConversation)

export type CompactionListener = (event: CompactionEvent) => void

/** Events decide nothing: a listener that throws ends neither the compaction nor, in the background, the process. */
export const guarded =
  (listener: CompactionListener): CompactionListener =>
  (event) => {
    try {
      listener(event)
    } catch {
      // What a listener does with an event is its own business.
    }
  }

/** Name of the note that a run writes beside each answer. */
export const iterationNote = "iteration"

const lastIteration = (path: readonly Entry[]): Wire => {
  const note = path.findLast((entry) => entry.kind === "note" && entry.name === iterationNote)
  return note?.kind === "note" && isWire(note.value) ? note.value : {}
}

/** Tokens as a provider reported them. */
export interface ReportedUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
}

/** What was counted for the last answer of the conversation. */
export const lastUsage = (path: readonly Entry[]): ReportedUsage | undefined => {
  const { usage } = lastIteration(path)
  return isWire(usage) ? (usage as ReportedUsage) : undefined
}

/** Who answered last, as far as a run noted it. */
interface LastModel {
  readonly model?: string
  /** It binds signed thinking to all messages before it. */
  readonly boundThinking: boolean
}

export const lastModel = (path: readonly Entry[]): LastModel => {
  const { model, boundThinking } = lastIteration(path)
  return { ...(typeof model === "string" && { model }), boundThinking: boundThinking === true }
}

/** Name of the note that is written beside a compaction. */
export const compactionNote = "compaction"

/** What the notes on the path record about compactions before this one. */
export interface Past {
  /** The view as the last one left it. */
  readonly lastAfter?: Size
  /** Compactions in a row whose summariser failed. */
  readonly failures: number
  /** By what the last one multiplied estimates, to count as the provider does. */
  readonly factor: number
}

/** What a note of a compaction holds, as far as it is read again. */
interface Noted {
  readonly strategy: string | undefined
  readonly after: Size | undefined
  readonly factor: number
  readonly untold: readonly number[]
  readonly toldInView: readonly number[]
  readonly summaryFailed: boolean
}

const integersIn = (value: unknown): readonly number[] => (Array.isArray(value) ? value.filter((each) => Number.isInteger(each)) : [])

const numberIn = (value: unknown): number | undefined => (Number.isFinite(value) ? (value as number) : undefined)

/** By what no provider counts otherwise than we do. */
const [leastFactor, mostFactor] = [0.5, 2]

const factorIn = (value: unknown): number => {
  const factor = numberIn(value) ?? 1
  return factor >= leastFactor && factor <= mostFactor ? factor : 1
}

/** Anybody may write a note under this name, so nothing about its value is taken for granted. */
const readNote = (entry: Entry | undefined): Noted | undefined => {
  if (entry?.kind !== "note" || entry.name !== compactionNote) return undefined
  const value = isWire(entry.value) ? entry.value : {}
  const { strategy, summaryFailed } = value
  const tokens = numberIn(value["after"])
  return {
    strategy: typeof strategy === "string" ? strategy : undefined,
    after: tokens === undefined ? undefined : { tokens, bytes: numberIn(value["afterBytes"]) ?? 0 },
    factor: factorIn(value["factor"]),
    untold: integersIn(value["untold"]),
    toldInView: integersIn(value["toldInView"]),
    summaryFailed: summaryFailed === true,
  }
}

/** A note of a summariser that failed where nothing was compacted: it is not about the view. */
const isFailureNote = (entry: Entry): boolean => {
  const note = readNote(entry)
  return note !== undefined && note.after === undefined
}

/** What the note that was written with a summary records about its content. */
export const coverageBeside = (entries: readonly Entry[], summary: number): Pick<Noted, "untold" | "toldInView"> => {
  const { operation } = entries[summary] as Entry
  const isBeside = (entry: Entry): boolean => entry.operation === operation && readNote(entry) !== undefined
  return readNote(entries.slice(summary).find(isBeside)) ?? { untold: [], toldInView: [] }
}

export const pastOf = ({ entries }: Loaded): Past => {
  let lastAfter: Size | undefined
  let factor: number | undefined
  let failures = 0
  for (let at = entries.length - 1; at >= 0; at--) {
    const note = readNote(entries[at])
    if (note === undefined) continue
    if (note.after) {
      lastAfter ??= note.after
      factor ??= note.factor
    }
    if (!note.summaryFailed) {
      if (note.strategy === summaryStrategyName) break
      continue
    }
    failures++
  }
  return { failures, factor: factor ?? 1, ...(lastAfter && { lastAfter }) }
}

/** Whether the newest note of an answer or a compaction is about a compaction, so that what was counted before it was another view. */
export const isCompactedSince = (entries: readonly Entry[]): boolean => {
  const isAbout = (entry: Entry): boolean => entry.kind === "note" && (entry.name === iterationNote || entry.name === compactionNote)
  const last = entries.findLast((entry) => isAbout(entry) && !isFailureNote(entry))
  return last?.kind === "note" && last.name === compactionNote
}

/** The tokens of the request that the last answer belongs to: everything before it. */
const askedTokens = ({ items }: Conversation, meter: Meter): number => {
  const last = items.findLastIndex(({ role }) => role === "exchange")
  let tokens = 0
  for (const item of items.slice(0, Math.max(0, last))) tokens += meter.sizeOfItem(item).tokens
  const exchange = items[last]
  if (exchange?.role !== "exchange" || exchange.reply === undefined) return tokens
  return tokens + meter.sizeOfItem(exchange).tokens - meter.sizeOfMessage(exchange.reply).tokens
}

/**
 * How the provider of a conversation counts, as the factor by which our estimates are to be multiplied: the input tokens
 * that were reported for the last request over our estimate of it. A report from before a compaction is about another
 * view; then the factor of that compaction holds. Counts of an exact meter are left alone.
 */
export const providerFactor = (loaded: Loaded, view: Conversation, meter: Meter, beside: Size): number => {
  if ((meter.tolerance ?? 0) === 0) return 1
  if (isCompactedSince(loaded.entries)) return pastOf(loaded).factor
  const reported = lastUsage(loaded.entries)?.inputTokens
  if (reported === undefined) return 1
  return calibrationFactor([{ estimated: askedTokens(view, meter) + beside.tokens, reported }])
}
