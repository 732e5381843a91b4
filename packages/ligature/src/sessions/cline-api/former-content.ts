/**
 * What the content of a record was before it was migrated, in short, so that the way back gives the same bytes: whatever
 * the new content still has is named by its number among the strings there, and only the rest is spelt out. Tags, line
 * breaks and headers are little; the words and results they are around are in the record once.
 */
import { isWire, type JsonValue } from "../../model/index.ts"

/** Stands for a string that is put together: a number is the string of that number, a text is itself. */
const joinedKey = "$"

/** Shorter ones are not worth a number. */
const shortest = 4

/** How many strings ahead are tried for the next one that a text contains. */
const reach = 16

const stringsIn = (value: unknown, found: string[] = []): readonly string[] => {
  if (typeof value === "string") found.push(value)
  else if (typeof value === "object" && value !== null) for (const held of Object.values(value)) stringsIn(held, found)
  return found
}

class Shortener {
  readonly #strings: readonly string[]
  readonly #places: ReadonlyMap<string, number>
  #next = 0

  constructor(after: unknown) {
    this.#strings = stringsIn(after)
    this.#places = new Map(this.#strings.map((text, place) => [text, place]))
  }

  shorten(value: unknown): JsonValue | undefined {
    if (typeof value === "string") return this.#text(value)
    if (Array.isArray(value)) {
      const list = value.map((held: unknown) => this.shorten(held))
      return list.every((held) => held !== undefined) ? list : undefined
    }
    if (!isWire(value)) return value as JsonValue
    if (Object.hasOwn(value, joinedKey)) return undefined
    const fields: [string, JsonValue][] = []
    for (const [key, held] of Object.entries(value)) {
      const short = this.shorten(held)
      if (short === undefined) return undefined
      fields.push([key, short])
    }
    return Object.fromEntries(fields)
  }

  #text(text: string): JsonValue {
    if (text.length < shortest) return text
    const whole = this.#places.get(text)
    if (whole !== undefined) {
      this.#next = whole + 1
      return { [joinedKey]: [whole] }
    }
    const pieces: (string | number)[] = []
    let from = 0
    for (let place = this.#next, last = place + reach; place < Math.min(last, this.#strings.length); place++) {
      const piece = this.#strings[place] as string
      const at = piece.length < shortest ? -1 : text.indexOf(piece, from)
      if (at < 0) continue
      if (at > from) pieces.push(text.slice(from, at))
      pieces.push(place)
      from = at + piece.length
      this.#next = place + 1
      last = place + 1 + reach
    }
    if (from < text.length) pieces.push(text.slice(from))
    return pieces.some((piece) => typeof piece === "number") ? { [joinedKey]: pieces } : text
  }
}

/** Undefined: it cannot be said in short. */
export const shortened = (before: unknown, after: unknown): JsonValue | undefined => new Shortener(after).shorten(before)

/** The content as it was, made of what is there now; undefined where that is something else by now. */
export const restored = (short: unknown, after: unknown): unknown => {
  const strings = stringsIn(after)
  let broken = false
  const restore = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(restore)
    if (!isWire(value)) return value
    const pieces = value[joinedKey]
    if (!Array.isArray(pieces)) return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, restore(held)]))
    return pieces
      .map((piece: unknown) => {
        const text = typeof piece === "number" ? strings[piece] : piece
        if (typeof text !== "string") broken = true
        return text
      })
      .join("")
  }
  const content = restore(short)
  return broken ? undefined : content
}
