/**
 * One pass over a text that finds everything shaped like a tag, and which closing tag belongs to which opening tag.
 *
 * Assistant text is not XML: it holds JSX, generics, comparisons and prose. So nothing here parses a tree. Tags are
 * only indexed, per name, and the scanners ask questions of the index ("which close belongs to this open?", "does
 * anything but white space are between these two tags?"). Every answer is a lookup, which keeps scanning linear
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
  /** `joined[i]`: only white space is between tag i and tag i + 1. */
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
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["\n", "&#10;"],
  ["\r", "&#13;"],
])
const characterByEntity: ReadonlyMap<string, string> = new Map([...entityByCharacter].map(([key, value]) => [value, key]))

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

export const attributeOf = (tag: Tag, name: string): string | undefined => attributesOf(tag).find(([known]) => known === name)?.[1]

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

// Walks from one place of a text to the next by native search, which passes over what is in between many times as fast as looking at every line does.
// Each stretch is searched once, however often it is asked about.

/** The first place at or after `from`; Infinity without one. `from` must not decrease from one question to the next. */
type Seek = (from: number) => number

export const seek = (text: string, words: string): Seek => {
  let found = -Infinity
  return (from) => {
    if (found < from) {
      const place = text.indexOf(words, from)
      found = place < 0 ? Infinity : place
    }
    return found
  }
}

/** Where the next line starts that starts with these words. `from` is the start of a line. */
export const seekLine = (text: string, words: string): Seek => {
  const next = seek(text, `\n${words}`)
  return (from) => (from === 0 && text.startsWith(words) ? 0 : next(from - 1) + 1)
}

// Says whether a place in a text lies inside a Markdown code fence. It only ever moves forward, and can be restarted after a recognised call: a
// fence that opens inside a call's value is part of that value and must not hide what follows. Fences count at any indentation, because models indent
// them in lists.

export interface FenceWalker {
  /** Positions must not decrease from one question to the next. */
  readonly insideFence: (position: number) => boolean
  /** Forgets an open fence and goes on from here, after all places asked about so far. */
  readonly restartAt: (position: number) => void
}

interface Fence {
  readonly mark: string
  readonly length: number
}

const mayBeFence = /^[ \t]*[`~]/
const fenceLine = /^[ \t]*(`{3,}|~{3,})([^\n]*)$/

/** Models also open a fence after words ("Like this: ```js"); its closing line must not count as an opening one. */
const opensMidLine = (line: string): boolean => line.includes("```") && (line.match(/`{3,}/g)?.length ?? 0) % 2 === 1

const fenceAfterLine = (line: string, open: Fence | undefined): Fence | undefined => {
  const match = mayBeFence.test(line) ? fenceLine.exec(line) : null
  if (match === null) return open ?? (opensMidLine(line) ? { mark: "`", length: 3 } : undefined)
  const run = match[1] ?? ""
  const rest = match[2] ?? ""
  const mark = run.charAt(0)
  if (open === undefined) return mark === "`" && rest.includes("`") ? undefined : { mark, length: run.length }
  return mark === open.mark && run.length >= open.length && rest.trim() === "" ? undefined : open
}

export const walkFences = (text: string): FenceWalker => {
  const nextBackticks = seek(text, "```")
  const nextTildes = seek(text, "~~~")
  let lineStart = 0
  let open: Fence | undefined
  // Remembered, because many questions about one long line must not search its ends again and again.
  let lineEnd = -1
  return {
    insideFence: (position) => {
      while (lineStart < position) {
        // Only lines with one of these open or close a fence.
        const mark = Math.min(nextBackticks(lineStart), nextTildes(lineStart))
        if (mark >= position) break
        if (lineEnd < mark) {
          lineStart = Math.max(lineStart, text.lastIndexOf("\n", mark) + 1)
          const lineBreak = text.indexOf("\n", mark)
          lineEnd = lineBreak < 0 ? text.length : lineBreak
        }
        if (lineEnd >= position) break
        open = fenceAfterLine(text.slice(lineStart, lineEnd), open)
        lineStart = lineEnd + 1
      }
      return open !== undefined
    },
    restartAt: (position) => {
      if (position <= lineStart) return
      lineStart = position
      open = undefined
    },
  }
}

const backtickRuns = /`+/g

/** A run of backticks that does not occur in the text. */
export const fenceFor = (text: string): string => {
  let longest = 2
  for (const match of text.matchAll(backtickRuns)) longest = Math.max(longest, match[0].length)
  return "`".repeat(longest + 1)
}
