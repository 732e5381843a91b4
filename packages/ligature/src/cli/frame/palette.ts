/**
 * Colours by meaning. Without colour every function returns its text: colour alone never carries information. A style is not yet a
 * terminal sequence but a mark with a secret of this process, which no file can contain: the printer turns marks into sequences and
 * makes all other control characters visible.
 */
import { randomBytes } from "node:crypto"
import type { Sink } from "./io.ts"

export interface Palette {
  readonly error: (text: string) => string
  readonly warning: (text: string) => string
  readonly good: (text: string) => string
  readonly accent: (text: string) => string
  readonly strong: (text: string) => string
  readonly quiet: (text: string) => string
}

const secret = randomBytes(9).toString("hex")
export const markOf = (code: number): string => `\ufdd0${secret}:${code}\ufdd1`
const marks = new RegExp(`\ufdd0${secret}:(\\d+)\ufdd1`, "g")

const style =
  (open: number, close: number) =>
  (text: string): string =>
    text === "" ? "" : `${markOf(open)}${text}${markOf(close)}`

export const withoutStyles = (text: string): string => text.replace(marks, "")

/** Changes the text between marks; the marks are kept, or replaced by what `mark` returns. */
export const mapBetweenStyles = (
  text: string,
  change: (piece: string) => string,
  mark: (code: string) => string = (code) => markOf(Number(code)),
): string =>
  text
    .split(marks)
    .map((piece, index) => (index % 2 === 0 ? change(piece) : mark(piece)))
    .join("")

const same = (text: string): string => text

export const plainPalette: Palette = {
  error: same,
  warning: same,
  good: same,
  accent: same,
  strong: same,
  quiet: same,
}

export const colorPalette: Palette = {
  error: style(31, 39),
  warning: style(33, 39),
  good: style(32, 39),
  accent: style(36, 39),
  strong: style(1, 22),
  quiet: style(2, 22),
}

export type ColorChoice = "auto" | "always" | "never"

/** An explicit choice wins, then NO_COLOR, then FORCE_COLOR, then whether the output is a terminal. */
export const paletteFor = (sink: Sink, choice: ColorChoice, env: Readonly<Record<string, string | undefined>>): Palette => {
  if (choice !== "auto") return choice === "always" ? colorPalette : plainPalette
  if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return plainPalette
  const force = env["FORCE_COLOR"]
  if (force !== undefined) return force === "0" || force === "false" ? plainPalette : colorPalette
  return sink.isTerminal && env["TERM"] !== "dumb" ? colorPalette : plainPalette
}
