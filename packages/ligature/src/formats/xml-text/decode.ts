/**
 * Histories that hold calls and results as text → Transcript. The messages themselves are shaped like Anthropic's (text
 * blocks or plain strings); native calls among them stay native, which gives the mixed style of real files: a call block
 * answered by text. Text becomes a result only where the message in front holds a call of that name, so that prose about
 * tools never becomes an orphan.
 */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  type JsonValue,
  type Message,
  readResultContent,
  type ResultBlock,
  type TextBlock,
  type Transcript,
} from "../../model/index.ts"
import { anthropic } from "../anthropic/index.ts"
import type { DecodeOptions } from "../engine/codec.ts"
import { knownTools } from "../engine/tools.ts"
import { coverBlanks, format, type Piece, PieceList, readText, type Stretch } from "./pieces.ts"
import { learnTools } from "./scan/learn-tools.ts"
import { type CallSegment, scanCalls, type ScanCallsOptions } from "./scan/scan-calls.ts"
import { type ResultBlocks, scanResultBlocks } from "./scan/scan-results.ts"

// The calls before a user message that its text results may answer. A header names the tool and often what the call was about (`[read_file for
// 'a.ts'] Result:`): that decides between calls of one name, and it keeps the result of an earlier call away from the one that waits. Otherwise it
// decides nothing alone, because agents also write `for 4 files` or `for 'undefined'`.

interface Header {
  readonly name?: string
  readonly hint?: string
}

const texts = (value: JsonValue): readonly string[] => {
  if (typeof value === "string") return value === "" ? [] : [value]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(texts)
}

/** Agents shorten what they show: either may contain the other. */
const isAbout = (call: CallBlock, hint: string): boolean =>
  texts(call.arguments).some((value) => value.includes(hint) || hint.includes(value))

/** What headers show is short; whole files that a call writes need not be remembered. */
const longestHint = 400

/** So many calls are compared with a hint: a message has a few, and comparing all with all would take forever. */
const mostCompared = 256

/** Calls in order; those that were taken are skipped, and forgotten where they come first. */
class Waiting {
  private readonly calls: CallBlock[] = []
  private first = 0

  add(call: CallBlock): void {
    this.calls.push(call)
  }

  /** The first ones that were not taken. */
  few(taken: ReadonlySet<CallBlock>): readonly CallBlock[] {
    while (this.first < this.calls.length && taken.has(this.calls[this.first] as CallBlock)) this.first++
    return this.calls.slice(this.first, this.first + mostCompared).filter((call) => !taken.has(call))
  }
}

class OpenCalls {
  private all = new Waiting()
  private byName = new Map<string, Waiting>()
  private added: CallBlock[] = []
  private readonly taken = new Set<CallBlock>()
  /** What calls that no longer wait were about, each under the name of its tool. */
  private readonly past = new Set<string>()

  add(blocks: readonly Block[]): void {
    for (const block of blocks) {
      if (block.type !== "call") continue
      const named = this.byName.get(block.name) ?? new Waiting()
      this.byName.set(block.name, named)
      for (const list of [this.all, named]) list.add(block)
      this.added.push(block)
    }
  }

  /** Leaves out calls that results as blocks answer. */
  answer(blocks: readonly Block[]): void {
    const answered = new Set(blocks.flatMap((block) => (block.type === "result" ? [block.callId] : [])))
    if (answered.size > 0) for (const call of this.added) if (answered.has(call.id)) this.taken.add(call)
  }

  take({ name, hint: shown }: Header): CallBlock | undefined {
    // An empty one is part of every argument.
    const hint = shown === "" ? undefined : shown
    const waiting = name === undefined ? this.all : this.byName.get(name)
    const candidates = waiting?.few(this.taken) ?? []
    const meant = hint === undefined ? undefined : candidates.find((call) => isAbout(call, hint))
    if (!meant && hint !== undefined && this.past.has(`${name}\0${hint}`)) return undefined
    const found = meant ?? candidates[0]
    if (!found) return undefined
    this.taken.add(found)
    this.remember(found)
    return found
  }

