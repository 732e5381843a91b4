/**
 * Text to JSON values with their places: one JSON value, JSON lines, or values one after another. Decided by content,
 * because names lie: pretty-printed JSON in a .jsonl file is common, and so is a line that two writers glued together.
 */

import { parseDeepJson, phrase, pushAll } from "../model/index.ts"
import { isList, isObject, type Path } from "./json-value.ts"
import { placeOf, problem, type Place, type Problem } from "./problem.ts"
import { salvageJson } from "./salvage-json.ts"
import { skipSpace, skipValue } from "./scan-json.ts"

export interface Unit {
  readonly value: unknown
  readonly start: number
  readonly end: number
  readonly line: number
  /** Present when the text broke off inside this value: everything along this path is incomplete. */
  readonly open?: Path
}

/** A line that holds nothing readable. */
export interface TornLine {
  readonly start: number
  readonly end: number
  readonly line: number
}

export interface Split {
  readonly syntax: "json" | "jsonl" | "concatenated"
  readonly units: readonly Unit[]
  readonly torn: readonly TornLine[]
  readonly problems: readonly Problem[]
}

const linesTried = 20
const problemsOfOneKind = 20

export function splitValues(text: string): Split {
  try {
    const start = skipSpace(text, 0)
    const value: unknown = JSON.parse(text)
    const unit = { value, start, end: text.trimEnd().length, line: placeOf(text, start).line }
    return { syntax: "json", units: [unit], torn: [], problems: [] }
  } catch (error) {
    if (error instanceof RangeError) return tooDeep()
  }
  return hasLines(text) ? splitLines(text) : splitConcatenated(text)
}

function tooDeep(): Split {
  const what = phrase`The JSON is nested too deeply to be read.`
  const wayOut = phrase`No message is nested like that: look at what wrote the file.`
  return { syntax: "json", units: [], torn: [], problems: [problem("too-deep", what, wayOut)] }
}

function* linesOf(text: string, firstLine = 1): Generator<TornLine> {
  let line = firstLine
  for (let start = 0; start < text.length; line += 1) {
    const next = text.indexOf("\n", start)
    const lineEnd = next === -1 ? text.length : next
    let end = lineEnd
    while (end > start && text.charCodeAt(end - 1) <= 0x20) end -= 1
    const from = Math.min(skipSpace(text, start), end)
    if (from < end) yield { start: from, end, line }
    start = lineEnd + 1
  }
}

/** Whether a long text, of which this is the beginning, is JSON lines: its first line holds a value of its own. */
export function isOfLines(beginning: string): boolean {
  for (const { start, end } of linesOf(beginning)) {
    if (end === beginning.length) return false
    if (typeof parseDeepJson(beginning.slice(start, end)) === "object") return true
  }
  return false
}

/** Lines are values when the first few that say anything parse on their own; the odd torn one changes nothing. */
function hasLines(text: string): boolean {
  let tried = 0
  let whole = 0
  for (const { start, end } of linesOf(text)) {
    const value = parseDeepJson(text.slice(start, end))
    if ((isObject(value) && Object.keys(value).length > 0) || (isList(value) && value.length > 0)) whole += 1
    tried += 1
    if (tried === 1 && whole === 1 && text.indexOf("\n", end) !== -1) return true
    if (tried === linesTried) break
  }
  return tried > 1 && whole * 2 >= tried
}

/** `firstLine`: the number of the text's first line, where it is a piece of a longer file. */
export function splitLines(text: string, firstLine = 1): Split {
  const units: Unit[] = []
  const torn: TornLine[] = []
  const problems: Problem[] = []
  let glued = 0
  for (const { start, end, line } of linesOf(text, firstLine)) {
    const value = parseDeepJson(text.slice(start, end))
    if (value !== undefined) {
      units.push({ value, start, end, line })
      continue
    }
    const values = valuesIn(text, start, end, line)
    if (values.units.length > 1) glued += 1
    if (values.units.length > 1 && glued <= problemsOfOneKind) problems.push(gluedProblem(values.units.length, line))
    pushAll(units, values.units)
    if (values.end >= end) continue
    const rest = { start: values.end, end, line }
    const saved = salvageJson(text, rest.start, rest.end)
    const salvaged = saved === "too-deep" ? undefined : saved
    if (salvaged !== undefined && salvaged.open.length > 1) {
      units.push({ value: salvaged.value, start: rest.start, end, line, open: salvaged.open })
    } else torn.push(rest)
    if (torn.length <= problemsOfOneKind) problems.push(tornProblem(text, rest, salvaged?.offset ?? rest.end))
  }
  if (torn.length > problemsOfOneKind) {
    const what = phrase`More damaged lines: ${torn.length - problemsOfOneKind}.`
    problems.push(problem("torn-line", what, phrase`They are kept as they are; look for a backup of the file.`))
  }
  return { syntax: "jsonl", units, torn, problems }
}

