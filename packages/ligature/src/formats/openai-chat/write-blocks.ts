/** Writers of the blocks of a Chat Completions message: parts of its content and tool calls. */
import {
  type CallBlock,
  type ContentBlock,
  isWire,
  type MediaBlock,
  type TextBlock,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../engine/codec.ts"
import { shownText, writeUrl } from "../engine/media.ts"
import { writeArgumentsText } from "../engine/wire.ts"
import { allowed } from "./allowed.ts"
import { nativeOf, nativeWireOf } from "./fields.ts"

/** What content is made of: thinking only where it came as a part of this format. */
export type Piece = ContentBlock | ThinkingBlock

const audioFormats: ReadonlyMap<string | undefined, string> = new Map([
  ["audio/mpeg", "mp3"],
  ["audio/mp3", "mp3"],
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
])

/** A file id means something only in the store it came from; this is how ids of this one begin. */
const ownFileId = "file-"

const writeMedia = (block: MediaBlock): Wire | undefined => {
  const { kind, source } = block
  const url = writeUrl(block)
  if (kind === "image") return url === undefined ? undefined : { type: "image_url", image_url: { url } }
  if (source.type === "file") {
    return source.id.startsWith(ownFileId) ? { type: "file", file: { file_id: source.id } } : undefined
  }
  if (source.type !== "base64") return undefined
  if (kind === "audio") {
    const name = audioFormats.get(block.mediaType)
    return name === undefined ? undefined : { type: "input_audio", input_audio: { data: source.data, format: name } }
  }
  if (kind === "video") return undefined
  return { type: "file", file: { filename: block.name ?? "file", file_data: url } }
}

const writeNative = (piece: Piece, native: Wire): Wire => {
  if (piece.type !== "text") return native
  const field = native["type"] === "refusal" ? "refusal" : "text"
  return native[field] === piece.text ? native : { ...native, [field]: piece.text }
}

const writePiece = (piece: Piece, role: string, options: EncodeOptions): Wire | undefined => {
  const native = piece.type === "opaque" && piece.kind === "malformed" ? undefined : nativeWireOf(piece)
  const isKnown = options.refusals !== "text" || native?.["refusal"] === undefined
  if (native && isKnown && (options.extras !== "strip" || allowed.isPart(role, native, options.parts))) return writeNative(piece, native)
  const part = piece.type === "media" && role === "user" ? writeMedia(piece) : undefined
  if (part) return part
  const words = shownText(piece)
  return words === "" && piece.type !== "text" ? undefined : { type: "text", text: words }
}

const isPlain = (piece: Piece, role: string): boolean => {
  if (piece.type === "media") return role !== "user" && nativeOf(piece) === undefined
  return nativeOf(piece) === undefined || (piece.type === "opaque" && piece.kind === "malformed")
}

const joined = (pieces: readonly Piece[], separator: string): string | undefined => {
  const words = pieces.map(shownText).filter((text) => text !== "")
  return words.length === 0 ? undefined : words.join(separator)
}

const isBareText = (piece: Piece | undefined): piece is TextBlock =>
  piece?.type === "text" && (piece.native === undefined || nativeOf(piece) === undefined)

/** Undefined where the pieces say nothing. `previous` is the content the message came with, if it came from here. */
export const writeContent = (pieces: readonly Piece[], previous: unknown, role: string, options: EncodeOptions): unknown => {
  const first = pieces[0]
  if (pieces.length === 1 && isBareText(first)) return first.text
  const separator = role === "tool" ? "\n" : "\n\n"
  if (options.plainContent === true || pieces.every((piece) => isPlain(piece, role))) return joined(pieces, separator)
  const parts: Wire[] = []
  for (const piece of pieces) {
    const part = writePiece(piece, role, options)
    if (part) parts.push(part)
  }
  if (parts.length === 0) return undefined
  return sameElements(parts, previous) ? previous : parts
}

/** Thinking that came among the parts and may go back there. */
export const isPartThinking = (block: ThinkingBlock, options: EncodeOptions): boolean => {
  const native = nativeWireOf(block)
  if (!native || !("type" in native) || options.plainContent === true) return false
  return options.extras !== "strip" || allowed.isPart("assistant", native)
}

// Call blocks → entries of `tool_calls`.

const writeCustom = (call: CallBlock, input: string, native: Wire | undefined): Wire => {
  const { id, name } = call
  const custom = native?.["custom"]
  if (native && isWire(custom)) {
    if (native["id"] === id && custom["name"] === name && custom["input"] === input) return native
    return { ...native, id, type: "custom", custom: { ...custom, name, input } }
  }
  return { id, type: "custom", custom: { name, input } }
}

/** The raw text of a free-text call is no JSON. */
const argumentsText = (call: CallBlock): string => (call.custom === true ? JSON.stringify(call.arguments) : writeArgumentsText(call))

export const writeCall = (call: CallBlock, options: EncodeOptions): Wire => {
  const { id, name } = call
  const native = nativeWireOf(call)
  const asObject = options.objectArguments === true
  const input = call.custom === true ? call.arguments["input"] : undefined
  if (!asObject && typeof input === "string") return writeCustom(call, input, native)
  const value = asObject ? call.arguments : argumentsText(call)
  const target = native?.["function"]
  if (!native) return { id, type: "function", function: { name, arguments: value } }
  if (!isWire(target)) {
    const { name: _, arguments: __, custom: ___, ...kept } = native
    return { ...kept, id, type: "function", function: { name, arguments: value } }
  }
  const sameTarget = target["name"] === name && target["arguments"] === value
  if (sameTarget && native["id"] === id && native["type"] === "function") return native
  return { ...native, id, type: "function", function: sameTarget ? target : { ...target, name, arguments: value } }
}

/** True when `entry` is the very value this function call was read from, and still says the same. */
export const isUntouchedCall = (call: CallBlock, entry: unknown): boolean => {
  if (call.fault !== undefined || call.raw === undefined || nativeOf(call) !== entry || !isWire(entry)) return false
  const target = entry["function"]
  return (
    isWire(target) &&
    entry["id"] === call.id &&
    entry["type"] === "function" &&
    target["name"] === call.name &&
    target["arguments"] === call.raw
  )
}

/** A call in the style of old, without id, that may stay in it: nothing has happened to the message but its reading. */
export const isLegacyCall = (call: CallBlock, message: Wire | undefined): boolean =>
  call.assigned === true && message !== undefined && isWire(message["function_call"]) && message["function_call"] === nativeWireOf(call)

/** The `function_call` of old. */
export const writeLegacyCall = (call: CallBlock): Wire => {
  const native = nativeWireOf(call) ?? {}
  const value = writeArgumentsText(call)
  if (native["name"] === call.name && native["arguments"] === value) return native
  return { ...native, name: call.name, arguments: value }
}
