/**
 * How the long strings of a JSON text are spelt in it. Nearly all of a history is long strings, and a conversion moves
 * them without touching a character: copying their spelling costs a tenth of escaping them anew.
 *
 * A text and the value that was parsed from it hold the same strings, names of fields included, in the same order. So
 * the spelling of each is found by counting: once along the text, once along the value. Where the two differ, there are
 * no spellings: an object puts names that are numbers first, and keeps one of two fields with the same name.
 */

/** Shorter strings are escaped faster than they are looked up. */
export const longFrom = 100

/** Below this share of the text, looking for spellings costs more than they spare. */
const worthwhile = 0.25

/** Values nested deeper are written by the engine, which says so when it cannot. */
export const deepest = 16

const backslash = 92

/** The quote that ends a string: one after an even number of backslashes. */
const endOfString = (text: string, open: number): number => {
  for (let close = text.indexOf('"', open + 1); ; close = text.indexOf('"', close + 1)) {
    let before = close - 1
    while (text.charCodeAt(before) === backslash) before--
    if ((close - before) % 2 === 1) return close
  }
}

/** The long strings of a text, three numbers each: how many strings are before it, where it begins and ends. */
interface Literals {
  readonly long: readonly number[]
  readonly strings: number
  readonly characters: number
}

const findLiterals = (text: string): Literals => {
  const long: number[] = []
  let strings = 0
  let characters = 0
  for (let open = text.indexOf('"'); open >= 0; strings++) {
    const end = endOfString(text, open) + 1
    if (end - open > longFrom) {
      long.push(strings, open, end)
      characters += end - open
    }
    open = text.indexOf('"', end)
  }
  return { long, strings, characters }
}

/** Counts the strings of a value in the order of its text, and gathers those at the places of long literals. */
class Gathering {
  readonly #long: readonly number[]
  readonly values: string[] = []
  readonly starts: number[] = []
  readonly ends: number[] = []
  #next = 0
  strings = 0
  /** Something is in another order than in the text, too deep to look, or is a number that no double holds. */
  isLost = false

  constructor(long: readonly number[]) {
    this.#long = long
  }

  take(value: unknown, depth: number): void {
    if (typeof value === "string") this.#count(value)
    else if (typeof value === "number") this.isLost ||= !Number.isFinite(value)
    else if (typeof value !== "object" || value === null) return
    else if (depth === 0) this.isLost = true
    else if (Array.isArray(value)) for (let index = 0; index < value.length; index++) this.take(value[index], depth - 1)
    else this.#takeFields(value as Readonly<Record<string, unknown>>, depth - 1)
  }

  #takeFields(fields: Readonly<Record<string, unknown>>, depth: number): void {
    for (const name in fields) {
      if (startsWithDigit(name)) this.isLost = true
      this.#count(name)
      this.take(fields[name], depth)
    }
  }

  #count(value: string): void {
    const next = this.#next
    if (this.#long[next] === this.strings) {
      this.values.push(value)
      this.starts.push(this.#long[next + 1] ?? 0)
      this.ends.push(this.#long[next + 2] ?? 0)
      this.#next = next + 3
    }
    this.strings++
  }
}

const startsWithDigit = (name: string): boolean => {
  const first = name.charCodeAt(0)
  return first >= 48 && first <= 57
}

/** How many strings a value holds, names of fields included; not a number where one of its numbers is none, or it is too deep. */
const countStrings = (value: unknown, depth: number): number => {
  if (typeof value === "string") return 1
  if (typeof value === "number") return Number.isFinite(value) ? 0 : Number.NaN
  if (typeof value !== "object" || value === null) return 0
  if (depth === 0) return Number.NaN
  let count = 0
  if (Array.isArray(value)) for (let index = 0; index < value.length; index++) count += countStrings(value[index], depth - 1)
  else for (const name in value) count += 1 + countStrings((value as Readonly<Record<string, unknown>>)[name], depth - 1)
  return count
}

const countLiterals = (text: string): number => {
  let count = 0
  for (let open = text.indexOf('"'); open >= 0; count++) open = text.indexOf('"', endOfString(text, open) + 1)
  return count
}

/** Does a text say its value in one way only? A name that is twice, or a number without end, each reader takes as it likes. */
export const isPlain = (text: string, value: unknown): boolean => countStrings(value, deepest) === countLiterals(text)

/** Strings move a little on their way to another format: a result before its sibling, a system prompt to the front. */
const after = 4

/**
 * Strings are left behind, too: those inside arguments become part of a longer text. Each string that is not found
 * makes the search look twice as far, so that many of them in a row do not end all finding; but never so far that
 * looking costs more than writing.
 */
const [ahead, farthest] = [8, 1024]

export class Spellings {
  readonly #text: string
  readonly #found: Gathering
  /** After the latest string that was asked for: the next one is nearly always next in the text. */
  #at = 0
  #ahead = ahead

  private constructor(text: string, found: Gathering) {
    this.#text = text
    this.#found = found
  }

  /** Of a text and the value that was parsed from it. Undefined where there is too little to spare. */
  static find(text: string, value: unknown): Spellings | undefined {
    const { long, strings, characters } = findLiterals(text)
    if (characters < text.length * worthwhile) return undefined
    const found = new Gathering(long)
    found.take(value, deepest)
    return found.isLost || found.strings !== strings ? undefined : new Spellings(text, found)
  }

  /** How a string is spelt, quotes included; undefined for one that is not near the one asked for before. */
  of(value: string): string | undefined {
    const { values, starts, ends } = this.#found
    const last = Math.min(values.length, this.#at + this.#ahead)
    for (let index = Math.max(0, this.#at - after); index < last; index++) {
      if (values[index] !== value) continue
      this.#at = index + 1
      this.#ahead = ahead
      return this.#text.slice(starts[index], ends[index])
    }
    this.#ahead = Math.min(this.#ahead * 2, farthest)
    return undefined
  }
}
