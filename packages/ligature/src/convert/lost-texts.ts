/**
 * The last account of what was written: texts of the source that are neither in it nor in the report. Fields of bookkeeping and
 * parameters of a request are lost this way on every move to another format, and so is whatever no reader and no writer
 * knows. Worked out when somebody looks at the losses, so that nobody else pays for it.
 *
 * Texts that are part of a longer text on the other side are searched for near the last one found, then everywhere, as long as
 * a fixed number of characters lasts; a field whose first texts were found nowhere is not searched for any more.
 *
 * What stays in its file is counted as well: what the source says twice and the repaired file once is lost, say where one of
 * two records of an id was left out. Words are counted, not texts: a text may have become part of another one.
 */
import { type Loss, parseJson } from "../model/index.ts"
import { features } from "../formats/engine/codec.ts"
import { isStructural } from "../formats/engine/unread.ts"

/** Shorter texts and words are names, marks and roles, which every format spells in its own way. */
const shortest = 8

// Not `{8,}`: that remembers each character of a long word, and the base64 of an image is one word of millions.
const longWord = /[\p{L}\p{N}]{8}[\p{L}\p{N}]*/gu

/** Repairs give ids anew, and say so: they are not counted. */
const idField = /(?:^|_)(?:id|ids|uuid)$|I[dD]s?$|Uuid$/

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

/** Every text of a value, in order. `enters`: whether to look into an object. */
const eachText = (root: unknown, enters: (value: object) => boolean, take: (text: string, at: Frame) => void): void => {
  const open: Frame[] = [{ value: root, key: "", parent: undefined }]
  for (let at = open.pop(); at; at = open.pop()) {
    const { value } = at
    if (typeof value === "string") take(value, at)
    if (typeof value !== "object" || value === null || !enters(value)) continue
    const isList = Array.isArray(value)
    const keys = Object.keys(value)
    for (let index = keys.length - 1; index >= 0; index--) {
      const key = keys[index] as string
      open.push({ value: (value as Readonly<Record<string, unknown>>)[key], key: isList ? "[]" : key, parent: at })
    }
  }
}

const isContent = (text: string, { key }: Frame): boolean => text.length >= shortest && !isStructural(key, text)

/** `messages[].metadata.note`: the path of a text without the numbers of list elements. */
const fieldOf = (frame: Frame): string => {
  const keys: string[] = []
  for (let at: Frame | undefined = frame; at; at = at.parent) if (at.key !== "") keys.push(at.key)
  return keys.reverse().join(".").replaceAll(".[]", "[]")
}

/** Whether a set has got a value that it did not have. */
const isNewIn = (objects: Set<object>, value: object): boolean => objects.size !== objects.add(value).size

const objectsIn = (root: unknown): ReadonlySet<object> => {
  const objects = new Set<object>()
  eachText(
    root,
    (value) => isNewIn(objects, value),
    () => {},
  )
  return objects
}

const parsedJson = (text: string): object | undefined => {
  const first = text.charCodeAt(0)
  const value = (first === 0x7b || first === 0x5b) && text.length <= longestJson ? parseJson(text) : undefined
  return typeof value === "object" && value !== null ? value : undefined
}

/** A text as it is, and as JSON spells it. */
const formsOf = (text: string): readonly string[] => {
  const spelt = JSON.stringify(text).slice(1, -1)
  return spelt === text ? [text] : [text, spelt]
}

const phrasesOf = (text: string): readonly string[] => {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
  return words.length < 2 ? words : words.slice(1).map((word, index) => `${words[index]} ${word}`)
}

const add = <Key>(counts: Map<Key, number>, key: Key, times: number): void => void counts.set(key, (counts.get(key) ?? 0) + times)

/** What is counted of a text: its long words, or all of it where it has none. Arguments may be an object elsewhere. */
const tokensOf = (text: string): readonly string[] => text.match(longWord) ?? (parsedJson(text) ? [] : [text.trim()])

/** Everything that was written or reported. */
class Written {
  readonly #texts: string[] = []
  readonly #known = new Set<string>()
  readonly #objects = new Set<object>()
  readonly #phrases = new Set<string>()
  /** Objects of the source, where it stays in its file: whatever of them was written is written whole. */
  readonly #source: ReadonlySet<object> | undefined
  readonly #content: string[] = []
  readonly #counts = new Map<string, number>()
  /** Where the last text was found. */
  #last = 0
  #offset = 0
  /** Characters that may still be searched. */
  #left = mostSearched

  constructor(source: ReadonlySet<object> | undefined) {
    this.#source = source
  }

