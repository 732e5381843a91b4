/**
 * Visits the input files one by one: a file that cannot be read is reported and does not stop the others, and
 * the exit code is that of the worst file.
 */
import { findCodec, type Format, formats } from "../../convert/index.ts"
import type { Problem as FileProblem } from "../../document/index.ts"
import { allSessions } from "../../registry/registry.ts"
import { isTooLong, LigatureError, phrase } from "../../model/index.ts"
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

/** With more files, harmless notes about each would hide what matters. */
const fewFiles = 10

/** A format by its name, or by the name of its agent. */
export const formatNamed = (name: string | undefined, option: string): Format | undefined => {
  if (name === undefined) return undefined
  const found = findCodec(name)
  if (found !== undefined) return found.format as Format
  const known = [...formats, ...allSessions().map(({ format }) => format)]
  const all = phrase`Formats: ${known.join(", ")}`
  throw new UsageError(phrase`${option}: unknown format ${name}`, [suggestion(name, known) ?? [], all].flat().join(" "))
}

export const readingOf = (context: Context): Reading => {
  const from = formatNamed(context.arguments.text("from"), "--from")
  const branch = context.arguments.text("branch")
  const view = context.arguments.text("view")
  if (view !== undefined && view !== "whole" && view !== "effective") {
    throw new UsageError(phrase`--view is whole or effective, not ${view}`)
  }
  return { ...(from !== undefined && { from }), ...(branch !== undefined && { branch }), ...(view && { view }) }
}

/** The files of the command line, at least one. */
export const filesOf = (context: Context, command: string): readonly string[] => {
  const files = context.arguments.positionals
  const seeHelp = phrase`See: ${`ligature ${command} --help`}`
  if (files.length === 0) throw new UsageError(phrase`Give at least one FILE, or - for stdin`, seeHelp)
  if (files.filter((file) => file === "-").length > 1) throw new UsageError(phrase`stdin (-) can be read only once`)
  return files
}

export interface Visitor {
  readonly visit: (source: Source, given: string) => Promise<ExitCode>
  /**
   * If present, files too long for memory come in stretches: the first to `visit`, the others here. A visitor without it
   * gets only whole files.
   */
  readonly visitMore?: (source: Source, given: string) => Promise<ExitCode>
  /** It writes only what `Source.output` gives it: long files of lines are read without the middle of their long texts. */
  readonly abridges?: true
  /** If present, it gets the files that cannot be read, and problems are not printed: they are in the JSON. */
  readonly unreadable?: (file: string, problems: readonly Problem[]) => void
  /** Problems are printed anyway: the JSON goes to a file. */
  readonly isPrinting?: boolean
  /** If present, files for which it is true are silently skipped: a folder has many files that are not histories. */
  readonly passesBy?: (source: Source, file: string) => boolean
  /** Called before a file is read; throws a `LigatureError` for a file that this command does not read. */
  readonly admit?: (file: string) => Promise<void>
}

/** Values are walked recursively. The depth of a file is known before; that of arguments inside a string is not. */
const isTooDeep = (error: unknown): boolean => error instanceof RangeError && error.message.includes("call stack")

const tooLong = (): string =>
  phrase`The result would exceed the longest string that Node supports (512 MB). Split the file: one conversation per file.`

const tooDeep = (): string => phrase`A value, such as the arguments of a tool call, is nested too deeply. Nothing was written.`

const wayOutOf = (code: string): string => {
  if (code === "cannot-write") return phrase`Give another output path.`
  return code === "wrong-format" ? phrase`Give the right format with --from, or omit --from.` : phrase`Check the path.`
}

export const asProblem = (error: LigatureError): Problem => ({
  kind: error.code === "cannot-write" || error.code === "wrong-format" ? error.code : "cannot-read",
  severity: "error",
  what: error.message,
  wayOut: wayOutOf(error.code),
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
      const long = visitor.abridges && { onProgress: (share: number) => progress.showShare(share, file) }
      for await (const source of stretches ?? [await Source.read(file, reading, context.io, long)]) {
        if (visitor.passesBy?.(source, file) === true) continue
        if (isPrinting) printProblems(source, context.err, { withNotes: withNotes && isFirst })
        if (source.isUnreadable) visitor.unreadable?.(name, source.problems)
        else code = worse(code, await (isFirst ? visit : (visitMore ?? visit))(source, file))
        if (source.isUnreadable) code = 2
        isFirst = false
      }
    } catch (caught) {
      const reason = isTooDeep(caught) ? tooDeep() : isTooLong(caught) ? tooLong() : undefined
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
