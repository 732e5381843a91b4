/** Compaction of stored conversations: when, how, in the background, and back again. */
export { compactConversation, type CompactConversationOptions, type CompactOptions } from "./compact-conversation.ts"
export { Compactor, type CompactorOptions } from "./compactor.ts"
export type { CompactionEvent, CompactionListener, CompactionOutcome, CompactionRefusal, FailedRung } from "./events.ts"
export { compactionHook, type CompactionHookOptions } from "./hook.ts"
export {
  costOf,
  type CostEstimate,
  type CostInput,
  isWorthIt,
  judge,
  type Limits,
  limitsOf,
  type Situation,
  type Verdict,
} from "./policy.ts"
export { compactionNote } from "./past.ts"
export { recallToolFor } from "./recall/recall-shapes.ts"
export {
  type CompactionSettings,
  defaultSettings,
  type Setting,
  settingNames,
  type SettingsChoice,
  settingsFor,
  settingsTable,
} from "./settings.ts"
export { attributesOf, type Attributes, type CompactionStatistics } from "./statistics.ts"
export { recallFromStore, storeRecallTool } from "./recall/store-recall.ts"
export type { Summarise, SummariserTerms, SummaryFailure } from "./summary/summarise.ts"
export { summarySlot } from "./summary/summary-lease.ts"
