// One demand of a provider on a tool-calling conversation, as data: what is demanded, how the provider words its
// refusal, what to do about it, and which part of Ligature keeps it.
//
// The demands live here as values and not inside the rules that keep them, because one rule keeps many demands (call
// id formats of nine providers are one profile rule), and because a refusal must be explainable even when no rule of
// ours could have prevented it.

/** What to do about a refusal. The action is chosen per demand; its exact place comes from the refusal's text. */
export type Action =
  | "allow-list-render"
  | "change-params"
  | "fix-arguments"
  | "fix-empty"
  | "fix-media"
  | "fix-roles"
  | "fix-server-state"
  | "re-id"
  | "recompute-cache-marks"
  | "rename-or-drop-tool"
  | "repair-pairing"
  | "replay-reasoning-or-omit-ids"
  | "restore-signature-or-sentinel"
  | "server-span"
  | "shorten-text"
  | "strip-or-restore-reasoning"

/** Rules of the invariants that keep a provider's demand. */
export type InvariantRuleId =
  | "duplicate-call"
  | "duplicate-call-id"
  | "duplicate-result"
  | "empty-message"
  | "empty-text"
  | "invalid-arguments"
  | "lone-surrogate"
  | "malformed-message"
  | "misplaced-block"
  | "misplaced-result"
  | "missing-call-id"
  | "missing-tool-name"
  | "orphan-result"
  | "split-span"
  | "unanswered-call"
  | "unsigned-thinking"

/** Rules that a profile switches on and parameterises. */
export type ProfileRuleId =
  | "cache-marks"
  | "call-beside-text"
  | "call-content"
  | "call-id-format"
  | "call-id-unique"
  | "call-kind"
  | "content-string"
  | "document-position"
  | "empty-result"
  | "first-role"
  | "foreign-opaque"
  | "foreign-thinking"
  | "item-id"
  | "last-role"
  | "media-data"
  | "media-limit"
  | "media-type"
  | "open-tail"
  | "parallel-calls"
  | "prefix-binding"
  | "reasoning-follower"
  | "result-beside-text"
  | "result-media"
  | "result-name"
  | "result-object"
  | "results-first"
  | "results-one-message"
  | "role-alternation"
  | "role-sequence"
  | "system-position"
  | "thinking-forbidden"
  | "thinking-leads"
  | "thinking-position"
  | "thinking-required"
  | "thinking-signature"
  | "thought-signature"
  | "tool-list"
  | "tool-name-format"
  | "unknown-field"

/**
 * Where a demand is kept. `outside` names what it concerns instead of the conversation: parameters of the request,
 * state the server keeps, who is asking, how a response was recorded, or the bytes of media.
 */
export type Enforcement =
  | { readonly invariant: InvariantRuleId }
  | { readonly profile: ProfileRuleId }
  | { readonly outside: "params" | "server-state" | "credentials" | "recording" | "media"; readonly why: string }

export type ProviderRule = {
  readonly id: string
  /** Providers and gateways known to make the demand; `all` stands for every one. */
  readonly providers: readonly string[]
  /** The models it is limited to, in words; absent when it holds for all models of the providers. */
  readonly models?: string
  /** The demand in one sentence, as something that is true of an acceptable request. */
  readonly demand: string
  /** `hard`: the request is refused. `soft`: it is accepted at a cost in quality, tokens or content. */
  readonly severity: "hard" | "soft"
  /** What a repair has to change: the newest turn, older history, or request parameters only. */
  readonly touches: "tail" | "history" | "params"
  /** The HTTP status of the refusal; absent when nothing is refused. */
  readonly status?: number
  readonly action: Action
  /** Refusals quoted verbatim; numbers and ids in them are examples. */
  readonly texts: readonly string[]
  /** Other wordings of the same refusal: older ones, or what a client shows in its place. */
  readonly alsoSeen?: readonly string[]
  /**
   * Recognises the refusal anywhere in a text. Every repetition in it is bounded or ends at a character it cannot
   * contain, so that a search stays linear in the length of the text.
   */
  readonly match?: RegExp
  /** Which block it is most likely about, where the refusal names none. */
  readonly blames?: "largest-media" | "oldest-media"
  /** The smallest repair, in words. */
  readonly repair: string
  readonly enforcedBy: Enforcement
}
