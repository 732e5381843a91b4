/**
 * Goes through the input files one by one: a file that cannot be read is reported and does not stop the others, and
 * the exit code remembers the worst that happened.
 */
import { findCodec, type Format, formats } from "../../convert/index.ts"
import { sessionFormats } from "../../registry/sessions.ts"
import type { Problem as FileProblem } from "../../document/index.ts"
import { isTooLong, LigatureError } from "../../model/index.ts"
import { type Context, type ExitCode, worse } from "../frame/command.ts"
import { stdinLabel } from "../input/files.ts"
import { suggestion } from "../../model/nearest.ts"
import { printFailure, printProblems } from "../print/problem.ts"
import { Progress } from "../print/progress.ts"
import { type Reading, Source } from "../input/source.ts"
import { UsageError } from "../frame/usage-error.ts"

/** What is wrong with a file; one that cannot be opened or written at all has a kind of its own. */
export type Problem = Omit<FileProblem, "kind"> & {
  readonly kind: FileProblem["kind"] | "cannot-read" | "cannot-write"
}

/** Beyond this many files, harmless remarks about each of them would drown what matters. */
const fewFiles = 10

/** The format a person means: its name, or what its agent is called. */
export const formatNamed = (name: string | undefined, option: string): Format | undefined => {
  if (name === undefined) return undefined
  const found = findCodec(name)
  if (found !== undefined) return found.format as Format
  const known = [...formats, ...sessionFormats]
  const near = suggestion(name, known)
  throw new UsageError(
    `${option} does not know the format ${name}`,
    `${near === undefined ? "" : `${near} `}Formats: ${known.join(", ")}`,
  )
}

export const readingOf = (context: Context): Reading => {
  const from = formatNamed(context.arguments.text("from"), "--from")
  const branch = context.arguments.text("branch")
  const view = context.arguments.text("view")
  if (view !== undefined && view !== "whole" && view !== "effective") {
    throw new UsageError(`--view is whole or effective, not ${view}`)
  }
  return { ...(from !== undefined && { from }), ...(branch !== undefined && { branch }), ...(view && { view }) }
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
  /**
   * Given, files too long to be held come in stretches: the first to `visit`, the others here. A visitor without it
   * sees whole files only, or none.
   */
  readonly visitMore?: (source: Source, given: string) => Promise<ExitCode>
  /** Given, it is told of files that cannot be read, and nothing is printed about problems: the JSON says them. */
  readonly unreadable?: (file: string, problems: readonly Problem[]) => void
  /** They are printed all the same: the JSON goes to a file. */
  readonly isPrinting?: boolean
  /** Given, files for which it is true are passed by without a word: a folder holds many that are no histories. */
  readonly passesBy?: (source: Source, file: string) => boolean
  /** Asked before a file is read; throws a `LigatureError` for what this command does not read. */
  readonly admit?: (file: string) => Promise<void>
}

/** Values are walked recursively. The depth of a file is known before; that of arguments inside of a text is not. */
const isTooDeep = (error: unknown): boolean => error instanceof RangeError && error.message.includes("call stack")

const tooLong = "It would become longer than the longest text Node can hold (512 MB). Split the file: one conversation each."

const tooDeep = "A value in it, such as the arguments of a call, is nested too deeply. Nothing was written."

const waysOut: Readonly<Record<string, string>> = {
  "cannot-write": "Give another place to write to.",
  "wrong-format": "Give the right format with --from, or leave --from out.",
}

export const asProblem = (error: LigatureError): Problem => ({
  kind: error.code === "cannot-write" || error.code === "wrong-format" ? error.code : "cannot-read",
  severity: "error",
  what: error.message,
  wayOut: waysOut[error.code] ?? "Check the path.",
})

export const visitSources = async (context: Context, files: readonly string[], visitor: Visitor): Promise<ExitCode> => {
  const reading = readingOf(context)
  const progress = new Progress(context.status, files.length)
  const withNotes = files.length <= fewFiles || context.arguments.flag("verbose")
  const isPrinting = visitor.isPrinting ?? visitor.unreadable === undefined
  let code: ExitCode = 0
  for (const [index, file] of files.entries()) {
    progress.show(index, file)
    const name = file === "-" ? stdinLabel : file
    try {
      const { visit, visitMore } = visitor
      await visitor.admit?.(file)
      const stretches = visitMore && (await Source.stretches(file, reading, context.io))
      let isFirst = true
      for await (const source of stretches ?? [await Source.read(file, reading, context.io)]) {
        if (visitor.passesBy?.(source, file) === true) continue
        if (isPrinting) printProblems(source, context.err, { withNotes: withNotes && isFirst })
        if (source.isUnreadable) visitor.unreadable?.(name, source.problems)
        else code = worse(code, await (isFirst ? visit : (visitMore ?? visit))(source, file))
        if (source.isUnreadable) code = 2
        isFirst = false
      }
    } catch (caught) {
      const reason = isTooDeep(caught) ? tooDeep : isTooLong(caught) ? tooLong : undefined
      const error = reason === undefined ? caught : new LigatureError("cannot-read", reason, { cause: caught })
      if (!LigatureError.is(error)) throw error
      visitor.unreadable?.(name, [asProblem(error)])
      if (isPrinting) printFailure(name, error, context.err)
      code = 2
    }
  }
  context.status.clear()
  return code
}
