/**
 * Attributes of a span → Transcript. What went to the model and what came back are two lists, and one history: system
 * instructions, input, output. Messages of the output are told from the others by their native value.
 */
import {
  type Block,
  type ContentBlock,
  type Diagnostic,
  isMalformed,
  isWire,
  type MediaBlock,
  type MediaKind,
  type MediaSource,
  type Message,
  type Native,
  type OpaqueBlock,
  parseJson,
  readArgumentsObject,
  readArgumentsText,
  readResultContent,
  type ResultBlock,
  text,
  type Transcript,
  type Wire,
} from "../../model/index.ts"
import { borrowedBlocks, borrowedMessage, misnamedCall, misnamedResult, readBorrowed } from "../engine/borrowed.ts"
import type { DecodeOptions } from "../engine/codec.ts"
import { malformedBlock, malformedMessage, ofAnotherApi, previewOf } from "../engine/malformed.ts"
import { kindOfMediaType, readUrl } from "../engine/media.ts"
import { asWire, idText, stringOf, usualRoles } from "../engine/wire.ts"

// The names of the format. Messages are attributes of a span, and an attribute is a text: many exporters write the list as JSON text, others as it
// is. Both are read, and each goes back as it came.

export const format = "otel-messages"

export const inputKey = "gen_ai.input.messages"
export const outputKey = "gen_ai.output.messages"
export const systemKey = "gen_ai.system_instructions"

const keys: readonly string[] = [inputKey, outputKey, systemKey]

const hasMessages = (value: unknown): value is Wire => isWire(value) && keys.some((key) => Object.hasOwn(value, key))

/** A span keeps them under `attributes`, a log record or an export of attributes has them itself. */
export const isSpan = (body: Wire): body is Wire & { readonly attributes: Wire } => !hasMessages(body) && hasMessages(body["attributes"])

export const attributesOf = (body: Wire): Wire => (isSpan(body) ? body.attributes : body)

/** The elements of an attribute; what is neither a list nor the text of one is an element that nobody understands. */
export const listOf = (value: unknown): readonly unknown[] => {
  if (value === undefined || value === null || value === "") return []
  const read = typeof value === "string" ? parseJson(value) : value
  if (Array.isArray(read)) return read
  return [isWire(read) ? read : value]
}

/** The list as the attribute had it: as it is, or as JSON text. The very value where nothing changed. */
export const likeBefore = (list: readonly unknown[], before: unknown): unknown => {
  if (typeof before !== "string") return list
  const read = parseJson(before)
  return Array.isArray(read) && JSON.stringify(read) === JSON.stringify(list) ? before : JSON.stringify(list)
}

/** What a message, block or conversation was in this format. */
export const nativeOf = (value: { readonly native?: Native }): Wire | undefined => asWire(value.native?.[format])

// Message parts → blocks: one reader per type. Parts of other types are the provider's own: they are kept whole.

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
  return { type: "call", id: idText(wire["id"]), name: stringOf(wire["name"]), ...read, ...native(wire) }
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
  isWire(part) &&
  (mediaTypes.has(part["type"]) ? mediaOf(part) !== undefined : part["type"] === "text" && typeof part["content"] === "string")

