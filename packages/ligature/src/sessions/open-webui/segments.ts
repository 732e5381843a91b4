/**
 * The content of an assistant's message, cut at its cards. The page shows calls, reasoning and code runs as `<details
 * type="…">` elements that begin a line; whatever is in a code fence is an example and no card. Joined again, the
 * sources of all segments are the content, byte by byte.
 */
// The little HTML that cards are made of: attributes of one tag, escaped as Python does it.

const entities: Readonly<Record<string, string>> = {
  "&quot;": '"',
  "&#34;": '"',
  "&#x22;": '"',
  "&apos;": "'",
  "&#39;": "'",
  "&#x27;": "'",
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
}

const entity = /&(?:quot|apos|lt|gt|amp|#34|#39|#x22|#x27);/g

export const unescapeHtml = (value: string): string =>
  value.includes("&") ? value.replaceAll(entity, (found) => entities[found] ?? found) : value

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
}

export const escapeHtml = (value: string): string => value.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character)

interface Tag {
  readonly attributes: Readonly<Record<string, string>>
  /** Index after the closing bracket. */
  readonly end: number
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)

/** Letters, digits, hyphen, underscore, colon. */
const isNameCharacter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 58) || code === 45 || code === 95

/** Reads the attributes of a tag from the end of its name; undefined when it is none, or breaks off. */
const readTag = (source: string, from: number): Tag | undefined => {
  const attributes: Record<string, string> = Object.create(null) as Record<string, string>
  let at = from
  for (;;) {
    const start = at
    while (isSpace(source.charCodeAt(at))) at++
    if (source[at] === ">") return { attributes, end: at + 1 }
    const nameStart = at
    while (isNameCharacter(source.charCodeAt(at))) at++
    if (at === nameStart || nameStart === start) return undefined
    const name = source.slice(nameStart, at)
    if (source[at] !== "=") {
      attributes[name] = ""
      continue
    }
    const quote = source[at + 1]
    if (quote !== '"' && quote !== "'") return undefined
    const close = source.indexOf(quote, at + 2)
    if (close < 0) return undefined
    attributes[name] = unescapeHtml(source.slice(at + 2, close))
    at = close + 1
  }
}

export type SegmentKind = "text" | "tool_calls" | "reasoning" | "code_interpreter"

export interface Segment {
  readonly kind: SegmentKind
  readonly source: string
  /** Of a card: its attributes, unescaped, and what is between its summary and its end. */
  readonly attributes: Readonly<Record<string, string>>
  readonly body: string
}

const opening = "<details"
const closing = "</details>"
const cardKinds: ReadonlySet<string> = new Set(["tool_calls", "reasoning", "code_interpreter"])

interface Card extends Segment {
  readonly end: number
}

const fenceMark = /^ {0,3}(`{3,}|~{3,})/

const lineEnd = (content: string, from: number): number => {
  const newline = content.indexOf("\n", from)
  return newline < 0 ? content.length : newline + 1
}

class ContentSplitter {
  readonly segments: Segment[] = []
  private readonly content: string
  /** From here on no card ends: a broken-off one is text. */
  private open = true
  /** Fences of a character that are never closed, by the shortest one known. */
  private readonly unclosed = new Map<string, number>()

  constructor(content: string) {
    this.content = content
  }

  split(): readonly Segment[] {
    const { content } = this
    let start = 0
    let at = 0
    while (at < content.length) {
      const card = this.open && content.startsWith(opening, at) ? this.card(at) : undefined
      if (card) {
        this.text(start, at)
        this.push(card)
        start = at = card.end
        continue
      }
      at = this.behindFence(at) ?? lineEnd(content, at)
    }
    this.text(start, content.length)
    return this.segments
  }

  /** Blank text belongs to what is before it, or to what follows at the very beginning. */
  private text(from: number, to: number): void {
    if (from < to) this.push({ kind: "text", source: this.content.slice(from, to), attributes: {}, body: "" })
  }

  private push({ kind, source, attributes, body }: Segment): void {
    const last = this.segments.at(-1)
    if (last?.kind === "text" && last.source.trim() === "") {
      this.segments[this.segments.length - 1] = { kind, source: last.source + source, attributes, body }
    } else if (last && kind === "text" && source.trim() === "") {
      this.segments[this.segments.length - 1] = { ...last, source: last.source + source }
    } else this.segments.push({ kind, source, attributes, body })
  }

  private card(at: number): Card | undefined {
    const { content } = this
    const tag = readTag(content, at + opening.length)
    const kind = tag?.attributes["type"]
    if (!tag || kind === undefined || !cardKinds.has(kind)) return undefined
    const close = this.closingOf(kind, tag.end)
    if (close < 0) return undefined
    const inner = content.slice(tag.end, close)
    const summary = inner.indexOf("</summary>")
    const body = summary < 0 ? inner : inner.slice(summary + "</summary>".length)
    const behind = close + closing.length
    const end = content[behind] === "\n" ? behind + 1 : behind
    return { kind: kind as SegmentKind, source: content.slice(at, end), attributes: tag.attributes, body, end }
  }

  /** Calls are escaped, so that the next end is theirs; what others say may hold an end inside of a line. */
  private closingOf(kind: string, from: number): number {
    const next = this.content.indexOf(closing, from)
    if (next < 0) this.open = false
    if (kind === "tool_calls" || next < 0) return next
    const atLine = this.content.indexOf(`\n${closing}`, from)
    return atLine < 0 ? next : atLine + 1
  }

  /** Where the code ends whose fence begins at this line; undefined where no fence begins or it is never closed. */
  private behindFence(at: number): number | undefined {
    const { content } = this
    const first = content[at]
    if (first !== "`" && first !== "~" && first !== " ") return undefined
    const fence = fenceMark.exec(content.slice(at, Math.min(lineEnd(content, at), at + 64)))?.[1]
    const mark = fence?.[0]
    if (fence === undefined || mark === undefined) return undefined
    if (fence.length >= (this.unclosed.get(mark) ?? Number.POSITIVE_INFINITY)) return undefined
    for (let line = lineEnd(content, at); line < content.length; line = lineEnd(content, line)) {
      const head = content[line]
      if (head !== mark && head !== " ") continue
      const end = lineEnd(content, line)
      const closer = end - line > 64 ? undefined : content.slice(line, end).trim()
      if (closer !== undefined && closer.length >= fence.length && closer === mark.repeat(closer.length)) return end
    }
    this.unclosed.set(mark, fence.length)
    return undefined
  }
}

export const splitContent = (content: string): readonly Segment[] => {
  if (content.includes(opening)) return new ContentSplitter(content).split()
  return content === "" ? [] : [{ kind: "text", source: content, attributes: {}, body: "" }]
}
