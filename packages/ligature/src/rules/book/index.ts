/**
 * `ligature/rules`: the rules and the invariants with their texts and examples, the rule book (what each provider demands,
 * with the error texts it answers with), and the way back from such an error to the rule and the place. Checking and
 * repairing need none of this, so that `ligature` does not load it.
 */
import { rules as catalog } from "../catalog/index.ts"
import { quoteWith } from "../profiles/demands.ts"
import type { Invariant, Rule as BareRule } from "../rule.ts"
import { docs } from "./docs.ts"
import { type Example, examples } from "./examples.ts"
import { quote } from "./quote.ts"

export { type Classification, classify, locate, type Location, type Refused } from "../classify/index.ts"
export type { Invariant } from "../rule.ts"
export type { Example } from "./examples.ts"
export { type ProviderRule, rulebook } from "../rulebook/index.ts"

/** A rule with its text, and with examples, which run as tests. */
export interface Rule extends BareRule {
  /** What it is about, how its damage comes about, what settle does: Markdown, a few sentences. */
  readonly doc: string
  readonly examples: readonly Example[]
}

/** The ten invariants, as sentences. */
export const invariants: Readonly<Record<Invariant, string>> = {
  L1: "Every call has exactly one outcome.",
  L2: "Every result answers a call of the same exchange.",
  L3: "Nothing comes between a call and its results.",
  L4: "Results are in call order.",
  L5: "Ids are unique in the conversation; results are matched to calls by occurrence.",
  L6: "Only the last exchange may be pending.",
  L7: "Arguments are a JSON object; text that is not stays beside them, and such a call is never executed.",
  L8: "No empty message, no blank text block, no lone surrogate.",
  L9: "No cut, hide or summary splits an exchange, a thinking run or an opaque span.",
  L10: "Opaque provider data is replayed verbatim to its origin or removed whole, never edited.",
}

/** The rules of the invariants, in the order in which repair applies them. */
export const rules: readonly Rule[] = catalog.map((rule) => ({ ...rule, doc: docs[rule.id] ?? "", examples: examples[rule.id] ?? [] }))

quoteWith(quote)
