/** Colours by meaning. Without colour every function gives its text back: nothing is said by colour alone. */
import type { Sink } from "../io.ts"

export interface Palette {
  readonly error: (text: string) => string
  readonly warning: (text: string) => string
  readonly good: (text: string) => string
  readonly accent: (text: string) => string
  readonly strong: (text: string) => string
  readonly quiet: (text: string) => string
}

const style =
  (open: number, close: number) =>
  (text: string): string =>
    text === "" ? "" : `\u001b[${open}m${text}\u001b[${close}m`

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
