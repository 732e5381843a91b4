/** Blocks and outcomes → parts. A call and its result are one part again. */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  errorMark,
  isWire,
  type MediaBlock,
  type ResultBlock,
  resultText,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { mediaNote, writeUrl } from "../engine/media.ts"
import { nativeOf } from "./format.ts"
import { readResult } from "./read-output.ts"
import { changeToolPart, readToolPart, toolFields, writeToolPart } from "./tool-part.ts"

/** A part and the wire part it came from, if it came from one. */
export interface WrittenPart {
  readonly part: unknown
  readonly from: unknown
}

const fallbackTypes = {
  image: "image/png",
  document: "application/pdf",
  audio: "audio/mpeg",
  video: "video/mp4",
  file: "application/octet-stream",
} as const

const writeMedia = (block: MediaBlock): Wire => {
  const mediaType = block.mediaType ?? fallbackTypes[block.kind]
  const url = writeUrl({ ...block, mediaType })
  if (url === undefined) return { type: "text", text: mediaNote(block) }
  return { type: "file", mediaType, ...(block.name !== undefined && { filename: block.name }), url }
}

const writePiece = (block: ContentBlock): Wire => {
  const native = nativeOf(block)
  if (block.type === "text") {
    if (!isWire(native)) return { type: "text", text: block.text }
    return native["text"] === block.text ? native : { ...native, text: block.text }
  }
  if (isWire(native)) return native
  if (block.type === "opaque") return { type: "text", text: block.text }
  const { source, mediaType } = block
  if (source.type !== "base64" || mediaType === undefined) return { type: "text", text: mediaNote(block) }
  return { type: "media", data: source.data, mediaType }
}

const shownText = (result: ResultBlock): string =>
  result.content.map((block) => (block.type === "media" ? mediaNote(block) : block.text)).join("\n")

/** A call that was never run because nobody allowed it is denied; other failures are errors. */
const writeOutcome = (result: ResultBlock, asked: unknown): Wire => {
  if ((result.denied === true || result.synthetic === "not-run") && isWire(asked)) {
    return { state: "output-denied", approval: { ...asked, approved: false, reason: shownText(result) } }
  }
  if (result.error === true) return { state: "output-error", errorText: shownText(result) }
  const plain = result.content.every((block) => block.type === "text" && nativeOf(block) === undefined)
  const output = plain ? resultText(result) : { type: "content", value: result.content.map(writePiece) }
  return { state: "output-available", output }
}

const sameBlock = (left: ContentBlock, right: ContentBlock | undefined): boolean => {
  if (!right || left.type !== right.type || nativeOf(left) !== nativeOf(right)) return false
  return left.type !== "text" || left.text === (right as typeof left).text
}

const saysTheSame = (before: ResultBlock | undefined, result: ResultBlock | undefined): boolean => {
  if (!before || !result) return before === result
  if (before.error !== result.error || before.synthetic !== result.synthetic || before.denied !== result.denied) return false
  if (before.content.length !== result.content.length) return false
  return result.content.every((block, index) => sameBlock(block, before.content[index]))
}

/** Older parts have no error state: the mark says it. */
const marked = (part: Wire, result: ResultBlock): ResultBlock => {
  if (part["type"] !== "tool-invocation" || result.error !== true || result.synthetic !== undefined) return result
  return { ...result, content: [{ type: "text", text: errorMark + shownText(result) }] }
}

export const writeCall = (call: CallBlock, result: ResultBlock | undefined): WrittenPart => {
  const native = nativeOf(call)
  const { id, name, arguments: input } = call
  if (!isWire(native)) {
    const outcome = result && writeOutcome(result, undefined)
    return { part: writeToolPart({ id, name, input, outcome }), from: undefined }
  }
  const before = readToolPart(native)
  const same = saysTheSame(readResult(native, before), result)
  if (same && before.id === id && before.name === name && before.input === input) return { part: native, from: native }
  const outcome = same || !result ? undefined : writeOutcome(marked(native, result), toolFields(native)["approval"])
  // While arguments stream they are not what they will be: an unanswered part stays as it is.
  const kept = before.state === "input-streaming" && !result ? before.input : input
  return { part: changeToolPart(native, before, { id, name, input: kept, outcome }), from: native }
}

/** Signed thinking is never touched; the text of unsigned thinking may have been repaired. */
const sameThought = (block: ThinkingBlock, native: Wire): Wire => {
  const field = "text" in native ? "text" : "reasoning"
  const same = block.signature !== undefined || native[field] === block.text || block.text === ""
  return same ? native : { ...native, [field]: block.text }
}

/** A block that is not a call; nothing where a foreign block has nothing to show. */
export const writePart = (block: Exclude<Block, CallBlock | ResultBlock>): readonly WrittenPart[] => {
  const from = nativeOf(block)
  switch (block.type) {
    case "text":
      if (!isWire(from)) return [{ part: { type: "text", text: block.text }, from: undefined }]
      return [{ part: from["text"] === block.text ? from : { ...from, text: block.text }, from }]
    case "thinking":
      if (isWire(from)) return [{ part: sameThought(block, from), from }]
      if (block.text === "") return []
      return [{ part: { type: "reasoning", text: block.text, state: "done" }, from: undefined }]
    case "media":
      return [isWire(from) ? { part: from, from } : { part: writeMedia(block), from: undefined }]
    case "opaque":
      if (isWire(from) && block.kind !== "malformed") return [{ part: from, from }]
      return block.text === "" ? [] : [{ part: { type: "text", text: block.text }, from }]
  }
}