  add(root: unknown): void {
    eachText(
      root,
      (value) => isNewIn(this.#objects, value) && this.#source?.has(value) !== true,
      (text, at) => {
        this.#add(text)
        if (this.#source && isContent(text, at) && !idField.test(at.key)) this.count(text)
      },
    )
  }

  #add(text: string): void {
    if (text.length < shortest || this.#known.has(text)) return
    this.#known.add(text)
    this.#texts.push(text)
    // Arguments are objects in one format and text in another.
    eachText(
      parsedJson(text),
      () => true,
      (inner) => this.#add(inner),
    )
  }

  count(text: string): void {
    this.#content.push(text)
    for (const token of tokensOf(text)) add(this.#counts, token, 1)
  }

  readonly lacksObject = (value: object): boolean => !this.#objects.has(value)

  /** Whether a text was written: as it is, or value by value where it is the text of arguments. */
  has(text: string): boolean {
    if (this.#known.has(text)) return true
    const value = parsedJson(text)
    let isSaid = value !== undefined
    eachText(
      value,
      () => isSaid,
      (inner) => {
        if (inner.length >= shortest && !this.#known.has(inner)) isSaid = false
      },
    )
    return isSaid
  }

  /** Whether a text is part of one that was written. */
  contains(text: string): boolean {
    // The bytes of a data URL are written without what announces them.
    if (text.startsWith("data:") && this.#known.has(text.slice(text.indexOf(",") + 1))) return true
    const forms = formsOf(text)
    if (this.#isNear(forms)) return true
    return this.#left > 0 ? this.#isAnywhere(forms) : forms.some((form) => this.#hasPhrases(form))
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

  /** How many of so many tokens are missing. One may be part of a longer word now; what is not found in time counts as lost. */
  lacks(token: string, wanted: number): number {
    const whole = wanted - (this.#counts.get(token) ?? 0)
    let missing = whole <= 0 ? 0 : wanted
    for (let index = 0; index < this.#content.length && missing > 0 && this.#left > 0; index++) {
      const text = this.#content[index] ?? ""
      this.#left -= text.length
      for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + token.length)) missing--
    }
    return Math.min(whole, Math.max(0, missing))
  }
}

/** Texts of the source by the field they are in. */
class Lost {
  readonly #source: unknown
  readonly #written: Written
  readonly texts = new Map<string, string[]>()

  constructor(source: unknown, written: Written) {
    this.#source = source
    this.#written = written
  }

  #add(field: string, text: string): void {
    const texts = this.texts.get(field)
    if (texts) texts.push(text)
    else this.texts.set(field, [text])
  }

  /** What is said nowhere. */
  find(): void {
    const found = new Set<string>()
    eachText(this.#source, this.#written.lacksObject, (given, at) => {
      const text = isContent(given, at) ? given.toWellFormed().trim() : ""
      if (text.length < shortest || this.#written.has(given) || this.#written.has(text)) return
      const field = fieldOf(at)
      const isHopeless = (this.texts.get(field)?.length ?? 0) >= mostMisses && !found.has(field)
      if (!isHopeless && this.#written.contains(text)) found.add(field)
      else this.#add(field, given)
    })
  }

  /** What is said less often. */
  count(): void {
    for (const texts of this.texts.values()) for (const text of texts) this.#written.count(text)
    const wanted = new Map<string, number>()
    const each = (take: (text: string, at: Frame) => void): void =>
      eachText(this.#source, this.#written.lacksObject, (text, at) => {
        if (isContent(text, at) && !idField.test(at.key)) take(text, at)
      })
    each((text) => {
      for (const token of tokensOf(text)) add(wanted, token, 1)
    })
    for (const [token, times] of wanted) wanted.set(token, this.#written.lacks(token, times))
    each((text, at) => {
      const missing = tokensOf(text).filter((token) => (wanted.get(token) ?? 0) > 0)
      if (missing.length === 0) return
      for (const token of missing) add(wanted, token, -1)
      this.#add(fieldOf(at), text)
    })
  }
}

/**
 * At most one loss: all fields of the source that the target says nowhere. `stays`: what the source has several times must be
 * there as often. Another format has no reason to repeat what its source said twice.
 */
export const findLostTexts = (source: unknown, written: unknown, reported: unknown, stays = false): readonly Loss[] => {
  if (source === written) return []
  const all = new Written(stays ? objectsIn(source) : undefined)
  all.add(written)
  all.add(reported)
  const lost = new Lost(source, all)
  lost.find()
  if (stays) lost.count()
  if (lost.texts.size === 0) return []
  const names = [...lost.texts.keys()]
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ""
  const what = `${features["other-fields"]}: ${names.slice(0, mostNames).join(", ")}${more}`
  return [{ feature: "other-fields", degree: "lost", place: {}, what, original: Object.fromEntries(lost.texts) }]
}
