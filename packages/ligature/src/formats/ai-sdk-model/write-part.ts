/** Blocks → content parts of messages. */
import type { Block, CallBlock, ContentBlock, MediaBlock, ThinkingBlock, Wire } from "../../model/index.ts"
import { mediaNote } from "../engine/media.ts"
import { nativeOf } from "./format.ts"

const fallbackTypes = {
  image: "image/png",
  document: "application/pdf",
  audio: "audio/mpeg",
  video: "video/mp4",
  file: "application/octet-stream",
} as const

const writeMedia = (block: MediaBlock, speaker: "user" | "assistant"): Wire => {
  const { source } = block
  if (source.type === "file") return { type: "text", text: mediaNote(block) }
  const value = source.type === "url" ? source.url : source.data
  const name = block.name !== undefined && { filename: block.name }
  if (block.kind === "image" && speaker === "user") {
    return { type: "image", image: value, ...(block.mediaType !== undefined && { mediaType: block.mediaType }) }
  }
  return { type: "file", data: value, mediaType: block.mediaType ?? fallbackTypes[block.kind], ...name }
}

const writeText = (words: string, native: Wire | undefined): Wire => {
  if (!native) return { type: "text", text: words }
  return native["text"] === words ? native : { ...native, text: words }
}

const writeCall = (call: CallBlock, native: Wire | undefined): Wire => {
  if (!native) return { type: "tool-call", toolCallId: call.id, toolName: call.name, input: call.arguments }
  const field = "input" in native || !("args" in native) ? "input" : "args"
  const same = native["toolCallId"] === call.id && native["toolName"] === call.name
  if (same && native[field] === call.arguments) return native
  return { ...native, toolCallId: call.id, toolName: call.name, [field]: call.arguments }
}

/** Signed thinking is never touched; the text of unsigned thinking may have been repaired. */
const sameThought = (block: ThinkingBlock, native: Wire): Wire =>
  block.signature !== undefined || native["text"] === block.text || block.text === ""
    ? native
    : { ...native, text: block.text }

/** Thinking of another format keeps its text; a signature means nothing without the options of its provider. */
const writeThinking = (block: ThinkingBlock): readonly Wire[] =>
  block.text === "" ? [] : [{ type: "reasoning", text: block.text }]

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
