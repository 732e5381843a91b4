/** Blocks → content parts. What an assistant may say is narrower than what a user may: text and refusals only. */
import type { ContentBlock, MediaBlock, TextBlock, Wire } from "../../model/index.ts"
import { mediaNote, writeUrl } from "../engine/media.ts"
import { isMessageItem, isPartKind, nativeOf } from "./items.ts"

export type Speaker = "assistant" | "client"

const textTypes: Readonly<Record<Speaker, string>> = { assistant: "output_text", client: "input_text" }
const legalTextTypes: Readonly<Record<Speaker, ReadonlySet<unknown>>> = {
  assistant: new Set(["output_text", "refusal"]),
  client: new Set(["input_text"]),
}

export const textPart = (words: string, speaker: Speaker): Wire => ({ type: textTypes[speaker], text: words })

/** The wire part behind a block: its own, or the first one of the item it keeps. Plain strings have none. */
export const partOf = (block: ContentBlock): Wire | undefined => {
  const native = nativeOf(block) as Wire | undefined
  if (!native || !isMessageItem(native)) return native
  const content = native["content"]
  return Array.isArray(content) ? (content[0] as Wire | undefined) : undefined
}

export const writeText = (block: TextBlock, words: string, speaker: Speaker): Wire => {
  const part = partOf(block)
  if (!part) return textPart(words, speaker)
  const field = part["type"] === "refusal" ? "refusal" : "text"
  if (!legalTextTypes[speaker].has(part["type"])) return { ...part, type: textTypes[speaker], text: words }
  return part[field] === words ? part : { ...part, [field]: words }
}

const audioEncodings: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mp3": "mp3",
  "audio/mpeg": "mp3",
}

const writeImage = (block: MediaBlock): Wire => {
  const { source } = block
  if (source.type === "file") return { type: "input_image", file_id: source.id, detail: "auto" }
  const typed = block.mediaType === undefined ? { ...block, mediaType: "image/png" } : block
  return { type: "input_image", image_url: writeUrl(typed), detail: "auto" }
}

const writeFile = (block: MediaBlock): Wire => {
  const { source } = block
  const pdf = block.mediaType === undefined || block.mediaType === "application/pdf"
  const name = block.name ?? (pdf ? "document.pdf" : "document")
  if (source.type === "file") return { type: "input_file", file_id: source.id }
  if (source.type === "url") return { type: "input_file", file_url: source.url }
  const typed = block.mediaType === undefined ? { ...block, mediaType: "application/pdf" } : block
  return { type: "input_file", filename: name, file_data: writeUrl(typed) }
}

const writeMedia = (block: MediaBlock): Wire => {
  if (block.kind === "image") return writeImage(block)
  if (block.kind === "document" || block.kind === "file") return writeFile(block)
  const { source, mediaType = "" } = block
  const encoding = Object.hasOwn(audioEncodings, mediaType) ? audioEncodings[mediaType] : undefined
  if (block.kind === "audio" && source.type === "base64" && encoding !== undefined) {
    return { type: "input_audio", input_audio: { data: source.data, format: encoding } }
  }
  return textPart(mediaNote(block), "client")
}

/** A part of a user or system message, or of an output; undefined where a foreign block has nothing to show. */
export const writePart = (block: ContentBlock): Wire | undefined => {
  const native = nativeOf(block) as Wire | undefined
  switch (block.type) {
    case "text":
      return writeText(block, block.text, "client")
    case "media":
      return native ?? writeMedia(block)
    case "opaque":
      if (native && isPartKind(block.kind)) return native
      return block.text === "" ? undefined : textPart(block.text, "client")
  }
}

export const writeParts = (blocks: readonly ContentBlock[]): readonly Wire[] =>
  blocks.map(writePart).filter((part) => part !== undefined)
