/**
 * Pieces: which stretch of which wire text a block was read from. The pieces of a text cover it without gap, so that a
 * text whose blocks are all unchanged goes back as the very same wire value, and the words of a changed one as they were.
 */
import { type Block, type CallBlock, isWire, type ResultBlock, type TextBlock } from "../../model/index.ts"
import { mayStartHeader } from "./scan/header-results.ts"

// Text that quotes a call or the header of a result, written so that no reader takes it for one: a word joiner (U+2060, invisible, without width)
// is between the bracket and the name. `<read_file>` in a text becomes `<⁠read_file>`. The parsers of Cline, Roo and Kilo look for the very tag,
// and a model reads over the mark. The way back takes one joiner away, so a text that has such joiners of its own gets one more wherever they are:
// every text comes back as it was.

const joiner = "\u2060"
const marked = /([<[])\u2060(\u2060*)(?=[A-Za-z_"])/g
const tagStart = /<(?=([A-Za-z_][\w.:-]{0,127}))/g
const lineStart = /^\[(?=[A-Za-z_"])/gm

/** What in a text would be read as something else. */
export interface Quoted {
  /** Names of the tags, with or without their prefix; `all` for any. */
  readonly tags: ReadonlySet<string> | "all"
  readonly headers: boolean
}

/** The text without the marks: what it says. */
export const unquoted = (written: string): string => (written.includes(joiner) ? written.replace(marked, "$1$2") : written)

/** A text as it is written where nothing in it is misread. */
export const writtenText = (text: string): string => (text.includes(joiner) ? text.replace(marked, `$1${joiner}${joiner}$2`) : text)

/** Marks more of what is written already. */
export const quoted = (written: string, { tags, headers }: Quoted): string => {
  const isQuoted = (name: string): boolean => tags === "all" || tags.has(name) || tags.has(name.slice(name.indexOf(":") + 1))
  const inTags = written.replace(tagStart, (bracket, name: string) => (isQuoted(name) ? `${bracket}${joiner}` : bracket))
  if (!headers) return inTags
  return inTags.replace(lineStart, (bracket, at: number) => (mayStartHeader(inTags, at) ? `${bracket}${joiner}` : bracket))
}

export const format = "xml-text"

/** What the block said when it was read: compared by reference, so that any change is noticed. */
type Said =
  | { readonly text: string }
  | { readonly name: string; readonly arguments: CallBlock["arguments"] }
  | { readonly content: ResultBlock["content"] }

export interface Stretch {
  /** Identifies the wire text: its block, or the message whose content is the text. */
  readonly source: object
  readonly text: string
  readonly start: number
  readonly end: number
}

export interface Piece {
  readonly stretches: readonly Stretch[]
  readonly said: Said
}

export const pieceOf = (block: Block): Piece | undefined => {
  const native = block.native?.[format]
  return isWire(native) && Array.isArray(native["stretches"]) ? (native as unknown as Piece) : undefined
}

/** A stretch that is text: without the white space around it, unless it is all of the text. */
export const readText = (stretch: Stretch): TextBlock => {
  const { start, end } = stretch
  const isWhole = start === 0 && end === stretch.text.length
  const text = unquoted(isWhole ? stretch.text : stretch.text.slice(start, end).trim())
  const piece: Piece = { stretches: [stretch], said: { text } }
  return { type: "text", text, native: { [format]: piece } }
}

/** The stretches of a block that still says what it said; undefined when it has to be rewritten. */
export const unchangedStretches = (block: TextBlock | CallBlock | ResultBlock): readonly Stretch[] | undefined => {
  const piece = pieceOf(block)
  if (!piece) return undefined
  const { said } = piece
  switch (block.type) {
    case "text":
      return "text" in said && said.text === block.text ? piece.stretches : undefined
    case "call":
      return "name" in said && said.name === block.name && said.arguments === block.arguments ? piece.stretches : undefined
    case "result":
      return "content" in said && said.content === block.content ? piece.stretches : undefined
  }
}

/** A result in text names its tool, and answers no call that a repair gave another name. */
export const isNamedAs = ({ name }: ResultBlock, call: CallBlock | undefined): boolean => !call || name === undefined || name === call.name

/** Blocks in the making: stretches of one text that follow each other, and are text, become one. */
export class PieceList {
  readonly #blocks: Block[] = []
  #open: Stretch | undefined

  add(block: Block): void {
    this.#close()
    this.#blocks.push(block)
  }

  addText(stretch: Stretch): void {
    const before = this.#open
    if (before?.source !== stretch.source || before.end !== stretch.start) this.#close()
    this.#open = { ...stretch, start: this.#open?.start ?? stretch.start }
  }

  /** The last one, unless it is text. */
  get last(): Block | undefined {
    return this.#open ? undefined : this.#blocks.at(-1)
  }

  replaceLast(block: Block): void {
    this.#blocks[this.#blocks.length - 1] = block
  }

  finish(): readonly Block[] {
    this.#close()
    return this.#blocks
  }

  #close(): void {
    if (this.#open) this.#blocks.push(readText(this.#open))
    this.#open = undefined
  }
}

/** Gives every stretch of blank text between segments to the segment before it: blank text is no block of its own. */
export const coverBlanks = <Segment extends { readonly start: number; readonly end: number }>(
  text: string,
  segments: readonly Segment[],
  isText: (segment: Segment) => boolean,
): readonly { readonly segment: Segment; readonly start: number; readonly end: number }[] => {
  const covered: { segment: Segment; start: number; end: number }[] = []
  let from = 0
  for (const segment of segments) {
    const blank = isText(segment) && text.slice(segment.start, segment.end).trim() === ""
    const last = covered.at(-1)
    if (blank && last) last.end = segment.end
    else if (!blank) covered.push({ segment, start: from, end: segment.end })
    if (!blank || last) from = segment.end
  }
  return covered
}
