/** Types of the library: they cost nothing, so they are imported from here also by what is loaded first. */
export type { Document, DocumentPart, Problem } from "../../ligature/src/document/index.ts"
export type { Encoded, SessionOutline, SessionPath, SessionPlace } from "../../ligature/src/convert/index.ts"
export type { Policies, ProfileName } from "../../ligature/src/rules/index.ts"
export type {
  Block,
  CallBlock,
  Conversation,
  Diagnostic,
  Exchange,
  Item,
  MediaBlock,
  Message,
  Outcome,
  OutcomeKind,
  Place,
  RepairKind,
  Report,
  ReportEntry,
  ResultBlock,
  Severity,
  Transcript,
} from "../../ligature/src/model/index.ts"
