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
import { sameElements } from "../engine/codec.ts"
import { mediaNote, shownText, usualMediaTypes, writeUrl } from "../engine/media.ts"
import { sameResult, withText } from "../engine/write-back.ts"
import {
  changeToolPart,
  format,
  isScreenPart,
  nativeOf,
  partsOf,
  readResult,
  readToolPart,
  toolFields,
  writeToolPart,
} from "./read-blocks.ts"

/** A part and the wire part it came from, if it came from one. */
export interface WrittenPart {
  readonly part: unknown
  readonly from: unknown
}

const writeMedia = (block: MediaBlock): Wire => {
  const mediaType = block.mediaType ?? usualMediaTypes[block.kind]
  const url = writeUrl({ ...block, mediaType })
  if (url === undefined) return { type: "text", text: mediaNote(block) }
  return { type: "file", mediaType, ...(block.name !== undefined && { filename: block.name }), url }
}

const writePiece = (block: ContentBlock): Wire => {
  const native = nativeOf(block)
  if (block.type === "text") return isWire(native) ? withText(native, block.text) : { type: "text", text: block.text }
  if (isWire(native)) return native
  if (block.type === "opaque") return { type: "text", text: block.text }
  const { source, mediaType } = block
  if (source.type !== "base64" || mediaType === undefined) return { type: "text", text: mediaNote(block) }
  return { type: "media", data: source.data, mediaType }
}

const wholeText = (result: ResultBlock): string => result.content.map(shownText).join("\n")

/** A call that was never run because nobody allowed it is denied; other failures are errors. */
const writeOutcome = (result: ResultBlock, asked: unknown): Wire => {
  if ((result.denied === true || result.synthetic === "not-run") && isWire(asked)) {
    return { state: "output-denied", approval: { ...asked, approved: false, reason: wholeText(result) } }
  }
  if (result.error === true) return { state: "output-error", errorText: wholeText(result) }
  const plain = result.content.every((block) => block.type === "text" && nativeOf(block) === undefined)
  const output = plain ? resultText(result) : { type: "content", value: result.content.map(writePiece) }
  return { state: "output-available", output }
}

const saysTheSame = (before: ResultBlock | undefined, result: ResultBlock | undefined): boolean => {
  if (!before || !result) return before === result
  return before.denied === result.denied && sameResult(before, result, format)
}

/** Older parts have no error state: the mark says it. */
const marked = (part: Wire, result: ResultBlock): ResultBlock => {
  if (part["type"] !== "tool-invocation" || result.error !== true || result.synthetic !== undefined) return result
  return { ...result, content: [{ type: "text", text: errorMark + wholeText(result) }] }
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
      return [{ part: withText(from, block.text), from }]
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

// Puts written parts back into the message they came from, among the parts that are for the screen alone. Every written part knows the wire part it
// came from; one without stays after the one it was written after.

/**
 * Where in the message a part is. After a trip through JSON a part is no longer the same object as the one in its
 * message: then equal text must do. Of equal texts and nulls, which are no objects, each is found once.
 */
const finder = (parts: readonly unknown[]): ((from: unknown) => number | undefined) => {
  const known = new Map<unknown, number[]>()
  const note = (map: Map<unknown, number[]>, key: unknown, index: number): void => {
    const list = map.get(key)
    if (list) list.push(index)
    else map.set(key, [index])
  }
  parts.forEach((part, index) => note(known, part, index))
  let copies: Map<unknown, number[]> | undefined
  return (from) => {
    const own = known.get(from)
    if (own) return own.length > 1 ? own.shift() : own[0]
    if (!copies) {
      copies = new Map()
      for (const [index, part] of parts.entries()) note(copies, JSON.stringify(part), index)
    }
    return copies.get(JSON.stringify(from))?.shift()
  }
}

const isAttachment = (from: unknown): boolean => isWire(from) && from["type"] === undefined

const textParts = (parts: readonly unknown[]): string =>
  parts.flatMap((part) => (isWire(part) && part["type"] === "text" ? [part["text"]] : [])).join("\n")

/** Every part that is not for the screen alone was written again as it is, in order. */
const isUntouched = (parts: readonly unknown[], written: readonly WrittenPart[]): boolean => {
  let next = 0
  for (const part of parts) if (!isScreenPart(part) && written[next++]?.part !== part) return false
  return next === written.length
}

/** The message with these parts: the very same where they say the same. */
export const restore = (wire: Wire, written: readonly WrittenPart[]): Wire => {
  const parts = partsOf(wire)
  if (isUntouched(parts, written)) return wire
  const find = finder(parts)
  const leading: unknown[] = []
  const places = new Map<number, unknown[]>()
  let place = leading
  for (const { part, from } of written) {
    const found = from === undefined ? undefined : find(from)
    if (found === undefined) {
      if (!isAttachment(from)) place.push(part)
      continue
    }
    place = places.get(found) ?? []
    place.push(part === from ? parts[found] : part)
    places.set(found, place)
  }
  const restored = [...leading, ...parts.flatMap((part, index) => (isScreenPart(part) ? [part] : (places.get(index) ?? [])))]
  if (sameElements(restored, parts)) return wire
  const { toolInvocations: _, ...named } = wire
  const { content, ...silent } = named
  const kept = Array.isArray(content) ? silent : named
  // Version 4 says the text twice; both must say the same.
  const text = typeof wire["content"] === "string" && { content: textParts(restored) }
  return { ...kept, ...text, parts: restored }
}
