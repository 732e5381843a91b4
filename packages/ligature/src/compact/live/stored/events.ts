/** What a compaction reports while it goes on, and at the end. Events never decide anything. */
import type { Size } from "../../meter/size.ts"
import type { Elided } from "../../plan/plan.ts"
import type { CompactionStatistics } from "../../policy/compaction-statistics.ts"
import type { Rejection } from "../../summary/validate-answer.ts"

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
