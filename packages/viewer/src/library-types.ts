/** Types of the library: they cost nothing, so they are imported from here also by what is loaded first. */
export type { Document, DocumentPart, Problem } from "../../ligature/src/document/index.ts"
export type { Encoded, SessionOutline, SessionPath, SessionPlace } from "../../ligature/src/convert/index.ts"
export type { Amount, Category } from "../../ligature/src/compact/plan/make-plan.ts"
export type { Plan } from "../../ligature/src/compact/plan/plan.ts"
export type { Policies, ProfileName } from "../../ligature/src/rules/index.ts"
export type {
  Block,
  CallBlock,
  Conversation,
  Diagnostic,
  Exchange,
  Item,
  Loss,
  MediaBlock,
  Message,
  Outcome,
  OutcomeKind,
  Place,
  RepairKind,
  Report,
  ReportEntry,
  ResultBlock,
  Role,
  Severity,
  Transcript,
} from "../../ligature/src/model/index.ts"
