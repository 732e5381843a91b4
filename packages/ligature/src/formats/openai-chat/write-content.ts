/**
 * Blocks → the content of one message: a text where nothing asks for more, else a list of parts. Parts that came from
 * this format go back as they are.
 */
import type { ContentBlock, MediaBlock, TextBlock, ThinkingBlock, Wire } from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../engine/codec.ts"
import { mediaNote, writeUrl } from "../engine/media.ts"
import { allowed } from "./allowed.ts"
import { nativeOf, nativeWireOf } from "./native.ts"

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

/** The words of a piece, where no part can carry it. */
const wordsOf = (piece: Piece): string => {
  switch (piece.type) {
    case "text":
      return piece.text
    case "media":
      return mediaNote(piece)
    case "thinking":
      return ""
    case "opaque":
      return piece.text
  }
}

const writeNative = (piece: Piece, native: Wire): Wire => {
  if (piece.type !== "text") return native
  const field = native["type"] === "refusal" ? "refusal" : "text"
  return native[field] === piece.text ? native : { ...native, [field]: piece.text }
}

const writePiece = (piece: Piece, role: string, options: EncodeOptions): Wire | undefined => {
  const native = piece.type === "opaque" && piece.kind === "malformed" ? undefined : nativeWireOf(piece)
  if (native && (options.extras !== "strip" || allowed.isPart(role, native))) return writeNative(piece, native)
  const part = piece.type === "media" && role === "user" ? writeMedia(piece) : undefined
  if (part) return part
  const words = wordsOf(piece)
  return words === "" && piece.type !== "text" ? undefined : { type: "text", text: words }
}

const isPlain = (piece: Piece, role: string): boolean => {
  if (piece.type === "media") return role !== "user" && nativeOf(piece) === undefined
  return nativeOf(piece) === undefined || (piece.type === "opaque" && piece.kind === "malformed")
}

const joined = (pieces: readonly Piece[], separator: string): string | undefined => {
  const words = pieces.map(wordsOf).filter((text) => text !== "")
  return words.length === 0 ? undefined : words.join(separator)
}

const isBareText = (piece: Piece | undefined): piece is TextBlock =>
  piece?.type === "text" && (piece.native === undefined || nativeOf(piece) === undefined)

/** Undefined where the pieces say nothing. `previous` is the content the message came with, if it came from here. */
export const writeContent = (
  pieces: readonly Piece[],
  previous: unknown,
  role: string,
  options: EncodeOptions,
): unknown => {
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
