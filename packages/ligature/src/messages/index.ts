/**
 * Functions for agents that keep their own list of messages, to be taken up one at a time. They work on plain wire
 * messages, without decoding, and need not be told the format: Anthropic, OpenAI Chat and Responses, Gemini, Bedrock
 * Converse, AI SDK model messages, and session entries around them. None changes its input, all are linear, and which
 * result answers which call is decided where it always is, in `rules/`.
 *
 * @example
 * import { alignTailStart } from "ligature/messages"
 *
 * const tail = messages.slice(alignTailStart(messages, messages.length - 20))
 */

// Where a list may be cut.
export { type AlignHeadOptions, alignHeadEnd, type AlignTailOptions, alignTailStart, type Toward } from "./align.ts"
export { atomicGroups } from "./atomic-groups.ts"
export { type BeforeAfter, truncateByFraction, type TruncateOptions, type Truncation } from "./truncate-by-fraction.ts"

// What a list may not hold.
export { type DropOptions, dropUnansweredCalls } from "./drop-unanswered-calls.ts"
export type { Notice, NoticePlace } from "./notice.ts"
export { type SkipOptions, skipOrphanResults } from "./skip-orphan-results.ts"

// Which entries of a tree are the conversation.
export { type ActivePath, activePath, type PathOptions, type PathProblem, type PathProblemKind } from "./active-path.ts"
export { filterMessages, type FilterOptions } from "./filter-messages.ts"

// How calls are written.
export { toolStyle } from "../formats/xml-text/style.ts"
export type { ToolStyle, ToolStyleQuestion } from "../formats/xml-text/style.ts"
