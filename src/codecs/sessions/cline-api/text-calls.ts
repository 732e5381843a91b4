/**
 * Which calls in text are meant. A file with call blocks may have switched its style half-way, so text can hold calls
 * there; but a model that calls with blocks also writes about tags. A text call that nothing answers is taken for words
 * where it stands beside call blocks, or where the nearest call that is beyond doubt is a block.
 */
import type { Block, Message, TextBlock } from "../../../model/index.ts"
import { xmlText } from "../../xml-text/index.ts"
import type { Piece, Stretch } from "../../xml-text/pieces.ts"

type Style = "xml" | "block"

const isTextCall = (block: Block): boolean => block.type === "call" && block.style === "xml"

const isOpenTextCall = (block: Block, answered: ReadonlySet<string>): boolean =>
  block.type === "call" && block.style === "xml" && !answered.has(block.id)

const stretchesOf = (block: Block): readonly Stretch[] => {
  const piece = block.native?.[xmlText.format] as Piece | undefined
  return piece?.stretches ?? []
}

const textOf = (stretch: Stretch): TextBlock => {
  const text = stretch.text.slice(stretch.start, stretch.end).trim()
  const piece: Piece = { stretches: [stretch], said: { text } }
  return { type: "text", text, native: { [xmlText.format]: piece } }
}

/** The blocks with some calls as words again, joined with the words around them. */
const asWords = (blocks: readonly Block[], withdrawn: ReadonlySet<Block>): readonly Block[] => {
  const out: Block[] = []
  for (const block of blocks) {
    const [stretch, ...more] = block.type === "text" || withdrawn.has(block) ? stretchesOf(block) : []
    if (!stretch || more.length > 0) {
      out.push(block)
      continue
    }
    const last = out.at(-1)
    const [before] = last?.type === "text" ? stretchesOf(last) : []
    if (before?.source === stretch.source && before.end === stretch.start) {
      out[out.length - 1] = textOf({ ...before, end: stretch.end })
    } else out.push(withdrawn.has(block) ? textOf(stretch) : block)
  }
  return out
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

export const withdrawDoubtfulCalls = (messages: readonly Message[]): readonly Message[] => {
  const answered = new Set<string>()
  let inText = false
  let inBlocks = false
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (block.type === "result" && block.style === "xml") answered.add(block.callId)
      if (isTextCall(block)) inText = true
      else if (block.type === "call") inBlocks = true
    }
  }
  if (!inText || !inBlocks) return messages
  const styles = messages.map((message) => styleOf(message, answered))
  let nearest = styles.find((style) => style !== undefined)
  return messages.map((message, index) => {
    const style = styles[index]
    nearest = style ?? nearest
    if (nearest !== "block") return message
    const withdrawn = new Set(message.blocks.filter((block) => isOpenTextCall(block, answered)))
    return withdrawn.size === 0 ? message : { ...message, blocks: asWords(message.blocks, withdrawn) }
  })
}
