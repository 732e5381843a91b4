/**
 * What to do with a conversation that was opened again: a plan as data, made before anything is written. Pure.
 *
 *   clean        the last turn is finished, or its calls wait for somebody: go on
 *   open-calls   calls of the last exchange have no result. Nobody knows how far they got: `append` closes them honestly
 *   damaged      something in the log or in the history is broken; what could be read is used
 *
 * A call that waits for approval has not run. It stays pending, whatever else is wrong. Damage elsewhere is not written
 * back: `settle` repairs it alike each time, and the log keeps what really happened.
 */
import { type CallBlock, callsOf, type Conversation, type Diagnostic, flatten, type ReportEntry, syntheticResult } from "../model/index.ts"
import { check, type Policies, type PolicyOptions, resolvePolicies, settle } from "../rules/index.ts"
import { bodyOf, messageEntry, type NewEntry } from "./entry.ts"
import type { Loaded } from "./store.ts"

// The entries that close calls which a crash left open at the tip, as the policy for unanswered calls wants it.
//
//   synthesize               a placeholder result for each call
//   drop-message, drop-call  the path goes back to the entry before the message, and what `settle` keeps of message and
//                            results is written again after it. The old entries stay in the store, as a branch
//
// While another call of the message waits for approval, the message is not finished and stays: its interrupted calls
// then get their placeholder results whatever the policy is.

/** A call at the tip without a result. */
export interface OpenCall {
  readonly id: string
  readonly name: string
  /** The entry its message is in. */
  readonly entry: string | undefined
  /** What the plan makes of it: `waits` stays pending, `dropped` is left out of the path. */
  readonly becomes: "waits" | "interrupted" | "not-run" | "dropped"
}

const placeholders = (calls: readonly OpenCall[]): readonly NewEntry[] =>
  calls.map(({ id, name, becomes }) => ({
    kind: "result",
    result: syntheticResult(id, name, becomes === "interrupted" ? "interrupted" : "not-run"),
  }))

/** The path from the message with the open calls on, without what the policy drops; undefined where it cannot be told. */
const withoutDropped = (loaded: Loaded, from: string | undefined, policies: Policies): readonly NewEntry[] | undefined => {
  const start = loaded.entries.findLastIndex(({ id }) => id === from)
  const [first, ...after] = loaded.entries.slice(start < 0 ? loaded.entries.length : start)
  const message = loaded.sources.lastIndexOf(from ?? "")
  if (!first || message < 0) return undefined
  const { conversation } = settle({ ...loaded.transcript, messages: loaded.transcript.messages.slice(message) }, { policies })
  const kept = flatten(conversation).messages.map(messageEntry)
  const others = after.filter(({ kind }) => kind !== "message" && kind !== "result").map(bodyOf)
  return [{ kind: "tip", to: first.parent }, ...kept, ...others]
}

/** Entries to append, so that none of `calls` stays open. `isAll`: no other call of the message is open. */
export const closeCalls = (loaded: Loaded, calls: readonly OpenCall[], policies: Policies, isAll: boolean): readonly NewEntry[] => {
  const isDropped = policies.unansweredCall !== "synthesize" && isAll && calls.length > 0
  return (isDropped ? withoutDropped(loaded, calls[0]?.entry, policies) : undefined) ?? placeholders(calls)
}

export interface RecoveryPlan {
  readonly state: "clean" | "open-calls" | "damaged"
  readonly openCalls: readonly OpenCall[]
  /** What to append, so that no call stays open but those that wait for approval. */
  readonly append: readonly NewEntry[]
  /** What the store salvaged and nothing is missing for it: torn tails of unfinished appends, lines without a newline. */
  readonly salvaged: readonly Diagnostic[]
  /** What the store could not read, or reads in another way than it was written. */
  readonly lost: readonly Diagnostic[]
  /** Outcomes that settle generates for calls before the tip. */
  readonly synthesised: readonly ReportEntry[]
  /** Other repairs that settle makes. */
  readonly repaired: readonly ReportEntry[]
  /** Whether the user should look before the agent goes on. */
  readonly confirm: boolean
  /** Why, one sentence each; empty when there is nothing to say. */
  readonly reasons: readonly string[]
}

