/** Blocks → content parts of messages. */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  type MediaBlock,
  type ResultBlock,
  resultText,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { mediaNote, usualMediaTypes } from "../engine/media.ts"
import { hasMalformed } from "../engine/message-list.ts"
import { errorMarkOf, sameResult, withText } from "../engine/write-back.ts"
import { format, nativeOf, readResult } from "./read-blocks.ts"

const writeMedia = (block: MediaBlock, speaker: "user" | "assistant"): Wire => {
  const { source } = block
  if (source.type === "file") return { type: "text", text: mediaNote(block) }
  const value = source.type === "url" ? source.url : source.data
  const name = block.name !== undefined && { filename: block.name }
  if (block.kind === "image" && speaker === "user") {
    return { type: "image", image: value, ...(block.mediaType !== undefined && { mediaType: block.mediaType }) }
  }
  return { type: "file", data: value, mediaType: block.mediaType ?? usualMediaTypes[block.kind], ...name }
}

const writeText = (text: string, native: Wire | undefined): Wire => (native ? withText(native, text) : { type: "text", text })

const writeCall = (call: CallBlock, native: Wire | undefined): Wire => {
  if (!native) return { type: "tool-call", toolCallId: call.id, toolName: call.name, input: call.arguments }
  const field = "input" in native || !("args" in native) ? "input" : "args"
  const same = native["toolCallId"] === call.id && native["toolName"] === call.name
  if (same && native[field] === call.arguments) return native
  return { ...native, toolCallId: call.id, toolName: call.name, [field]: call.arguments }
}

/** Signed thinking is never touched; the text of unsigned thinking may have been repaired. */
const sameThought = (block: ThinkingBlock, native: Wire): Wire =>
  block.signature !== undefined || block.text === "" ? native : withText(native, block.text)

/** Thinking of another format keeps its text; a signature means nothing without the options of its provider. */
const writeThinking = (block: ThinkingBlock): readonly Wire[] => (block.text === "" ? [] : [{ type: "reasoning", text: block.text }])

const writeContent = (block: ContentBlock, speaker: "user" | "assistant"): readonly Wire[] => {
  const native = nativeOf(block) as Wire | undefined
  switch (block.type) {
    case "text":
      return [writeText(block.text, native)]
    case "media":
      return [native ?? writeMedia(block, speaker)]
    case "opaque":
      if (native && block.kind !== "malformed") return [native]
      return block.text === "" ? [] : [{ type: "text", text: block.text }]
  }
}

export const writeUserPart = (block: ContentBlock): readonly Wire[] => writeContent(block, "user")

export const writeAssistantPart = (block: Block): readonly Wire[] => {
  const native = nativeOf(block) as Wire | undefined
  switch (block.type) {
    case "call":
      return [writeCall(block, native)]
    case "thinking":
      return native ? [sameThought(block, native)] : writeThinking(block)
    case "result":
      return []
    default:
      return writeContent(block, "assistant")
  }
}

// Results → tool-result parts. A failed one is an error output; where media are inside, the mark says it.

const writeOutputMedia = (block: MediaBlock): Wire => {
  const { source } = block
  if (source.type === "file") return { type: block.kind === "image" ? "image-file-id" : "file-id", fileId: source.id }
  if (source.type === "url") return { type: block.kind === "image" ? "image-url" : "file-url", url: source.url }
  const mediaType = block.mediaType ?? (block.kind === "image" ? "image/png" : undefined)
  return mediaType === undefined ? { type: "text", text: mediaNote(block) } : { type: "media", data: source.data, mediaType }
}

const writePiece = (block: ContentBlock, mark: string): readonly Wire[] => {
  const native = nativeOf(block) as Wire | undefined
  switch (block.type) {
    case "text":
      return [writeText(mark + block.text, native)]
    case "media":
      return [native ?? writeOutputMedia(block)]
    case "opaque":
      if (native && block.kind !== "malformed") return [native]
      return block.text === "" ? [] : [{ type: "text", text: block.text }]
  }
}

const isPlain = (block: ContentBlock): boolean => block.type === "text" && nativeOf(block) === undefined

const writeOutput = (result: ResultBlock): Wire => {
  const { content } = result
  const failed = result.error === true
  if (content.every(isPlain)) return { type: failed ? "error-text" : "text", value: resultText(result) }
  const mark = errorMarkOf(result)
  const [first, ...rest] = content
  const head = first?.type === "text" ? writePiece(first, mark) : mark === "" ? [] : [{ type: "text", text: mark }]
  const tail = first?.type === "text" ? rest : content
  return { type: "content", value: [...head, ...tail.flatMap((block) => writePiece(block, ""))] }
}

/** Nearly every result: one text that did not fail. */
const isSameText = ({ output }: Wire, { content, error }: ResultBlock): boolean => {
  const [first] = content
  if (error !== undefined || content.length !== 1 || first?.type !== "text" || !isWire(output)) return false
  return output["type"] === "text" && output["value"] === first.text
}

/** True when the wire result says what the result says: read again, because only the reader knows what it said. */
const saysTheSame = (native: Wire, result: ResultBlock): boolean => {
  if (isSameText(native, result)) return true
  const before = readResult(native)
  return before.denied === result.denied && sameResult(before, result, format) && !result.content.some(hasMalformed)
}

export const writeResult = (result: ResultBlock, callName: string): Wire => {
  const native = nativeOf(result) as Wire | undefined
  const toolName = native && typeof native["toolName"] === "string" ? (result.name ?? "") : (result.name ?? callName)
  if (native && saysTheSame(native, result)) {
    if (native["toolCallId"] === result.callId && native["toolName"] === toolName) return native
    return { ...native, toolCallId: result.callId, toolName }
  }
  const { result: _, isError: __, experimental_content: ___, ...kept } = native ?? {}
  return { ...kept, type: "tool-result", toolCallId: result.callId, toolName, output: writeOutput(result) }
}
