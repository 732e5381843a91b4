/** Problems of a file itself, found before any conversation in it is checked, in the style of a compiler. */
import { phrase, translated } from "../../model/index.ts"
import type { Problem } from "../../document/index.ts"
import type { Printer } from "../frame/command.ts"
import type { Source } from "../input/source.ts"
import { cut, hang, oneLine, widthOf } from "../frame/text.ts"

const labels = { error: "error", damage: "warning", note: "note" } as const

const paint = (problem: Problem, err: Printer): string => {
  const { palette } = err
  const text = `${labels[problem.severity]}[${problem.kind}]`
  if (problem.severity === "error") return palette.error(text)
  return problem.severity === "damage" ? palette.warning(text) : palette.accent(text)
}

/** Problems that are printed with an excerpt of their line. */
const withExcerpt: ReadonlySet<string> = new Set(["truncated-json", "invalid-json", "torn-line", "torn-last-line"])

const printExcerpt = (source: Source, line: number, column: number, err: Printer): void => {
  const text = source.text.line(line)
  const gutter = String(line)
  const room = err.width - gutter.length - 5
  // A long line is shown from a little before the place.
  const from = Math.max(0, Math.min(column - 1 - Math.floor(room * 0.7), text.length - room))
  const before = oneLine(text.slice(from, column - 1))
  const shown = cut(`${from > 0 ? "…" : ""}${oneLine(text.slice(from, from + room))}`, room)
  const margin = err.palette.quiet(`${" ".repeat(gutter.length)} |`)
  err.line(`${err.palette.quiet(`${gutter} |`)} ${shown}`)
  err.line(`${margin} ${" ".repeat(Math.min(widthOf(before) + (from > 0 ? 1 : 0), room))}${err.palette.error(phrase`^ here`)}`)
}

const printProblem = (problem: Problem, source: Source, err: Printer): void => {
  const { palette } = err
  const { line, column, path } = problem
  err.line(`${paint(problem, err)}: ${palette.strong(translated(problem.what))}`)
  const place = `${source.name}${line === undefined ? "" : `:${line}`}${column === undefined ? "" : `:${column}`}`
  err.line(`  ${palette.accent("-->")} ${place}${path === undefined || path === "" ? "" : `  ${path}`}`)
  if (line !== undefined && withExcerpt.has(problem.kind) && source.content.length > 0) printExcerpt(source, line, column ?? 1, err)
  const label = `   = ${phrase`help`} `
  hang(label, translated(problem.wayOut), err.width).forEach((text, index) => {
    err.line(index === 0 ? `${palette.accent(label)}${text.slice(label.length)}` : text)
  })
}

export const printProblems = (source: Source, err: Printer, options: { readonly withNotes: boolean }): void => {
  const withNotes = options.withNotes || source.parts.length === 0
  const shown = source.problems.filter(({ severity }) => severity !== "note" || withNotes)
  for (const problem of shown) {
    printProblem(problem, source, err)
    err.line()
  }
}

/** A file that could not be read or written at all. */
export const printFailure = (file: string, error: Error & { readonly code: string }, err: Printer): void => {
  err.line(`${err.palette.error(`error[${error.code}]`)}: ${err.palette.strong(error.message)}`)
  err.line(`  ${err.palette.accent("-->")} ${file}`)
  err.line()
}
