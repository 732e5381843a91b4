/**
 * Results in text under another name than the call's: `use_subagents` is answered by `[subagents] Result:`. The reader
 * of calls in text wants equal names, because a user may write such a line too. Here the call is a block that nothing
 * else answers, and it is the only one: what is reported in the message after it is its result.
 */
import type { Block, CallBlock, Message, ResultBlock, TextBlock } from "../../model/index.ts"
import { coverBlanks, type Piece, pieceOf, readText, type Stretch } from "../../formats/xml-text/pieces.ts"
import { xmlText } from "../../formats/xml-text/index.ts"
import { scanResultBlocks } from "../../formats/xml-text/scan/scan-results.ts"

/** The one call block of a message that the next message does not answer. */
const onlyOpenCall = (asking: Message, answering: Message): CallBlock | undefined => {
  const answered = new Set<string>()
  for (const block of answering.blocks) {
    if (block.type !== "result") continue
    if (block.style === "xml") return undefined
    answered.add(block.callId)
  }
  const open = asking.blocks.filter((block): block is CallBlock => block.type === "call" && !answered.has(block.id))
  return open.length === 1 && open[0]?.style === undefined ? open[0] : undefined
}

const wholeStretch = (block: Block): Stretch | undefined => {
  const [stretch, ...more] = block.type === "text" ? (pieceOf(block)?.stretches ?? []) : []
  return more.length === 0 && stretch?.start === 0 && stretch.end === stretch.text.length ? stretch : undefined
}

const native = (piece: Piece): { readonly native: { readonly [name: string]: unknown } } => ({
  native: { [xmlText.format]: piece },
})

const resultOf = (call: CallBlock, body: string, stretches: readonly Stretch[]): ResultBlock => {
  const content: readonly TextBlock[] = body === "" ? [] : [{ type: "text", text: body }]
  const piece: Piece = { stretches, said: { content } }
  return { type: "result", callId: call.id, name: call.name, content, style: "xml", ...native(piece) }
}

const answered = (message: Message, call: CallBlock): Message => {
  const stretches = message.blocks.map(wholeStretch)
  const spoken = stretches.flatMap((stretch) => (stretch ? [stretch] : []))
  const { blocks: scans, results } = scanResultBlocks(spoken.map((stretch) => stretch.text))
  const [found, ...more] = results
  if (!found || more.length > 0) return message
  const { error, denied } = found.result
  const fate = { ...(error === true && { error }), ...(denied === true && { denied }) }
  let position = -1
  const read = message.blocks.flatMap((block, index): readonly Block[] => {
    const stretch = stretches[index]
    if (!stretch) return [block]
    position++
    if (position === found.bodyBlock && found.bodyBlock !== found.block) return []
    if (position !== found.block) return [block]
    const body = found.bodyBlock === found.block ? [] : spoken.slice(found.bodyBlock, found.bodyBlock + 1)
    const segments = scans[position]?.segments ?? []
    return coverBlanks(stretch.text, segments, ({ kind }) => kind === "text").map(({ segment, start, end }) => {
      const part = { ...stretch, start, end }
      return segment.kind === "result" ? { ...resultOf(call, found.text, [part, ...body]), ...fate } : readText(part)
    })
  })
  return { ...message, blocks: read }
}

export const readRenamedAnswers = (messages: readonly Message[]): readonly Message[] =>
  messages.map((message, index) => {
    const before = messages[index - 1]
    if (message.role !== "user" || before?.role !== "assistant") return message
    const call = onlyOpenCall(before, message)
    return call ? answered(message, call) : message
  })
