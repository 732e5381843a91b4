/**
 * Which calls in text are meant. A file with call blocks may have switched its style half-way, so text can hold calls
 * there; but a model that calls with blocks also writes about tags. A text call that nothing answers is taken for words
 * where it stands beside call blocks, or where the nearest call that is beyond doubt is a block.
 */
import type { Block, CallBlock, Message } from "../../model/index.ts"
import { format, type Piece, PieceList, type Stretch } from "./pieces.ts"

type Style = "xml" | "block"

const isOpenTextCall = (block: Block, answered: ReadonlySet<string>): block is CallBlock =>
  block.type === "call" && block.style === "xml" && !answered.has(block.id)

const stretchesOf = (block: Block): readonly Stretch[] => {
  const piece = block.native?.[format] as Piece | undefined
  return piece?.stretches ?? []
}

/** The blocks with some calls as words again, joined with the words around them. */
const asWords = (blocks: readonly Block[], withdrawn: ReadonlySet<Block>): readonly Block[] => {
  const out = new PieceList()
  for (const block of blocks) {
    const [stretch, ...more] = block.type === "text" || withdrawn.has(block) ? stretchesOf(block) : []
    if (!stretch || more.length > 0) out.add(block)
    else out.addText(stretch)
  }
  return out.finish()
}

/** The style of the calls in a message that are beyond doubt. */
const styleOf = (message: Message, answered: ReadonlySet<string>): Style | undefined => {
  let style: Style | undefined
  for (const block of message.blocks) {
    if (block.type !== "call") continue
    if (block.style !== "xml") return "block"
    if (answered.has(block.id)) style = "xml"
  }
  return style
}

export interface TextCalls {
  readonly messages: readonly Message[]
  /** Calls that are words again, with the message they stand in. */
  readonly withdrawn: readonly { readonly message: number; readonly call: CallBlock }[]
}

export const withdrawDoubtfulCalls = (messages: readonly Message[]): TextCalls => {
  const answered = new Set<string>()
  let inText = false
  let inBlocks = false
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (block.type === "result" && block.style === "xml") answered.add(block.callId)
      if (block.type !== "call") continue
      if (block.style === "xml") inText = true
      else inBlocks = true
    }
  }
  if (!inText || !inBlocks) return { messages, withdrawn: [] }
  const styles = messages.map((message) => styleOf(message, answered))
  const withdrawn: { message: number; call: CallBlock }[] = []
  let nearest = styles.find((style) => style !== undefined)
  const kept = messages.map((message, index) => {
    nearest = styles[index] ?? nearest
    if (nearest !== "block") return message
    const calls = message.blocks.filter((block) => isOpenTextCall(block, answered))
    if (calls.length === 0) return message
    for (const call of calls) withdrawn.push({ message: index, call })
    return { ...message, blocks: asWords(message.blocks, new Set<Block>(calls)) }
  })
  return { messages: kept, withdrawn }
}
