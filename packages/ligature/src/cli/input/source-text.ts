/**
 * The line of a value in a JSON file. Built only when a finding is printed; what was scanned once is
 * cached, so that finding the lines of all findings stays linear in the file.
 */
import { elementSpans, memberSpans, type MemberSpan, skipSpace, type Span } from "../../json/scan-json.ts"

export type Keys = readonly (string | number)[]

/** The keys of a JSON pointer. Numbers stay strings: whether they are indices is known where they are used. */
export const keysOf = (pointer: string): readonly string[] =>
  pointer === ""
    ? []
    : pointer
        .slice(1)
        .split("/")
        .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))

export class SourceText {
  readonly #text: string
  readonly #elements = new Map<number, readonly Span[]>()
  readonly #members = new Map<number, readonly MemberSpan[]>()
  /** Every 1000th line start would be enough; all of them are simpler, and made only for files with findings. */
  #lineStarts: readonly number[] | undefined

  constructor(text: string) {
    this.#text = text
  }

  /** Line of the value at `keys`; of the nearest value around it when there is none. One-based. */
  lineOf(keys: Keys): number {
    let start = skipSpace(this.#text, 0)
    for (const key of keys) {
      const next = this.#child(start, key)
      if (next === undefined) break
      start = next
    }
    return this.#lineAt(start)
  }

  /** The text of a line, for excerpts. */
  line(number: number): string {
    const starts = this.#starts()
    return this.#text.slice(starts[number - 1] ?? 0, starts[number] ?? this.#text.length).trimEnd()
  }

  #child(start: number, key: string | number): number | undefined {
    const first = this.#text[start]
    if (first === "[") {
      const known = this.#elements.get(start) ?? elementSpans(this.#text, start)
      this.#elements.set(start, known)
      return known[Number(key)]?.start
    }
    if (first !== "{") return undefined
    const known = this.#members.get(start) ?? memberSpans(this.#text, start)
    this.#members.set(start, known)
    return known.findLast((member) => member.key === key)?.start
  }

  #starts(): readonly number[] {
    if (this.#lineStarts !== undefined) return this.#lineStarts
    const text = this.#text
    const starts = [0]
    for (let next = text.indexOf("\n"); next !== -1; next = text.indexOf("\n", next + 1)) starts.push(next + 1)
    this.#lineStarts = starts
    return starts
  }

  #lineAt(offset: number): number {
    const starts = this.#starts()
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}
