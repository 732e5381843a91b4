/** Content parts → blocks. One reader per part type; a type that no API has stays verbatim as an opaque block. */
import {
  type Block,
  isWire,
  type MediaBlock,
  type MediaKind,
  type MediaSource,
  type TextBlock,
  type Wire,
} from "../../model/index.ts"
import { readBorrowed } from "../engine/borrowed.ts"
import { malformedBlock, previewOf } from "../engine/malformed.ts"
import { kindOfMediaType, readUrl } from "../engine/media.ts"
import type { Findings } from "./findings.ts"
import { format } from "./native.ts"

/** Undefined: the part lacks what its type promises. */
type Reader = (wire: Wire) => Block | undefined

const readText: Reader = (wire) =>
  typeof wire["text"] === "string" ? { type: "text", text: wire["text"], native: { "openai-chat": wire } } : undefined

/** A refusal is said in words; that it was one stays in the native value. */
const readRefusal: Reader = (wire) => {
  const { refusal } = wire
  return typeof refusal === "string" ? { type: "text", text: refusal, native: { "openai-chat": wire } } : undefined
}

const media = (
  wire: Wire,
  kind: MediaKind,
  source: MediaSource,
  mediaType: string | undefined,
  name?: unknown,
): MediaBlock => ({
  type: "media",
  kind,
  ...(mediaType !== undefined && { mediaType }),
  ...(typeof name === "string" && { name }),
  source,
  native: { "openai-chat": wire },
})

/** `image_url: { url }`, or the bare text some servers take. */
const readLinked =
  (field: string, kind: MediaKind): Reader =>
  (wire) => {
    const holder = wire[field]
    const url = isWire(holder) ? holder["url"] : holder
    if (typeof url !== "string") return undefined
    const { source, mediaType } = readUrl(url)
    return media(wire, kind, source, mediaType)
  }

const readAudio: Reader = (wire) => {
  const audio = wire["input_audio"]
  if (!isWire(audio) || typeof audio["data"] !== "string") return undefined
  const name = audio["format"]
  const mediaType = typeof name === "string" ? `audio/${name === "mp3" ? "mpeg" : name}` : undefined
  return media(wire, "audio", { type: "base64", data: audio["data"] }, mediaType)
}

const readFile: Reader = (wire) => {
  const file = wire["file"]
  if (!isWire(file)) return undefined
  const { file_id: id, file_data: bytes, filename } = file
  if (typeof bytes === "string") {
    const { source, mediaType } = readUrl(bytes)
    if (mediaType !== undefined) return media(wire, kindOfMediaType(mediaType), source, mediaType, filename)
    return media(wire, "document", { type: "base64", data: bytes }, undefined, filename)
  }
  return typeof id === "string" ? media(wire, "file", { type: "file", id }, undefined, filename) : undefined
}

const thoughtOf = (value: unknown): string => {
  if (typeof value === "string") return value
  if (!Array.isArray(value)) return ""
  return value.map((inner) => (isWire(inner) && typeof inner["text"] === "string" ? inner["text"] : "")).join("")
}

/** Reasoning that some servers put among the parts: as text, or as a list of text parts. */
const readThought =
  (field: string, proof: string): Reader =>
  (wire) => {
    const signature = wire[proof]
    return {
      type: "thinking",
      text: thoughtOf(wire[field]),
      ...(typeof signature === "string" && signature !== "" && { signature }),
      native: { "openai-chat": wire },
    }
  }

const readers: ReadonlyMap<unknown, Reader> = new Map<unknown, Reader>([
  ["text", readText],
  ["refusal", readRefusal],
  ["image_url", readLinked("image_url", "image")],
  ["video_url", readLinked("video_url", "video")],
  ["audio_url", readLinked("audio_url", "audio")],
  ["document_url", readLinked("document_url", "document")],
  ["input_audio", readAudio],
  ["file", readFile],
  ["thinking", readThought("thinking", "signature")],
  ["think", readThought("think", "encrypted")],
])

/** The block of a part; a call of another API may bring its result along. */
export const readPart = (wire: unknown, findings: Findings): readonly Block[] => {
  if (isWire(wire)) {
    const { type } = wire
    const reader = readers.get(type)
    const block = reader?.(wire)
    const borrowed = block ? undefined : readBorrowed(wire)
    if (borrowed) {
      findings.irregular("A content part is of another API", "written as in this one")
      return borrowed
    }
    if (block) return [block]
    if (!reader && typeof type === "string") {
      return [{ type: "opaque", kind: type, text: previewOf(wire), native: { "openai-chat": wire } }]
    }
  }
  findings.malformed("Expected a content part: an object with a type and what that type carries")
  return [malformedBlock(format, wire)]
}

/** The `refusal` of a message, next to its content. */
export const readRefusalField = (refusal: string): Block => ({
  type: "text",
  text: refusal,
  native: { "openai-chat": { refusal } },
})

/** The `audio` of a message, next to its content. */
export const readAudioField = (audio: Wire): Block => {
  const { transcript } = audio
  const text = typeof transcript === "string" ? transcript : "[audio]"
  return { type: "opaque", kind: "audio", text, native: { "openai-chat": { audio } } }
}

/** Appends the blocks of a message's content. An empty text is no block: beside calls that is how nothing is said. */
export const readContent = (content: unknown, blocks: Block[], findings: Findings): void => {
  if (typeof content === "string") {
    if (content !== "") blocks.push({ type: "text", text: content } satisfies TextBlock)
  } else if (Array.isArray(content)) {
    if (content.length === 0) findings.irregular("The content is an empty list", "written as no content")
    for (const part of content) for (const block of readPart(part, findings)) blocks.push(block)
  } else if (isWire(content) && typeof content["type"] === "string") {
    findings.irregular("The content is one part where a list of parts belongs", "written as a list")
    for (const block of readPart(content, findings)) blocks.push(block)
  } else if (content !== null && content !== undefined) {
    findings.malformed("Expected content to be text or a list of parts")
    blocks.push(malformedBlock(format, content))
  }
}
