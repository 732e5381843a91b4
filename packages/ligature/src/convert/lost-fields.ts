/**
 * The last account of a conversion: texts of the source that are neither in what was written nor in the report. Fields
 * of bookkeeping and parameters of a request are lost this way on every move to another format, and so is whatever no
 * reader and no writer knows. Worked out when somebody looks at the losses, so that nobody else pays for it.
 *
 * Texts that are part of a longer text on the other side are searched for near the last one found, then everywhere, as long as
 * a fixed number of characters lasts; a field whose first texts were found nowhere is not searched for any more.
 */
import { type Loss, parseJson } from "../model/index.ts"
import { features } from "../formats/engine/codec.ts"
import { isStructural, textsIn } from "../formats/engine/unread.ts"

/** Shorter texts are names, marks and roles, which every format spells in its own way. */
const shortest = 8

/** So many texts of a field are searched for in vain. */
const mostMisses = 4

/** A text that is longer is no JSON of arguments. */
const longestJson = 1 << 20

/** How many texts before and after the last one found are looked at first. */
const near = 16

/** Of a long text, how much before and after the place of the last one. */
const nearCharacters = 1 << 15

/** So many characters are searched; what comes after them is compared word by word, which costs no more than its length. */
const mostSearched = 200_000_000

/** How many names of fields a sentence can take. */
const mostNames = 8

interface Frame {
  readonly value: unknown
  readonly key: string
  readonly parent: Frame | undefined
}

const isJson = (text: string): boolean => {
  const first = text.charCodeAt(0)
  return (first === 0x7b || first === 0x5b) && text.length <= longestJson
}

/** Everything that was written or reported: its texts, in order, and its objects. */
class Written {
  readonly #texts: string[] = []
  readonly #known = new Set<string>()
  readonly #objects = new Set<object>()
  readonly #phrases = new Set<string>()
  /** Where the last text was found. */
  #last = 0
  #offset = 0
  /** Characters that may still be searched. */
  #left = mostSearched
  /** Objects of the source: whatever of them was written is written whole. */
  readonly #source: ReadonlySet<object> | undefined

  constructor(source?: ReadonlySet<object>) {
    this.#source = source
  }

