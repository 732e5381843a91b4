/**
 * Goes through the input files one by one: a file that cannot be read is reported and does not stop the others, and
 * the exit code remembers the worst that happened.
 */
import { formats } from "../codecs/index.ts"
import type { FormatName } from "../codecs/document/index.ts"
import { LigatureError } from "../model/index.ts"
import { type Context, type ExitCode, worse } from "./command.ts"
import { stdinLabel } from "./files.ts"
import { suggestion } from "./nearest.ts"
import { printFailure, printProblems } from "./print/problem.ts"
import { Progress } from "./print/progress.ts"
import { Source } from "./source.ts"
import { UsageError } from "./usage-error.ts"

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
  if (files.length === 0) throw new UsageError("Give at least one FILE, or - for stdin", `See: ligature ${command} --help`)
  if (files.filter((file) => file === "-").length > 1) throw new UsageError("stdin (-) can be read only once")
  return files
}

export const visitSources = async (
  context: Context,
  files: readonly string[],
  visit: (source: Source, given: string) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const from = formatNamed(context.arguments.text("from"), "--from")
  const progress = new Progress(context.io.stderr, files.length)
  const withNotes = files.length <= fewFiles || context.arguments.flag("verbose")
  let code: ExitCode = 0
  for (const [index, file] of files.entries()) {
    progress.show(index, file)
    try {
      const source = await Source.read(file, from, context.io)
      progress.pause()
      printProblems(source, context.err, { withNotes })
      code = worse(code, source.isUnreadable ? 2 : 0)
      if (!source.isUnreadable) code = worse(code, await visit(source, file))
    } catch (error) {
      progress.pause()
      if (!LigatureError.is(error)) throw error
      printFailure(file === "-" ? stdinLabel : file, error, context.err)
      code = 2
    }
  }
  progress.end()
  return code
}
