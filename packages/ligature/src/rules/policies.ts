/**
 * Where existing agents disagree about a repair, the choice is a named policy with a default, not a taste in the code.
 * Every entry point takes them under one name, `policies`, and reads them with `resolvePolicies`: a choice that is
 * misspelt or given in another place is refused, because an ignored one would go unnoticed.
 */
import { assertOptions, isWire, LigatureError, quoted } from "../model/index.ts"

export interface Policies {
  /**
   * A call without result. `synthesize` (default) gives it a placeholder result; `drop-message` leaves out the whole
   * assistant message with the results of its other calls; `drop-call` leaves out the call alone.
   */
  readonly unansweredCall: "synthesize" | "drop-message" | "drop-call"
  /**
   * A result that is before its call or answers none. `reattach` (default) moves it to its call where there is
   * one, else says it as user text; `demote` always says it as text; `drop` leaves it out.
   */
  readonly orphanResult: "reattach" | "demote" | "drop"
  /**
   * A second result of one call. `keep-best` (default): real over generated, success over failure, then the later one, and
   * the other stays as text unless it says the same. `keep-first` and `keep-last` leave the others out.
   */
  readonly duplicateResult: "keep-best" | "keep-first" | "keep-last"
  /** Thinking the target cannot verify: left out (default), or said as plain text. */
  readonly foreignThinking: "drop" | "text"
  /** Text beside a call that is dropped: kept (default), or dropped with it. */
  readonly textBesideDroppedCall: "keep" | "drop"
}

export const defaultPolicies: Policies = {
  unansweredCall: "synthesize",
  orphanResult: "reattach",
  duplicateResult: "keep-best",
  foreignThinking: "drop",
  textBesideDroppedCall: "keep",
}

/** Every policy with its values, the default first: for help texts and for reading settings. */
export const policyValues: { readonly [Name in keyof Policies]: readonly Policies[Name][] } = {
  unansweredCall: ["synthesize", "drop-message", "drop-call"],
  orphanResult: ["reattach", "demote", "drop"],
  duplicateResult: ["keep-best", "keep-first", "keep-last"],
  foreignThinking: ["drop", "text"],
  textBesideDroppedCall: ["keep", "drop"],
}

/** What every entry point that repairs takes. */
export interface PolicyOptions {
  /** Which repair to choose where agents disagree. A policy that is not named has its default. */
  readonly policies?: Partial<Policies>
}

export const policyNames = Object.keys(policyValues) as readonly (keyof Policies)[]

/** All policies of these options, defaults included. Throws for an unknown name or value, and for one outside `policies`. */
export const resolvePolicies = (options: PolicyOptions): Policies => {
  for (const name of policyNames) {
    if (Object.hasOwn(options, name)) {
      throw new LigatureError("bad-option", `Expected policies: { ${name}: … }, got ${name} next to the other options`)
    }
  }
  const { policies } = options
  if (policies === undefined) return defaultPolicies
  if (!isWire(policies)) {
    throw new LigatureError("bad-option", `Expected policies as an object, got ${quoted(policies)}`)
  }
  assertOptions(policies, policyValues, "policy", "Policies")
  const chosen = Object.entries(policies).filter(([, value]) => value !== undefined)
  return { ...defaultPolicies, ...Object.fromEntries(chosen) }
}
