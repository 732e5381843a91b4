/**
 * Blocks of the model → blocks of the inner wire format. Calls and results that were text stay text, word for word
 * where nothing changed: the stretches of one wire text, laid together again in their order, are that very text. What
 * came from fields of the record or from blocks of the agent's own goes back untouched.
 */
import {
  type Block,
  type CallBlock,
  isWire,
  type MediaBlock,
  pushAll,
  type ResultBlock,
  text,
  type TextBlock,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { anthropic } from "../../formats/anthropic/index.ts"
import { answerFragment, type Fragment, joinFragments, keptFragments, wholeSource } from "../../formats/xml-text/lower.ts"
import { isNamedAs, pieceOf, unchangedStretches } from "../../formats/xml-text/pieces.ts"
import { renderCall } from "../../formats/xml-text/render.ts"
import type { CallStyle } from "../../formats/xml-text/scan/scan-calls.ts"
import type { Wording } from "../../formats/xml-text/wording.ts"
import { readReasoningFields, rewriteReasoning } from "./reasoning.ts"
import { format, isReasoningItem } from "./records.ts"

const inner = anthropic.format

/** A block, and for a result the call it answers. */
export interface Part {
  readonly block: Block
  readonly call?: CallBlock
}

export interface Lowered {
  readonly blocks: readonly Block[]
  /** Thinking that has no place among the blocks, to be said in a field of the record. */
  readonly reasoning: readonly string[]
}

export const isText = ({ block, call }: Part): boolean =>
  (block.type === "call" && block.style === "xml") || (block.type === "result" && (block.style === "xml" || call?.style === "xml"))

const mediaIn = (result: ResultBlock): readonly MediaBlock[] =>
  result.content.filter((block): block is MediaBlock => block.type === "media")

/** Undefined: a text that was changed. */
const fragmentsOf = (block: TextBlock | CallBlock | ResultBlock, wording: Wording, call?: CallBlock): readonly Fragment[] | undefined => {
  const stretches = unchangedStretches(block)
  if (stretches && (block.type !== "result" || (isNamedAs(block, call) && wording.keeps(stretches))))
    return keptFragments(block.type, stretches, wording)
  if (block.type === "text") return undefined
  if (block.type === "call") {
    const render = (style: CallStyle): string => renderCall(block.name, block.arguments, style)
    return [{ meant: wording.call(render("tag"), () => render("invoke")) }]
  }
  return [answerFragment(block, call)]
}

/** Text that was changed keeps the other fields of its block. */
const changedText = (block: TextBlock, wording: Wording): TextBlock => {
  const meant = wording.text(block.text)
  wording.note(meant.text, [meant])
  const [stretch, ...more] = pieceOf(block)?.stretches ?? []
  const source = more.length === 0 && stretch ? wholeSource(stretch, stretch.end) : block.native?.[inner]
  return source === undefined ? text(meant.text) : { type: "text", text: meant.text, native: { [inner]: source } }
}

/** Undefined: it is in the record beside the content. A text: it has to be said there. */
const lowerThinking = (block: ThinkingBlock, record: Wire | undefined): Block | string | undefined => {
  const own = block.native?.[format]
  if (record !== undefined && own === record) {
    return readReasoningFields(record)?.text === block.text ? undefined : block.text
  }
  if (isWire(own)) {
    if (isReasoningItem(own) && block.tied === true) return undefined
    return { type: "opaque", kind: "reasoning", text: "", native: { [inner]: rewriteReasoning(own, block) } }
  }
  const signed = block.native === undefined ? block.signature !== undefined : Object.hasOwn(block.native, inner)
  return signed ? block : block.text === "" ? undefined : block.text
}

/**
 * `own`: the conversation came from this format, so that calls in text stay text. Calls of other agents become blocks,
 * however they were written.
 */
export const lower = (parts: readonly Part[], record: Wire | undefined, own: boolean, wording: Wording): Lowered => {
  const blocks: Block[] = []
  const reasoning: string[] = []
  let run: Fragment[] = []
  const flush = (): void => {
    pushAll(blocks, joinFragments(run, inner, wording))
    run = []
  }
  for (const part of parts) {
    const { block, call } = part
    const spoken = own && (block.type === "text" || isText(part))
    const fragments = spoken ? fragmentsOf(block as TextBlock | CallBlock | ResultBlock, wording, call) : undefined
    if (fragments) {
      pushAll(run, fragments)
      if (block.type !== "result" || mediaIn(block).length === 0) continue
    }
    flush()
    if (fragments) pushAll(blocks, mediaIn(block as ResultBlock))
    else if (block.type === "text") blocks.push(changedText(block, wording))
    else if (block.type === "thinking") {
      const lowered = lowerThinking(block, record)
      if (typeof lowered === "string") reasoning.push(lowered)
      else if (lowered) blocks.push(lowered)
    } else if (block.type === "opaque" && block.native[format] !== undefined) {
      blocks.push({ ...block, native: { [inner]: block.native[format] } })
    } else if (block.type === "opaque" && (block.native[inner] === undefined || block.kind === "malformed")) {
      // Written as its text, which may look like a call as any other.
      if (block.text !== "") blocks.push(changedText(text(block.text), wording))
    } else blocks.push(block)
  }
  flush()
  return { blocks, reasoning }
}
