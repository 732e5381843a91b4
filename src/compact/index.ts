/**
 * Compaction: fits the view of a conversation into a budget, without ever splitting an exchange and without losing
 * anything for good.
 *
 *   const { conversation: view, plan } = compact(conversation, { budget: "25%" })
 */

// The door
export { type Compacted, compact, type CompactOptions, prepare, type Prepared } from "./compact.ts"
export { apply } from "./plan/apply.ts"
export { type Budget, type BudgetOptions, type BudgetSituation, type Percentage, resolveBudget } from "./budget.ts"
export { type Protection, protectionOf } from "./protection.ts"

// Strategies
export { cap, type CapOptions, capResult, type CapResultOptions } from "./strategies/cap.ts"
export { choose } from "./strategies/choose.ts"
export { dedupe, type DedupeOptions } from "./strategies/dedupe.ts"
export { digest, type DigestOptions } from "./digest/index.ts"
export { generations, type GenerationsOptions } from "./generations/index.ts"
export { ladder } from "./strategies/ladder.ts"
export { mask, type MaskOptions } from "./strategies/mask.ts"
export { pipeline } from "./strategies/pipeline.ts"
export { truncate, type TruncateOptions } from "./strategies/truncate.ts"
export { window, type WindowOptions } from "./strategies/window.ts"

// Getting things back, and summaries by a model
export * from "./recall/index.ts"
export * from "./summary/index.ts"

// What they speak of
export { type Handle, handleOf } from "./handle.ts"
export type { Decision, Elided, Plan, Summary } from "./plan/plan.ts"
export { addSizes, fitsIn, noSize, type Size } from "./size.ts"
export { type Amount, amountOf, categories, type Category, type Statistics } from "./plan/statistics.ts"
export type { Context, Strategy } from "./strategy.ts"
export { calibrate, createMeter, estimateMeter, type Meter, meterOf } from "./meter/index.ts"
export type { TokenCounter, UsageSample } from "./meter/index.ts"
