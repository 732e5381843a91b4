/** The last lines of repair and convert, on stderr: the number of changes, and how to see more. */
import { type Loss, phrase, type ReportEntry, translated } from "../../model/index.ts"
import type { Context, Printer } from "../frame/command.ts"
import { countedByRule } from "./report.ts"
import type { Source } from "../input/source.ts"
import { count, wrap } from "../frame/text.ts"

export interface Tally {
  files: number
  conversations: number
  readonly entries: Pick<ReportEntry, "rule" | "kind">[]
  readonly losses: Pick<Loss, "feature" | "degree" | "what">[]
  /** Files that are still damaged after a repair. */
  damaged?: number
}

const countedLosses = (losses: readonly Tally["losses"][number][]): string => {
  const counts = new Map<string, number>()
  for (const { what } of losses) {
    const name = translated(what.split(/:|：/)[0] ?? what)
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

const doneText = (done: Done, subject: string, changes: string, isDry: boolean): string => {
  if (isDry)
    return done === "repaired"
      ? phrase`Nothing was written. Repair of ${subject}: ${changes}`
      : phrase`Nothing was written. Conversion of ${subject}: ${changes}`
  return done === "repaired" ? phrase`Repaired ${subject}: ${changes}` : phrase`Converted ${subject}: ${changes}`
}

export type Done = "repaired" | "converted"

export const printSummary = (done: Done, tally: Tally, context: Context): void => {
  const { err } = context
  const { files, conversations, entries, losses, damaged = 0 } = tally
  if (conversations === 0) return
  const inFiles = count(files, "file")
  const subject = files === conversations ? inFiles : phrase`${count(conversations, "conversation")} in ${inFiles}`
  const changed = entries.length === 0 ? phrase`no changes needed` : phrase`${count(entries.length, "change")} (${countedByRule(entries)})`
  const changes = damaged === 0 ? changed : phrase`${changed}; ${count(damaged, "file")} still damaged`
  const mark = damaged === 0 ? err.palette.good("✓") : err.palette.warning("!")
  printWrapped(`${mark} ${doneText(done, subject, changes, context.arguments.flag("dry-run"))}`, err)
  printLosses(losses, err, done)
  const isTold = context.arguments.flag("report") || context.arguments.flag("verbose")
  if (entries.length + losses.length === 0 || isTold) return
  err.line(err.palette.quiet(`  ${phrase`--verbose lists each change; --report FILE writes them as JSON`}`))
}

/** What the target cannot represent, and what it carries only by convention. */
export const printLosses = (losses: readonly Tally["losses"][number][], err: Printer, done: Done = "converted"): void => {
  const lost = losses.filter(({ degree }) => degree === "lost")
  const carried = losses.filter(({ degree }) => degree === "weakened")
  if (lost.length > 0) {
    const names = countedLosses(lost)
    const text = done === "repaired" ? phrase`no longer in the file: ${names}` : phrase`not supported by the target: ${names}`
    printWrapped(`${err.palette.warning("!")} ${text}`, err)
  }
  const dot = err.palette.quiet("·")
  if (carried.length > 0) printWrapped(`${dot} ${phrase`carried by convention: ${countedLosses(carried)}`}`, err)
}

/** A file that was read only in part is written only with --salvage. */
export const printNotSalvaged = (source: Source, err: Printer): void => {
  const what = phrase`${source.name} could not be read completely.`
  const readable = source.parts.length > 0 ? ` ${phrase`--salvage writes what could be read.`}` : ""
  err.line(`${err.palette.error(phrase`not written`)}: ${what}${readable}`)
  err.line()
}
