/**
 * Documents: from the bytes of any file to the conversations it holds, and back.
 */

export { openDocument } from "./open-document.ts"
export type { Document, DocumentPart, OpenOptions } from "./document.ts"
export { detectFormat, type DetectedFormat } from "./detect-format.ts"
export { findConversations, type FoundConversation, type FoundConversations } from "./find-conversations.ts"
export { isWireFormat, listKeyOf, requestListKey } from "./formats.ts"
export type { Problem, ProblemKind, ProblemSeverity } from "../json/problem.ts"
