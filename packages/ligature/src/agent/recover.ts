/**
 * What a run does before anybody speaks: the conversation may have been left in the middle. Calls whose results nobody
 * wrote down are closed honestly; calls that wait for approval are decided, or go on waiting.
 */
import type { CallBlock } from "../model/index.ts"
import { resultOf } from "../record/iteration/outcome.ts"
import { type RecoveryPlan } from "../store/index.ts"
import { recoveryPlan } from "../store/recovery.ts"
import { callerFailed, LoopError, type RunOptions } from "./run-options.ts"
import type { RunState } from "./run-state.ts"
import { applyDecisions, askAbout, type Decision, decisionOf, type Decisions, orAborted, waitingCalls } from "./answer-calls.ts"

const readDecision = (said: Decision["kind"] | Decision): Decision => {
  try {
    return decisionOf(said)
  } catch (error) {
    throw callerFailed("Reading the decisions", error)
  }
}

/** Those given beforehand, then those of the hook. Undefined when the run was aborted while it was asked. */
const decide = async (state: RunState, calls: readonly CallBlock[]): Promise<Decisions | undefined> => {
  const { decisions: given = {}, approve } = state.options
  const decided = new Map<string, Decision>()
  for (const { id } of calls) {
    const said = Object.hasOwn(given, id) ? given[id] : undefined
    if (said !== undefined) decided.set(id, readDecision(said))
  }
  const open = calls.filter(({ id }) => !decided.has(id))
  if (open.length > 0 && approve) {
    state.emit({ type: "approval-start", iteration: 0, calls: open })
    const answered = await orAborted(Promise.resolve(askAbout(state, open)), state.signal)
    if (!answered) return undefined
    state.emit({ type: "approval-end", iteration: 0, decisions: answered })
    for (const [id, decision] of answered) decided.set(id, decision)
  }
  for (const { id } of open) if (!decided.has(id)) decided.set(id, { kind: "wait" })
  return decided
}

const decideWaiting = async (state: RunState, plan: RecoveryPlan): Promise<readonly CallBlock[]> => {
  const waiting = plan.openCalls.filter(({ becomes }) => becomes === "waits")
  const [first] = waiting
  const entry = state.log.path.findLast(({ id }) => id === first?.entry)
  if (entry?.kind !== "message") return []
  const calls = waitingCalls(entry.message, new Set(waiting.map(({ id }) => id)))
  const decisions = await decide(state, calls)
  if (!decisions) return calls
  const left = await applyDecisions(state, entry.id, entry.message, calls, decisions)
  if (left.length === 0 || state.options.prompt === undefined) return left
  // The user goes on without deciding, and only the last exchange may be pending (L6).
  const results = left.flatMap((call) => resultOf(call, { kind: "aborted", started: false }) ?? [])
  await state.log.append(results.map((result) => ({ kind: "result", result })))
  return []
}

export interface Recovered {
  readonly plan: RecoveryPlan
  /** Calls that still wait for approval. */
  readonly waiting: readonly CallBlock[]
}

const isConfirmed = async (plan: RecoveryPlan, confirm: NonNullable<RunOptions["confirm"]>): Promise<boolean> => {
  try {
    return await confirm(plan)
  } catch (error) {
    throw callerFailed("The confirm hook", error)
  }
}

export const recover = async (state: RunState): Promise<Recovered> => {
  const { log, options, emit } = state
  const plan = recoveryPlan(log.loaded, { policies: state.policies })
  if (plan.state !== "clean" || plan.openCalls.length > 0) emit({ type: "recovery-end", plan })
  if (plan.confirm && options.confirm && !(await isConfirmed(plan, options.confirm))) {
    throw new LoopError("not-confirmed", `The conversation was not continued: ${plan.reasons.join("; ")}`)
  }
  if (plan.append.length > 0) await log.append(plan.append, { durable: true })
  return { plan, waiting: await decideWaiting(state, plan) }
}
