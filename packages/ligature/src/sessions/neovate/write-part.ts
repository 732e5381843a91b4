/**
 * One block → a part of a message; one writer per type of block. Blocks that still say what their part says give it
 * back.
 */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  type MediaBlock,
  mediaNote,
  type ResultBlock,
  type TextBlock,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { sameElements } from "../../formats/engine/codec.ts"
import { format } from "./records.ts"

const nativeOf = (block: Block): Wire | undefined => {
  const native = block.native?.[format]
  return isWire(native) ? native : undefined
}

const writeText = (block: TextBlock): Wire => {
  const native = nativeOf(block)
  if (native) return native["text"] === block.text ? native : { ...native, text: block.text }
  return { type: "text", text: block.text }
}

const writeThinking = (block: ThinkingBlock): Wire | undefined => {
  const native = nativeOf(block)
  if (native && (native["text"] === block.text || (block.text === "" && typeof native["text"] !== "string"))) return native
  return block.text === "" ? undefined : { ...native, type: "reasoning", text: block.text }
}

const writeMedia = (block: MediaBlock): Wire => {
  const native = nativeOf(block)
  if (native) return native
  const { source, mediaType } = block
  if (block.kind !== "image" || source.type === "file") return { type: "text", text: mediaNote(block) }
  const mimeType = mediaType ?? "image/png"
  const data = source.type === "url" ? source.url : `data:${mimeType};base64,${source.data}`
  return { type: "image", data, mimeType }
}

const writeCall = (block: CallBlock): Wire => {
  const native = nativeOf(block)
  const { id, name, arguments: input } = block
  if (native && native["id"] === id && native["name"] === name && native["input"] === input) return native
  return { ...native, type: "tool_use", id, name, input }
}

/** What the model saw: one text, or a list where there are images, or where there was one. */
const writeContent = (content: readonly ContentBlock[], previous: unknown): unknown => {
  const [first] = content
  if (content.length === 0) return Array.isArray(previous) && previous.length === 0 ? previous : ""
  if (content.length === 1 && first?.type === "text" && !Array.isArray(previous)) return first.text
  const parts = content.flatMap((block) => writePart(block) ?? [])
  return sameElements(parts, previous) ? previous : parts
}

const isSame = (block: ResultBlock, result: unknown, content: unknown): boolean => {
  const isBlank = (result === undefined || result === null) && content === ""
  if (!isWire(result)) return block.error !== true && (isBlank || result === content)
  const said = result["llmContent"]
  const same = said === content || (said === null && content === "") || (said === undefined && block.structured === true)
  return same && (result["isError"] === true) === (block.error === true)
}

/** The fields of a result are called differently in user messages, where early versions put it. */
export const writeResult = (block: ResultBlock, call: CallBlock | undefined, early: boolean): Wire => {
  const native = nativeOf(block)
  const result = native?.["result"]
  const previous = isWire(result) ? result["llmContent"] : result
  const content = writeContent(block.content, previous)
  const id = native?.["type"] === "tool_result" || (!native && early) ? "id" : "toolCallId"
  const outcome = native && isSame(block, result, content) ? result : written(block, content, result)
  if (native) {
    const tool = "toolName" in native ? "toolName" : "name"
    const name = typeof native[tool] === "string" && block.name !== undefined ? { [tool]: block.name } : {}
    const same = native[id] === block.callId && result === outcome && (name[tool] ?? native[tool]) === native[tool]
    return same ? native : { ...native, [id]: block.callId, ...name, result: outcome }
  }
  const input = call?.arguments ?? {}
  const name = block.name ?? call?.name ?? ""
  return early
    ? { type: "tool_result", id: block.callId, name, input, result: outcome }
    : { type: "tool-result", toolCallId: block.callId, toolName: name, input, result: outcome }
}

const written = (block: ResultBlock, content: unknown, previous: unknown): Wire => {
  const { isError: _, ...kept } = isWire(previous) ? previous : {}
  return { ...kept, llmContent: content, ...(block.error === true && { isError: true }) }
}

/** Undefined: this format has no place for it. */
export const writePart = (block: Block): Wire | undefined => {
  switch (block.type) {
    case "text":
      return writeText(block)
    case "media":
      return writeMedia(block)
    case "call":
      return writeCall(block)
    case "result":
      return writeResult(block, undefined, false)
    case "thinking":
      return writeThinking(block)
    case "opaque": {
      const native = nativeOf(block)
      if (native && block.kind !== "malformed") return native
      return block.text === "" ? undefined : { type: "text", text: block.text }
    }
  }
}
