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
  mediaNote,
  pushAll,
  type ResultBlock,
  resultText,
  text,
  type TextBlock,
  type ThinkingBlock,
  type Wire,
} from "../../../model/index.ts"
import { anthropic } from "../../anthropic/index.ts"
import { pieceOf, type Stretch, unchangedStretches } from "../../xml-text/pieces.ts"
import { renderCall, renderResult } from "../../xml-text/render.ts"
import type { Part } from "../written/sections.ts"
import { readReasoningFields, rewriteReasoning } from "./reasoning.ts"
import { format, isReasoningItem } from "./records.ts"

const inner = anthropic.format

interface Fragment {
  readonly text: string
  readonly stretch?: Stretch
}

export interface Lowered {
  readonly blocks: readonly Block[]
  /** Thinking that has no place among the blocks, to be said in a field of the record. */
  readonly reasoning: readonly string[]
}

export const isText = ({ block, call }: Part): boolean =>
  (block.type === "call" && block.style === "xml") ||
  (block.type === "result" && (block.style === "xml" || call?.style === "xml"))

/** The first argument that fits on the header line, as these agents show it. */
const hintOf = (call: CallBlock | undefined): string | undefined => {
  const [first] = call ? Object.values(call.arguments) : []
  return typeof first === "string" && first.length <= 80 && !/[\r\n'"\]]/.test(first) ? first : undefined
}

const mediaIn = (result: ResultBlock): readonly MediaBlock[] =>
  result.content.filter((block): block is MediaBlock => block.type === "media")

/** A call or result as these agents write it into text. */
export const renderPart = (block: CallBlock | ResultBlock, call: CallBlock | undefined): string => {
  if (block.type === "call") return renderCall(block.name, block.arguments, "tag")
  const words = [resultText(block), ...mediaIn(block).map(mediaNote)].filter((part) => part !== "").join("\n")
  const hint = hintOf(call)
  return renderResult(call?.name ?? block.name ?? "tool", words, {
    ...(block.error === true && { error: true }),
    ...(hint !== undefined && { hint }),
  })
}

const fragmentsOf = (block: TextBlock | CallBlock | ResultBlock, call?: CallBlock): readonly Fragment[] | undefined => {
  const stretches = unchangedStretches(block)
  if (stretches) return stretches.map((stretch) => ({ text: stretch.text.slice(stretch.start, stretch.end), stretch }))
  return block.type === "text" ? undefined : [{ text: renderPart(block, call) }]
}

/** The wire block a text came from, when it is all of it. */
const wholeSource = (stretch: Stretch | undefined, length: number): Wire | undefined => {
  if (!stretch || stretch.start !== 0 || length !== stretch.text.length) return undefined
  const source = stretch.source as Wire
  return source["type"] === "text" && !("role" in source) ? source : undefined
}

const joinFragments = (fragments: readonly Fragment[], out: Block[]): void => {
  for (let index = 0; index < fragments.length; ) {
    const { text: first, stretch } = fragments[index] as Fragment
    let joined = first
    let end = index + 1
    for (let last = stretch; last; end++) {
      const next = fragments[end]?.stretch
      if (next?.source !== last.source || next.start !== last.end) break
      joined += (fragments[end] as Fragment).text
      last = next
    }
    // What stood between the parts of a text goes with it; what was written anew is as it should be.
    const whole = stretch === undefined || (stretch.start === 0 && joined.length === stretch.text.length)
    const source = wholeSource(stretch, joined.length)
    const words = whole ? joined : joined.trim()
    if (words.trim() !== "") out.push(source ? { type: "text", text: words, native: { [inner]: source } } : text(words))
    index = end
  }
}

/** Text that was changed keeps the other fields of its block. */
const changedText = (block: TextBlock): TextBlock => {
  const [stretch, ...more] = pieceOf(block)?.stretches ?? []
  const source = more.length === 0 && stretch ? wholeSource(stretch, stretch.end) : undefined
  if (source) return { type: "text", text: block.text, native: { [inner]: source } }
  return block.native?.[inner] === undefined ? text(block.text) : block
}

/** Undefined: it stands in the record beside the content. A text: it has to be said there. */
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
export const lower = (parts: readonly Part[], record: Wire | undefined, own: boolean): Lowered => {
  const blocks: Block[] = []
  const reasoning: string[] = []
  let run: Fragment[] = []
  const flush = (): void => {
    if (run.length > 0) joinFragments(run, blocks)
    run = []
  }
  for (const part of parts) {
    const { block, call } = part
    const spoken = own && (block.type === "text" || isText(part))
    const fragments = spoken ? fragmentsOf(block as TextBlock | CallBlock | ResultBlock, call) : undefined
    if (fragments) {
      pushAll(run, fragments)
      if (block.type !== "result" || mediaIn(block).length === 0) continue
    }
    flush()
    if (fragments) pushAll(blocks, mediaIn(block as ResultBlock))
    else if (block.type === "text") blocks.push(changedText(block))
    else if (block.type === "thinking") {
      const lowered = lowerThinking(block, record)
      if (typeof lowered === "string") reasoning.push(lowered)
      else if (lowered) blocks.push(lowered)
    } else if (block.type === "opaque" && block.native[format] !== undefined) {
      blocks.push({ ...block, native: { [inner]: block.native[format] } })
    } else blocks.push(block)
  }
  flush()
  return { blocks, reasoning }
}
