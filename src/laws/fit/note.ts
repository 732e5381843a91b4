/** How the parts of `fit` report a change: which profile rule asked for it, what was done, and in which item. */
import type { RepairKind, ReportEntry } from "../../model/index.ts"

export type Note = (
  rule: string,
  kind: RepairKind,
  what: string,
  item: number,
  more?: Partial<Pick<ReportEntry, "ids" | "original" | "replacement" | "found">>,
) => void