function tornProblem(text: string, torn: TornLine, offset: number): Problem {
  const lineStart = text.lastIndexOf("\n", torn.start) + 1
  const place = { line: torn.line, column: offset - lineStart + 1, offset }
  if (skipSpace(text, torn.end) === text.length) {
    const what = phrase`The last line (${torn.line}) breaks off after ${torn.end - torn.start} characters.`
    const wayOut = phrase`The writer was interrupted; everything before is read, the rest is missing.`
    return problem("torn-last-line", what, wayOut, place)
  }
  return tornLine(place)
}

export function tornLine(place: Place & { readonly line: number }): Problem {
  const what = phrase`Line ${place.line} is not whole JSON.`
  const wayOut = phrase`The lines around it are read. It stays in the file unless its conversation is rewritten.`
  return problem("torn-line", what, wayOut, place)
}

function gluedProblem(count: number, line: number): Problem {
  const what = phrase`Line ${line} has ${count} values without a line break between them.`
  return problem("glued-lines", what, phrase`They are read one by one; nothing is lost.`, { line })
}

/** Whole values standing one after another between two places; `end` is where that stops. */
function valuesIn(text: string, from: number, to: number, line: number): { readonly units: readonly Unit[]; readonly end: number } {
  const units: Unit[] = []
  let start = from
  let startLine = line
  for (;;) {
    const next = skipSpace(text, start)
    startLine += newlinesBetween(text, start, next)
    start = next
    if (start >= to) return { units, end: to }
    const end = skipValue(text, start, to)
    const value = end === -1 ? undefined : parseDeepJson(text.slice(start, end))
    if (typeof value !== "object" || value === null) return { units, end: start }
    units.push({ value, start, end, line: startLine })
    startLine += newlinesBetween(text, start, end)
    start = end
  }
}

function newlinesBetween(text: string, from: number, to: number): number {
  let count = 0
  for (let next = text.indexOf("\n", from); next !== -1 && next < to; next = text.indexOf("\n", next + 1)) count += 1
  return count
}

function splitConcatenated(text: string): Split {
  const { units, end } = valuesIn(text, 0, text.length, 1)
  const problems: Problem[] = []
  if (units.length > 0) {
    const onOneLine = units.length > 1 && units[0]?.line === units[1]?.line
    problems.push(onOneLine ? gluedProblem(units.length, units[0]?.line ?? 1) : prettyProblem(units))
  }
  if (end === text.length) return { syntax: "concatenated", units, torn: [], problems }
  const salvaged = salvageJson(text, end)
  const syntax = units.length === 0 ? "json" : "concatenated"
  const { line } = placeOf(text, end)
  if (salvaged === "too-deep") return { ...tooDeep(), syntax, units }
  if (salvaged === undefined) {
    const what = units.length === 0 ? phrase`The file is not JSON.` : phrase`From line ${line} on the file is not JSON.`
    const wayOut = phrase`Conversations are read from JSON or JSON lines; give the file that the agent or the log wrote.`
    problems.push(problem("invalid-json", what, wayOut, placeOf(text, end)))
    return { syntax, units, torn: [{ start: end, end: text.length, line }], problems }
  }
  const unit = { value: salvaged.value, start: end, end: text.length, line, open: salvaged.open }
  const place = placeOf(text, salvaged.offset)
  const wayOut = phrase`What is complete before that place is read; look for a whole copy of the file.`
  problems.push(
    salvaged.truncated
      ? problem("truncated-json", phrase`The JSON breaks off at line ${place.line}, column ${place.column}.`, wayOut, place)
      : problem("invalid-json", phrase`The text is no longer JSON at line ${place.line}, column ${place.column}.`, wayOut, place),
  )
  return { syntax, units: [...units, unit], torn: [], problems }
}

function prettyProblem(units: readonly Unit[]): Problem {
  const what =
    units.length === 1
      ? phrase`A JSON value over several lines comes before other text.`
      : phrase`${units.length} JSON values over several lines come before other text.`
  const wayOut = phrase`They are read one by one; write one value per line for other readers.`
  return problem("pretty-printed", what, wayOut, { line: 1 })
}
