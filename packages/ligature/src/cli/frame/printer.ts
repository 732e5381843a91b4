/**
 * The one place that writes to the terminal. Text from files, names and errors is never printed unescaped: control characters are made
 * visible, and only the colours of our own palette become terminal sequences. Data for a pipe (a request, a file) keeps every byte.
 */
import { isTooLong, LigatureError, phrase, visible } from "../../model/index.ts"
import type { Io, Sink } from "./io.ts"
import { type ColorChoice, mapBetweenStyles, type Palette, paletteFor } from "./palette.ts"
import { broken, cut, shown, widthOf, wrap } from "./text.ts"

/** A place to print to, with its colours and its width. */
export interface Printer {
  /** One line; on a terminal that is too narrow, several. A line break inside it came from data and is made visible too. */
  readonly line: (text?: string) => void
  /** One line that is copied, such as a command: never broken. */
  readonly whole: (text: string) => void
  /** A sentence beside what was asked for, in as many lines as it needs. */
  readonly hint: (text: string) => void
  /** A value as JSON, with invisible characters escaped: every parser reads the same value. */
  readonly json: (value: unknown) => void
  /** The requested output, to be piped on: byte for byte, except to a terminal. */
  readonly write: (content: string | Uint8Array) => void
  /** The same, also to a terminal: `--raw`. */
  readonly raw: (content: string | Uint8Array) => void
  readonly palette: Palette
  readonly width: number
  /** Whether a line is printed on one line. */
  readonly fits: (text: string) => boolean
}

const widest = 120
const unknownWidth = 100

/** Marks replaced by terminal sequences. */
const painted = (text: string): string =>
  mapBetweenStyles(
    text,
    (piece) => piece,
    (code) => `\u001b[${code}m`,
  )

const textOf = (content: string | Uint8Array): string =>
  typeof content === "string" ? content : new TextDecoder("utf-8", { ignoreBOM: true }).decode(content)

/** Indented; without white space if the result would be too long for one string. */
const jsonText = (value: unknown): string => {
  for (const indent of [2, 0]) {
    try {
      return visible(JSON.stringify(value, undefined, indent))
    } catch (error) {
      if (!isTooLong(error)) throw error
    }
  }
  throw new LigatureError(
    "cannot-write",
    phrase`The JSON would exceed the longest string that Node supports (512 MB). Give fewer or smaller files.`,
  )
}

/**
 * A line on stderr that is rewritten in place. Printing anything else clears it first, so that the two never mix on one terminal.
 */
export class StatusLine {
  readonly #sink: Sink
  #visible = false

  constructor(sink: Sink) {
    this.#sink = sink
  }

  get isSeen(): boolean {
    return this.#sink.isTerminal
  }

  show(text: string): void {
    this.#visible = true
    this.#sink.write(`\r\u001b[K${cut(shown(text), (this.#sink.columns ?? 80) - 1)}`)
  }

  clear(): void {
    if (!this.#visible) return
    this.#visible = false
    this.#sink.write("\r\u001b[K")
  }
}

export const printerFor = (sink: Sink, choice: ColorChoice, env: Io["env"], status?: StatusLine): Printer => {
  const send = (content: string | Uint8Array): void => {
    status?.clear()
    sink.write(content)
  }
  const palette = paletteFor(sink, choice, env)
  const width = Math.max(40, Math.min(sink.columns ?? unknownWidth, widest))
  const whole = (text: string): void => send(`${painted(shown(text))}\n`)
  const room = sink.isTerminal ? Math.max(40, sink.columns ?? unknownWidth) : Number.POSITIVE_INFINITY
  const fits = (text: string): boolean => room === Number.POSITIVE_INFINITY || widthOf(shown(text)) <= room
  const line = (text = ""): void => {
    const safe = shown(text)
    for (const each of fits(safe) ? [safe] : broken(safe, room)) send(`${painted(each)}\n`)
  }
  return {
    line,
    whole,
    hint: (text) => {
      for (const each of wrap(shown(text), width)) line(palette.quiet(each))
    },
    json: (value) => send(`${jsonText(value)}\n`),
    write: (content) => send(sink.isTerminal ? visible(textOf(content)) : content),
    raw: send,
    palette,
    width,
    fits,
  }
}
