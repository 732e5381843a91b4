/** The last lines of repair and convert, on stderr: what was done, in numbers, and how to see more. */
import type { Loss, ReportEntry } from "../../model/index.ts"
import type { Context, Printer } from "../frame/command.ts"
import { countedByRule } from "./report.ts"
import type { Source } from "../input/source.ts"
import { count, wrap } from "../frame/text.ts"

export interface Tally {
  files: number
  conversations: number
  readonly entries: Pick<ReportEntry, "rule" | "kind">[]
  readonly losses: Pick<Loss, "feature" | "degree" | "what">[]
  /** Files in which damage is left after a repair. */
  damaged?: number
}

const countedLosses = (losses: readonly Tally["losses"][number][]): string => {
  const counts = new Map<string, number>()
  for (const { what } of losses) {
    const name = what.split(":")[0] ?? what
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts]
    .sort((left, right) => right[1] - left[1])
    .map(([name, number]) => (number === 1 ? name : `${name} ×${number}`))
    .join(", ")
}

const printWrapped = (text: string, err: Printer): void => {
  wrap(text, err.width - 2).forEach((line, index) => err.line(index === 0 ? line : `  ${line}`))
}

export const printSummary = (done: string, tally: Tally, context: Context): void => {
  const { err } = context
  const { files, conversations, entries, losses, damaged = 0 } = tally
  if (conversations === 0) return
  const several = files === conversations ? "" : `${count(conversations, "conversation")} of `
  const what = `${several}${count(files, "file")}`
  const changed = `${count(entries.length, "change")} (${countedByRule(entries)})`
  const changes = entries.length === 0 ? "nothing had to be changed" : changed
  const left = damaged === 0 ? "" : `; ${count(damaged, "file")} still damaged`
  const mark = damaged === 0 ? err.palette.good("✓") : err.palette.warning("!")
  printWrapped(`${mark} ${done} ${what}: ${changes}${left}`, err)
  printLosses(losses, err, done === "repaired" ? "no longer in the file" : undefined)
  const isTold = context.arguments.flag("report") || context.arguments.flag("verbose")
  if (entries.length + losses.length === 0 || isTold) return
  err.line(err.palette.quiet("  --verbose names each; --report FILE writes them all as JSON"))
}

/** What the target has no home for, and what it carries by agreement. */
export const printLosses = (
  losses: readonly Tally["losses"][number][],
  err: Printer,
  label = "the target cannot say",
): void => {
  const lost = losses.filter(({ degree }) => degree === "lost")
  const carried = losses.filter(({ degree }) => degree === "weakened")
  if (lost.length > 0) printWrapped(`${err.palette.warning("!")} ${label}: ${countedLosses(lost)}`, err)
  const dot = err.palette.quiet("·")
  if (carried.length > 0) printWrapped(`${dot} carried by convention: ${countedLosses(carried)}`, err)
}

/** A file that was read only in part is not written unless that was asked for. */
export const printNotSalvaged = (source: Source, err: Printer): void => {
  const readable = source.parts.length > 0 ? "--salvage writes what could be read of it." : ""
  err.line(`${err.palette.error("not written")}: ${source.name} could not be read as a whole. ${readable}`.trimEnd())
  err.line()
}
