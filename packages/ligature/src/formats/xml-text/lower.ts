/**
 * A conversation with all calls and results as text: calls as XML tags in the assistant's words, results as the user's.
 * The way back from blocks that agents with a text protocol need; every format can carry it. Reading it with this codec
 * gives the same calls and results. Blocks that came from such a text keep their words.
 */
import {
  type AssistantBlock,
  type AssistantMessage,
  type Block,
  type CallBlock,
  callsOf,
  canonicalJson,
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
import { withItems } from "../../rules/index.ts"
import { anthropic } from "../anthropic/index.ts"
import type { EncodeOptions } from "../engine/codec.ts"
import { type KnownTool, knownTools } from "../engine/tools.ts"
import { decode } from "./decode.ts"
import { format, isNamedAs, type Stretch, unchangedStretches } from "./pieces.ts"
import { renderCall, renderResult } from "./render.ts"
import { type CallStyle, scanCalls } from "./scan/scan-calls.ts"
import { gap, spokenWords } from "./spoken-calls.ts"
import { type Meant, placedItems, Wording } from "./wording.ts"

// Texts, calls and results as the texts that are written. Fragments of one wire text, in their order, become that very text again; the others are
// for themselves.

export interface Fragment {
  readonly meant: Meant
  readonly stretch?: Stretch
}

/** The stretches of a block that did not change. */
export const keptFragments = (kind: Meant["kind"], stretches: readonly Stretch[], wording: Wording): readonly Fragment[] =>
  stretches.map((stretch) => {
    const written = stretch.text.slice(stretch.start, stretch.end)
    const meant = kind === "text" ? wording.keptText(written) : { kind, plain: written, text: written, fresh: false }
    return { meant, stretch }
  })

/** The first argument that fits on the header line, as such agents show it. */
const hintOf = (call: CallBlock | undefined): string | undefined => {
  const [first] = call ? Object.values(call.arguments) : []
  return typeof first === "string" && first !== "" && first.length <= 80 && !/[\r\n'"\]]/.test(first) ? first : undefined
}

/** A result that is rewritten. */
export const answerFragment = (result: ResultBlock, call: CallBlock | undefined): Fragment => {
  const notes = result.content.flatMap((part) => (part.type === "media" ? [mediaNote(part)] : []))
  const said = [resultText(result), ...notes].filter((part) => part !== "").join("\n")
  const hint = hintOf(call)
  const written = renderResult(call?.name ?? result.name ?? "tool", said, {
    ...(result.error === true && { error: true }),
    ...(hint !== undefined && { hint }),
  })
  return { meant: { kind: "result", plain: written, text: written, fresh: true } }
}

/** The wire block that a stretch is the whole of. */
export const wholeSource = (stretch: Stretch | undefined, length: number): Wire | undefined => {
  if (!stretch || stretch.start !== 0 || length !== stretch.text.length) return undefined
  const source = stretch.source as Wire
  return source["type"] === "text" && !("role" in source) ? source : undefined
}

/** `nativeFormat`: the format whose text blocks the stretches came from. */
export const joinFragments = (fragments: readonly Fragment[], nativeFormat: string | undefined, wording: Wording): readonly TextBlock[] => {
  const blocks: TextBlock[] = []
  for (let index = 0; index < fragments.length;) {
    const { meant, stretch } = fragments[index] as Fragment
    const parts = [meant]
    let last = stretch
    for (let next = fragments[index + parts.length]; last; next = fragments[index + parts.length]) {
      if (next?.stretch?.source !== last.source || next.stretch.start !== last.end) break
      parts.push(next.meant)
      last = next.stretch
    }
    const joined = parts.map((part) => part.text).join("")
    const covers = stretch === undefined || (stretch.start === 0 && last?.end === stretch.text.length)
    // White space between the parts of a text goes with it; what was rewritten is as it should be.
    const written = covers ? joined : joined.trim()
    if (written.trim() !== "") {
      const source = covers && nativeFormat !== undefined ? wholeSource(stretch, last?.end ?? 0) : undefined
      blocks.push(source ? { native: { [nativeFormat as string]: source }, ...text(written) } : text(written))
      const isKept = covers && written === stretch?.text
      wording.note(written, parts, isKept ? { source: stretch.source } : { offset: covers ? 0 : joined.trimStart().length - joined.length })
    }
    index += parts.length
  }
  return blocks
}

type Speech = TextBlock | CallBlock | ResultBlock

type Schemas = ReadonlyMap<string, Wire>

interface Writing {
  readonly schemas: Schemas
  readonly wording: Wording
}

const fragmentsOf = (block: Speech, { schemas, wording }: Writing, call?: CallBlock): readonly Fragment[] => {
  const stretches = unchangedStretches(block)
  if (stretches && (block.type !== "result" || (isNamedAs(block, call) && wording.keeps(stretches))))
    return keptFragments(block.type, stretches, wording)
  if (block.type === "text") return [{ meant: wording.text(block.text) }]
  if (block.type === "result") return [answerFragment(block, call)]
  const spoken = spokenWords(block)
  if (spoken !== undefined) return [{ meant: { kind: "call", plain: spoken, text: spoken, fresh: false } }]
  const render = (style: CallStyle): string => renderCall(block.name, block.arguments, style, schemas.get(block.name))
  return [{ meant: wording.call(render("tag"), () => render("invoke")) }]
}

/**
 * Words and calls in one text, as models write them. Undefined where that would be read as something else: after an open
 * code fence, say, a call is an example of one.
 */
const inOneText = (run: readonly Spoken[], { schemas, wording }: Writing): TextBlock | undefined => {
  const calls = run.flatMap(({ block }) => (block.type === "call" ? [block] : []))
  if (calls.length === 0 || run.length < 2 || run.some(({ fragments }) => fragments.some(({ stretch }) => stretch))) return undefined
  const parts: Meant[] = []
  run.forEach(({ block, fragments }, index) => {
    if (index > 0 && !isGlued(run[index - 1]?.block, block)) parts.push({ kind: "gap", plain: gap, text: gap, fresh: true })
    for (const { meant } of fragments) parts.push(meant)
  })
  const joined = parts.map((part) => part.text).join("")
  const read = scanCalls(joined, { tools: calls.map(({ name }) => name), schemas }).flatMap((segment): readonly string[] => {
    if (segment.kind === "call") return [`${segment.name} ${canonicalJson(segment.arguments)}`]
    const words = joined.slice(segment.start, segment.end).trim()
    return words === "" ? [] : [words]
  })
  const meant = run.map(({ block, fragments }) =>
    block.type === "call"
      ? `${block.name} ${canonicalJson(block.arguments)}`
      : fragments
          .map((part) => part.meant.text)
          .join("")
          .trim(),
  )
  if (read.length !== meant.length || read.some((part, index) => part !== meant[index])) return undefined
  wording.note(joined, parts)
  return text(joined)
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

/** What the user side says in one message, results as text among it. */
interface UserTurn {
  readonly message: UserMessage
  readonly parts: readonly (Fragment | UserBlock)[]
}

interface LowerOptions {
  /** The format whose native values the text pieces came with; given by the codec of that text. */
  readonly nativeFormat?: string
  /** The tools there are: readers know their schemas. Those that the request around the conversation declares are known anyway. */
  readonly tools?: readonly KnownTool[] | undefined
  /** Results that say only that a call was interrupted: a call in text needs none. Default `write`. */
  readonly placeholders?: "write" | "omit" | undefined
  readonly callsAsText?: EncodeOptions["callsAsText"]
  readonly onChange?: EncodeOptions["onChange"]
}

/** The schemas of the tools that the request around the conversation declares: whoever reads it knows them too. */
const declaredIn = ({ native = {} }: Conversation): Schemas =>
  new Map(Object.values(native).flatMap((body) => (isWire(body) ? [...knownTools(body["tools"]).schemas] : [])))

/** Results as text are words of the user: a wire message that only tools may have sent cannot carry them. */
const usersOwn = (carrier: Native | undefined): Native | undefined =>
  carrier && Object.values(carrier).every((wire) => isWire(wire) && wire["role"] === "user") ? carrier : undefined

/** The conversation as it is written, worded so that reading it gives the same texts, calls and results. */
export const lowerToText = (conversation: Conversation, options: LowerOptions = {}): Conversation => {
  const schemas = new Map([...declaredIn(conversation), ...knownTools(options.tools).schemas])
  const wording = new Wording(options.callsAsText)
  const reading = options.tools ? { tools: options.tools } : {}
  for (;;) {
    const lowered = lowerOnce(conversation, { schemas, wording }, options)
    if (wording.corrects(() => decode(anthropic.encode(lowered), reading).messages)) continue
    if (options.onChange) wording.report(placedItems(conversation)).forEach(options.onChange)
    return lowered
  }
}

const lowerOnce = (conversation: Conversation, writing: Writing, { nativeFormat, placeholders }: LowerOptions): Conversation => {
  const { wording } = writing
  const omitted = placeholders === "omit"
  const rekey = <Value extends { readonly native?: Readonly<Record<string, unknown>> }>(value: Value): Value => {
    const wire = value.native?.["xml-text"]
    return nativeFormat === undefined || wire === undefined ? value : { ...value, native: { [nativeFormat]: wire } }
  }

  /** A block of another format is written as its text, which may look like a call as any other. */
  const asText = <Kind extends Block>(block: Kind): Kind | TextBlock => {
    if (block.type !== "opaque" || nativeFormat === undefined || block.text === "") return block
    return block.native[nativeFormat] !== undefined && block.kind !== "malformed" ? block : text(block.text)
  }

  const speak = (blocks: readonly AssistantBlock[]): readonly AssistantBlock[] => {
    const out: AssistantBlock[] = []
    let run: Spoken[] = []
    const flush = (): void => {
      const whole = inOneText(run, writing)
      pushAll(
        out,
        whole
          ? [whole]
          : joinFragments(
              run.flatMap(({ fragments }) => fragments),
              nativeFormat,
              wording,
            ),
      )
      run = []
    }
    for (const each of blocks) {
      const block = asText(each)
      if (block.type === "text" || block.type === "call") run.push({ block, fragments: fragmentsOf(block, writing) })
      else {
        flush()
        out.push(rekey(block))
      }
    }
    flush()
    return out
  }

  const assistant = (message: AssistantMessage): readonly Item[] => {
    const blocks = speak(message.blocks)
    return blocks.length === 0 ? [] : [{ role: "exchange", message: { ...rekey(message), blocks }, outcomes: [] }]
  }

  const userTurn = ({ message, parts }: UserTurn): UserMessage => {
    const blocks: UserBlock[] = []
    let run: Fragment[] = []
    const flush = (): void => {
      pushAll(blocks, joinFragments(run, nativeFormat, wording))
      run = []
    }
    for (const part of parts) {
      if ("meant" in part) run.push(part)
      else {
        flush()
        blocks.push(part)
      }
    }
    flush()
    return { ...rekey(message), blocks }
  }

  const answers = (exchange: Exchange): readonly UserTurn[] => {
    const calls = callsOf(exchange)
    const turns: { readonly carrier: Native | undefined; readonly fragments: Fragment[]; readonly media: UserBlock[] }[] = []
    exchange.outcomes.forEach((outcome, index) => {
      if (!outcome.result || (omitted && outcome.kind === "interrupted")) return
      const carrier = usersOwn(outcome.carrier)
      let turn = turns.at(-1)
      if (!turn || turn.carrier !== carrier) {
        turn = { carrier, fragments: [], media: [] }
        turns.push(turn)
      }
      pushAll(turn.fragments, fragmentsOf(outcome.result, writing, calls[index]))
      pushAll(
        turn.media,
        outcome.result.content.filter((block) => block.type === "media"),
      )
    })
    return turns.map(({ carrier, fragments, media }) => ({
      message: { role: "user", blocks: [], ...(carrier && { native: carrier }) },
      parts: [...fragments, ...media],
    }))
  }

  const items: Item[] = []
  let open: UserTurn | undefined
  const close = (): void => {
    if (open) items.push(userTurn(open))
    open = undefined
  }
  const add = (turn: UserTurn): void => {
    const wire = turn.message.native?.[format]
    // A text may hold a result and what the user says next.
    const isSame = wire !== undefined && open?.message.native?.[format] === wire
    if (!isSame) close()
    open = isSame && open ? { message: turn.message, parts: [...open.parts, ...turn.parts] } : turn
  }
  for (const item of conversation.items) {
    if (item.role === "user") {
      const partsOf = (block: UserBlock): UserTurn["parts"] => (block.type === "text" ? fragmentsOf(block, writing) : [block])
      add({ message: item, parts: item.blocks.map(asText).flatMap(partsOf) })
      continue
    }
    close()
    if (item.role === "system") items.push(rekey(item))
    else {
      pushAll(items, assistant(item.message))
      for (const turn of answers(item)) add(turn)
      if (!item.reply) continue
      close()
      pushAll(items, assistant(item.reply))
    }
  }
  close()
  return withItems(rekey(conversation), items)
}
