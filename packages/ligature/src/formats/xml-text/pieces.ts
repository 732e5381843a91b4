/**
 * Pieces: which stretch of which wire text a block was read from. The pieces of a text cover it without gap, so that a
 * text whose blocks are all unchanged goes back as the very same wire value, and the words of a changed one as they were.
 */
import { type Block, type CallBlock, isWire, type ResultBlock, type TextBlock } from "../../model/index.ts"
import { unquoted } from "./quoted-text.ts"

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

/** The stretches of a block that still says what it said; undefined when it has to be written anew. */
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

/** Gives every stretch of blank text between segments to the segment in front of it: blank text is no block of its own. */
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
