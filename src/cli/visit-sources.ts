/**
 * Goes through the input files one by one: a file that cannot be read is reported and does not stop the others, and
 * the exit code remembers the worst that happened.
 */
import { formats } from "../codecs/index.ts"
import type { FormatName, Problem as FileProblem } from "../codecs/document/index.ts"
import { LigatureError } from "../model/index.ts"
import { type Context, type ExitCode, worse } from "./command.ts"
import { stdinLabel } from "./files.ts"
import { suggestion } from "./nearest.ts"
import { printFailure, printProblems } from "./print/problem.ts"
import { Progress } from "./print/progress.ts"
import { Source } from "./source.ts"
import { UsageError } from "./usage-error.ts"

/** What is wrong with a file; a file that cannot be opened at all has a kind of its own. */
export type Problem = Omit<FileProblem, "kind"> & { readonly kind: FileProblem["kind"] | "cannot-read" }

/** Beyond this many files, harmless remarks about each of them would drown what matters. */
const fewFiles = 10

export const formatNamed = (name: string | undefined, option: string): FormatName | undefined => {
  if (name === undefined) return undefined
  if (formats.includes(name)) return name as FormatName
  const near = suggestion(name, formats)
  throw new UsageError(
    `${option} does not know the format ${name}`,
    `${near === undefined ? "" : `${near} `}Formats: ${formats.join(", ")}`,
  )
}

/** The files of the command line; a command without any has nothing to do. */
export const filesOf = (context: Context, command: string): readonly string[] => {
  const files = context.arguments.positionals
  const seeHelp = `See: ligature ${command} --help`
  if (files.length === 0) throw new UsageError("Give at least one FILE, or - for stdin", seeHelp)
  if (files.filter((file) => file === "-").length > 1) throw new UsageError("stdin (-) can be read only once")
  return files
}

export interface Visitor {
  readonly visit: (source: Source, given: string) => Promise<ExitCode>
  /** Given, it is told of files that cannot be read, and nothing is printed about problems: the JSON says them. */
  readonly unreadable?: (file: string, problems: readonly Problem[]) => void
}

const asProblem = (error: LigatureError): Problem => ({
  kind: "cannot-read",
  severity: "error",
  what: error.message,
  wayOut: "Check the path.",
})

export const visitSources = async (context: Context, files: readonly string[], visitor: Visitor): Promise<ExitCode> => {
  const from = formatNamed(context.arguments.text("from"), "--from")
  const progress = new Progress(context.status, files.length)
  const withNotes = files.length <= fewFiles || context.arguments.flag("verbose")
  let code: ExitCode = 0
  for (const [index, file] of files.entries()) {
    progress.show(index, file)
    const name = file === "-" ? stdinLabel : file
    try {
      const source = await Source.read(file, from, context.io)
      if (!visitor.unreadable) printProblems(source, context.err, { withNotes })
      if (source.isUnreadable) visitor.unreadable?.(name, source.problems)
      code = worse(code, source.isUnreadable ? 2 : await visitor.visit(source, file))
    } catch (error) {
      if (!LigatureError.is(error)) throw error
      if (visitor.unreadable) visitor.unreadable(name, [asProblem(error)])
      else printFailure(name, error, context.err)
      code = 2
    }
  }
  context.status.clear()
  return code
}
