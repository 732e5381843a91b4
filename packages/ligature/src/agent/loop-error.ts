/**
 * The error with which a run rejects when no answer could be had. It has everything the run recorded until then, so that
 * nothing is lost with the result. Mistakes in the options of a run are a plain `LigatureError`, before anything is done.
 */
import type { Classification } from "../rules/classify/index.ts"
import { type ErrorCode, LigatureError } from "../model/index.ts"
import { StoreError } from "../store/index.ts"
import type { Unsaved } from "./log/unsaved.ts"
import { nothingUsed, type PartialRun } from "./run-options.ts"

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
  /** The demand behind a refusal, where the rule book knows it. */
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


const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

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
