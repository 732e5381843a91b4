/** What a run is given and what it gives back. */
import type { Compact } from "../compact/index.ts"
import type { ToolStyle, ToolStyleQuestion } from "../formats/xml-text/index.ts"
import { type CallBlock, type ErrorCode, LigatureError, type OptionNames, type UserBlock } from "../model/index.ts"
import type { RecorderOptions, StopReason } from "../record/index.ts"
import type { Classification } from "../rules/classify/index.ts"
import type { PolicyOptions } from "../rules/index.ts"
import { type ParentLink, type RecoveryPlan, type Store, StoreError } from "../store/index.ts"
import type { Approve, Decision } from "./answer-calls.ts"
import type { Listener } from "./events.ts"
import type { Surroundings, Unsaved } from "./log/unsaved.ts"
import type { Model } from "./request/model.ts"
import type { RetryOptions } from "./request/retry.ts"
import type { TelemetryOptions } from "./telemetry.ts"
import type { Tool, ToolContext } from "./tools/tool.ts"

export type { Compact, CompactContext } from "../compact/index.ts"

/** The policies decide how the history is settled for requests, and what becomes of calls that a crash left open. */
export interface RunOptions extends PolicyOptions {
  readonly model: Model
  readonly store: Store
  /** Id of the conversation; made when it does not exist. Default: a new one. */
  readonly conversation?: string
  /**
   * The conversation that starts this one: kept when it is made, so that each is found from the other. A tool that runs an
   * agent of its own passes the context it was given. A conversation that exists keeps the parent it has.
   */
  readonly parent?: ParentLink | Pick<ToolContext, "conversation" | "call">
  /** What the user says. Without it the run goes on where the conversation stands. */
  readonly prompt?: string | readonly UserBlock[]
  /**
   * Names the prompt: a run that is repeated with the same name, because its process died, does not say it twice.
   */
  readonly operation?: string
  /** Stands before every request and is not stored. */
  readonly system?: string
  /** Default: none. */
  readonly tools?: readonly Tool[]
  /**
   * How the model calls tools: `json`, with the means of the API, or `xml`, as tags in its text, which are then run as
   * calls. A question is answered by `toolStyle`. Default: as the conversation was before, else `json`. With `xml` the
   * tools are described in the system prompt, unless it has their tags already.
   */
  readonly style?: ToolStyle | ToolStyleQuestion
  /** Model requests with tools between them, at most; then `stop` is `limit`. Default 50, and reaching that is an error. */
  readonly maxIterations?: number
  /** Tools that run at the same time, at most. Default 8. */
  readonly concurrency?: number
  /** How long to wait for a tool, in milliseconds. Default: for ever. */
  readonly toolTimeoutMs?: number
  /** How long to wait for running tools when the run is aborted, in milliseconds. Default 200. */
  readonly abortGraceMs?: number
  /** How long a provider may be silent before the attempt counts as failed, in milliseconds. Default 120,000. */
  readonly silenceMs?: number
  readonly signal?: AbortSignal
  /** Asked for each call that needs approval. */
  readonly approve?: Approve
  /** Decisions about calls that an earlier run left waiting, by the id of the call. */
  readonly decisions?: Readonly<Record<string, Decision["kind"] | Decision>>
  readonly retry?: RetryOptions
  readonly compact?: Compact
  /**
   * Results with more tokens than this are shown to the model as head and tail, before any request holds them. The store
   * keeps them whole; with `recall.tool(store)` among the tools, the model is told how to read the rest. Default 20,000, or what
   * `compact` asks for; 0: none is shortened.
   */
  readonly trimResultTokens?: number
  /** Asked when the recovery plan wants somebody to look before the agent goes on. Default: go on. */
  readonly confirm?: (plan: RecoveryPlan) => boolean | Promise<boolean>
  readonly onEvent?: Listener
  /** Traces the run with OpenTelemetry. A tracer that fails changes nothing. */
  readonly telemetry?: TelemetryOptions
  readonly recorder?: RecorderOptions
  /** What an earlier run could not store (`LoopError.unsaved`): stored first, as far as it still has a place. */
  readonly unsaved?: Unsaved
  /** Who writes. Default: this run. Another of the same name takes the conversation over without waiting. */
  readonly owner?: string
  /** How long the lease runs without being renewed, in milliseconds. Default 30,000. */
  readonly leaseMs?: number
  /** How long to wait for a lease that somebody else holds, in milliseconds. Default 0. */
  readonly leaseWaitMs?: number
  readonly surroundings?: Partial<Surroundings>
}

export const runNames: OptionNames<RunOptions> = {
  policies: true,
  model: true,
  store: true,
  conversation: true,
  parent: true,
  prompt: true,
  operation: true,
  system: true,
  tools: true,
  style: true,
  maxIterations: true,
  concurrency: true,
  toolTimeoutMs: true,
  abortGraceMs: true,
  silenceMs: true,
  signal: true,
  approve: true,
  decisions: true,
  retry: true,
  compact: true,
  trimResultTokens: true,
  confirm: true,
  onEvent: true,
  telemetry: true,
  recorder: true,
  unsaved: true,
  owner: true,
  leaseMs: true,
  leaseWaitMs: true,
  surroundings: true,
}

/** Tokens of all attempts of a run, as far as the provider counted them. */
export interface UsageSum {
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly thinkingTokens: number
}

