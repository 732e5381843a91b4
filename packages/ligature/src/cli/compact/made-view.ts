/**
 * One conversation of a file, compacted and encoded. A budget in bytes limits the request as it is written: fields
 * around the messages, tool declarations of another format and long ids are not in the estimate, so the view is made again
 * with a smaller budget until the written request fits.
 */
import type { DocumentPart } from "../../document/index.ts"
import { encode, resolveCodec } from "../../convert/index.ts"
import { type Budget, compact, type CompactOptions, estimateMeter, type Plan, type Size } from "../../compact/index.ts"
import { prepare, refusedPlan, renamedPlan } from "../../compact/internal.ts"
import { type Conversation, type Item, phrase, type Report, translated } from "../../model/index.ts"
import type { Policies } from "../../rules/index.ts"
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
  /** If one was requested and the plan is not refused. */
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
  /** The history already was a compacted view. */
  readonly isAlreadyCompacted: boolean
  /** The repairs of the history. */
  readonly settled: Report
}

/** Without white space, as bytes were counted. */
export const lineOf = (value: unknown): string => `${JSON.stringify(value)}\n`

/** `named`: the target given on the command line. */
export const encodeView = (
  view: Conversation,
  { format }: DocumentPart,
  named: CompactTarget | undefined,
  policies: Partial<Policies> = {},
): EncodedView => {
  const target = targetFor(format, named)
  if (target.profile === undefined) {
    const value = resolveCodec(target.format).encode(view, { extras: "keep" })
    return { value, target, report: { entries: [], losses: [] } }
  }
  const { value: request, report } = encode(view, target.profile, { policies })
  return { value: request, target, report }
}

const fitOnce = (conversation: Conversation, options: CompactOptions): FittedView => {
  const {
    limit: { tokens, bytes },
    context,
  } = prepare(conversation, options)
  const { conversation: view, plan } = compact(conversation, options)
  const limit: Limit = bytes === Number.POSITIVE_INFINITY ? { measure: "tokens", amount: tokens } : { measure: "bytes", amount: bytes }
  return { view, plan, limit, isProtected: context.isProtected }
}

/** Each subtracts the excess of the one before, so the second nearly always fits. */
const mostAttempts = 6

const fitWritten = (
  conversation: Conversation,
  options: CompactOptions,
  most: number,
  encoded: (view: Conversation) => EncodedView,
): FittedView => {
  const tools = meter.sizeOfTools(options.tools).bytes
  let bytes = most
  /** Bytes of the request that were not in the estimate. */
  let beyond = 0
  for (let attempt = 1; ; attempt++) {
    const fitted = fitOnce(conversation, { ...options, budget: { bytes } })
    const { plan, view } = fitted
    if (plan.outcome === "refused") {
      if (beyond === 0) return fitted
      const reason = phrase`${plan.reason ?? translated("nothing fits")}; the rest of the request has ${beyond} bytes more than estimated`
      return { ...fitted, plan: renamedPlan(plan, plan.strategy, reason) }
    }
    const request = encoded(view)
    const written = Buffer.byteLength(lineOf(request.value))
    if (written <= most) return { ...fitted, request }
    if (attempt === mostAttempts) {
      const reason = phrase`As a request in format ${request.target.format} it has ${written} bytes, more than ${most}`
      return { ...fitted, view: conversation, plan: refusedPlan(plan.strategy, conversation, meter, reason) }
    }
    // Relative to its own size, which may be much smaller than the budget.
    const counted = plan.statistics.after.bytes + tools
    const left = counted - (written - most)
    bytes = left > 0 ? left : Math.max(1, Math.floor((counted * most) / written))
    beyond = written - counted
  }
}

/** The bytes a request may have; undefined for a budget in tokens. */
export const budgetBytes = (budget: Budget): number | undefined => (typeof budget === "object" ? budget.bytes : undefined)

/** `encoded`: encodes a view; always called for a budget in bytes. */
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
