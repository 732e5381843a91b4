/** Where a written session must be for its agent to find it, and how to open it: lines to copy. */
import type { SessionPlace } from "../../convert/index.ts"
import { phrase, shellWord, translated } from "../../model/index.ts"
import type { Printer } from "../frame/command.ts"
import { pad, widthOf, wrap } from "../frame/text.ts"

/** The tilde stays outside the quotes, where a shell expands it; people fill in what is in angle brackets. */
const pathWord = (path: string): string => {
  if (/^[\w@%+=:,./<>~-]+$/.test(path)) return path
  return path.startsWith("~/") ? `~/${shellWord(path.slice(2))}` : shellWord(path)
}

/** How the session is opened where it is now. */
export const printResume = ({ resume, note }: SessionPlace, err: Printer): void => {
  err.line(`  ${pad(phrase`resume it with`, widthOf(phrase`resume it with`) + 2)}${err.palette.accent(resume)}`)
  if (note !== undefined) for (const line of wrap(translated(note), err.width - 2)) err.line(err.palette.quiet(`  ${line}`))
}

export const printSessionPlace = ({ path, resume, note }: SessionPlace, err: Printer): void => {
  const [first, second] = [phrase`put it at`, phrase`then run`]
  const column = Math.max(widthOf(first), widthOf(second)) + 2
  err.line(`  ${pad(first, column)}${pathWord(path)}`)
  err.line(`  ${pad(second, column)}${resume}`)
  if (note !== undefined) for (const line of wrap(translated(note), err.width - 2)) err.line(err.palette.quiet(`  ${line}`))
}
