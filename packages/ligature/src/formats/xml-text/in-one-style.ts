/**
 * Calls that were stored as XML in text, read as calls: the half of "all messages in one style" that encoding cannot do.
 * A history that changed its style half-way, or was kept by an agent that wrote calls as text, has both; a text that merely
 * speaks of tags stays text. The codec of such texts does the reading; here its messages are made of ours and put back.
 *
 * What is read is a view. The log keeps the words it was given. Without `tools`, the first answer in text is what proves
 * a tool, so that the message before it may read differently once that answer is there; with `tools` it never does.
 */
import type { Block, Message, Transcript } from "../../model/index.ts"
import { anthropic } from "../anthropic/index.ts"
import type { KnownTool } from "../engine/known-tools.ts"
import { decode } from "./decode.ts"
import { pieceOf } from "./pieces.ts"
import { type TextCalls, withdrawDoubtfulCalls } from "./text-calls.ts"

export interface OneStyle {
  /** The same messages, one for one; those without such calls are the very same objects. */
  readonly transcript: Transcript
  /** Ids of the calls that stand as text in the log. */
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
