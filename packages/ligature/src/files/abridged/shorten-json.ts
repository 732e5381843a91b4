/**
 * The text of a JSON value with marks in place of what is in the middle of its long strings. What a reader of sessions looks
 * at is at the ends of texts; the middle can stay in the file, and be put back when a value is written.
 *
 * A string is shortened only where it is written as `JSON.stringify` would write it, so that its bytes are the same whether
 * they are copied or rewritten. A string that is JSON itself, as the arguments of a call are, is shortened inside.
 */
import { base64MarkOf, textMarkOf } from "../../model/index.ts"

export interface Lengths {
  /** Strings with more characters are shortened. */
  readonly longest: number
  /** Characters that stay at the beginning and at the end. */
  readonly head: number
  readonly tail: number
}

/** Where the text of a value lies. Positions and bytes are those of the file. */
export interface Left {
  readonly start: number
  readonly bytes: number
  /** How often it is escaped there. */
  readonly depth: number
}

export interface Shortening extends Lengths {
  readonly token: string
  /** Characters at the beginning of base64 that its readers need. */
  readonly base64Head: (text: string) => number
  /** Remembers what is left out and returns its number: the same for the same text. */
  readonly leave: (text: string, left: Left) => number
}

const quote = 0x22
const backslash = 0x5c

interface Literal {
  /** Behind the closing quote. */
  readonly end: number
  /** As `JSON.stringify` writes it; only then it may be shortened. */
  readonly isPlain: boolean
  readonly hasEscapes: boolean
}

const shortEscapes: ReadonlySet<number> = new Set([...'"\\bfnrt'].map((letter) => letter.charCodeAt(0)))
/** Control characters without a letter of their own, in the digits that `JSON.stringify` uses. */
const controlEscape = /^u00(?:0[0-7bef]|1[0-9a-f])$/
/** Those that no string may have unescaped. */
const controls = /[^\P{Cc}\x7f-\x9f]/u
const blankStart = /^(?:\s|\\[nrtf])*$/

/** Where `count` characters of the value end, that begins at `from`. */
const endOfHead = (text: string, from: number, count: number): number => {
  let at = from
  let left = count
  for (let next = text.indexOf("\\", at); next >= 0 && next - at < left; next = text.indexOf("\\", at)) {
    left -= next - at + 1
    at = next + (text.charCodeAt(next + 1) === 0x75 ? 6 : 2)
  }
  const end = at + left
  const code = text.charCodeAt(end)
  return code >= 0xdc00 && code <= 0xdfff ? end - 1 : end
}

/** The nearest position at or after `at` that is between two characters of the value. */
const boundaryAfter = (text: string, at: number): number => {
  let start = at
  // In an escape of six characters, or after its backslash.
  for (let back = 1; back <= 5; back++) {
    if (text.charCodeAt(at - back) !== backslash) continue
    let run = 0
    while (text.charCodeAt(at - back - run) === backslash) run++
    if (run % 2 === 0) break
    const length = text.charCodeAt(at - back + 1) === 0x75 ? 6 : 2
    if (length > back) start = at - back + length
    break
  }
  const code = text.charCodeAt(start)
  return code >= 0xdc00 && code <= 0xdfff ? start + 1 : start
}

const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/
const looksLikeBase64 = /^[A-Za-z0-9+/_-]{64}/

/** Bytes as rules/fit counts them: control characters are six, whatever they are written as. */
const bytesOf = (text: string): number => {
  let bytes = Buffer.byteLength(text)
  for (let next = text.indexOf("\\"); next >= 0; next = text.indexOf("\\", next + 2)) {
    const letter = text.charCodeAt(next + 1)
    if (letter !== quote && letter !== backslash && letter !== 0x75) bytes += 4
  }
  return bytes
}

/** How many bytes a piece of text takes in the file, where it is escaped `depth` - 1 times more than here. */
const bytesInFile = (text: string, depth: number): number => {
  let written = text
  for (let level = 1; level < depth; level++) written = JSON.stringify(written).slice(1, -1)
  return Buffer.byteLength(written)
}

class Shortener {
  readonly #text: string
  readonly #depth: number
  readonly #options: Shortening
  /** A position whose place in the file is known. */
  #known: number
  #place: number
  readonly #pieces: string[] = []
  #copied = 0
  /** The next backslash: looked for once, however many strings have none. */
  #slash = 0

  constructor(text: string, start: number, depth: number, options: Shortening) {
    this.#text = text
    this.#depth = depth
    this.#options = options
    this.#known = 0
    this.#place = start
  }

