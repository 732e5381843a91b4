/**
 * What a run says about itself while it goes on, for screens and logs. Events never decide anything: a run without a
 * listener does the same.
 *
 *   run-start
 *     recovery-end                                   where the conversation was left open or damaged
 *     iteration-start
 *       compaction-start … compaction-end            where a hook is given
 *       results-trimmed                              where a new result was too large
 *       request-start                                one for each attempt
 *         text-start text-delta* text-end …          blocks as the recorder sees them
 *       request-end
 *       retry-start                                  what the attempt showed counts for nothing
 *       commit-end                                   whenever something has been stored
 *       approval-start approval-end
 *       tool-start … tool-end                        in parallel
 *     iteration-end
 *   run-end, or run-error where no answer could be had
 */
import type { CompactionReason, Elided } from "../compact/internal.ts"
import type { CallBlock, ReportEntry, ResultBlock } from "../model/index.ts"
import type { RecordEvent, StopReason, Usage } from "../record/index.ts"
import type { EntryKind, RecoveryPlan } from "../store/index.ts"
import type { EntryFacts } from "./log/entry-facts.ts"
import type { RequestFailure } from "./request/retry.ts"
import type { LoopError } from "./loop-error.ts"
import type { RunResult } from "./run-options.ts"
import type { Decision } from "./approvals.ts"

interface InIteration {
  /** From 1. */
  readonly iteration: number
}

interface InAttempt extends InIteration {
  /** From 1. */
  readonly attempt: number
}

export type LoopEvent =
  | { readonly type: "run-start"; readonly conversation: string }
  | { readonly type: "recovery-end"; readonly plan: RecoveryPlan }
  | ({ readonly type: "iteration-start" } & InIteration)
  | ({ readonly type: "compaction-start"; readonly reason: CompactionReason } & InIteration)
  | ({
      readonly type: "compaction-end"
      readonly reason: CompactionReason
      /** How many entries it appended. */
      readonly entries: number
      readonly error?: unknown
    } & InIteration)
  /** Results that the model sees shortened from now on. */
  | ({ readonly type: "results-trimmed"; readonly elided: readonly Elided[] } & InIteration)
  | ({
      readonly type: "request-start"
      readonly url: string
      readonly bytes: number
      /** What was changed for this provider, with the originals: media it does not take, ids, names. Absent: nothing. */
      readonly changes?: readonly ReportEntry[]
    } & InAttempt)
  | (RecordEvent & InAttempt)
  | ({
      readonly type: "request-end"
      readonly stop?: StopReason
      readonly usage?: Usage
      readonly failure?: RequestFailure
    } & InAttempt)
  | ({ readonly type: "retry-start"; readonly delayMs: number; readonly failure: RequestFailure } & InAttempt)
  | ({ readonly type: "approval-start"; readonly calls: readonly CallBlock[] } & InIteration)
  | ({ readonly type: "approval-end"; readonly decisions: ReadonlyMap<string, Decision> } & InIteration)
  | ({ readonly type: "tool-start"; readonly call: CallBlock } & InIteration)
  | ({ readonly type: "tool-end"; readonly call: CallBlock; readonly result: ResultBlock } & InIteration)
  | {
      readonly type: "commit-end"
      readonly ids: readonly string[]
      readonly kinds: readonly EntryKind[]
      /** What a log may tell of them. */
      readonly entries: readonly EntryFacts[]
      readonly tip: string | null
    }
  | ({ readonly type: "iteration-end"; readonly stop: StopReason } & InIteration)
  | { readonly type: "run-end"; readonly result: RunResult }
  /** The run rejects with this error; `error.partial` is what it did. */
  | { readonly type: "run-error"; readonly error: LoopError }

export type Listener = (event: LoopEvent) => void

/** Hands events from a listener to a reader, in order, as many as there are. */
export class EventQueue implements AsyncIterable<LoopEvent> {
  readonly #waiting: LoopEvent[] = []
  #wake: (() => void) | undefined
  #ended = false

  readonly push = (event: LoopEvent): void => {
    this.#waiting.push(event)
    this.#wake?.()
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LoopEvent, void> {
    for (;;) {
      const batch = this.#waiting.splice(0)
      yield* batch
      if (batch.length > 0) continue
      if (this.#ended) return
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
