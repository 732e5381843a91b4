/** Columns that fit their contents; numbers to the right. */
import type { Printer } from "../frame/command.ts"
import { cut, cutStart, pad, padStart, shown, widthOf, wrap } from "../frame/text.ts"

export interface Column {
  readonly title: string
  readonly align?: "right"
  /** The column that is cut when the table is too wide, and at which end. */
  readonly flexible?: "start" | "end"
  /** The last column, a sentence: it goes on below where there is no room for it. */
  readonly isText?: true
  /** Left out where there is no room for all: the first of them before the others. */
  readonly isSpare?: true
}

/** With less room than that, a sentence is easier to read on lines of its own. */
const leastForText = 30

const gap = 2

/** What is left of a flexible column while others may still be left out. */
const enoughOfFlexible = 30

/** Spare columns, from the left, until the others fit. */
const leftOut = (columns: readonly Column[], widths: readonly number[], width: number): readonly number[] => {
  const needed = widths.map((each, index) => (columns[index]?.flexible === undefined ? each : Math.min(each, enoughOfFlexible)) + gap)
  const out: number[] = []
  let excess = needed.reduce((sum, each) => sum + each, -gap) - width
  columns.forEach(({ isSpare }, index) => {
    if (excess <= 0 || isSpare !== true) return
    out.push(index)
    excess -= needed[index] ?? 0
  })
  return out
}

/** `notes`: what stands below a row, because it is too long for a column. */
export const printTable = (
  given: readonly Column[],
  values: readonly (readonly string[])[],
  out: Printer,
  notes: readonly (string | undefined)[] = [],
): void => {
  const wanted = values.map((row) => row.map(shown))
  const widest = given.map(({ title }, index) => wanted.reduce((most, row) => Math.max(most, widthOf(row[index] ?? "")), widthOf(title)))
  const left = new Set(leftOut(given, widest, out.width))
  const isKept = (_: unknown, index: number): boolean => !left.has(index)
  const columns = given.filter(isKept)
  const rows = wanted.map((row) => row.filter(isKept))
  const widths = widest.filter(isKept)
  const text = columns.at(-1)?.isText === true ? columns.length - 1 : -1
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + gap, 0)
  const room = out.width - before
  const isBelow = text >= 0 && (widths[text] ?? 0) > room && room < leastForText
  if (text >= 0) widths[text] = isBelow ? 0 : Math.min(widths[text] ?? 0, room)
  const flexible = columns.findIndex((column) => column.flexible !== undefined)
  const excess = widths.reduce((sum, width) => sum + width + gap, -gap) - out.width
  if (flexible >= 0 && excess > 0) widths[flexible] = Math.max(10, (widths[flexible] ?? 0) - excess)
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align, flexible: end }, index) => {
        const cell = (end === "start" ? cutStart : cut)(cells[index] ?? "", widths[index] ?? 0)
        return align === "right" ? padStart(cell, widths[index] ?? 0) : pad(cell, widths[index] ?? 0)
      })
      .join(" ".repeat(gap))
      .trimEnd()
  if (columns.some(({ title }) => title !== "")) out.line(out.palette.quiet(line(columns.map(({ title }) => title))))
  rows.forEach((row, index) => {
    if (text < 0) out.line(line(row))
    else {
      const [first = "", ...more] = wrap(row[text] ?? "", isBelow ? out.width - gap : Math.max(1, widths[text] ?? 0))
      out.line(line(row.with(text, isBelow ? "" : first)))
      for (const each of isBelow ? [first, ...more] : more) out.line(`${" ".repeat(isBelow ? gap : before)}${out.palette.quiet(each)}`)
    }
    const note = notes[index]
    if (note !== undefined) out.line(`${" ".repeat(gap)}${out.palette.quiet(note)}`)
  })
}
