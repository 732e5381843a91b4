/**
 * A conversation as the parts a session file is made of, in order: replies, single results, words on the user's side.
 * Each block stands beside its wire value, which the inner codec writes: where nobody touched it, the very same object
 * as in the file.
 */
import {
  type Block,
  type CallBlock,
  callsOf,
  type Conversation,
  isWire,
  type Message,
  type Native,
  type Outcome,
  text,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { encodeMessage } from "../../formats/anthropic/encode.ts"
import { anthropic as inner } from "../../formats/anthropic/index.ts"

export interface Part {
  readonly kind: "reply" | "words" | "result"
  readonly blocks: readonly Block[]
  /** One for each block. */
  readonly wires: readonly Wire[]
  /** The records it was read from; empty for what is new. */
  readonly records: readonly number[]
  /** The call a result answers. */
  readonly call?: CallBlock
  readonly model?: string
  readonly summary?: true
  readonly system?: true
}

/** Stands in front of what another agent was told as a system message: here it can only be a note to the model. */
const systemLabel = "[System message]"

const recordsIn = (native: Native | undefined, format: string): readonly number[] => {
  const own = native?.[format]
  const records = isWire(own) ? own["records"] : undefined
  return Array.isArray(records) ? records : []
}

class PartReader {
  readonly parts: (Omit<Part, "wires"> & { readonly first: number })[] = []
  /** The blocks of all parts in one list, to be written in one go. */
  readonly blocks: Block[] = []
  private readonly conversation: Conversation
  private readonly format: string

  constructor(conversation: Conversation, format: string) {
    this.conversation = conversation
    this.format = format
  }

  read(): void {
    for (const item of this.conversation.items) {
      if (item.role === "exchange") {
        this.message(item.message)
        const calls = item.outcomes.length > 0 ? callsOf(item) : []
        item.outcomes.forEach((outcome, index) => this.outcome(outcome, calls[index]))
        if (item.reply) this.message(item.reply)
      } else this.message(item)
    }
  }

  private message(message: Message): void {
    const system = message.role === "system"
    const said = message.blocks.filter((block) => this.isSayable(block, message))
    const blocks = system && said.length > 0 ? [text(systemLabel), ...said] : said
    if (blocks.length === 0) return
    const model = message.origin?.model ?? (message.role === "assistant" ? this.conversation.origin?.model : undefined)
    this.add({
      kind: message.role === "assistant" ? "reply" : "words",
      blocks,
      records: recordsIn(message.native, this.format),
      ...(model !== undefined && { model }),
      ...(message.summary === true && { summary: true as const }),
      ...(system && { system: true as const }),
    })
  }

  private outcome({ result, carrier }: Outcome, call: CallBlock | undefined): void {
    if (!result) return
    this.add({ kind: "result", blocks: [result], records: recordsIn(carrier, this.format), ...(call && { call }) })
  }

  private add(part: Omit<Part, "wires">): void {
    this.parts.push({ ...part, first: this.blocks.length })
    for (const block of part.blocks) this.blocks.push(block)
  }

  private isSayable(block: Block, message: Message): boolean {
    if (block.type === "thinking") return this.isOwnThinking(block, message)
    const own = block.native !== undefined && Object.hasOwn(block.native, inner.format)
    return block.type !== "opaque" || block.text !== "" || own
  }

  /** Thinking is taken back only by the provider that signed it (L10). */
  private isOwnThinking(block: ThinkingBlock, message: Message): boolean {
    if (block.native !== undefined) return Object.hasOwn(block.native, inner.format)
    const provider = message.origin?.provider ?? this.conversation.origin?.provider
    return block.signature !== undefined && provider === inner.format
  }
}

/** The inner codec writes blocks of any kind in the message it is given. */
const writeBlocks = (blocks: readonly Block[]): readonly Wire[] => {
  const content = encodeMessage("user", blocks)?.["content"]
  return Array.isArray(content) ? content : []
}

export const partsOf = (conversation: Conversation, format: string): readonly Part[] => {
  const reader = new PartReader(conversation, format)
  reader.read()
  const wires = writeBlocks(reader.blocks)
  return reader.parts.map(({ first, ...part }) => ({ ...part, wires: wires.slice(first, first + part.blocks.length) }))
}
