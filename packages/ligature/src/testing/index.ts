/** What agent authors need to test their own histories: strict fake providers, builders, damage, the invariant helper. */
export { Choices } from "./damage.ts"
export { type Damage, damageHistory } from "./damage.ts"
export { type GeneratedHistory, generateHistory } from "./valid.ts"
export { expectValid, type ValidOptions } from "./valid.ts"
export * from "./providers/index.ts"
