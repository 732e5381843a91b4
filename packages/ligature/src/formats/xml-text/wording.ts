/**
 * How the parts of a conversation are worded in a format where calls and results are text. Whether a text reads as a call
 * depends on all the others: a tag is one of a tool where another message shows that tool at work. So a history is
 * written, read as its readers will read it, and written again with marks (see `quoted-text.ts`) where a text was taken for
 * a call or a result; most histories are right at once. A call that was not recognised names itself the next time.
 *
 * Everything is known by its text: equal texts are written alike, wherever they are.
 */
import type { Block, Conversation, Message, Place, ReportEntry } from "../../model/index.ts"
import { pieceOf, type Quoted, quoted, type Stretch, unquoted, writtenText } from "./pieces.ts"

/** What a stretch of a written text is meant to be. */
export interface Meant {
  /** `gap`: white space between two of the others. */
  readonly kind: "text" | "call" | "result" | "gap"
  /** As it is written where nothing is misread: by it the wording is remembered. */
  readonly plain: string
  readonly text: string
  /** Written anew, so that its layout may be chosen. */
  readonly fresh: boolean
}

interface Range extends Meant {
  readonly start: number
  readonly end: number
}

interface Placed {
  readonly place: Place
  readonly blocks: readonly Block[]
}

export const placedItems = ({ items }: Conversation): readonly Placed[] =>
  items.map((item, index) => {
    const blocks = item.role === "exchange" ? [...item.message.blocks, ...(item.reply?.blocks ?? [])] : item.blocks
    return { place: { item: index }, blocks }
  })

interface Placing {
  /** Where the first part starts; negative where the text begins inside of it. */
  readonly offset?: number
  readonly source?: object | undefined
}

/** Those that have something between the two places. They are in order, and a text may have very many. */
const within = (ranges: readonly Range[], start: number, end: number): readonly Range[] => {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle] as Range).end > start) high = middle
    else low = middle + 1
  }
  const first = low
  while (low < ranges.length && (ranges[low] as Range).start < end) low++
  return ranges.slice(first, low)
}

const nameOf = ({ kind, plain }: Meant): string => `${kind} ${plain}`

const callTags = ["invoke", "function_calls", "tool_call"]
const resultTags = ["function_results", "tool_response"]

const markedText = "marked text that looks like a tool call or result (U+2060 after the bracket), so that it is read as text"

/** Each round finds what the last one uncovered: the call inside a wrapper, say. Then every tag is marked. */
const mostRounds = 8

export class Wording {
  readonly #tags = new Map<string, Set<string>>()
  readonly #headers = new Set<string>()
  readonly #selfNamed = new Set<string>()
  readonly #renewed = new Set<string>()
  #everything = false
  /** What the texts say that have marks now. */
  #marked = new Set<string>()
  /** Written texts, with what their stretches are meant to be; equal texts may be meant in several ways. */
  #written = new Map<string, Map<string, readonly Range[]>>()
  /** The same for the wire values that are written as they came. */
  #kept = new Map<object, readonly Range[]>()
  #rounds = 0
  readonly #asIs: boolean

  /** `asIs`: calls and results are among the texts, which are written as they are. */
  constructor(asIs = false) {
    this.#asIs = asIs
  }

  /** A text that says this. */
  text(text: string): Meant {
    return this.#quoted(this.#asIs ? text : writtenText(text), true)
  }

  /** A text as it was written before. */
  keptText(written: string): Meant {
    return this.#quoted(written, false)
  }

  #quoted(plain: string, fresh: boolean): Meant {
    const [tags, headers] = [this.#tags.get(plain), this.#headers.has(plain)]
    const marks: Quoted | undefined = this.#everything
      ? { tags: "all", headers: true }
      : tags || headers
        ? { tags: tags ?? new Set(), headers }
        : undefined
    const text = marks ? quoted(plain, marks) : plain
    if (text !== plain) this.#marked.add(unquoted(plain).trim())
    return { kind: "text", plain, text, fresh }
  }

