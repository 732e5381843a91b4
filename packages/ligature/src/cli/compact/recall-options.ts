/** Shared by `ligature recall` and `ligature log recall`: the request, and how the answer is printed. */
import { phrase } from "../../model/index.ts"
import type { Recalled, RecallRequest } from "../../compact/index.ts"
import type { OptionSpec } from "../frame/arguments.ts"
import type { Context, ExitCode } from "../frame/command.ts"
import { printJson } from "../print/json.ts"
import { UsageError } from "../frame/usage-error.ts"

export const recallOptions: readonly OptionSpec[] = [
  { name: "search", value: "TEXT", text: "find this text, ignoring case" },
  { name: "raw", text: "print control characters unescaped, also to a terminal" },
  { name: "limit", value: "CHARACTERS", text: "print at most this many characters; the last line names the handle to continue with" },
]

/** A number that counts from one. */
export const numberOf = ({ arguments: given }: Context, name: string, otherwise: number): number => {
  const text = given.text(name)
  if (text === undefined) return otherwise
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new UsageError(phrase`${`--${name}`} is a positive whole number, not ${text}`)
}

/** People can scroll: more than a model gets at once. */
const defaultLimit = 1_000_000

export interface AskedRecall {
  /** The first argument: a file, or the id of a conversation. */
  readonly from: string
  readonly request: RecallRequest
  readonly limitCharacters: number
}

/** `what`: the name of the first argument in the help. */
export const askedRecall = (context: Context, command: string, what: string): AskedRecall => {
  const [from, handle, ...more] = context.arguments.positionals
  const search = context.arguments.text("search")
  if (from === undefined || more.length > 0 || (handle === undefined && search === undefined)) {
    throw new UsageError(
      phrase`${command} takes ${`${what} HANDLE`} or ${`${what} --search TEXT`}`,
      phrase`See: ${`ligature ${command} --help`}`,
    )
  }
  const request = { ...(handle !== undefined && { handle }), ...(search !== undefined && { search }) }
  return { from, request, limitCharacters: numberOf(context, "limit", defaultLimit) }
}

/** Exit code 1: nothing was found. `where`: the source, for the JSON. */
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
  // Content is data: a pipe gets it unchanged, a terminal gets it escaped.
  else out[given.flag("raw") ? "raw" : "write"](`${recalled.text}\n`)
  return code
}
