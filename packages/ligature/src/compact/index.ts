/**
 * Compaction: fits the view of a conversation into a budget. Never splits an exchange, and loses nothing for good:
 * everything that is left out has a handle that `recall` reads back.
 *
 *   const { conversation: view, plan } = compact(conversation, { budget: "25%" })    // in memory
 *   const compact = compactor({ store, model, summarise })                           // stored conversations
 */

// A conversation in memory
export { type Compacted, compact, type CompactOptions } from "./compact.ts"
export type { Budget, BudgetOptions, Percentage } from "./compact.ts"
export type { Protection } from "./plan/plan.ts"

// Stored conversations: in the loop, once, in the background
export { compactor, type Compactor, type CompactorOptions, type CompactorStatistics } from "./live/compactor.ts"
export type { Compact, CompactContext, CompactionReason } from "./live/hook.ts"
export type { OnceOptions } from "./live/background.ts"
export type {
  CompactionEvent,
  CompactionListener,
  CompactionOutcome,
  CompactionRefusal,
  FailedStrategy,
  SummaryFailure,
} from "./live/stored/notes.ts"
export type { Surroundings } from "./live/stored/surroundings.ts"
export { attributesOf, type Attributes, type CompactionStatistics } from "./policy/compaction-statistics.ts"
export { type CompactSettings, type Setting, type SettingName } from "./policy/settings.ts"
export type { SettingsChoice, SomeSettings } from "./policy/settings-for.ts"

// Reading back
export { recall, type RecallContext, type RecallTool } from "./live/recall.ts"
export type { Recalled, RecallOptions } from "./recall/recall.ts"
export type { RecallRequest, ToolDefinition } from "./recall/recall.ts"

// Strategies
export { cap, type CapOptions } from "./strategies/edit-results.ts"
export { choose, ladder, pipeline } from "./strategies/combine.ts"
export { dedupe, type DedupeOptions } from "./strategies/edit-results.ts"
export { digest, type DigestOptions } from "./strategies/digest/digest.ts"
export { generations, type GenerationsOptions } from "./strategies/generations.ts"
export { mask, type MaskOptions } from "./strategies/edit-results.ts"
export { truncate, type TruncateOptions } from "./strategies/window.ts"
export { window, type WindowOptions } from "./strategies/window.ts"
export type { Context, Decision, Elided, Plan, Strategy, Summary } from "./plan/plan.ts"
export type { Amount, Category, Statistics } from "./plan/make-plan.ts"
export type { Handle } from "./text/handles.ts"

// Summaries by a model: what to ask, whether the answer may be used, and a view with it
export type { Summarise, SummariserTerms } from "./live/summary/ask-model.ts"
export type { SummaryStyle } from "./summary/instructions.ts"
export { type SummaryText } from "./summary/with-summary.ts"
export type { PreviousSummary } from "./summary/request.ts"
export { type SummariserRequest, type SummaryWork } from "./summary/request.ts"
export { type Answer, type Rejection, type ValidateOptions } from "./summary/validate-answer.ts"

// Meters
export type { Meter } from "./meter/meter.ts"
export { calibrate, estimateMeter, meterOf, type TokenCounter, type UsageSample } from "./meter/meter.ts"
export type { Size } from "./meter/meter.ts"
