/** Conversations that go on: resumed from a store, brought into it from any format, and written out of it. */
export { withCallIds } from "./exported.ts"
export { exportFrom, type Exported, type ExportOptions } from "./exported.ts"
export { importFrom, type Imported, type ImportOptions, messageEntries } from "./imported.ts"
export { resume, type Resumed, resumeFrom, type ResumeOptions, type ResumePlan } from "./resume.ts"
