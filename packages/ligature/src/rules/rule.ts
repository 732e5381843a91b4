/**
 * A rule is one file in `rules/`: what it says, why, examples that run, how it finds its damage in a survey, and how it
 * repairs it in a draft. `check` asks rules to find, `settle` asks them to repair; nobody else judges.
 */
import type { Message, RepairKind, Severity } from "../model/index.ts"
import type { Draft } from "./draft.ts"
import type { Policies } from "./policies.ts"
import type { Spot, Survey } from "./survey/index.ts"

export type Law = "L1" | "L2" | "L3" | "L4" | "L5" | "L6" | "L7" | "L8" | "L9" | "L10"

/** The ten laws, as sentences. */
export const laws: Readonly<Record<Law, string>> = {
  L1: "Every call has exactly one outcome.",
  L2: "Every result answers a call of the same exchange.",
  L3: "Nothing stands between a call and its results.",
  L4: "Results stand in call order.",
  L5: "Ids are unique in the conversation; results are matched to calls by occurrence.",
  L6: "Only the last exchange may be pending.",
  L7: "Arguments are a JSON object; text that is not stays beside them, and such a call is never executed.",
  L8: "No empty message, no blank text block, no lone surrogate.",
  L9: "No cut, hide or summary splits an exchange, a thinking run or an opaque span.",
  L10: "Opaque provider data is replayed verbatim to its origin or removed whole, never edited.",
}

export interface Description {
  readonly spot: Spot
  readonly what: string
  readonly ids: readonly string[]
  /** What settle would do, under the given policies. */
  readonly repair: { readonly kind: RepairKind; readonly what: string }
}

export interface Example {
  readonly title: string
  readonly tip?: "open" | "closed"
  readonly policies?: Partial<Policies>
  readonly before: readonly Message[]
  /** How often this rule finds something; other rules are not counted. */
  readonly finds: number
  /** The settled conversation, flattened. */
  readonly after: readonly Message[]
}

export interface Rule<Finding = unknown> {
  readonly id: string
  readonly law: Law
  readonly severity: Severity
  readonly title: string
  /** What it is, how it comes about, what settle does: Markdown, a few sentences. */
  readonly doc: string
  readonly why: string
  readonly help: string
  readonly examples: readonly Example[]
  readonly find: (survey: Survey) => readonly Finding[]
  readonly describe: (finding: Finding, survey: Survey, policies: Policies) => Description
  readonly repair: (finding: Finding, draft: Draft, description: Description) => void
}

/** Hides the finding's type, so that rules of all kinds fit in one list. */
export const defineRule = <Finding>(rule: Rule<Finding>): Rule => rule as Rule
