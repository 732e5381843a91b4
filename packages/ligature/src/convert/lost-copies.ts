/**
 * The account of a repair, which stays in its file: what the source says twice and the repaired file once is lost as well, say
 * where one of two records of an id was left out. Words are counted, not texts: a text may have become part of another one.
 * Worked out when somebody looks at the losses, so that nobody else pays for it.
 */
import type { Loss } from "../model/index.ts"
import { features } from "../formats/engine/codec.ts"
import { isStructural } from "../formats/engine/unread.ts"

/** Shorter words are names, marks and roles. */
const longWord = /[\p{L}\p{N}]{8,}/gu

/** Repairs give ids anew, and say so. */
const idField = /(?:^|_)(?:id|ids|uuid)$|I[dD]s?$|Uuid$/

/** So many characters are searched for words that became part of longer ones; what is not found by then counts as lost. */
const mostSearched = 100_000_000

const mostNames = 8

interface Frame {
  readonly value: unknown
  readonly path: string
}

/** Every text of a value that is content. `skips`: objects that are not looked into. */
function* textsOf(root: unknown, skips: (value: object) => boolean): Generator<{ readonly text: string; readonly path: string }> {
  const open: Frame[] = [{ value: root, path: "" }]
  for (let frame = open.pop(); frame; frame = open.pop()) {
    const { value, path } = frame
    if (typeof value === "string") yield { text: value, path }
    if (typeof value !== "object" || value === null || skips(value)) continue
    const isList = Array.isArray(value)
    for (const [key, inner] of Object.entries(value).reverse()) {
      if (typeof inner === "string" && (isStructural(key, inner) || idField.test(key))) continue
      open.push({ value: inner, path: isList ? `${path}[]` : path === "" ? key : `${path}.${key}` })
    }
  }
}

const occurrences = (text: string, word: string): number => {
  let found = 0
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) found++
  return found
}

/** How often each long word is in what was written and reported. */
class Kept {
  readonly #texts: string[] = []
  readonly #counts = new Map<string, number>()
  #left = mostSearched

  add(text: string): void {
    this.#texts.push(text)
    for (const [word] of text.matchAll(longWord)) this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1)
  }

  /** How many of `wanted` are missing. */
  lacks(word: string, wanted: number): number {
    const whole = wanted - (this.#counts.get(word) ?? 0)
    if (whole <= 0) return 0
    let missing = wanted
    for (const text of this.#texts) {
      if (missing <= 0 || this.#left <= 0) break
      this.#left -= text.length
      missing -= occurrences(text, word)
    }
    return Math.min(whole, Math.max(0, missing))
  }
}

const nothing = (): boolean => false

/** Objects that are in several entries of a report count once. */
const onlyOnce = (): ((value: object) => boolean) => {
  const seen = new Set<object>()
  return (value) => seen.size === seen.add(value).size
}

const objectsIn = (root: unknown): ReadonlySet<unknown> => {
  const objects = new Set<unknown>()
  for (const _ of textsOf(root, (value) => objects.size === objects.add(value).size));
  return objects
}

/** At most one loss: the texts of the source that are said less often in what was written and reported. */
export const findLostCopies = (source: unknown, written: unknown, reported: unknown): readonly Loss[] => {
  if (source === written) return []
  const kept = new Kept()
  for (const { text } of textsOf(written, nothing)) kept.add(text)
  for (const { text } of textsOf(reported, onlyOnce())) kept.add(text)
  const wanted = new Map<string, number>()
  for (const { text } of textsOf(source, nothing)) {
    for (const [word] of text.matchAll(longWord)) wanted.set(word, (wanted.get(word) ?? 0) + 1)
  }
  const missing = new Map<string, number>()
  for (const [word, times] of wanted) {
    const lacking = kept.lacks(word, times)
    if (lacking > 0) missing.set(word, lacking)
  }
  if (missing.size === 0) return []
  const lost = new Map<string, string[]>()
  const stayed = objectsIn(written)
  for (const { text, path } of textsOf(source, (value) => stayed.has(value))) {
    const words = (text.match(longWord) ?? []).filter((word) => (missing.get(word) ?? 0) > 0)
    if (words.length === 0) continue
    for (const word of words) missing.set(word, (missing.get(word) ?? 0) - 1)
    const texts = lost.get(path)
    if (texts) texts.push(text)
    else lost.set(path, [text])
  }
  if (lost.size === 0) return []
  const names = [...lost.keys()]
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ""
  const what = `${features["other-fields"]}: ${names.slice(0, mostNames).join(", ")}${more}`
  return [{ feature: "other-fields", degree: "lost", place: {}, what, original: Object.fromEntries(lost) }]
}
