/** What is printed about a compacted conversation on stderr: one line of numbers, what is written, and the way back. */
import { findCodec, isSessionCodec } from "../../convert/index.ts"
import type { Printer } from "../frame/command.ts"
import type { MadeView } from "./made-view.ts"
import { amountText, figure } from "../print/plan.ts"

/** People rarely mean to compact a view again, or to read back from one. */
export const warnAlreadyCompacted = (label: string, err: Printer): void => {
  err.line(`${err.palette.warning("!")} ${label} is a compacted view already: handles in it belong to its original`)
  err.line(err.palette.quiet("  Give the original instead: it still holds everything, and handles count in it."))
}

/** Lines, because they are printed only when everything has been written. `format`: that of the source. */
export const madeLines = (
  made: MadeView,
  format: string,
  isWritten: boolean,
  { palette }: Printer,
): readonly string[] => {
  const { label, named, plan, limit: { measure, amount }, conversation, request } = made
  const { before, after } = plan.statistics
  if (plan.outcome === "refused") return [
    `${palette.error("refused")}: ${label}: ${plan.reason ?? "nothing fits"}`,
    palette.quiet("  Nothing was written. Give a larger --budget, or another --strategy."),
  ]
  const lines: string[] = []
  if (plan.outcome === "unchanged") {
    const sizes = `${figure(before[measure], measure)} of ${amountText(amount, measure)}`
    lines.push(`${palette.good("✓")} ${label} fits as it is: ${sizes}`)
  } else {
    const share = `${Math.round((after[measure] / Math.max(1, before[measure])) * 1000) / 10} %`
    const sizes = `${figure(before[measure], measure)} → ${amountText(after[measure], measure)}`
    lines.push(`${palette.good("✓")} ${label}: ${sizes} (${share}) by ${plan.strategy}`)
  }
  if (isWritten && request !== undefined) {
    const codec = findCodec(format)
    // A session file is never touched, and people would not expect that.
    const untouched = codec !== undefined && isSessionCodec(codec) ? "; the session file itself is untouched" : ""
    lines.push(palette.quiet(`  writes a request in the format ${request.target.format}${untouched}`))
  }
  const elided = plan.decisions.findIndex(({ kind }) => kind !== "keep")
  if (plan.outcome === "compacted" && elided >= 0 && elided < conversation.items.length) {
    lines.push(palette.quiet(`  what is elided comes back with: ligature recall ${named} ${elided + 1}`))
  }
  return lines
}
