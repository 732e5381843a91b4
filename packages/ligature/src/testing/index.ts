/** What agent authors need to test their own histories: strict fake providers, builders, damage, the invariant helper. */
export { Choices, numbersFromSeed } from "./damage.ts"
export { type Damage, damageHistory, damages, idDamages } from "./damage.ts"
export { type GeneratedHistory, generateHistory, tokenOf } from "./valid.ts"
export { BrokenPromise, expectValid, type ValidOptions } from "./valid.ts"
export * from "./providers/index.ts"
export { assistant, call, result, system, thinking, tool, transcript, user } from "../model/index.ts"
