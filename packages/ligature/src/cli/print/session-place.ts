/** Where a written session must lie for its agent to find it, and how it is opened there: lines to copy from. */
import type { SessionPlace } from "../../convert/index.ts"
import { shellWord } from "../../model/index.ts"
import type { Printer } from "../frame/command.ts"

/** The tilde stays outside of the quotes, where a shell reads it; what stands in angle brackets is for people to fill in. */
const pathWord = (path: string): string => {
  if (/^[\w@%+=:,./<>~-]+$/.test(path)) return path
  return path.startsWith("~/") ? `~/${shellWord(path.slice(2))}` : shellWord(path)
}

export const printSessionPlace = ({ path, resume, note }: SessionPlace, err: Printer): void => {
  err.line(`  put it at  ${pathWord(path)}`)
  err.line(`  then       ${resume}`)
  if (note !== undefined) err.line(err.palette.quiet(`  ${note}`))
}