  clear(): void {
    for (const call of this.added) if (!this.taken.has(call)) this.remember(call)
    this.all = new Waiting()
    this.byName = new Map()
    this.added = []
    this.taken.clear()
  }

  private remember(call: CallBlock): void {
    for (const value of texts(call.arguments)) if (value.length <= longestHint) this.past.add(`${call.name}\0${value}`)
  }
}

interface SourceText {
  readonly source: object
  readonly text: string
}

/** The message whose content is one text; a text block of a list is a wire value of its own. */
const wholeContent = (message: Message): object | undefined => {
  const wire = message.native?.["anthropic"]
  return isWire(wire) && !Array.isArray(wire["content"]) ? wire : undefined
}

const sourceOf = (block: TextBlock, message: Message): SourceText => ({
  source: (block.native?.["anthropic"] ?? wholeContent(message) ?? block) as object,
  text: block.text,
})

const pieced = (stretches: readonly Stretch[], said: Piece["said"]): { readonly native: { readonly [format]: Piece } } => ({
  native: { [format]: { stretches, said } },
})

const splitCalls = (block: TextBlock, message: Message, options: ScanCallsOptions): readonly Block[] => {
  const origin = sourceOf(block, message)
  const segments = scanCalls(block.text, options)
  if (!segments.some((segment) => segment.kind === "call")) return [keptText(block, message)]
  return coverBlanks(block.text, segments, (segment) => segment.kind === "text").map(({ segment, start, end }): Block => {
    if (segment.kind === "text") return readText({ start, end, ...origin })
    const { name, arguments: args, certainty } = segment as CallSegment
    const { native } = pieced([{ start, end, ...origin }], { name, arguments: args })
    return { type: "call", id: "", name, arguments: args, style: "xml", certainty, native }
  })
}

/** Ordinary text: one piece, the whole of it, word for word. */
const keptText = (block: TextBlock, message: Message): TextBlock =>
  readText({ start: 0, end: block.text.length, ...sourceOf(block, message) })

/** `scan`: of the texts of this message. */
const readResults = (message: Message, open: OpenCalls, scan: ResultBlocks): readonly Block[] => {
  if (scan.results.length === 0) return message.blocks.map((block) => (block.type === "text" ? keptText(block, message) : block))
  const read = new PieceList()
  const repeated = new Set(scan.results.flatMap(({ result, repeatsPrevious }) => (repeatsPrevious ? [result] : [])))
  let position = -1
  let last: ResultBlock | undefined
  // The lists of `last`, once it was put together from pieces: one more is added to them, however many there are.
  let pieces: { readonly content: ContentBlock[]; readonly stretches: Stretch[] } | undefined
  for (const block of message.blocks) {
    if (block.type !== "text") {
      read.add(block)
      continue
    }
    position++
    const origin = sourceOf(block, message)
    const blockScan = scan.blocks[position]
    if (!blockScan || blockScan.continues) {
      if (blockScan && last && read.last === last) read.replaceLast((last = withBody(last, origin)))
      else read.addText({ ...origin, start: 0, end: block.text.length })
      continue
    }
    const covered = coverBlanks(block.text, blockScan.segments, (segment) => segment.kind === "text")
    for (const { segment, start, end } of covered) {
      const repeats = segment.kind === "result" && repeated.has(segment)
      // A repeated header is the second piece of one result, unless another call of that name waits for its own.
      const call = segment.kind === "result" ? open.take(segment) : undefined
      if (segment.kind === "text" || call === undefined) {
        if (repeats && last && read.last === last) {
          if (pieces?.content !== last.content) {
            const before = last.native?.[format] as Piece
            const [content, stretches] = [[...last.content], [...before.stretches]]
            pieces = { content, stretches }
            read.replaceLast((last = { ...last, content, ...pieced(stretches, { content }) }))
          }
          pieces.content.push({ type: "text", text: segment.text })
          pieces.stretches.push({ start, end, ...origin })
        } else read.addText({ start, end, ...origin })
        continue
      }
      const body = segment.text === "" ? [] : [{ type: "text" as const, text: segment.text }]
      const { content, ...marks } = readResultContent(body, { errorMark: false })
      last = {
        type: "result",
        callId: call.id,
        name: call.name,
        content,
        ...(segment.error === true && { error: true as const }),
        ...(segment.denied === true && { denied: true as const }),
        ...marks,
        style: "xml",
        ...pieced([{ start, end, ...origin }], { content }),
      }
      read.add(last)
    }
  }
  return read.finish()
}

