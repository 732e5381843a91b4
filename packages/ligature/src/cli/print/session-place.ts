/** Where a written session must be for its agent to find it, and how to open it: lines to copy. */
import type { SessionPlace } from "../../convert/index.ts"
import { phrase, shellFile, translated } from "../../model/index.ts"
import type { Printer } from "../frame/command.ts"
import { pad, widthOf, wrap } from "../frame/text.ts"

/** People fill in what is in angle brackets. */
const pathWord = (path: string): string => (/^[\w@%+=:,./<>~-]+$/.test(path) ? path : shellFile(path))

/** How the session is opened where it is now. */
export const printResume = ({ resume, note }: SessionPlace, err: Printer): void => {
  err.whole(`  ${pad(phrase`resume it with`, widthOf(phrase`resume it with`) + 2)}${err.palette.accent(resume)}`)
  if (note !== undefined) for (const line of wrap(translated(note), err.width - 2)) err.line(err.palette.quiet(`  ${line}`))
}

export const printSessionPlace = ({ path, resume, note }: SessionPlace, err: Printer): void => {
  const [first, second] = [phrase`put it at`, phrase`then run`]
  const column = Math.max(widthOf(first), widthOf(second)) + 2
  err.whole(`  ${pad(first, column)}${pathWord(path)}`)
  err.whole(`  ${pad(second, column)}${resume}`)
  if (note !== undefined) for (const line of wrap(translated(note), err.width - 2)) err.line(err.palette.quiet(`  ${line}`))
}
