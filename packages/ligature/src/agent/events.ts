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
import { wantsTopic } from "../debug/wants-topic.ts"
import { type CallBlock, outcomeKind, type ReportEntry, type ResultBlock, resultText, visible } from "../model/index.ts"
import type { RecordEvent, StopReason, Usage } from "../record/index.ts"
import { debugSetting, writeToStderr } from "../runtime/index.ts"
import type { EntryKind, RecoveryPlan } from "../store/index.ts"
import type { Decision } from "./answer-calls.ts"
import type { EntryFacts } from "./log/conversation-log.ts"
import { type LoopError, messageOf, type RunResult } from "./run-options.ts"
import type { RequestFailure } from "./request/retry.ts"

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

// `DEBUG=ligature:loop`: one JSON object per line on stderr for every event but the deltas. It says what happened, to
// whom and how long after the start, and nothing of what was said: a log may go where a conversation must not.

const scope = "ligature:loop"

/** What the log shows of an event; undefined: nothing. */
const shown = (event: LoopEvent): Readonly<Record<string, unknown>> | undefined => {
  switch (event.type) {
    case "text-delta":
    case "thinking-delta":
    case "call-delta":
    case "call-field":
      return undefined
    case "request-start": {
      const { changes, url, ...rest } = event
      // Some put their key into the address.
      const shownUrl = { ...rest, url: url.replace(/\?.*/, "") }
      return changes === undefined ? shownUrl : { ...shownUrl, changes: changes.map(({ rule }) => rule) }
    }
    case "recovery-end": {
      const { state, openCalls, confirm } = event.plan
      return { state, openCalls: openCalls.map(({ id, becomes }) => `${id} ${becomes}`), confirm }
    }
    case "compaction-end": {
      const { error, ...rest } = event
      return error === undefined ? rest : { ...rest, error: messageOf(error) }
    }
    case "request-end": {
      const { failure, usage, ...rest } = event
      const { native: _, ...counts } = usage ?? { native: {} }
      return { ...rest, ...counts, ...(failure && { failure: failure.message, status: failure.status }) }
    }
    case "retry-start": {
      const { failure, ...rest } = event
      return { ...rest, failure: failure.message, status: failure.status }
    }
    case "approval-start":
      return { iteration: event.iteration, calls: event.calls.map(({ id }) => id) }
    case "approval-end": {
      const decisions = Object.fromEntries([...event.decisions].map(([id, { kind }]) => [id, kind]))
      return { iteration: event.iteration, decisions }
    }
    case "tool-start":
      return { iteration: event.iteration, call: event.call.id, name: event.call.name }
    case "tool-end": {
      const { iteration, call, result } = event
      const contentLength = resultText(result).length
      return { iteration, call: call.id, name: call.name, outcome: outcomeKind(result), contentLength }
    }
    case "run-end": {
      const { stop, iterations, usage } = event.result
      return { stop, iterations, ...usage }
    }
    case "run-error": {
      const { reason, message, entry, partial } = event.error
      return { reason, error: message, entry, iterations: partial.iterations, ...partial.usage }
    }
    default:
      return { ...event }
  }
}

/** A listener that writes lines; undefined when nobody asked for it. */
export const debugLog = (
  now: () => number,
  setting: string | undefined = debugSetting(),
  write: (line: string) => unknown = writeToStderr,
): Listener | undefined => {
  if (!wantsTopic(setting, "loop")) return undefined
  const start = now()
  let conversation = ""
  return (event) => {
    if (event.type === "run-start") ({ conversation } = event)
    const fields = shown(event)
    if (!fields) return
    write(`${visible(JSON.stringify({ scope, ms: now() - start, conversation, ...fields, type: event.type }))}\n`)
  }
}
