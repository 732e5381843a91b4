/** The judge: what a lawful conversation is, how damage is found and repaired. The only folder that may. */
export { check, type CheckOptions } from "./check.ts"
export { fit, type Fitted } from "./fit/fit.ts"
export { defaultPolicies, type Policies, policyValues } from "./policies.ts"
export { profileNames, profiles, resolveProfile } from "./profiles/index.ts"
export type * from "./profiles/profile.ts"
export { type Example, type Law, laws, type Rule } from "./rule.ts"
export { rules } from "./rules/index.ts"
export { settle, type Settled, type SettleOptions } from "./settle.ts"