  add(root: unknown): void {
    const open: unknown[] = [root]
    while (open.length > 0) {
      const value = open.pop()
      if (typeof value === "string") this.#text(value, open)
      else if (typeof value === "object" && value !== null && !this.#objects.has(value)) {
        this.#objects.add(value)
        if (this.#source?.has(value) === true) continue
        const inner = Array.isArray(value) ? value : Object.values(value)
        for (let index = inner.length - 1; index >= 0; index--) open.push(inner[index])
      }
    }
  }

  #text(text: string, open: unknown[]): void {
    if (text.length < shortest) return
    const isKnown = this.#known.has(text)
    if (!isKnown || this.#source) this.#texts.push(text)
    if (isKnown) return
    this.#known.add(text)
    // Arguments are objects in one format and text in another.
    const inner = isJson(text) ? parseJson(text) : undefined
    if (typeof inner === "object" && this.#source) for (const each of textsIn(inner)) this.#known.add(each)
    else if (typeof inner === "object") open.push(inner)
  }

  hasObject(value: object): boolean {
    return this.#objects.has(value)
  }

  has(text: string): boolean {
    return this.#known.has(text)
  }

  /** Whether a text is part of one that was written, as it is or as JSON spells it. */
  contains(text: string): boolean {
    const spelt = JSON.stringify(text).slice(1, -1)
    const forms = spelt === text ? [text] : [text, spelt]
    if (this.#isNear(forms)) return true
    return this.#left > 0 ? this.#isAnywhere(forms) : forms.some((form) => this.#hasPhrases(form))
  }

  /** Whether a text is in what was written so many times, alone or in longer texts. */
  isThere(text: string, times: number): boolean {
    const spelt = JSON.stringify(text).slice(1, -1)
    const forms = spelt === text ? [text] : [text, spelt]
    let found = 0
    for (const written of this.#texts) {
      for (const form of forms) {
        if (this.#left <= 0) return true
        this.#left -= written.length
        for (let at = written.indexOf(form); at >= 0 && found < times; at = written.indexOf(form, at + form.length)) found++
        if (found >= times) return true
      }
    }
    return false
  }

  /** Texts come in the order in which they are written: after the last one that was found, mostly. */
  #isNear(forms: readonly string[]): boolean {
    const after = this.#offset
    const before = Math.max(0, after - nearCharacters)
    if (this.#isIn(this.#last, after, forms) || this.#isIn(this.#last, before, forms)) return true
    const to = Math.min(this.#texts.length, this.#last + near)
    for (let index = Math.max(0, this.#last - near); index < to && this.#left > 0; index++) {
      if (index !== this.#last && this.#isIn(index, 0, forms)) return true
    }
    return false
  }

  /** Whether one of the forms begins in a stretch of a text that begins at `from`. */
  #isIn(index: number, from: number, forms: readonly string[]): boolean {
    const written = this.#texts[index] ?? ""
    return forms.some((form) => {
      const stretch = written.slice(from, from + nearCharacters + form.length)
      this.#left -= stretch.length
      return this.#isAt(index, stretch.indexOf(form), from)
    })
  }

  #isAnywhere(forms: readonly string[]): boolean {
    for (let index = 0; index < this.#texts.length; index++) {
      const written = this.#texts[index] ?? ""
      this.#left -= written.length * forms.length
      for (const form of forms) if (this.#isAt(index, written.indexOf(form), 0)) return true
    }
    return false
  }

  #isAt(index: number, at: number, from: number): boolean {
    if (at < 0) return false
    this.#last = index
    this.#offset = from + at
    return true
  }

  /** Without a search: whether every two neighbouring words of a text are neighbours in what was written. */
  #hasPhrases(text: string): boolean {
    if (this.#phrases.size === 0) for (const written of this.#texts) for (const phrase of phrasesOf(written)) this.#phrases.add(phrase)
    const phrases = phrasesOf(text)
    return phrases.length > 0 && phrases.every((phrase) => this.#phrases.has(phrase))
  }
}

const phrasesOf = (text: string): readonly string[] => {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
  return words.length < 2 ? words : words.slice(1).map((word, index) => `${words[index]} ${word}`)
}

/** `messages[].metadata.note`: the path of a text without the numbers of list elements. */
const fieldOf = (frame: Frame): string => {
  const keys: string[] = []
  for (let at: Frame | undefined = frame; at; at = at.parent) if (at.key !== "") keys.push(at.key)
  return keys.reverse().join(".").replaceAll(".[]", "[]")
}

class Account {
  readonly #written: Written
  /** How often a text was met, where each of its places counts. */
  readonly #times: Map<string, number> | undefined
  readonly #lost = new Map<string, string[]>()
  readonly #found = new Set<string>()

  constructor(written: Written, each: boolean) {
    this.#written = written
    this.#times = each ? new Map() : undefined
  }

  take(root: unknown): ReadonlyMap<string, readonly string[]> {
    const open: Frame[] = [{ value: root, key: "", parent: undefined }]
    for (let frame = open.pop(); frame; frame = open.pop()) {
      const { value } = frame
      if (typeof value === "string") this.#text(value, frame)
      else if (typeof value === "object" && value !== null && !this.#written.hasObject(value)) {
        const fields = Object.keys(value)
        for (let index = fields.length - 1; index >= 0; index--) {
          const key = fields[index] as string
          const inner = (value as Readonly<Record<string, unknown>>)[key]
          if (typeof inner === "string" && (inner.length < shortest || isStructural(key, inner))) continue
          open.push({ value: inner, key: Array.isArray(value) ? "[]" : key, parent: frame })
        }
      }
    }
    return this.#lost
  }

  #text(given: string, frame: Frame): void {
    const text = given.toWellFormed().trim()
    if (text.length < shortest) return
    const times = (this.#times?.get(text) ?? 0) + 1
    this.#times?.set(text, times)
    if (times > 1) {
      if (!this.#written.isThere(text, times)) this.#lose(fieldOf(frame), given)
      return
    }
    if (this.#written.has(given) || this.#written.has(text)) return
    if (this.#isInParts(text)) return
    const field = fieldOf(frame)
    const lost = this.#lost.get(field)
    const hopeless = lost !== undefined && lost.length >= mostMisses && !this.#found.has(field)
    if (!hopeless && this.#isContained(text)) this.#found.add(field)
    else this.#lose(field, given)
  }

  #lose(field: string, given: string): void {
    const lost = this.#lost.get(field)
    if (lost) lost.push(given)
    else this.#lost.set(field, [given])
  }

  #isContained(text: string): boolean {
    // The bytes of a data URL are written without what announces them.
    return this.#written.contains(text) || (text.startsWith("data:") && this.#written.has(text.slice(text.indexOf(",") + 1)))
  }

  /** The text of arguments, whose values were written one by one. */
  #isInParts(text: string): boolean {
    const value = isJson(text) ? parseJson(text) : undefined
    if (typeof value !== "object" || value === null) return false
    const open: unknown[] = [value]
    while (open.length > 0) {
      const inner = open.pop()
      if (typeof inner === "object" && inner !== null) for (const each of Object.values(inner)) open.push(each)
      else if (typeof inner === "string" && inner.length >= shortest && !this.#written.has(inner)) return false
    }
    return true
  }
}

const objectsIn = (root: unknown): ReadonlySet<object> => {
  const objects = new Set<object>()
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value !== "object" || value === null || objects.has(value)) continue
    objects.add(value)
    for (const inner of Array.isArray(value) ? value : Object.values(value)) open.push(inner)
  }
  return objects
}

/**
 * At most one loss: all fields of the source that the target says nowhere. `each`: a text that the source has in several
 * places must be in as many. Another format has no reason to repeat what its source said twice.
 */
export const findLostFields = (source: unknown, written: unknown, reported: unknown, each = false): readonly Loss[] => {
  if (source === written) return []
  const all = new Written(each ? objectsIn(source) : undefined)
  all.add(written)
  all.add(reported)
  const lost = new Account(all, each).take(source)
  if (lost.size === 0) return []
  const names = [...lost.keys()]
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ""
  const what = `${features["other-fields"]}: ${names.slice(0, mostNames).join(", ")}${more}`
  return [{ feature: "other-fields", degree: "lost", place: {}, what, original: Object.fromEntries(lost) }]
}
