/** Who decides whether a call may run, and how the answer is read. */
import type { CallBlock } from "../model/index.ts"
import { callerFailed } from "./loop-error.ts"
import type { RunState } from "./run-state.ts"

export type Decision =
  | { readonly kind: "approve" }
  /** The model is told the reason. */
  | { readonly kind: "deny"; readonly reason?: string }
  /** Nobody knows yet: the call waits in the store and the run ends. */
  | { readonly kind: "wait" }

export interface ApproveContext {
  readonly conversation: string
  readonly signal: AbortSignal
}

type Said = Decision["kind"] | Decision

/**
 * Decides about one call. An answer that is given at once costs nothing; while a promise is awaited, the calls stand in
 * the store as waiting, so that a process that dies meanwhile has run nothing.
 */
export type Approve = (call: CallBlock, context: ApproveContext) => Said | Promise<Said>

export type Decisions = ReadonlyMap<string, Decision>

const kinds: ReadonlySet<unknown> = new Set<Decision["kind"]>(["approve", "deny", "wait"])

/** Anything else than a decision is none: a call is never run because somebody mistyped a word. */
export const decisionOf = (said: Said): Decision => {
  const decision = typeof said === "string" ? { kind: said } : said
  if (kinds.has(decision?.kind)) return decision
  throw new TypeError(`Expected "approve", "deny" or "wait", got ${JSON.stringify(said)}`)
}

const isPromise = (answer: Said | PromiseLike<Said>): answer is PromiseLike<Said> =>
  typeof answer === "object" && answer !== null && "then" in answer

/**
 * Asks about every call at once. A map when all answered at once, else the promise of one. Never throws: a hook that
 * fails is a promise that does, so that the calls are stored as waiting before anybody hears of it.
 */
export const askAbout = (state: RunState, calls: readonly CallBlock[]): Decisions | Promise<Decisions> => {
  const { approve } = state.options
  const context: ApproveContext = { conversation: state.conversation, signal: state.signal }
  const mapOf = (said: readonly Said[]): Decisions =>
    new Map(calls.map((call, index) => [call.id, decisionOf(said[index] ?? "wait")]))
  const failed = (error: unknown): never => {
    throw callerFailed("The approval hook", error)
  }
  try {
    const answers = calls.map((call) => (approve ? approve(call, context) : "wait"))
    if (answers.every((answer): answer is Said => !isPromise(answer))) return mapOf(answers)
    return Promise.all(answers).then(mapOf).catch(failed)
  } catch (error) {
    return Promise.reject(error).catch(failed)
  }
}

/** Undefined when the run was aborted before the answer came. */
export const orAborted = async <Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> => {
  if (signal.aborted) {
    promise.catch(() => {})
    return undefined
  }
  let stop = (): void => {}
  const aborted = new Promise<undefined>((resolve) => {
    stop = (): void => resolve(undefined)
    signal.addEventListener("abort", stop, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener("abort", stop)
  }
}
