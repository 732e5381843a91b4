/** Blocks → message parts. A part that still says the same comes back as it is. */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  errorMark,
  type MediaBlock,
  type ResultBlock,
  resultText,
  type Wire,
} from "../../model/index.ts"
import { idText } from "../engine/id-text.ts"
import { nativeOf } from "./format.ts"
import { readResult } from "./read-part.ts"

const say = (type: "text" | "reasoning", content: string, native: Wire | undefined): Wire => {
  if (!native) return { type, content }
  return native["content"] === content ? native : { ...native, content }
}

const writeMedia = ({ kind, mediaType, source }: MediaBlock): Wire => {
  const rest = { ...(mediaType !== undefined && { mime_type: mediaType }), modality: kind === "file" ? "document" : kind }
  switch (source.type) {
    case "base64":
      return { type: "blob", ...rest, content: source.data }
    case "url":
      return { type: "uri", ...rest, uri: source.url }
    case "file":
      return { type: "file", ...rest, file_id: source.id }
  }
}

const writeContent = (block: ContentBlock): readonly Wire[] => {
  const native = nativeOf(block)
  switch (block.type) {
    case "text":
      return [say("text", block.text, native)]
    case "media":
      return [native ?? writeMedia(block)]
    case "opaque":
      if (native && block.kind !== "malformed") return [native]
      return block.text === "" ? [] : [{ type: "text", content: block.text }]
  }
}

/** An id that nobody said need not be said: calls and responses pair by order without it. */
const idOf = (call: CallBlock): { readonly id?: string } => (call.assigned === true || call.id === "" ? {} : { id: call.id })

const sameId = (native: Wire, { id }: { readonly id?: string }): boolean =>
  idText(native["id"]) === (id ?? "")

const sameArguments = ({ arguments: given }: Wire, call: CallBlock): boolean => {
  if (call.fault !== undefined) return false
  if (typeof given === "string") return given === call.raw
  return given === call.arguments || ((given === undefined || given === null) && Object.keys(call.arguments).length === 0)
}

const writeCall = (call: CallBlock): Wire => {
  const native = nativeOf(call)
  const id = idOf(call)
  if (!native) return { type: "tool_call", ...id, name: call.name, arguments: call.arguments }
  const same = sameArguments(native, call)
  if (same && sameId(native, id) && native["name"] === call.name) return native
  return { ...native, ...id, name: call.name, ...(!same && { arguments: call.arguments }) }
}

/** Media makes a list of parts of a response; else it is text, or the value that text is the JSON of. */
const writeResponse = (result: ResultBlock): unknown => {
  const mark = result.error === true && result.synthetic === undefined ? errorMark : ""
  if (result.content.every((block) => block.type === "text")) return mark + resultText(result)
  const parts = result.content.flatMap(writeContent)
  return mark === "" ? parts : [{ type: "text", content: mark }, ...parts]
}

const sameContent = (left: readonly ContentBlock[], right: readonly ContentBlock[]): boolean =>
  left.length === right.length &&
  left.every((block, index) => {
    const other = right[index]
    if (block.type !== other?.type || nativeOf(block) !== nativeOf(other)) return false
    return block.type !== "text" || block.text === (other as typeof block).text
  })

/** Read again, because only the reader knows what a response said. */
const saysTheSame = (native: Wire, result: ResultBlock): boolean => {
  const before = readResult(native)
  return before.error === result.error && before.synthetic === result.synthetic && sameContent(before.content, result.content)
}

export const writeResult = (result: ResultBlock, call: CallBlock): Wire => {
  const native = nativeOf(result)
  const id = idOf(call)
  if (!native) return { type: "tool_call_response", ...id, response: writeResponse(result) }
  if (saysTheSame(native, result)) return sameId(native, id) ? native : { ...native, ...id }
  return { ...native, ...id, response: writeResponse(result) }
}

export const writePart = (block: Block): readonly Wire[] => {
  switch (block.type) {
    case "call":
      return [writeCall(block)]
    case "thinking":
      return block.text === "" && nativeOf(block) === undefined ? [] : [say("reasoning", block.text, nativeOf(block))]
    case "result":
      return []
    default:
      return writeContent(block)
  }
}
