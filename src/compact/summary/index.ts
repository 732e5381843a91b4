/**
 * Summaries by a model: everything about them but the call itself. `summariserRequests` says what to ask, `judgeAnswer`
 * whether the answer may be used, `importantNames` and `lostNames` what it forgot, `summaryBlock` how it is written
 * down, and `withSummary` makes a plan of it.
 */
export { type GuardOptions, importantNames, lostNames, type NamedItem } from "./guard.ts"
export { headings, type SummaryStyle, summaryStyles } from "./instructions.ts"
export { type Answer, complaints, judgeAnswer, type JudgeOptions, type Refusal, refusals } from "./judge.ts"
export { languageOf, userLanguage } from "./language.ts"
export { readSummary, summaryBlock, type SummaryText } from "./message.ts"
export type { PreviousSummary } from "./opening.ts"
export {
  mergeRequest,
  type SummariserRequest,
  summariserRequests,
  type SummaryWork,
} from "./request.ts"
export { coveredBy, summaryStrategyName, withSummary } from "./with-summary.ts"
