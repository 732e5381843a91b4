/**
 * `ligature/rules`: the rules and the invariants with their texts and examples, and the rule book: what each provider
 * demands, with the error texts it answers with. For those who document or extend them; checking needs only `ligature`.
 */
export { type Example, type Law, laws, type Rule } from "../rule.ts"
export { rules } from "../catalog/index.ts"
export { type ProviderRule, rulebook } from "../rulebook/index.ts"
