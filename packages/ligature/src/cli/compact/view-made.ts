/** The lines about a compacted conversation on stderr: numbers, what is written, and how to recall elided content. */
import { findCodec, isSessionCodec } from "../../convert/index.ts"
import { phrase, translated } from "../../model/index.ts"
import type { Printer } from "../frame/command.ts"
import type { MadeView } from "./made-view.ts"
import { amountText, figure } from "../print/plan.ts"

/** People rarely mean to compact a view again, or to recall from one. */
export const warnAlreadyCompacted = (label: string, err: Printer): void => {
  err.line(`${err.palette.warning("!")} ${phrase`${label} is already a compacted view: its handles refer to the original`}`)
  err.line(err.palette.quiet(`  ${phrase`Give the original instead: it is complete, and the handles are valid in it.`}`))
}

/** Lines, because they are printed only when everything has been written. `format`: that of the source. */
export const madeLines = (made: MadeView, format: string, isWritten: boolean, { palette }: Printer): readonly string[] => {
  const {
    label,
    named,
    plan,
    limit: { measure, amount },
    conversation,
    request,
  } = made
  const { before, after } = plan.statistics
  if (plan.outcome === "refused")
    return [
      `${palette.error(phrase`refused`)}: ${label}: ${translated(plan.reason ?? "nothing fits")}`,
      palette.quiet(`  ${phrase`Nothing was written. Give a larger --budget, or another --strategy.`}`),
    ]
  const lines: string[] = []
  if (plan.outcome === "unchanged") {
    const sizes = phrase`${figure(before[measure], measure)} of ${amountText(amount, measure)}`
    lines.push(`${palette.good("✓")} ${phrase`${label} already fits: ${sizes}`}`)
  } else {
    const share = `${Math.round((after[measure] / Math.max(1, before[measure])) * 1000) / 10} %`
    const sizes = `${figure(before[measure], measure)} → ${amountText(after[measure], measure)}`
    lines.push(`${palette.good("✓")} ${phrase`${label}: ${sizes} (${share}) with ${plan.strategy}`}`)
  }
  if (isWritten && request !== undefined) {
    const codec = findCodec(format)
    // People may expect the session file to be changed; it never is.
    const text =
      codec !== undefined && isSessionCodec(codec)
        ? phrase`writes a request in format ${request.target.format}; the session file itself is unchanged`
        : phrase`writes a request in format ${request.target.format}`
    lines.push(palette.quiet(`  ${text}`))
  }
  const elided = plan.decisions.findIndex(({ kind }) => kind !== "keep")
  if (plan.outcome === "compacted" && elided >= 0 && elided < conversation.items.length) {
    lines.push(palette.quiet(`  ${phrase`to recall elided content: ${`ligature recall ${named} ${elided + 1}`}`}`))
  }
  return lines
}
