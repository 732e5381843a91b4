/** Columns that fit their contents; numbers to the right. */
import type { Printer } from "../frame/command.ts"
import { cut, cutStart, pad, padStart, shown, widthOf } from "../frame/text.ts"

export interface Column {
  readonly title: string
  readonly align?: "right"
  /** The column that is cut when the table is too wide, and at which end. */
  readonly flexible?: "start" | "end"
}

const gap = 2

export const printTable = (columns: readonly Column[], given: readonly (readonly string[])[], out: Printer): void => {
  const rows = given.map((row) => row.map(shown))
  const widths = columns.map(({ title }, index) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? "")), widthOf(title)),
  )
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
  for (const row of rows) out.line(line(row))
}
