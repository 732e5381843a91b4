/** Where existing agents disagree about a repair, the choice is a named policy with a default, not a taste in the code. */

export interface Policies {
  /**
   * A call without result. `synthesize` (default) gives it an honest invented outcome; `drop-message` leaves out the whole
   * assistant message with the results of its other calls; `drop-call` leaves out the call alone.
   */
  readonly unansweredCall: "synthesize" | "drop-message" | "drop-call"
  /**
   * A result that stands in front of its call or answers none. `reattach` (default) moves it to its call where there is
   * one, else says it as user text; `demote` always says it as text; `drop` leaves it out.
   */
  readonly orphanResult: "reattach" | "demote" | "drop"
  /**
   * A second result of one call. `keep-best` (default): real over invented, success over failure, then the later one, and
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