  /** undefined: nothing was shortened. */
  run(): string | undefined {
    const text = this.#text
    for (let start = text.indexOf('"'); start >= 0;) {
      const literal = this.#literalAt(start)
      if (literal === undefined) break
      if (literal.isPlain && literal.end - start - 2 > this.#options.longest) this.#shorten(start + 1, literal.end - 1, literal.hasEscapes)
      start = text.indexOf('"', literal.end)
    }
    if (this.#pieces.length === 0) return undefined
    this.#pieces.push(text.slice(this.#copied))
    return this.#pieces.join("")
  }

  #slashFrom(at: number): number {
    if (this.#slash < at) {
      const next = this.#text.indexOf("\\", at)
      this.#slash = next < 0 ? Number.POSITIVE_INFINITY : next
    }
    return this.#slash
  }

  /** The string that begins at a quote. undefined: it does not end. */
  #literalAt(start: number): Literal | undefined {
    const text = this.#text
    let isPlain = true
    let hasEscapes = false
    for (let at = start + 1; ;) {
      const end = text.indexOf('"', at)
      if (end < 0) return undefined
      for (let slash = this.#slashFrom(at); slash < end; slash = this.#slashFrom(at)) {
        hasEscapes = true
        const isShort = shortEscapes.has(text.charCodeAt(slash + 1))
        const isControl = !isShort && controlEscape.test(text.slice(slash + 1, slash + 6))
        if (!isShort && !isControl) isPlain = false
        at = slash + (isControl ? 6 : 2)
      }
      // Otherwise it was escaped.
      if (at <= end) return { end: end + 1, isPlain, hasEscapes }
    }
  }

  #placeOf(at: number): number {
    this.#place += bytesInFile(this.#text.slice(this.#known, at), this.#depth)
    this.#known = at
    return this.#place
  }

  #replace(from: number, to: number, text: string): void {
    this.#pieces.push(this.#text.slice(this.#copied, from), text)
    this.#copied = to
  }

  #shorten(from: number, to: number, hasEscapes: boolean): void {
    const { longest, head, tail, token, base64Head } = this.#options
    const text = this.#text
    if (!hasEscapes && looksLikeBase64.test(text.slice(from, from + 64))) {
      const data = text.slice(from, to)
      if (base64.test(data)) return this.#shortenBase64(data, from, token, Math.max(head, base64Head(data)))
    }
    const content = text.slice(from, to)
    if (controls.test(content)) return
    if (/^\s*[[{]/.test(content)) {
      const inner = this.#shortenedInside(from, to)
      if (inner !== undefined) return inner === "" ? undefined : this.#replace(from, to, inner)
    }
    const start = endOfHead(text, from, head)
    const end = boundaryAfter(text, to - tail)
    // What is blank would not stay blank.
    if (end - start <= longest - head - tail || blankStart.test(text.slice(from, start))) return
    const left = text.slice(start, end)
    const place = this.#placeOf(start)
    const bytes = bytesInFile(left, this.#depth)
    const number = this.#options.leave(left, { start: place, bytes, depth: this.#depth })
    const mark = JSON.stringify(textMarkOf(token, number, bytesOf(left))).slice(1, -1)
    this.#replace(start, end, mark)
  }

  /** A string that is JSON: shortened inside. "": to be left as it is, as arguments are that broke off. undefined: it is text. */
  #shortenedInside(from: number, to: number): string | undefined {
    const literal = this.#text.slice(from - 1, to + 1)
    let inner: string
    try {
      inner = JSON.parse(literal) as string
      JSON.parse(inner)
    } catch {
      return /^\s*\{/.test(literal.slice(1, 64)) ? "" : undefined
    }
    const shortened = new Shortener(inner, this.#placeOf(from), this.#depth + 1, this.#options).run()
    return shortened === undefined ? "" : JSON.stringify(shortened).slice(1, -1)
  }

  #shortenBase64(data: string, from: number, token: string, head: number): void {
    const start = Math.ceil(head / 4) * 4
    const end = start + Math.floor((data.length - start - this.#options.tail) / 4) * 4
    if (end - start <= this.#options.longest - this.#options.head - this.#options.tail) return
    const left = data.slice(start, end)
    const number = this.#options.leave(left, { start: this.#placeOf(from + start), bytes: left.length, depth: this.#depth })
    this.#replace(from + start, from + end, base64MarkOf(token, number, left.length))
  }
}

/** A line of JSON, shortened. undefined: there is nothing to shorten. `start`: where it is in the file. */
export const shortenJson = (text: string, start: number, options: Shortening): string | undefined =>
  text.length <= options.longest ? undefined : new Shortener(text, start, 1, options).run()