  /** A call as `plain`, or as `selfNamed` where nobody would recognise it. */
  call(plain: string, selfNamed: () => string): Meant {
    return { kind: "call", plain, text: this.#selfNamed.has(plain) ? selfNamed() : plain, fresh: true }
  }

  /**
   * Whether a result can stay as it was written: not where its header names another tool than the call has now, or has
   * nothing after it, so that it would take the next text for its own.
   */
  keeps([head]: readonly Stretch[]): boolean {
    return head === undefined || !this.#renewed.has(head.text.slice(head.start, head.end))
  }

  /** Remembers a text that is written, made of these parts. `source`: the wire value that has all of it. */
  note(written: string, parts: readonly Meant[], { offset = 0, source }: Placing = {}): void {
    let position = offset
    const ranges = parts.map((part): Range => {
      const start = position
      position += part.text.length
      return { start, end: position, ...part }
    })
    const name = ranges.map(({ kind, start, fresh }) => `${kind} ${start} ${String(fresh)}`).join()
    if (source) this.#kept.set(source, ranges)
    const known = this.#written.get(written)
    if (!known) this.#written.set(written, new Map([[name, ranges]]))
    else if (!known.has(name)) known.set(name, ranges)
  }

  /** True where `read` gives something else than what was written, so that it has to be written again. */
  corrects(read: () => readonly Message[]): boolean {
    if (this.#asIs || !this.#mayBeMisread()) return false
    const heard = new Set<string>()
    let corrected = false
    const mark = (list: Set<string>, entry: string): void => {
      if (list.has(entry)) return
      list.add(entry)
      corrected = true
    }
    const misread = (plain: string, names: readonly string[]): void => {
      const tags = this.#tags.get(plain) ?? new Set()
      this.#tags.set(plain, tags)
      for (const name of names) mark(tags, name)
    }
    for (const { blocks } of read()) {
      for (const block of blocks) {
        if (block.type !== "call" && block.type !== "result") continue
        const [head = [], ...rest] = (pieceOf(block)?.stretches ?? []).map((stretch) => this.#rangesIn(stretch))
        for (const range of [head, ...rest].flat()) {
          if (range.kind === block.type) heard.add(nameOf(range))
          if (range.kind !== "text") continue
          if (block.type === "call") misread(range.plain, [block.name, ...callTags])
          else {
            misread(range.plain, resultTags)
            mark(this.#headers, range.plain)
          }
        }
        // Text that the header before it takes for its own.
        if (rest.flat().some(({ kind }) => kind === "text"))
          for (const { kind, plain } of head) if (kind === "result") mark(this.#renewed, plain)
      }
    }
    const all = [...this.#written.values()].flatMap((meanings) => [...meanings.values()].flat())
    const unheard = all.filter((range) => !heard.has(nameOf(range)))
    // Where calls that stay as they were are not recognised, whoever read them knew more of the tools: their results stay, too.
    const knowsTools = unheard.every(({ kind, fresh }) => kind !== "call" || fresh)
    for (const { kind, plain, fresh } of unheard) {
      if (kind === "call" && fresh) mark(this.#selfNamed, plain)
      if (kind === "result" && !fresh && knowsTools) mark(this.#renewed, plain)
    }
    this.#written = new Map()
    this.#kept = new Map()
    if (!corrected || this.#everything) return false
    this.#everything = ++this.#rounds >= mostRounds
    this.#marked = new Set()
    return true
  }

  /** What was done to the texts at these places. */
  report(places: readonly Placed[]): readonly ReportEntry[] {
    if (this.#marked.size === 0) return []
    const isMarked = (block: Block): boolean => (block.type === "text" || block.type === "opaque") && this.#marked.has(block.text.trim())
    return places.flatMap(({ place, blocks }): readonly ReportEntry[] =>
      blocks.some(isMarked) ? [{ rule: "quoted-call", kind: "safe", place, what: markedText, ids: [] }] : [],
    )
  }

  /** A look that is many times as fast as reading: most histories without calls have nothing that looks like one. */
  #mayBeMisread(): boolean {
    for (const [text, meanings] of this.#written) {
      if (text.includes("</") || text.includes("Result")) return true
      for (const ranges of meanings.values()) if (ranges.some(({ kind }) => kind === "call" || kind === "result")) return true
    }
    return false
  }

  #rangesIn({ source, text, start, end }: Stretch): readonly Range[] {
    const kept = this.#kept.get(source)
    if (kept) return within(kept, start, end)
    const meanings = this.#written.get(text)
    return meanings ? [...meanings.values()].flatMap((ranges) => within(ranges, start, end)) : []
  }
}