const readContent = (response: unknown): Pick<ResultBlock, "content" | "structured"> => {
  if (response === undefined || response === null || response === "") return { content: [] }
  if (typeof response === "string") return { content: [text(response)] }
  if (Array.isArray(response) && response.length > 0 && response.every(isContentPart)) {
    return {
      content: response.map((part): ContentBlock =>
        part["type"] === "text" ? { ...text(stringOf(part["content"])), ...native(part) } : readMedia(part),
      ),
    }
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
  ["server_tool_call", (wire) => opaque(wire, `[${stringOf(wire["name"])}: ${previewOf(wire["server_tool_call"])}]`, "call")],
  ["server_tool_call_response", (wire) => opaque(wire, previewOf(wire["server_tool_call_response"]), "result")],
  ["compaction", (wire) => opaque(wire, stringOf(wire["content"]))],
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
const isUntyped = (part: unknown): boolean => isWire(part) && part["type"] === undefined && typeof part["content"] === "string"

const readParts = (parts: unknown): readonly Block[] => {
  if (parts === undefined || parts === null) return []
  if (typeof parts === "string") return [text(parts)]
  return Array.isArray(parts) ? parts.flatMap(readPart) : readPart(parts)
}

/** Every part of this format keeps its wire value. */
const isBorrowed = (block: Block): boolean => block.native?.[format] === undefined

interface Read {
  readonly message: Message
  /** What is not of this format about it. */
  readonly found?: "malformed" | "borrowed"
}

const readMessage = (wire: unknown): Read => {
  const role = isWire(wire) ? usualRoles.get(wire["role"]) : undefined
  if (!isWire(wire)) return { message: { role: "user", blocks: [malformedBlock(format, wire)] }, found: "malformed" }
  if (role === undefined || wire["parts"] === undefined) {
    const message = borrowedMessage(wire)
    if (message && message.blocks.length > 0) return { message, found: "borrowed" }
  }
  if (role === undefined) return { message: { role: "user", blocks: [malformedBlock(format, wire)] }, found: "malformed" }
  const borrowed = borrowedBlocks(wire, () => readParts(wire["parts"]))
  if (borrowed) {
    const answers = role !== "assistant" && borrowed.every(({ type }) => type === "result")
    return { message: { role: answers ? "tool" : role, blocks: borrowed }, found: "borrowed" }
  }
  const blocks = readParts(wire["parts"])
  const { name } = wire
  const message: Message = { role, blocks, ...(typeof name === "string" && name !== "" && { name }), native: { "otel-messages": wire } }
  if (blocks.some(isMalformed)) return { message, found: "malformed" }
  const { parts } = wire
  return blocks.some(isBorrowed) || !Array.isArray(parts) || parts.some(isUntyped) ? { message, found: "borrowed" } : { message }
}

const findings = {
  malformed: (place: Diagnostic["place"]) => malformedMessage(place, "Expected a message of a role and a list of parts"),
  borrowed: (place: Diagnostic["place"]) => ofAnotherApi(place, "Expected a message of a role and parts, got one of another API"),
} as const

/** The system instructions are a list of parts, without a message around them. */
const readSystem = (instructions: unknown): readonly Message[] => {
  const isText = typeof instructions === "string" && instructions !== "" && !instructions.trimStart().startsWith("[")
  const blocks = readParts(isText ? instructions : listOf(instructions))
  return blocks.length === 0 ? [] : [{ role: "system", blocks, native: { "otel-messages": { system: instructions } } }]
}

/** In the output, so that it goes back there; one of another API at least with the reason for which it ended. */
const asOutput = (message: Message, wire: unknown): Message => {
  const ended = isWire(wire) && wire["finish_reason"] !== undefined ? { finish_reason: wire["finish_reason"] } : undefined
  return { ...message, native: { "otel-messages": { output: message.native ? wire : ended } } }
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const attributes: Wire = isWire(value) ? attributesOf(value) : { [inputKey]: value }
  const messages: Message[] = [...readSystem(attributes[systemKey])]
  const diagnostics: Diagnostic[] = []
  for (const key of [inputKey, outputKey]) {
    listOf(attributes[key]).forEach((wire, index) => {
      const line = key === inputKey ? options.lines?.[index] : undefined
      const atLine = line === undefined ? undefined : { line }
      const { message, found } = readMessage(wire)
      if (found) diagnostics.push(findings[found]({ message: messages.length, path: `${key}[${index}]`, ...atLine }))
      messages.push({ ...(key === outputKey ? asOutput(message, wire) : message), ...atLine })
    })
  }
  return {
    format,
    messages,
    native: { "otel-messages": isWire(value) ? value : {} },
    ids: "optional",
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