export const nothingUsed: UsageSum = {
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  thinkingTokens: 0,
}

/** How a run ends that resolves. Everything else is a `LoopError`. */
export type RunStop =
  /** The model has answered; `finish` says how the answer ended. */
  | "done"
  /** The `maxIterations` that the caller set were made. Everything is stored; another run continues. */
  | "limit"
  /** Calls wait for approval: they are in `pending`, and in the store. */
  | "approval"

/** What a run did, whether it came to an answer or not. */
export interface PartialRun {
  readonly conversation: string
  /** The text of the last assistant message; empty when the model ended its turn after tool results without any content. */
  readonly text: string
  /** Why the model stopped the last time; undefined when it was never asked, or never answered. */
  readonly finish: StopReason | undefined
  readonly iterations: number
  readonly usage: UsageSum
  /** Calls that wait for approval. */
  readonly pending: readonly CallBlock[]
  /** The newest entry; undefined when the conversation was never opened. */
  readonly tip: string | null | undefined
  /** Ids of the entries that the run has stored, in order. */
  readonly saved: readonly string[]
  /** What was found when the conversation was opened. */
  readonly recovery: RecoveryPlan | undefined
  /**
   * What could not be stored because the store stayed down: answers, and results of tools that had run. Give it to the next
   * run, or to `saveUnsaved`.
   */
  readonly unsaved?: Unsaved
}

export interface RunResult extends PartialRun {
  readonly stop: RunStop
}

// The error with which a run rejects when no answer could be had. It has everything the run recorded until then, so that
// nothing is lost with the result. Mistakes in the options of a run are a plain `LigatureError`, before anything is done.

export type LoopErrorReason =
  /** The provider refuses the request: sending it again would change nothing. */
  | "rejected"
  /** The provider failed, or could not be reached, more often than the run may try. */
  | "unavailable"
  /** Another owner writes to the conversation. */
  | "held"
  /** Another owner took the conversation over while the run went on. Nothing was written afterwards. */
  | "lease-lost"
  /** The store could not be read or written. */
  | "store-failed"
  /** `confirm` said no to the recovery plan. */
  | "not-confirmed"
  /** A function given by the caller threw: a listener, a hook (approval, confirm), or the headers of the model. */
  | "caller-failed"
  /** The signal of the caller was aborted; `cause` is its reason. */
  | "aborted"
  /** The built-in limit of iterations was reached. A limit that the caller sets is a result instead. */
  | "limit"
  /** The model answered without any content, and not as the proper end of a turn after tool results. */
  | "empty-answer"
  | "unexpected"

const codes: Readonly<Record<LoopErrorReason, ErrorCode>> = {
  rejected: "provider-failed",
  unavailable: "provider-failed",
  held: "cannot-write",
  "lease-lost": "cannot-write",
  "store-failed": "cannot-write",
  "not-confirmed": "cannot-read",
  "caller-failed": "bad-option",
  aborted: "aborted",
  limit: "no-answer",
  "empty-answer": "no-answer",
  unexpected: "bad-option",
}

export interface LoopErrorDetails extends ErrorOptions {
  /** HTTP status of the last answer, if there was one. */
  readonly status?: number
  /** What the provider said, shortened. */
  readonly body?: string
  /** The requirement that a refusal is about, where the rule book knows it. */
  readonly classification?: Classification
  /** The stored entry the refusal is about. */
  readonly entry?: string
}

const nothingDone: PartialRun = {
  conversation: "",
  text: "",
  finish: undefined,
  iterations: 0,
  usage: nothingUsed,
  pending: [],
  tip: undefined,
  saved: [],
  recovery: undefined,
}

/** The error with what the run did. */
export const withPartial = (error: LoopError, partial: PartialRun): LoopError =>
  Object.defineProperty(error, "partial", { value: partial, enumerable: false, configurable: true })

export class LoopError extends LigatureError {
  readonly reason: LoopErrorReason
  readonly status: number | undefined
  readonly body: string | undefined
  readonly classification: Classification | undefined
  readonly entry: string | undefined
  /** What the run did until then. Not enumerable, so that logging the error does not log the conversation. */
  declare readonly partial: PartialRun

  constructor(reason: LoopErrorReason, message: string, details: LoopErrorDetails = {}) {
    super(codes[reason], message, details.cause === undefined ? {} : { cause: details.cause })
    this.name = "LoopError"
    this.reason = reason
    this.status = details.status
    this.body = details.body
    this.classification = details.classification
    this.entry = details.entry
    withPartial(this, nothingDone)
  }

  get conversation(): string {
    return this.partial.conversation
  }

  /** What could not be stored: give it to the next run, or to `saveUnsaved`. */
  get unsaved(): Unsaved | undefined {
    return this.partial.unsaved
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Whatever went wrong, as one of ours. */
export const asLoopError = (error: unknown): LoopError => {
  if (error instanceof LoopError) return error
  if (error instanceof StoreError) {
    const reason = error.reason === "held" || error.reason === "lease-lost" ? error.reason : "store-failed"
    return new LoopError(reason, error.message, { cause: error })
  }
  return new LoopError("unexpected", messageOf(error), { cause: error })
}

/** A function of the caller threw. */
export const callerFailed = (what: string, error: unknown): LoopError =>
  new LoopError("caller-failed", `${what} threw: ${messageOf(error)}`, { cause: error })
