/** What `ligature recall` and `ligature log recall` share: what is asked for, and how the answer is printed. */
import type { Recalled, RecallRequest } from "../../compact/index.ts"
import type { OptionSpec } from "../frame/arguments.ts"
import type { Context, ExitCode } from "../frame/command.ts"
import { printJson } from "../print/json.ts"
import { UsageError } from "../frame/usage-error.ts"

export const recallOptions: readonly OptionSpec[] = [
  { name: "search", value: "TEXT", text: "find this text, upper and lower case alike" },
  { name: "raw", text: "print control characters as they are, to a terminal too" },
  { name: "limit", value: "CHARACTERS", text: "print at most so many; the last line names the handle that goes on" },
]

/** A number that counts from one. */
export const numberOf = ({ arguments: given }: Context, name: string, otherwise: number): number => {
  const text = given.text(name)
  if (text === undefined) return otherwise
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new UsageError(`--${name} is a number from 1 on, not ${text}`)
}

/** A person has a screen to scroll: more than a model is given at once. */
const defaultLimit = 1_000_000

export interface AskedRecall {
  /** The first word: a file, or the id of a conversation. */
  readonly from: string
  readonly request: RecallRequest
  readonly limitCharacters: number
}

/** `what`: how the help calls the first word. */
export const askedRecall = (context: Context, command: string, what: string): AskedRecall => {
  const [from, handle, ...more] = context.arguments.positionals
  const search = context.arguments.text("search")
  if (from === undefined || more.length > 0 || (handle === undefined && search === undefined)) {
    throw new UsageError(`${command} takes ${what} HANDLE, or ${what} --search TEXT`, `See: ligature ${command} --help`)
  }
  const request = { ...(handle !== undefined && { handle }), ...(search !== undefined && { search }) }
  return { from, request, limitCharacters: numberOf(context, "limit", defaultLimit) }
}

/** Exit code 1: nothing was found. `where`: what it was read from, for the JSON. */
export const printRecalled = (
  command: string,
  where: object,
  { request }: AskedRecall,
  recalled: Recalled,
  { arguments: given, out, err }: Context,
): ExitCode => {
  const code: ExitCode = recalled.found ? 0 : 1
  if (given.flag("json")) printJson(command, code, { ...where, ...request, ...recalled }, out)
  else if (!recalled.found) for (const line of recalled.text.split("\n")) err.line(line)
  // What was said is data: a pipe gets it as it was, a terminal what is safe to look at.
  else out[given.flag("raw") ? "raw" : "write"](`${recalled.text}\n`)
  return code
}