/** A header whose body is the next text block. */
const withBody = (result: ResultBlock, body: SourceText): ResultBlock => {
  const piece = result.native?.[format] as Piece
  const content = body.text === "" ? [] : [{ type: "text" as const, text: body.text }]
  const stretches = [...piece.stretches, { start: 0, end: body.text.length, ...body }]
  return { ...result, content, ...pieced(stretches, { content }) }
}

/** Thinking without signature: no provider made these blocks, so none of them has to be signed. */
const plainThinking = (block: Block): Block => {
  if (block.type !== "thinking" || block.unsigned !== true || block.text === "") return block
  const { unsigned: _, ...rest } = block
  return { ...rest, native: { [format]: block.native?.[anthropic.format] } }
}

/** Calls written as text have no ids: they get the ones that settle would give them, so that results can name them. */
const withIds = (blocks: readonly Block[], message: number): readonly Block[] => {
  let ordinal = 0
  return blocks.map((block) => {
    if (block.type !== "call") return block
    const id = `call_${message}_${ordinal++}`
    return block.id === "" ? { assigned: true, ...block, id } : block
  })
}

const rekeyed = (message: Message, blocks: readonly Block[]): Message => {
  const wire = message.native?.["anthropic"]
  return { ...message, blocks, ...(wire !== undefined && { native: { [format]: wire } }) }
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const base = anthropic.decode(value, options)
  const spoken = base.messages.map(({ role, blocks }) => ({ role, text: textsOf(blocks).join("\n") }))
  const learned = learnTools(spoken)
  const named = base.messages.flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === "call" ? [block.name] : [])))
  const declared = [knownTools(isWire(value) ? value["tools"] : undefined), knownTools(options.tools)]
  const names = new Set([...declared.flatMap((tools) => tools.names), ...named])
  const tools = options.tools || names.size > 0 ? names : undefined
  const schemas = new Map(declared.flatMap((known) => [...known.schemas]))
  const scanning: ScanCallsOptions = { tools, learned, schemas }
  const messages: Message[] = []
  const open = new OpenCalls()
  // A user's message is asked twice: which calls it answers, when the message in front is read, and then for itself.
  let scanned = -1
  let scan: ResultBlocks = { blocks: [], results: [] }
  const resultsIn = (index: number): ResultBlocks => {
    if (index !== scanned) scan = scanResultBlocks(textsOf(base.messages[index]?.blocks ?? []))
    scanned = index
    return scan
  }
  base.messages.forEach((message, index) => {
    if (message.role === "assistant") {
      const answers = base.messages[index + 1]?.role === "user" ? resultsIn(index + 1).results : []
      const answered = answers.flatMap(({ result }) => (result.name === undefined ? [] : [result.name]))
      const said = message.blocks.flatMap((block) =>
        block.type === "text" ? splitCalls(block, message, { answered, ...scanning }) : [plainThinking(block)],
      )
      const named = withIds(said, index)
      open.add(named)
      messages.push(rekeyed(message, named))
    } else if (message.role === "user") {
      open.answer(message.blocks)
      messages.push(rekeyed(message, readResults(message, open, resultsIn(index))))
      open.clear()
    } else messages.push(rekeyed(message, message.blocks))
  })
  const { native, origin: _, ...rest } = base
  return { ...rest, format, messages, ids: "optional", native: { [format]: native?.["anthropic"] ?? {} } }
}

const textsOf = (blocks: readonly Block[]): readonly string[] => {
  const texts: string[] = []
  for (const block of blocks) if (block.type === "text") texts.push(block.text)
  return texts
}
