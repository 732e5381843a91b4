/** Message parts → blocks: one reader per type. Parts of other types are the provider's own: they are kept whole. */
import {
  type Block,
  type ContentBlock,
  isWire,
  type MediaBlock,
  type MediaKind,
  type MediaSource,
  type OpaqueBlock,
  readArgumentsObject,
  readArgumentsText,
  readResultContent,
  type ResultBlock,
  text,
  type Wire,
} from "../../model/index.ts"
import { misnamedCall, misnamedResult, readBorrowed } from "../engine/borrowed.ts"
import { idText } from "../engine/id-text.ts"
import { malformedBlock, previewOf } from "../engine/malformed.ts"
import { kindOfMediaType, readUrl } from "../engine/media.ts"
import { format, textOf } from "./format.ts"

type Reader = (wire: Wire) => Block

const native = (wire: Wire) => ({ native: { "otel-messages": wire } }) as const

const opaque = (wire: Wire, shown: string, half?: "call" | "result"): OpaqueBlock => ({
  type: "opaque",
  kind: String(wire["type"]),
  ...(half && idText(wire["id"]) !== "" && { span: idText(wire["id"]), half }),
  text: shown,
  ...native(wire),
})

const readText: Reader = (wire) => {
  const { content } = wire
  if (typeof content === "string") return { type: "text", text: content, ...native(wire) }
  return readBorrowed(wire)?.[0] ?? malformedBlock(format, wire)
}

const readReasoning: Reader = (wire) => {
  const { content } = wire
  if (typeof content === "string") return { type: "thinking", text: content, ...native(wire) }
  return readBorrowed(wire)?.[0] ?? malformedBlock(format, wire)
}

/** The standard lets arguments be anything: an object, the JSON text of one, or nothing. */
const readCall: Reader = (wire) => {
  const misnamed = misnamedCall(wire, { id: "id", name: "name", said: "arguments" })
  if (misnamed) return misnamed
  const { arguments: given } = wire
  const read = typeof given === "string" ? readArgumentsText(given) : readArgumentsObject(given ?? {})
  return { type: "call", id: idText(wire["id"]), name: textOf(wire["name"]), ...read, ...native(wire) }
}

const modalities: ReadonlySet<unknown> = new Set(["image", "video", "audio", "document"])

const kindOf = ({ modality, mime_type: mediaType }: Wire): MediaKind | undefined => {
  if (modalities.has(modality)) return modality as MediaKind
  return typeof mediaType === "string" ? kindOfMediaType(mediaType) : undefined
}

const sourceOf = (wire: Wire): { readonly source: MediaSource; readonly mediaType?: string } | undefined => {
  const { type, content, uri, file_id: id } = wire
  if (type === "blob" && typeof content === "string" && content !== "") return { source: { type: "base64", data: content } }
  if (type === "uri" && typeof uri === "string" && uri !== "") return readUrl(uri)
  return type === "file" && typeof id === "string" && id !== "" ? { source: { type: "file", id } } : undefined
}

/** Bytes of which nobody says what they are mean nothing to a model: such a part is kept whole, like an unknown one. */
const mediaOf = (wire: Wire): MediaBlock | undefined => {
  const found = sourceOf(wire)
  const mediaType = typeof wire["mime_type"] === "string" ? wire["mime_type"] : found?.mediaType
  const kind = kindOf({ ...wire, mime_type: mediaType })
  return found && kind && { type: "media", kind, ...(mediaType !== undefined && { mediaType }), source: found.source, ...native(wire) }
}

const readMedia = (wire: Wire): MediaBlock | OpaqueBlock => mediaOf(wire) ?? opaque(wire, previewOf(wire))

const mediaTypes: ReadonlySet<unknown> = new Set(["blob", "file", "uri"])

/** What a tool printed in the shape of a part is text; only our own lists of text and media are read as such. */
const isContentPart = (part: unknown): part is Wire =>
  isWire(part) && (mediaTypes.has(part["type"]) ? mediaOf(part) !== undefined : part["type"] === "text" && typeof part["content"] === "string")

const readContent = (response: unknown): Pick<ResultBlock, "content" | "structured"> => {
  if (response === undefined || response === null || response === "") return { content: [] }
  if (typeof response === "string") return { content: [text(response)] }
  if (Array.isArray(response) && response.length > 0 && response.every(isContentPart)) {
    return { content: response.map((part): ContentBlock => (part["type"] === "text" ? { ...text(textOf(part["content"])), ...native(part) } : readMedia(part))) }
  }
  return { content: [text(JSON.stringify(response) ?? "null")], structured: true }
}

export const readResult = (wire: Wire): ResultBlock => {
  const { content, structured } = readContent(wire["response"])
  return {
    type: "result",
    callId: idText(wire["id"]),
    ...(typeof wire["name"] === "string" && { name: wire["name"] }),
    ...readResultContent(content, { errorMark: structured === undefined }),
    ...(structured && { structured }),
    ...native(wire),
  }
}

const readers: ReadonlyMap<unknown, Reader> = new Map<unknown, Reader>([
  ["text", readText],
  ["reasoning", readReasoning],
  ["tool_call", readCall],
  ["tool_call_response", (wire) => misnamedResult(wire, { id: "id", said: "response" }) ?? readResult(wire)],
  ["blob", readMedia],
  ["file", readMedia],
  ["uri", readMedia],
  ["server_tool_call", (wire) => opaque(wire, `[${textOf(wire["name"])}: ${previewOf(wire["server_tool_call"])}]`, "call")],
  ["server_tool_call_response", (wire) => opaque(wire, previewOf(wire["server_tool_call_response"]), "result")],
  ["compaction", (wire) => opaque(wire, textOf(wire["content"]))],
])

/** A call of another API may bring its result along: then there are two blocks. */
const readPart = (wire: unknown): readonly Block[] => {
  if (!isWire(wire)) return [malformedBlock(format, wire)]
  const { type } = wire
  const reader = readers.get(type)
  if (reader) return [reader(wire)]
  const borrowed = readBorrowed(wire)
  const [only] = borrowed ?? []
  // A text that lost its type, or has it under another name, keeps all else it says.
  if (isUntyped(wire) && borrowed?.length === 1 && only?.type === "text") return [readText({ ...wire, type: "text" })]
  return borrowed ?? [typeof type === "string" ? opaque(wire, previewOf(wire)) : malformedBlock(format, wire)]
}

/** A text part without its type. */
export const isUntyped = (part: unknown): boolean => isWire(part) && part["type"] === undefined && typeof part["content"] === "string"

export const readParts = (parts: unknown): readonly Block[] => {
  if (parts === undefined || parts === null) return []
  if (typeof parts === "string") return [text(parts)]
  return Array.isArray(parts) ? parts.flatMap(readPart) : readPart(parts)
}
