/** One block → one Gemini part: the very part it came from where the two agree, that part patched, or a new one. */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  type MediaBlock,
  type OpaqueBlock,
  type ResultBlock,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { sameElements } from "../engine/codec.ts"
import { mediaNote, shownText, usualMediaTypes } from "../engine/media.ts"
import { asWire } from "../engine/wire.ts"
import { withText } from "../engine/write-back.ts"
import { heldCall, heldResponse, signatureOf } from "./fields.ts"
import { readResponse, writeResponse } from "./read-blocks.ts"

export const nativeOf = (value: { readonly native?: Readonly<Record<string, unknown>> }): Wire | undefined =>
  asWire(value.native?.["gemini"])

/** An assigned id was never said by anybody: calls and responses pair by order without it. */
const saidId = (call: CallBlock): string | undefined => (call.assigned === true || call.id === "" ? undefined : call.id)

const sameId = (held: Wire, id: string | undefined): boolean => {
  const given = held["id"]
  return id === undefined ? given === undefined || given === null || given === "" : given === id
}

/** `held` with this id, at the place in the object where an id was before. */
const withId = (held: Wire, id: string | undefined): Wire => {
  if (id !== undefined) return held["id"] === id ? held : { ...held, id }
  const { id: _, ...kept } = held
  return kept
}

const isEmpty = (value: object): boolean => {
  for (const _ in value) return false
  return true
}

const writeCall = (call: CallBlock): Wire => {
  const id = saidId(call)
  const { name, arguments: args } = call
  const part = nativeOf(call)
  if (!part) return { functionCall: id === undefined ? { name, args } : { id, name, args } }
  const { key, held } = heldCall(part)
  if (!held) return { functionCall: { ...(id !== undefined && { id }), name, args } }
  const given = held["args"]
  const sameArguments = given === args || ((given === undefined || given === null) && isEmpty(args))
  if (sameArguments && held["name"] === name && sameId(held, id)) return part
  return { ...part, [key]: { ...withId(held, id), name, ...(!sameArguments && { args }) } }
}

/** An id of another provider's file store says nothing to Google. */
const isReachable = (block: MediaBlock): boolean => block.source.type !== "file" || block.source.id.includes("://")

const writeMedia = (block: MediaBlock): Wire => {
  const { source, mediaType } = block
  if (source.type === "base64") {
    return { inlineData: { mimeType: mediaType ?? usualMediaTypes[block.kind], data: source.data } }
  }
  if (!isReachable(block)) return { text: mediaNote(block) }
  const fileUri = source.type === "url" ? source.url : source.id
  return { fileData: { ...(mediaType !== undefined && { mimeType: mediaType }), fileUri } }
}

const writeThinking = (block: ThinkingBlock): Wire | undefined => {
  const signature = block.signature !== undefined && { thoughtSignature: block.signature }
  if (block.redacted === true) return undefined
  if (block.text === "") return signature ? { text: "", ...signature } : undefined
  return { text: block.text, thought: true, ...signature }
}

const writeOpaque = (block: OpaqueBlock): Wire | undefined => {
  const native = nativeOf(block)
  if (native && block.kind !== "malformed") return native
  const { text } = block
  return text === "" ? undefined : { text }
}

/** Text goes into the response object; media, and what came on parts of its own, onto parts beside it. */
const isBeside = (block: ContentBlock): boolean => {
  if (block.type === "opaque" && block.kind === "malformed") return false
  return nativeOf(block) !== undefined || (block.type === "media" && isReachable(block))
}

const wordsOf = (block: ContentBlock): readonly string[] => {
  const words = isBeside(block) ? "" : shownText(block)
  return words === "" ? [] : [words]
}

const besideOf = (block: ContentBlock): readonly Wire[] => {
  const part = isBeside(block) ? writePart(block) : undefined
  return part ? [part] : []
}

const answerText = ({ content }: ResultBlock): string => {
  const only = content[0]
  const plain = content.length === 1 && only?.type === "text" && !isBeside(only)
  return plain ? only.text : content.flatMap(wordsOf).join("\n")
}

/** The response object for a result: the one it came with where that still says the same. */
const writeAnswer = (result: ResultBlock, held: Wire | undefined): Wire => {
  const text = answerText(result)
  const error = result.error === true
  const given = held?.["response"]
  const previous = held && readResponse(given)
  const sameError = previous?.error === error || result.synthetic !== undefined
  return isWire(given) && sameError && previous?.text === text ? given : writeResponse(text, error, previous)
}

export const writeResult = (result: ResultBlock, call: CallBlock): Wire => {
  const id = saidId(call)
  const { name } = call
  const part = nativeOf(result)
  const { key, held } = heldResponse(part)
  const response = writeAnswer(result, held)
  const parts = result.content.some(isBeside) ? result.content.flatMap(besideOf) : []
  if (!part && parts.length === 0) {
    return { functionResponse: id === undefined ? { name, response } : { id, name, response } }
  }
  if (!part || !held) {
    return { functionResponse: { ...(id !== undefined && { id }), name, response, ...(parts.length > 0 && { parts }) } }
  }
  const given = held["parts"]
  const sameParts = sameElements(parts, given) || (parts.length === 0 && !Array.isArray(given))
  if (held["response"] === response && sameParts && held["name"] === name && sameId(held, id)) return part
  const said = { ...withId(held, id), name, response }
  return { ...part, [key]: sameParts ? said : { ...said, parts } }
}

/** Results are written with their calls: see `writeResult`. */
export const writePart = (block: Exclude<Block, ResultBlock>): Wire | undefined => {
  const native = nativeOf(block)
  switch (block.type) {
    case "text":
      return native ? withText(native, block.text) : { text: block.text }
    case "thinking":
      return native && block.text !== "" ? withText(native, block.text) : (native ?? writeThinking(block))
    case "media":
      return native ?? writeMedia(block)
    case "opaque":
      return writeOpaque(block)
    case "call":
      return writeCall(block)
  }
}

/** Documented word that Gemini takes in place of a signature it never gave. */
const signatureSentinel = "skip_thought_signature_validator"

const signed = (part: Wire): Wire => {
  const { functionCall } = part
  // Nearly all that lack a signature were written here and hold their call alone: no copy of unknown fields is needed.
  if (functionCall !== undefined && hasOneField(part)) return { functionCall, thoughtSignature: signatureSentinel }
  const key = "function_call" in part || "thought_signature" in part ? "thought_signature" : "thoughtSignature"
  return { ...part, [key]: signatureSentinel }
}

const hasOneField = (part: Wire): boolean => {
  let fields = 0
  for (const _ in part) fields++
  return fields === 1
}

/**
 * Gemini 3 and 4 want a signature on the first call of each content of the current turn. All contents get it, not only
 * those of the current turn: otherwise a new user message would change what was already sent, and what is cached of it.
 * Changes the list it is given only where that is its own to change.
 */
export const withSignature = (parts: Wire[], own: boolean): Wire[] => {
  const index = parts.findIndex((part) => isWire(part["functionCall"]) || isWire(part["function_call"]))
  const part = parts[index]
  if (!part || signatureOf(part) !== "") return parts
  const list = own ? parts : parts.slice()
  list[index] = signed(part)
  return list
}
