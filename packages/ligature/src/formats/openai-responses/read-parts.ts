/** Content parts of message items and of outputs → blocks. A part keeps its wire value; a plain string has none. */
import {
  asWord,
  type ContentBlock,
  isWire,
  type MediaBlock,
  type MediaSource,
  type OpaqueBlock,
  type TextBlock,
  type Wire,
} from "../../model/index.ts"
import { malformedBlock, previewOf } from "../engine/malformed.ts"
import { kindOfMediaType, readUrl } from "../engine/media.ts"
import { format, isMessageItem, partKind } from "./items.ts"

type Reader = (wire: Wire) => ContentBlock

const opaquePart = (wire: Wire): OpaqueBlock => ({
  type: "opaque",
  kind: partKind(asWord(wire["type"])),
  text: previewOf(wire),
  native: { "openai-responses": wire },
})

const textFrom =
  (field: "text" | "refusal"): Reader =>
  (wire): TextBlock | OpaqueBlock => {
    const value = wire[field]
    if (typeof value !== "string") return malformedBlock(format, wire)
    return { type: "text", text: value, native: { "openai-responses": wire } }
  }

const readImage: Reader = (wire) => {
  const { image_url: url, file_id: id } = wire
  const native = { "openai-responses": wire }
  if (typeof url === "string") return { type: "media", kind: "image", ...readUrl(url), native }
  if (typeof id !== "string") return opaquePart(wire)
  return { type: "media", kind: "image", source: { type: "file", id }, native }
}

const fileSource = (wire: Wire): { readonly source: MediaSource; readonly mediaType?: string } | undefined => {
  const { file_data: data, file_url: url, file_id: id } = wire
  if (typeof data === "string" && data !== "") {
    return data.startsWith("data:") ? readUrl(data) : { source: { type: "base64", data } }
  }
  if (typeof url === "string" && url !== "") return { source: { type: "url", url } }
  return typeof id === "string" ? { source: { type: "file", id } } : undefined
}

const readFile: Reader = (wire) => {
  const read = fileSource(wire)
  if (!read) return opaquePart(wire)
  const block: MediaBlock = {
    type: "media",
    kind: read.mediaType === undefined ? "document" : kindOfMediaType(read.mediaType),
    ...read,
    ...(typeof wire["filename"] === "string" && { name: wire["filename"] }),
    native: { "openai-responses": wire },
  }
  return block
}

const readAudio: Reader = (wire) => {
  const audio = isWire(wire["input_audio"]) ? wire["input_audio"] : wire
  const { data, format: encoding } = audio
  if (typeof data !== "string") return opaquePart(wire)
  const mediaType = typeof encoding === "string" && { mediaType: `audio/${encoding}` }
  const source = { type: "base64", data } as const
  return { type: "media", kind: "audio", ...mediaType, source, native: { "openai-responses": wire } }
}

const readText = textFrom("text")

const readers: Readonly<Record<string, Reader>> = {
  input_text: readText,
  output_text: readText,
  text: readText,
  summary_text: readText,
  reasoning_text: readText,
  refusal: textFrom("refusal"),
  input_image: readImage,
  computer_screenshot: readImage,
  input_file: readFile,
  input_audio: readAudio,
}

export const readPart = (wire: unknown): ContentBlock => {
  if (!isWire(wire) || typeof wire["type"] !== "string") return malformedBlock(format, wire)
  const { type } = wire
  // Compared, not looked up: JSON.parse makes a new string of each long name, and a table would hash them all.
  if (type === "output_text" || type === "input_text") return readText(wire)
  // A whole message where a part belongs would be taken for an item of its own.
  if (isMessageItem(wire)) return malformedBlock(format, wire)
  const reader = Object.hasOwn(readers, type) ? readers[type] : undefined
  return reader ? reader(wire) : opaquePart(wire)
}

/** Content of a message item: a string or a list of parts. */
export const readParts = (content: unknown): readonly ContentBlock[] => {
  if (typeof content === "string") return [{ type: "text", text: content }]
  if (Array.isArray(content)) return content.map(readPart)
  return content === undefined || content === null ? [] : [malformedBlock(format, content)]
}
