/** What a transcript holds and what is wrong with it, found in one pass. */
export { callsIn } from "./calls-in.ts"
export { sameResult } from "./same-result.ts"
export type * from "./slots.ts"
export { type QuotedCall, type Survey, survey, type SurveyOptions } from "./survey.ts"
