/** Content parts → blocks: one reader per type; what no reader knows, and what a provider ran itself, is kept whole. */
import {
  asWord,
  type Block,
  type ContentBlock,
  isWire,
  type MediaBlock,
  type MediaKind,
  type MediaSource,
  type Native,
  type OpaqueBlock,
  readArgumentsObject,
  readResultContent,
  type ResultBlock,
  syntheticTexts,
  text,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { misnamedCall, misnamedResult, readBorrowed } from "../engine/borrowed.ts"
import { malformedBlock, previewOf } from "../engine/malformed.ts"
import { kindOfMediaType, readUrl } from "../engine/media.ts"
import { stringOf } from "../engine/wire.ts"

// Media as the SDK carries them: base64 text, a data URL, or a URL (as text or as an object); bytes stay opaque.

interface Read {
  readonly source: MediaSource
  readonly mediaType?: string
}

const readSource = (value: unknown): Read | undefined => {
  if (isWire(value) && typeof value["href"] === "string") return readUrl(value["href"])
  if (typeof value !== "string" || value === "") return undefined
  return /^(data:|https?:)/.test(value) ? readUrl(value) : { source: { type: "base64", data: value } }
}

interface MediaFields {
  readonly value: unknown
  readonly mediaType: unknown
  readonly name?: unknown
  readonly kind?: MediaKind
}

/** Nothing where the bytes are not text: the caller keeps the part whole. */
const readMedia = (wire: Wire, fields: MediaFields): MediaBlock | undefined => {
  const read = readSource(fields.value)
  if (!read) return undefined
  const mediaType = typeof fields.mediaType === "string" ? fields.mediaType : read.mediaType
  return {
    type: "media",
    kind: fields.kind ?? (mediaType === undefined ? "file" : kindOfMediaType(mediaType)),
    ...(mediaType !== undefined && { mediaType }),
    ...(typeof fields.name === "string" && { name: fields.name }),
    source: read.source,
    native: { "ai-sdk-model": wire },
  }
}

/** A file known by its id at one provider; the id may be a map of several. */
const readFileId = (wire: Wire, id: unknown, kind: MediaKind): MediaBlock | undefined => {
  if (typeof id !== "string") return undefined
  return { type: "media", kind, source: { type: "file", id }, native: { "ai-sdk-model": wire } }
}

// The name of the format, and the way back to what it said.

export const format = "ai-sdk-model"

export const nativeOf = (value: { readonly native?: Native }): unknown => value.native?.[format]

/** Both spellings of a field: the current one, and the one of version 4. */
const either = (wire: Wire, name: string, older: string): unknown => (name in wire ? wire[name] : wire[older])

// What a tool gave back → the content of a result. The type of an output says whether it failed.

type Content = Pick<ResultBlock, "content" | "error" | "synthetic" | "denied">

const textContent = (value: string): readonly ContentBlock[] => (value === "" ? [] : [text(value)])

const json = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

const media = (wire: Wire, block: MediaBlock | undefined): ContentBlock =>
  block ?? { type: "opaque", kind: asWord(wire["type"]), text: previewOf(wire), native: { "ai-sdk-model": wire } }

const readPiece = (wire: unknown): ContentBlock => {
  if (!isWire(wire)) return malformedBlock(format, wire)
  const { type, data, url, filename: name } = wire
  const mediaType = either(wire, "mediaType", "mimeType")
  switch (type) {
    case "text":
      return typeof wire["text"] === "string"
        ? { type: "text", text: wire["text"], native: { "ai-sdk-model": wire } }
        : malformedBlock(format, wire)
    case "media":
    case "file-data":
      return media(wire, readMedia(wire, { value: data, mediaType, name }))
    case "image":
    case "image-data":
      return media(wire, readMedia(wire, { value: data, mediaType, kind: "image" }))
    case "image-url":
      return media(wire, readMedia(wire, { value: url, mediaType, kind: "image" }))
    case "file-url":
      return media(wire, readMedia(wire, { value: url, mediaType, name }))
    case "file-id":
      return media(wire, readFileId(wire, wire["fileId"], "file"))
    case "image-file-id":
      return media(wire, readFileId(wire, wire["fileId"], "image"))
    default:
      return media(wire, undefined)
  }
}

const deniedText = (output: Wire): string => stringOf(output["reason"]) || syntheticTexts["not-run"]

const readOutput = (output: Wire): Content => {
  const { type, value } = output
  switch (type) {
    case "text":
      return readResultContent(textContent(stringOf(value)), { errorMark: false })
    case "error-text":
      return { ...readResultContent(textContent(stringOf(value)), { errorMark: false }), error: true }
    case "json":
      return { content: textContent(json(value)) }
    case "error-json":
      return { content: textContent(json(value)), error: true }
    case "execution-denied":
      return { ...readResultContent([text(deniedText(output))], { errorMark: false }), error: true, denied: true }
    case "content":
      return Array.isArray(value)
        ? readResultContent(value.map(readPiece), { errorMark: true })
        : { content: [malformedBlock(format, output)] }
    default:
      return { content: [malformedBlock(format, output)] }
  }
}

/** Version 4 had the bare value of the tool in `result`, and an error flag beside it. */
const readBare = (wire: Wire): Content => {
  const content = textContent(wire["result"] === undefined ? "" : json(wire["result"]))
  const read = readResultContent(content, { errorMark: false })
  return wire["isError"] === true ? { ...read, error: true } : read
}

export const readResult = (wire: Wire): ResultBlock => {
  const output = wire["output"]
  const read = isWire(output) ? readOutput(output) : output === undefined ? readBare(wire) : { content: textContent(json(output)) }
  return {
    type: "result",
    callId: stringOf(wire["toolCallId"]),
    ...(typeof wire["toolName"] === "string" && { name: wire["toolName"] }),
    ...read,
    native: { "ai-sdk-model": wire },
  }
}

type Reader = (wire: Wire) => Block

const opaque = (wire: Wire, shown: string, half?: "call" | "result"): OpaqueBlock => ({
  type: "opaque",
  kind: asWord(wire["type"]),
  ...(half && { span: stringOf(wire["toolCallId"]), half }),
  text: shown,
  native: { "ai-sdk-model": wire },
})

const readText: Reader = (wire) =>
  typeof wire["text"] === "string" ? { type: "text", text: wire["text"], native: { "ai-sdk-model": wire } } : malformedBlock(format, wire)

const signatureFields = ["signature", "redactedData", "thoughtSignature", "reasoningEncryptedContent"]

/** The proof of origin is in the options of whichever provider gave it; version 4 had it on the part. */
const signatureOf = (wire: Wire): string | undefined => {
  const options = either(wire, "providerOptions", "providerMetadata")
  const places = [wire, ...(isWire(options) ? Object.values(options) : [])].filter(isWire)
  for (const place of places) {
    for (const field of signatureFields) {
      const value = place[field]
      if (typeof value === "string" && value !== "") return value
    }
  }
  return undefined
}

const readReasoning: Reader = (wire) => {
  const signature = signatureOf(wire)
  const block: ThinkingBlock = {
    type: "thinking",
    text: stringOf(wire["text"]),
    ...(signature !== undefined && { signature }),
    native: { "ai-sdk-model": wire },
  }
  return block
}

const readRedacted: Reader = (wire) => ({
  type: "thinking",
  text: "",
  ...(typeof wire["data"] === "string" && { signature: wire["data"] }),
  redacted: true,
  native: { "ai-sdk-model": wire },
})

const readCall: Reader = (wire) => {
  const input = either(wire, "input", "args")
  const name = stringOf(wire["toolName"])
  if (wire["providerExecuted"] === true) return opaque(wire, `[${name}: ${previewOf(input)}]`, "call")
  const own = name !== "" && input !== undefined && typeof wire["toolCallId"] === "string"
  const misnamed = own ? undefined : misnamedCall(wire, { id: "toolCallId", name: "toolName", said: "args" in wire ? "args" : "input" })
  if (misnamed) return misnamed
  return {
    type: "call",
    id: stringOf(wire["toolCallId"]),
    name,
    ...readArgumentsObject(input),
    native: { "ai-sdk-model": wire },
  }
}

const readAnswer: Reader = (wire) => {
  const { output, toolCallId } = wire
  if (output !== undefined && typeof toolCallId === "string") return readResult(wire)
  return misnamedResult(wire, { id: "toolCallId", said: "result" in wire ? "result" : "output" }) ?? readResult(wire)
}

const readers: Readonly<Record<string, Reader>> = {
  text: readText,
  image: (wire) =>
    readMedia(wire, { value: wire["image"], mediaType: either(wire, "mediaType", "mimeType"), kind: "image" }) ?? opaque(wire, "[image]"),
  file: (wire) =>
    readMedia(wire, {
      value: wire["data"],
      mediaType: either(wire, "mediaType", "mimeType"),
      name: wire["filename"],
    }) ?? opaque(wire, `[file ${stringOf(wire["filename"])}]`),
  reasoning: readReasoning,
  "redacted-reasoning": readRedacted,
  "tool-call": readCall,
  "tool-result": readAnswer,
  "tool-approval-request": (wire) => opaque(wire, ""),
  "tool-approval-response": (wire) => opaque(wire, wire["approved"] === true ? "[approved]" : "[not approved]"),
}

/** A call of another API may bring its result along: then there are two blocks. */
export const readPart = (wire: unknown): Block | readonly Block[] => {
  if (!isWire(wire)) return malformedBlock(format, wire)
  const type = typeof wire["type"] === "string" ? wire["type"] : undefined
  const reader = type !== undefined && Object.hasOwn(readers, type) ? readers[type] : undefined
  if (reader) return reader(wire)
  return readBorrowed(wire) ?? (type === undefined ? malformedBlock(format, wire) : opaque(wire, previewOf(wire)))
}

const readParts = (content: readonly unknown[]): readonly Block[] => {
  const blocks = content.map(readPart)
  return (blocks.some(Array.isArray) ? blocks.flat() : blocks) as readonly Block[]
}

export const readContent = (content: unknown): readonly Block[] => {
  if (typeof content === "string") return [{ type: "text", text: content }]
  if (Array.isArray(content)) return readParts(content)
  return content === undefined || content === null ? [] : [malformedBlock(format, content)]
}

/** A result of a tool that the provider ran. */
export const readServedResult = (wire: Wire): OpaqueBlock => opaque(wire, previewOf(either(wire, "output", "result")), "result")

/**
 * What only an assistant message knows of its parts: a result in it belongs to a tool the provider ran, and a call with
 * an approval request waits for the user.
 */
export const readAssistantContent = (content: unknown): readonly Block[] => {
  const blocks = readContent(content)
  if (!Array.isArray(content)) return blocks
  const waiting = new Set<unknown>()
  const served = new Set<string>()
  for (const part of content as readonly unknown[]) {
    if (isWire(part) && part["type"] === "tool-approval-request") waiting.add(part["toolCallId"])
  }
  for (const block of blocks) if (block.type === "opaque" && block.half === "call") served.add(block.span ?? "")
  if (waiting.size === 0 && served.size === 0) return blocks
  return blocks.map((block): Block => {
    if (block.type === "call" && waiting.has(block.id)) return { ...block, pending: "approval" }
    if (block.type !== "result" || !served.has(block.callId)) return block
    return readServedResult(block.native?.[format] as Wire)
  })
}
