/**
 * A rule is one file in `catalog/`: what it is called, why, how it finds its damage in a survey, and how it repairs it in a
 * draft. `check` asks rules to find, `settle` asks them to repair; nobody else judges. Its text and examples are in `book/`.
 */
import type { RepairKind, Severity } from "../model/index.ts"
import type { Draft } from "./draft.ts"
import type { Policies } from "./policies.ts"
import type { Spot, Survey } from "./survey/index.ts"

export type Invariant = "L1" | "L2" | "L3" | "L4" | "L5" | "L6" | "L7" | "L8" | "L9" | "L10"

export interface Description {
  readonly spot: Spot
  readonly what: string
  readonly ids: readonly string[]
  /** What settle would do, under the given policies. */
  readonly repair: { readonly kind: RepairKind; readonly what: string }
}

export interface Rule<Finding = unknown> {
  readonly id: string
  readonly invariant: Invariant
  readonly severity: Severity
  readonly title: string
  readonly why: string
  readonly help: string
  readonly find: (survey: Survey) => readonly Finding[]
  readonly describe: (finding: Finding, survey: Survey, policies: Policies) => Description
  readonly repair: (finding: Finding, draft: Draft, description: Description) => void
}

/** Hides the finding's type, so that rules of all kinds fit in one list. */
export const defineRule = <Finding>(rule: Rule<Finding>): Rule => rule as Rule
