/**
 * What edits replace, and what is current: old and new text of the places a call edits, and over a whole history the
 * lines that an edit took out and that nothing showed again. Whoever quotes such a line passes on what is no longer so.
 */
import type { CallBlock, JsonObject, JsonValue } from "../../model/index.ts"

export interface Edit {
  readonly before: string
  readonly after: string
}

/** Pairs of arguments that hold old and new text, by agent. */
const pairs: readonly (readonly [string, string])[] = [
  ["old_string", "new_string"],
  ["oldString", "newString"],
  ["old_str", "new_str"],
  ["old_text", "new_text"],
  ["oldText", "newText"],
  ["search", "replace"],
]

const stringOf = (value: JsonValue | undefined): string | undefined => (typeof value === "string" ? value : undefined)

const pairIn = (given: JsonObject): Edit | undefined => {
  for (const [old, fresh] of pairs) {
    const before = stringOf(given[old])
    const after = stringOf(given[fresh])
    if (before !== undefined && after !== undefined) return { before, after }
  }
  return undefined
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  value !== null && value !== undefined && typeof value === "object" && !Array.isArray(value)

/** `*** Begin Patch`: lines that begin with a minus go, those with a plus come. */
const patchStart = "*** Begin Patch"
const blocks = /<{5,} SEARCH[^\n]*\n([\s\S]*?)\n?={5,}\n([\s\S]*?)\n?>{5,} REPLACE/g
const lineOfBlock = /^:start_line:.*\n-+\n/

const inText = (text: string): readonly Edit[] => {
  if (text.includes(patchStart)) {
    const side = (mark: string): string =>
      text
        .split("\n")
        .filter((line) => line.startsWith(mark) && !line.startsWith("***"))
        .map((line) => line.slice(1))
        .join("\n")
    return [{ before: side("-"), after: side("+") }]
  }
  if (!text.includes(" SEARCH")) return []
  return [...text.matchAll(blocks)].map(([, before = "", after = ""]) => ({ before: before.replace(lineOfBlock, ""), after }))
}

/** Old and new text of every place a call edits. */
export const editsOf = (call: CallBlock): readonly Edit[] => {
  if (call.fault === "unparsable" || call.fault === "not-object") return []
  const given = call.arguments
  const own = pairIn(given)
  if (own) return [own]
  const list = given["edits"]
  if (Array.isArray(list)) return list.flatMap((each) => (isObject(each) ? (pairIn(each) ?? []) : []))
  return Object.values(given).flatMap((value) => (typeof value === "string" ? inText(value) : []))
}

/** A tool's number before a line is not the line. */
const numbered = /^\s*\d+(?:→|\t|:|\| )/

export const bareLine = (line: string): string => line.replace(numbered, "").trim()

/** Shorter lines are in many places: braces, `return`, `else`. */
const shortest = 12
const isTelling = (line: string): boolean => line.length >= shortest && /\p{L}{3}/u.test(line)

/** Lines of the one that the other does not have. */
const onlyIn = (text: string, other: string): readonly string[] => {
  const known = new Set(other.split("\n").map((line) => line.trim()))
  return text.split("\n").filter((line) => isTelling(line.trim()) && !known.has(line.trim()))
}

/** Lines that an edit brought: the first of them, and the one that says most. */
export const broughtBy = ({ before, after }: Edit): readonly string[] => {
  const come = onlyIn(after, before)
  const [first] = come
  if (first === undefined) return []
  const longest = come.reduce((best, line) => (line.length > best.length ? line : best), first)
  return first === longest ? [first] : [first, longest]
}

/** Lines that are no longer current, as a history goes on. */
export class GoneLines {
  readonly #gone = new Set<string>()

  edit({ before, after }: Edit): void {
    for (const line of onlyIn(before, after)) this.#gone.add(line.trim())
    if (this.#gone.size > 0) for (const line of after.split("\n")) this.#gone.delete(line.trim())
  }

  /** What is shown is there. */
  show(text: string): void {
    if (this.#gone.size === 0) return
    for (const line of text.split("\n")) if (line.length >= shortest) this.#gone.delete(bareLine(line))
  }

  has(line: string): boolean {
    return this.#gone.size > 0 && line.length >= shortest && this.#gone.has(bareLine(line))
  }
}
