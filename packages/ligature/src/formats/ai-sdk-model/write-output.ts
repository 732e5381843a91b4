/** Results → tool-result parts. A failed one is an error output; where media stand inside, the mark says it. */
import {
  type ContentBlock,
  errorMark,
  isWire,
  type MediaBlock,
  type ResultBlock,
  resultText,
  type Wire,
} from "../../model/index.ts"
import { mediaNote } from "../engine/media.ts"
import { nativeOf } from "./format.ts"
import { readResult } from "./read-output.ts"

const writeMedia = (block: MediaBlock): Wire => {
  const { source } = block
  if (source.type === "file") return { type: block.kind === "image" ? "image-file-id" : "file-id", fileId: source.id }
  if (source.type === "url") return { type: block.kind === "image" ? "image-url" : "file-url", url: source.url }
  const mediaType = block.mediaType ?? (block.kind === "image" ? "image/png" : undefined)
  return mediaType === undefined
    ? { type: "text", text: mediaNote(block) }
    : { type: "media", data: source.data, mediaType }
}

const writePiece = (block: ContentBlock, mark: string): readonly Wire[] => {
  const native = nativeOf(block) as Wire | undefined
  switch (block.type) {
    case "text": {
      const words = mark + block.text
      if (!native) return [{ type: "text", text: words }]
      return [native["text"] === words ? native : { ...native, text: words }]
    }
    case "media":
      return [native ?? writeMedia(block)]
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
  const mark = failed && result.synthetic === undefined ? errorMark : ""
  const [first, ...rest] = content
  const head = first?.type === "text" ? writePiece(first, mark) : mark === "" ? [] : [{ type: "text", text: mark }]
  const tail = first?.type === "text" ? rest : content
  return { type: "content", value: [...head, ...tail.flatMap((block) => writePiece(block, ""))] }
}

const sameBlock = (left: ContentBlock, right: ContentBlock | undefined): boolean => {
  if (!right || left.type !== right.type || nativeOf(left) !== nativeOf(right)) return false
  if (left.type === "opaque") return left.kind !== "malformed"
  return left.type !== "text" || left.text === (right as typeof left).text
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
  if (before.error !== result.error || before.synthetic !== result.synthetic || before.denied !== result.denied) return false
  if (before.content.length !== result.content.length) return false
  return result.content.every((block, index) => sameBlock(block, before.content[index]))
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
