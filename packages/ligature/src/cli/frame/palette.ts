/**
 * Colours by meaning. Without colour every function gives its text back: nothing is said by colour alone. A style is not yet
 * the sequence that a terminal obeys, but a mark with a word of this process in it, which no file can hold: the printer writes
 * the sequence for marks and makes all other control characters visible.
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

const word = randomBytes(9).toString("hex")
const markOf = (code: number): string => `\ufdd0${word}:${code}\ufdd1`
const marks = new RegExp(`\ufdd0${word}:(\\d+)\ufdd1`, "g")

const style =
  (open: number, close: number) =>
  (text: string): string =>
    text === "" ? "" : `${markOf(open)}${text}${markOf(close)}`

export const withoutStyles = (text: string): string => text.replace(marks, "")

/** The text between marks changed, the marks kept, or written as what they stand for. */
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

/** An explicit choice wins, then NO_COLOR, then FORCE_COLOR, then whether somebody is looking. */
export const paletteFor = (
  sink: Sink,
  choice: ColorChoice,
  env: Readonly<Record<string, string | undefined>>,
): Palette => {
  if (choice !== "auto") return choice === "always" ? colorPalette : plainPalette
  if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return plainPalette
  const force = env["FORCE_COLOR"]
  if (force !== undefined) return force === "0" || force === "false" ? plainPalette : colorPalette
  return sink.isTerminal && env["TERM"] !== "dumb" ? colorPalette : plainPalette
}
