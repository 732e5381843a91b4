/**
 * One pass over a text that finds everything shaped like a tag, and which closing tag belongs to which opening tag.
 *
 * Assistant text is not XML: it holds JSX, generics, comparisons and prose. So nothing here parses a tree. Tags are
 * only indexed, per name, and the scanners ask questions of the index ("which close belongs to this open?", "does
 * anything but white space stand between these two tags?"). Every answer is a lookup, which keeps scanning linear
 * for hostile text too.
 *
 * Two matchings exist side by side. `balanced` pairs all tags of one name like brackets; it finds the end of a
 * parameter. `framed` pairs only tags that touch another tag (`<tool>` followed by a tag, `</tool>` preceded by
 * one); it finds the end of a call even when the prose inside a value mentions `<tool>` or `</tool>`.
 */

export interface Tag {
  readonly name: string
  /** The name without its namespace prefix. */
  readonly local: string
  readonly start: number
  readonly end: number
  readonly kind: "open" | "close" | "empty"
  /** The text between the name and the closing bracket, trimmed. */
  readonly attributes: string
}

export interface TagIndex {
  readonly tags: readonly Tag[]
  /** `joined[i]`: only white space stands between tag i and tag i + 1. */
  readonly joined: readonly boolean[]
  /** Tag position -> position of its partner, -1 without one. */
  readonly balanced: Int32Array
  readonly framed: Int32Array
  /** Tag position -> position of the next framed tag of the same name, -1 without one. */
  readonly nextFramed: Int32Array
  /** Tag name -> positions of its closing tags, ascending. */
  readonly closes: ReadonlyMap<string, readonly number[]>
}

/** Bounded lengths, so that no single `<` can make the pattern walk far. */
const tagPattern = /<(\/?)([A-Za-z_][\w.:-]{0,127})((?:\s[^<>]{0,8192})?\/?)>/g
const attributePattern = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const whiteSpaceOnly = /^\s*$/

const findTags = (text: string): Tag[] => {
  const tags: Tag[] = []
  for (const match of text.matchAll(tagPattern)) {
    const name = match[2] ?? ""
    const inner = (match[3] ?? "").trim()
    const empty = inner.endsWith("/")
    const attributes = empty ? inner.slice(0, -1).trim() : inner
    const closing = match[1] === "/"
    // `a <b && c> d` is a comparison, not a tag.
    if (attributes !== "" && (closing || !attributes.includes("="))) continue
    const start = match.index
    const kind = closing ? "close" : empty ? "empty" : "open"
    tags.push({ name, local: name.slice(name.indexOf(":") + 1), start, end: start + match[0].length, kind, attributes })
  }
  return tags
}

type Matching = "balanced" | "framed"

const pairUp = (tags: readonly Tag[], joined: readonly boolean[], matching: Matching): Int32Array => {
  const partner = new Int32Array(tags.length).fill(-1)
  const openByName = new Map<string, number[]>()
  tags.forEach((tag, position) => {
    if (tag.kind === "empty") return
    const touches = tag.kind === "open" ? joined[position] : joined[position - 1]
    if (matching === "framed" && touches !== true) return
    const open = openByName.get(tag.name)
    if (tag.kind === "open") {
      if (open === undefined) openByName.set(tag.name, [position])
      else open.push(position)
      return
    }
    const opening = open?.pop()
    if (opening === undefined) return
    partner[opening] = position
    partner[position] = opening
  })
  return partner
}

export const indexTags = (text: string): TagIndex => {
  const tags = findTags(text)
  const joined = tags.map((tag, position) => {
    const next = tags[position + 1]
    return next !== undefined && whiteSpaceOnly.test(text.slice(tag.end, next.start))
  })
  const closes = new Map<string, number[]>()
  const nextFramed = new Int32Array(tags.length).fill(-1)
  const latestFramed = new Map<string, number>()
  for (let position = tags.length - 1; position >= 0; position--) {
    const tag = tags[position]
    if (tag === undefined || tag.kind === "empty") continue
    nextFramed[position] = latestFramed.get(tag.name) ?? -1
    const touches = tag.kind === "open" ? joined[position] : joined[position - 1]
    if (touches === true) latestFramed.set(tag.name, position)
  }
  tags.forEach((tag, position) => {
    if (tag.kind !== "close") return
    const known = closes.get(tag.name)
    if (known === undefined) closes.set(tag.name, [position])
    else known.push(position)
  })
  return {
    tags,
    joined,
    balanced: pairUp(tags, joined, "balanced"),
    framed: pairUp(tags, joined, "framed"),
    nextFramed,
    closes,
  }
}

const entityByCharacter: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"], ["<", "&lt;"], [">", "&gt;"], ['"', "&quot;"], ["\n", "&#10;"], ["\r", "&#13;"],
])
const characterByEntity: ReadonlyMap<string, string> = new Map([...entityByCharacter].map(([key, value]) =>
  [value, key]))

/** Reversible for every string: the ampersand is always among the escaped characters. */
export const escapeEntities = (text: string, characters: "attribute" | "value"): string =>
  text.replace(characters === "attribute" ? /[&<>"\n\r]/g : /[&<\r]/g, (found) => entityByCharacter.get(found) ?? found)

export const unescapeEntities = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#10|#13);/g, (found) => characterByEntity.get(found) ?? found)

/** Names and values of the attributes, in their order. */
export const attributesOf = (tag: Tag): readonly (readonly [string, string])[] =>
  tag.attributes === ""
    ? []
    : [...tag.attributes.matchAll(attributePattern)].map((match) => [match[1] ?? "", unescapeEntities(match[2] ?? match[3] ?? "")])

export const attributeOf = (tag: Tag, name: string): string | undefined =>
  attributesOf(tag).find(([known]) => known === name)?.[1]

/** True when the text holds a tag whose name or local name is one of these. */
export const mentionsTag = (text: string, names: readonly string[]): boolean => {
  if (!text.includes("<")) return false
  return findTags(text).some((tag) => names.includes(tag.name) || names.includes(tag.local))
}

/** Removes one line break at each end, CRLF or LF: they are layout, not value. */
export const trimLayout = (text: string): string => {
  const start = text.startsWith("\r\n") ? 2 : text.startsWith("\n") ? 1 : 0
  if (start === text.length) return ""
  const end = text.length - (text.endsWith("\r\n") ? 2 : text.endsWith("\n") ? 1 : 0)
  return text.slice(start, Math.max(start, end))
}
