/**
 * A conversation with all calls and results as text: calls as XML tags in the assistant's words, results as the user's.
 * The way back from blocks that agents with a text protocol need; every format can carry it. Reading it with this codec
 * gives the same calls and results. Blocks that came from such a text keep their words.
 */
import {
  asLawful,
  type AssistantBlock,
  type AssistantMessage,
  type CallBlock,
  canonicalJson,
  callsOf,
  type Conversation,
  type Exchange,
  isWire,
  type Item,
  mediaNote,
  type Native,
  pushAll,
  type ResultBlock,
  resultText,
  text,
  type TextBlock,
  type UserBlock,
  type UserMessage,
  type Wire,
} from "../../model/index.ts"
import { type KnownTool, knownTools } from "../known-tools.ts"
import { type Stretch, unchangedStretches } from "./pieces.ts"
import { renderCall, renderResult } from "./render.ts"
import { scanCalls } from "./scan/scan-calls.ts"
import { gap, spokenWords } from "./spoken-calls.ts"

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

type Schemas = ReadonlyMap<string, Wire>

const renderSpeech = (block: Speech, call: CallBlock | undefined, schemas: Schemas): string => {
  if (block.type === "text") return block.text
  if (block.type === "call") return renderCall(block.name, block.arguments, "tag", schemas.get(block.name))
  const notes = block.content.flatMap((part) => (part.type === "media" ? [mediaNote(part)] : []))
  const words = [resultText(block), ...notes].filter((part) => part !== "").join("\n")
  return renderResult(call?.name ?? block.name ?? "tool", words, {
    ...(block.error === true && { error: true }),
    ...(call && hintOf(call) !== undefined && { hint: hintOf(call) }),
  })
}

const fragmentsOf = (block: Speech, schemas: Schemas, call?: CallBlock): readonly Fragment[] => {
  const stretches = unchangedStretches(block)
  const spoken = block.type === "call" ? spokenWords(block) : undefined
  if (!stretches) return [{ text: spoken ?? renderSpeech(block, call, schemas) }]
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

/**
 * Words and calls in one text, as models write them. Undefined where that would be read as something else: after an open
 * code fence, say, a call is an example of one.
 */
const inOneText = (run: readonly Spoken[], schemas: Schemas): TextBlock | undefined => {
  const calls = run.flatMap(({ block }) => (block.type === "call" ? [block] : []))
  if (calls.length === 0 || run.length < 2 || run.some(({ fragments }) => fragments.some(({ stretch }) => stretch))) return undefined
  const joined = run.reduce((before, { block, fragments }, index) => {
    const said = fragments.map((fragment) => fragment.text).join("")
    return index === 0 || isGlued(run[index - 1]?.block, block) ? `${before}${said}` : `${before}${gap}${said}`
  }, "")
  const read = scanCalls(joined, { tools: calls.map(({ name }) => name), schemas }).flatMap((segment): readonly string[] => {
    if (segment.kind === "call") return [`${segment.name} ${canonicalJson(segment.arguments)}`]
    const words = joined.slice(segment.start, segment.end).trim()
    return words === "" ? [] : [words]
  })
  const meant = run.map(({ block }) =>
    block.type === "call" ? `${block.name} ${canonicalJson(block.arguments)}` : block.text.trim(),
  )
  return read.length === meant.length && read.every((part, index) => part === meant[index]) ? text(joined) : undefined
}

/** Whether the white space between two blocks is among the words of a call. */
const isGlued = (before: Spoken["block"] | undefined, block: Spoken["block"]): boolean => {
  if (block.type === "call") return spokenWords(block) !== undefined
  return before?.type === "call" && spokenWords(before) !== undefined
}

interface Spoken {
  readonly block: TextBlock | CallBlock
  readonly fragments: readonly Fragment[]
}

export interface LowerOptions {
  /** The format whose native values the text pieces came with; given by the codec of that text. */
  readonly nativeFormat?: string
  /** The tools there are: readers know their schemas. Those that the request around the conversation declares are known anyway. */
  readonly tools?: readonly KnownTool[] | undefined
}

/** The schemas of the tools that the request around the conversation declares: whoever reads it knows them too. */
const declaredIn = ({ native = {} }: Conversation): Schemas =>
  new Map(Object.values(native).flatMap((body) => (isWire(body) ? [...knownTools(body["tools"]).schemas] : [])))

/** Results as text are words of the user: a wire message that only tools may have sent cannot carry them. */
const usersOwn = (carrier: Native | undefined): Native | undefined =>
  carrier && Object.values(carrier).every((wire) => isWire(wire) && wire["role"] === "user") ? carrier : undefined

export const lowerToText = (conversation: Conversation, options: LowerOptions = {}): Conversation => {
  const { nativeFormat } = options
  const schemas = new Map([...declaredIn(conversation), ...knownTools(options.tools).schemas])
  const rekey = <Value extends { readonly native?: Readonly<Record<string, unknown>> }>(value: Value): Value => {
    const wire = value.native?.["xml-text"]
    return nativeFormat === undefined || wire === undefined ? value : { ...value, native: { [nativeFormat]: wire } }
  }

  const speak = (blocks: readonly AssistantBlock[]): readonly AssistantBlock[] => {
    const out: AssistantBlock[] = []
    let run: Spoken[] = []
    const flush = (): void => {
      const whole = inOneText(run, schemas)
      pushAll(out, whole ? [whole] : joinFragments(run.flatMap(({ fragments }) => fragments), nativeFormat))
      run = []
    }
    for (const block of blocks) {
      if (block.type === "text" || block.type === "call") run.push({ block, fragments: fragmentsOf(block, schemas) })
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
    const byCarrier: { carrier: Native | undefined; fragments: Fragment[]; media: UserBlock[] }[] = []
    exchange.outcomes.forEach((outcome, index) => {
      if (!outcome.result) return
      const carrier = usersOwn(outcome.carrier)
      let group = byCarrier.at(-1)
      if (!group || group.carrier !== carrier) {
        group = { carrier, fragments: [], media: [] }
        byCarrier.push(group)
      }
      pushAll(group.fragments, fragmentsOf(outcome.result, schemas, calls[index]))
      pushAll(group.media, outcome.result.content.filter((block) => block.type === "media"))
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
      block.type === "text" ? joinFragments(fragmentsOf(block, schemas), nativeFormat) : [block],
    )
    return [{ ...rekey(item), blocks } as Item]
  })
  return asLawful({ ...rekey(conversation), items })
}
