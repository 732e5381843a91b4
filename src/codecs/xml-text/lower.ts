/**
 * A conversation with all calls and results as text: calls as XML tags in the assistant's words, results as the user's.
 * The way back from blocks that agents with a text protocol need; every format can carry it. Reading it with this codec
 * gives the same calls and results. Blocks that came from such a text keep their words.
 */
import {
  type AssistantBlock,
  type AssistantMessage,
  asLawful,
  type CallBlock,
  callsOf,
  type Conversation,
  type Exchange,
  type Item,
  mediaNote,
  type ResultBlock,
  resultText,
  text,
  type TextBlock,
  type UserBlock,
  type UserMessage,
} from "../../model/index.ts"
import { type Stretch, unchangedStretches } from "./pieces.ts"
import { renderCall, renderResult } from "./render.ts"

type Speech = TextBlock | CallBlock | ResultBlock

interface Fragment {
  readonly text: string
  readonly stretch?: Stretch
}

/** The first argument that fits on the header line, as such agents show it. */
const hintOf = (call: CallBlock): string | undefined => {
  const [first] = Object.values(call.arguments)
  return typeof first === "string" && first.length <= 80 && !/[\r\n'"\]]/.test(first) ? first : undefined
}

const renderSpeech = (block: Speech, call: CallBlock | undefined): string => {
  if (block.type === "text") return block.text
  if (block.type === "call") return renderCall(block.name, block.arguments, "tag")
  const notes = block.content.flatMap((part) => (part.type === "media" ? [mediaNote(part)] : []))
  const words = [resultText(block), ...notes].filter((part) => part !== "").join("\n")
  return renderResult(call?.name ?? block.name ?? "tool", words, {
    ...(block.error === true && { error: true }),
    ...(call && hintOf(call) !== undefined && { hint: hintOf(call) }),
  })
}

const fragmentsOf = (block: Speech, call?: CallBlock): readonly Fragment[] => {
  const stretches = unchangedStretches(block)
  if (!stretches) return [{ text: renderSpeech(block, call) }]
  return stretches.map((stretch) => ({ text: stretch.text.slice(stretch.start, stretch.end), stretch }))
}

/** Fragments of one wire text, in their order, become that text again; the others stand for themselves. */
const joinFragments = (fragments: readonly Fragment[], nativeFormat: string | undefined): readonly TextBlock[] => {
  const blocks: TextBlock[] = []
  for (let index = 0; index < fragments.length; ) {
    const first = fragments[index] as Fragment
    let joined = first.text
    let end = index + 1
    for (let last = first.stretch; last; end++) {
      const next = fragments[end]?.stretch
      if (next?.source !== last.source || next.start !== last.end) break
      joined += (fragments[end] as Fragment).text
      last = next
    }
    const whole = first.stretch && joined === first.stretch.text && "type" in first.stretch.source
    const native = whole && nativeFormat !== undefined && { native: { [nativeFormat]: first.stretch.source } }
    const words = whole ? joined : joined.trim()
    if (words !== "") blocks.push({ ...text(words), ...native })
    index = end
  }
  return blocks
}

export interface LowerOptions {
  /** The format whose native values the text pieces came with; given by the codec of that text. */
  readonly nativeFormat?: string
}

export const lowerToText = (conversation: Conversation, options: LowerOptions = {}): Conversation => {
  const { nativeFormat } = options
  const rekey = <Value extends { readonly native?: Readonly<Record<string, unknown>> }>(value: Value): Value => {
    const wire = value.native?.["xml-text"]
    return nativeFormat === undefined || wire === undefined ? value : { ...value, native: { [nativeFormat]: wire } }
  }

  const speak = (blocks: readonly AssistantBlock[]): readonly AssistantBlock[] => {
    const out: AssistantBlock[] = []
    let run: Fragment[] = []
    const flush = (): void => {
      out.push(...joinFragments(run, nativeFormat))
      run = []
    }
    for (const block of blocks) {
      if (block.type === "text" || block.type === "call") run.push(...fragmentsOf(block))
      else {
        flush()
        out.push(block)
      }
    }
    flush()
    return out
  }

  const assistant = (message: AssistantMessage): readonly Item[] => {
    const blocks = speak(message.blocks)
    return blocks.length === 0 ? [] : [{ role: "exchange", message: { ...rekey(message), blocks }, outcomes: [] }]
  }

  const answers = (exchange: Exchange): readonly Item[] => {
    const calls = callsOf(exchange)
    const byCarrier: { carrier: Exchange["outcomes"][number]["carrier"]; fragments: Fragment[]; media: UserBlock[] }[] = []
    exchange.outcomes.forEach((outcome, index) => {
      if (!outcome.result) return
      let group = byCarrier.at(-1)
      if (!group || group.carrier !== outcome.carrier) {
        group = { carrier: outcome.carrier, fragments: [], media: [] }
        byCarrier.push(group)
      }
      group.fragments.push(...fragmentsOf(outcome.result, calls[index]))
      group.media.push(...outcome.result.content.filter((block) => block.type === "media"))
    })
    return byCarrier.map(({ carrier, fragments, media }): UserMessage => {
      const message: UserMessage = { role: "user", blocks: [...joinFragments(fragments, nativeFormat), ...media] }
      return carrier ? rekey({ ...message, native: carrier }) : message
    })
  }

  const items = conversation.items.flatMap((item): readonly Item[] => {
    if (item.role === "exchange") {
      return [...assistant(item.message), ...answers(item), ...(item.reply ? assistant(item.reply) : [])]
    }
    const blocks = item.blocks.flatMap((block): readonly UserBlock[] =>
      block.type === "text" ? joinFragments(fragmentsOf(block), nativeFormat) : [block],
    )
    return [{ ...rekey(item), blocks } as Item]
  })
  return asLawful({ ...rekey(conversation), items })
}
