/**
 * One conversation of a file, compacted and encoded. A budget in bytes is one for the request as it is written: fields
 * around the messages, tools as another format declares them and long ids are in no estimate, so the view is made again
 * for less until what is written fits.
 */
import type { DocumentPart } from "../../document/index.ts"
import { encode, resolveCodec } from "../../convert/index.ts"
import { type Budget, compact, type CompactOptions, estimateMeter, type Plan, type Size } from "../../compact/index.ts"
import { prepare, refusedPlan, renamedPlan } from "../../compact/internal.ts"
import type { Conversation, Item, Report } from "../../model/index.ts"
import type { Limit } from "../print/plan.ts"
import { type CompactTarget, targetFor } from "./compact-options.ts"

export const meter = estimateMeter

export interface EncodedView {
  readonly value: unknown
  readonly target: CompactTarget
  readonly report: Report
}

/** A view within a budget. */
export interface FittedView {
  readonly view: Conversation
  readonly plan: Plan
  readonly limit: Limit
  readonly isProtected: (item: Item, index: number) => boolean
  /** Where one was asked for, and the plan is not refused. */
  readonly request?: EncodedView
}

export interface MadeView extends FittedView {
  readonly label: string
  /** The arguments of `ligature recall` that name the conversation. */
  readonly named: string
  readonly conversation: Conversation
  readonly durationMs: number
  /** Size of the tool definitions. */
  readonly tools: Size
  /** The history was a compacted view before. */
  readonly isAlreadyCompacted: boolean
  /** What was wrong with the history, and what became of it. */
  readonly settled: Report
}

/** Without white space: bytes were counted like that. */
export const lineOf = (value: unknown): string => `${JSON.stringify(value)}\n`

/** `named`: the target given on the command line. */
export const encodeView = (
  view: Conversation,
  { format }: DocumentPart,
  named: CompactTarget | undefined,
): EncodedView => {
  const target = targetFor(format, named)
  if (target.profile === undefined) {
    const value = resolveCodec(target.format).encode(view, { extras: "keep" })
    return { value, target, report: { entries: [], losses: [] } }
  }
  const { value: request, report } = encode(view, target.profile)
  return { value: request, target, report }
}

const fitOnce = (conversation: Conversation, options: CompactOptions): FittedView => {
  const { limit: { tokens, bytes }, context } = prepare(conversation, options)
  const { conversation: view, plan } = compact(conversation, options)
  const limit: Limit = bytes === Number.POSITIVE_INFINITY
    ? { measure: "tokens", amount: tokens }
    : { measure: "bytes", amount: bytes }
  return { view, plan, limit, isProtected: context.isProtected }
}

/** Each takes off what the request was too large by, so a second one nearly always fits. */
const mostAttempts = 6

const fitWritten = (
  conversation: Conversation,
  options: CompactOptions,
  most: number,
  encoded: (view: Conversation) => EncodedView,
): FittedView => {
  const tools = meter.sizeOfTools(options.tools).bytes
  let bytes = most
  /** Of the request, what was not in the estimate. */
  let beyond = 0
  for (let attempt = 1; ; attempt++) {
    const fitted = fitOnce(conversation, { ...options, budget: { bytes } })
    const { plan, view } = fitted
    if (plan.outcome === "refused") {
      if (beyond === 0) return fitted
      const reason = `${plan.reason ?? "Nothing fits"}; the request around it has ${beyond} bytes more than estimated`
      return { ...fitted, plan: renamedPlan(plan, plan.strategy, reason) }
    }
    const request = encoded(view)
    const written = Buffer.byteLength(lineOf(request.value))
    if (written <= most) return { ...fitted, request }
    if (attempt === mostAttempts) {
      const reason = `As a request in the format ${request.target.format} it has ${written} bytes, more than ${most}`
      return { ...fitted, view: conversation, plan: refusedPlan(plan.strategy, conversation, meter, reason) }
    }
    // From its own size on: it may be much smaller than it was allowed to be.
    const counted = plan.statistics.after.bytes + tools
    const left = counted - (written - most)
    bytes = left > 0 ? left : Math.max(1, Math.floor((counted * most) / written))
    beyond = written - counted
  }
}

/** The bytes a request may have; undefined for a budget in tokens. */
export const budgetBytes = (budget: Budget): number | undefined =>
  typeof budget === "object" ? budget.bytes : undefined

/** `encoded`: how a view is written; asked in any case where a budget is in bytes. */
export const fitView = (
  conversation: Conversation,
  options: CompactOptions,
  encoded: (view: Conversation) => EncodedView,
  isWritten: boolean,
): FittedView => {
  const most = budgetBytes(options.budget)
  if (most !== undefined) return fitWritten(conversation, options, most, encoded)
  const fitted = fitOnce(conversation, options)
  return isWritten && fitted.plan.outcome !== "refused" ? { ...fitted, request: encoded(fitted.view) } : fitted
}
