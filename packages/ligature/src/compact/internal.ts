/**
 * What the loop and the command line need beyond the public names. Nobody else imports this file, and they import no
 * other file of this folder but this one and `index.ts`.
 */

// Of stored conversations
export type { Compact, CompactContext, CompactionReason } from "./live/hook.ts"
export { isDeadOwner, newOwner } from "./live/stored/surroundings.ts"
export { platform, type Surroundings, timerMs } from "./live/stored/surroundings.ts"
export { iterationNote, lastUsage } from "./live/stored/notes.ts"
export { mediaHandles } from "./live/recall.ts"
export { trimResults } from "./live/write/edit-stored.ts"
export { checkTokens, defaultSettings } from "./policy/settings-for.ts"
export { recallToolName } from "./recall/recall.ts"

// Of files that are too long for memory
export { capResult } from "./strategies/edit-results.ts"

// Of views that are shown to people
export { prepare } from "./compact.ts"
export { isCompactedView } from "./compact.ts"
export { noSize } from "./meter/meter.ts"
export { refusedPlan, renamedPlan } from "./plan/make-plan.ts"
export type { Elided } from "./plan/plan.ts"
export { categories } from "./plan/make-plan.ts"
export { countNames } from "./policy/compaction-statistics.ts"
export { costOf } from "./policy/when-to-compact.ts"
export { handleOf } from "./text/handles.ts"
