/**
 * Calls that were stored as XML in text, read as calls: the half of "all messages in one style" that encoding cannot do.
 * A history that changed its style half-way, or was kept by an agent that wrote calls as text, has both; a text that merely
 * speaks of tags stays text. The codec of such texts does the reading; here its messages are made of ours and put back.
 *
 * What is read is a view. The log keeps the words it was given. Without `tools`, the first answer in text is what proves
 * a tool, so that the message before it may read differently once that answer is there; with `tools` it never does.
 */
import { assertOptions, type Block, type CallBlock, type Message, type Transcript } from "../../model/index.ts"
import { anthropic } from "../anthropic/index.ts"
import type { KnownTool } from "../engine/tools.ts"
import { decode } from "./decode.ts"
import { format, type Piece, PieceList, pieceOf, type Stretch } from "./pieces.ts"

// Which calls in text are meant. A file with call blocks may have switched its style half-way, so text can hold calls there; but a model that calls
// with blocks also writes about tags. A text call that nothing answers is taken for words where it is beside call blocks, or where the nearest
// call that is beyond doubt is a block.

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
  /** Calls that are words again, with the message they are in. */
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

export interface OneStyle {
  /** The same messages, one for one; those without such calls are the very same objects. */
  readonly transcript: Transcript
  /** Ids of the calls that are text in the log. */
  readonly fromText: ReadonlySet<string>
  /** What looks like a call and was left as the text it is. */
  readonly withdrawn: TextCalls["withdrawn"]
}

/** A block as the reader takes it: words as words, calls and results so that it knows which tools there are. */
const standIn = (block: Block): object => {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text }
    case "call":
      return { type: "tool_use", id: block.id, name: block.name, input: block.arguments }
    case "result":
      return { type: "tool_result", tool_use_id: block.callId, content: "" }
    default:
      return { type: "stands-for", kind: block.type }
  }
}

/** The wire text that a block is the whole of. */
const wholeSource = (block: Block): object | undefined => {
  const piece = pieceOf(block)
  const [stretch, ...more] = piece?.stretches ?? []
  if (block.type !== "text" || !stretch || more.length > 0) return undefined
  return stretch.start === 0 && stretch.end === stretch.text.length ? stretch.source : undefined
}

const hasTags = (block: Block): boolean => block.type === "text" && block.text.includes("</")

const answerMarks = ["] Result", " Result]", " Result (", "function_results", "tool_response"]

const mayAnswer = (block: Block): boolean => block.type === "text" && answerMarks.some((mark) => block.text.includes(mark))

/**
 * A look at the texts, many times as fast as reading them: most histories are full of tags, and have no calls in text.
 * A call that is a block may be answered by text, too.
 */
const mayBeInText = ({ messages }: Transcript, toolsKnown: boolean): boolean =>
  messages.some(({ role, blocks }) => role === "user" && blocks.some(mayAnswer)) ||
  (toolsKnown && messages.some(({ role, blocks }) => role === "assistant" && blocks.some(hasTags)))

/** `tools`: names of tools that are known to exist; without them only what was answered as text counts. */
export const inOneStyle = (transcript: Transcript, tools?: readonly KnownTool[]): OneStyle => {
  const untouched: OneStyle = { transcript, fromText: new Set(), withdrawn: [] }
  if (!mayBeInText(transcript, tools !== undefined)) return untouched
  const originals = new Map<object, Block>()
  const wires = transcript.messages.map(({ role, blocks }) => ({
    role: role === "tool" ? "user" : role,
    content: blocks.map((block) => {
      const wire = standIn(block)
      originals.set(wire, block)
      return wire
    }),
  }))
  const { messages: read, withdrawn } = withdrawDoubtfulCalls(decode(wires, tools ? { tools } : {}).messages)
  if (read.length !== transcript.messages.length) return untouched
  const isText = (block: Block): boolean => (block.type === "call" || block.type === "result") && block.style === "xml"
  const answered = read.some(({ blocks }) => blocks.some((block) => block.type === "result" && block.style === "xml"))
  if (!answered && tools === undefined) return { ...untouched, withdrawn }

  const fromText = new Set<string>()
  const taken = new Set<string>()
  for (const { blocks } of transcript.messages) for (const block of blocks) if (block.type === "call") taken.add(block.id)
  const renamed = new Map<string, string>()
  const putBack = (block: Block): Block => {
    const original = originals.get((block.native?.[anthropic.format] ?? wholeSource(block) ?? block) as object)
    if (original) return original
    if (block.type === "call") {
      let id = block.id
      while (taken.has(id)) id = `${id}_text`
      taken.add(id)
      fromText.add(id)
      renamed.set(block.id, id)
      return id === block.id ? block : { ...block, id }
    }
    if (block.type === "result") return { ...block, callId: renamed.get(block.callId) ?? block.callId }
    return block
  }
  const messages = transcript.messages.map((message, index): Message => {
    const blocks = read[index]?.blocks ?? []
    return blocks.some(isText) ? { ...message, blocks: blocks.map(putBack) } : message
  })
  return { transcript: { ...transcript, messages }, fromText, withdrawn }
}

// Decides in which style a conversation's calls are written: as tags in text ("xml") or as structured calls ("json"). The decision is made once per
// conversation and from the outside (provider, setting, model), never per message: a history that mixes both styles confuses the model that reads it.
// Both lists are defaults to be replaced by callers who know better.

export type ToolStyle = "xml" | "json"

/** Providers through which structured calls are known to work. Upper and lower case are alike. */
export const defaultNativeProviders: readonly string[] = [
  "anthropic",
  "openai",
  "openai-native",
  "openrouter",
  "kilocode",
  "gemini",
  "vertex",
  "bedrock",
  "azure",
  "mistral",
  "deepseek",
  "xai",
  "groq",
  "cerebras",
  "moonshot",
]

/** Parts of model names; a model whose name contains one is better with structured calls. */
export const defaultJsonModels: readonly string[] = ["claude-haiku-4.5", "claude-haiku-4-5"]

export interface ToolStyleQuestion {
  readonly provider: string
  readonly userSetting?: ToolStyle | undefined
  readonly model?: string | undefined
  readonly nativeProviders?: readonly string[] | ReadonlySet<string>
  readonly jsonModels?: readonly string[]
}

export const toolStyle = (question: ToolStyleQuestion): ToolStyle => {
  assertOptions(question, { provider: true, userSetting: ["xml", "json"], model: true, nativeProviders: true, jsonModels: true })
  const native = [...(question.nativeProviders ?? defaultNativeProviders)].map((provider) => provider.toLowerCase())
  if (!native.includes(question.provider.toLowerCase())) return "xml"
  if (question.userSetting !== undefined) return question.userSetting
  const model = question.model?.toLowerCase() ?? ""
  const jsonModels = question.jsonModels ?? defaultJsonModels
  if (jsonModels.some((keyword) => model.includes(keyword.toLowerCase()))) return "json"
  return "xml"
}

// In which style a history's calls are written, as far as it shows: by its blocks, and by calls that are kept as text.

/** `xml` when all of its calls are text, `json` when any is a block; undefined when it has none. */
export const historyStyle = (transcript: Transcript, tools?: readonly KnownTool[]): ToolStyle | undefined => {
  let found: ToolStyle | undefined
  for (const { blocks } of inOneStyle(transcript, tools).transcript.messages) {
    for (const block of blocks) {
      if (block.type !== "call") continue
      if (block.style !== "xml") return "json"
      found = "xml"
    }
  }
  return found
}