/** Findings that cost nothing: what they are about was never acknowledged, or was read in full. */
const harmless: ReadonlySet<string> = new Set(["torn-tail", "torn-line", "glued-lines", "duplicate-entry", "damaged-header"])

/** Whether something that was acknowledged is missing for this finding about a log, or reads differently. */
export const isLoss = ({ rule }: Diagnostic): boolean => !harmless.has(rule)

/** What models and tools do on a good day; a repair of it is no sign that the history was damaged. */
const ordinary: ReadonlySet<string> = new Set(["invalid-arguments", "empty-text", "empty-message", "lone-surrogate", "unsigned-thinking"])

const isDamage = ({ rule, repair }: Diagnostic): boolean => !ordinary.has(rule) && (repair?.kind === "drop" || repair?.kind === "demote")

const becomes = (call: CallBlock): OpenCall["becomes"] => {
  if (call.pending === "approval") return "waits"
  return call.fault === "unparsable" || call.fault === "not-object" ? "not-run" : "interrupted"
}

const findOpenCalls = (loaded: Loaded, conversation: Conversation): readonly OpenCall[] => {
  const last = conversation.items.at(-1)
  if (last?.role !== "exchange") return []
  const { messages } = loaded.transcript
  const entry = loaded.sources[messages.findLastIndex(({ role }) => role === "assistant")]
  return callsOf(last).flatMap((call, index) =>
    last.outcomes[index]?.kind === "pending" ? [{ id: call.id, name: call.name, entry, becomes: becomes(call) }] : [],
  )
}

const sentences = (openCalls: readonly OpenCall[], lost: readonly Diagnostic[], repaired: readonly ReportEntry[]): readonly string[] => {
  const names = (kind: OpenCall["becomes"]): string =>
    openCalls.flatMap((call) => (call.becomes === kind ? [`${call.name} (${call.id})`] : [])).join(", ")
  const interrupted = names("interrupted")
  const waits = names("waits")
  const notRun = names("not-run")
  const dropped = names("dropped")
  return [
    ...(interrupted === "" ? [] : [`Interrupted, effect unknown: ${interrupted}`]),
    ...(notRun === "" ? [] : [`Never ran, the arguments are broken: ${notRun}`]),
    ...(dropped === "" ? [] : [`Left out, effect unknown: ${dropped}`]),
    ...(waits === "" ? [] : [`Waits for approval: ${waits}`]),
    ...lost.map(({ what }) => what),
    ...(repaired.length === 0 ? [] : [`The history needs ${repaired.length} repairs`]),
  ]
}

/** Plans how a loaded conversation goes on. Writes nothing: append `append`, or let `settle` close the calls instead. */
export const recoveryPlan = (loaded: Loaded, options: PolicyOptions = {}): RecoveryPlan => {
  const policies = resolvePolicies(options)
  const serious = check(loaded.transcript, { tip: "open" }).filter(({ severity }) => severity === "error")
  const { conversation, report } = settle(loaded.transcript, { tip: "open", policies })
  const { entries: repairs } = report
  const open = findOpenCalls(loaded, conversation)
  const closed = open.filter((call) => call.becomes !== "waits")
  const append = closeCalls(loaded, closed, policies, closed.length === open.length)
  const isDropped = append[0]?.kind === "tip"
  const openCalls = isDropped ? open.map((call): OpenCall => ({ ...call, becomes: "dropped" })) : open
  const synthesised = repairs.filter(({ kind }) => kind === "synthetic")
  const repaired = repairs.filter(({ kind }) => kind !== "synthetic")
  const salvaged = loaded.damage.filter((finding) => !isLoss(finding))
  const lost = loaded.damage.filter(isLoss)
  const damaged = lost.length > 0 || serious.some(isDamage)
  return {
    state: damaged ? "damaged" : append.length > 0 ? "open-calls" : "clean",
    openCalls,
    append,
    salvaged,
    lost,
    synthesised,
    repaired,
    confirm: damaged || open.some((call) => call.becomes === "interrupted"),
    reasons: sentences(openCalls, lost, repaired),
  }
}
