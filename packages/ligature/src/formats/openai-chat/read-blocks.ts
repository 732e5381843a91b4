/** Readers of the blocks of a Chat Completions message: parts of its content and tool calls. */
import {
  asWord,
  type Block,
  type CallBlock,
  isWire,
  type MediaBlock,
  type MediaKind,
  type MediaSource,
  readArgumentsObject,
  readArgumentsText,
  type TextBlock,
  type Wire,
} from "../../model/index.ts"
import { misnamedCall, readBorrowed, resultInCall } from "../engine/borrowed.ts"
import type { DecodeOptions } from "../engine/codec.ts"
import { malformedBlock, malformedMessage, previewOf } from "../engine/malformed.ts"
import { kindOfMediaType, readUrl } from "../engine/media.ts"
import { MessageList } from "../engine/message-list.ts"
import { callsInText, idText, stringOf } from "../engine/wire.ts"
import { format } from "./fields.ts"

/** The messages of a request, and what no server of this format takes about them. */
export class Findings extends MessageList {
  constructor(options: DecodeOptions = {}) {
    super(format, "messages", options)
  }

  /** A shape that is readable without doubt, yet refused by strict servers: it is written as they want it. */
  irregular(what: string, repair: string): void {
    const found = malformedMessage(this.place(), what)
    const why = "Strict servers of this format reject it."
    const help = "Nothing to do: its meaning is clear, and encoding writes the usual shape."
    this.diagnostics.push({ ...found, severity: "warning", why, help, repair: { kind: "safe", what: repair } })
  }
}

/** Undefined: the part lacks what its type promises. */
type Reader = (wire: Wire) => Block | undefined

const readText: Reader = (wire) =>
  typeof wire["text"] === "string" ? { type: "text", text: wire["text"], native: { "openai-chat": wire } } : undefined

/** A refusal is said in words; that it was one stays in the native value. */
const readRefusal: Reader = (wire) => {
  const { refusal } = wire
  return typeof refusal === "string" ? { type: "text", text: refusal, native: { "openai-chat": wire } } : undefined
}

const media = (wire: Wire, kind: MediaKind, source: MediaSource, mediaType: string | undefined, name?: unknown): MediaBlock => ({
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

// `tool_calls` and the `function_call` of old → call blocks.

const idOf = (wire: Wire): string => idText(wire["id"])

const nameOf = (wire: Wire): string => stringOf(wire["name"])

/** `target` names the tool and its arguments; `wire` is the whole entry. */
const readFunction = (id: string, target: Wire, wire: Wire, findings: Findings): CallBlock => {
  const value = target["arguments"]
  const name = nameOf(target)
  const native = { "openai-chat": wire }
  if (typeof value === "string") {
    const { arguments: read, raw = value, fault } = readArgumentsText(value)
    if (fault === undefined) return { type: "call", id, name, arguments: read, raw, native }
    return { type: "call", id, name, arguments: read, raw, fault, native }
  }
  if (isWire(value)) {
    findings.irregular(`The arguments of call ${id || name} are an object where text belongs`, "written as JSON text")
  }
  return { type: "call", id, name, ...readArgumentsObject(value), native }
}

const readCustom = (wire: Wire, custom: Wire): CallBlock => {
  const value = custom["input"]
  const input = typeof value === "string" ? value : (JSON.stringify(value) ?? "")
  const native = { "openai-chat": wire }
  return { type: "call", id: idOf(wire), name: nameOf(custom), arguments: { input }, raw: input, custom: true, native }
}

/** The `function_call` of old: one per message, without id. */
export const readLegacyCall = (wire: Wire, findings: Findings): CallBlock => readFunction("", wire, wire, findings)

export const readCall = (wire: unknown, findings: Findings): Block => {
  if (isWire(wire)) {
    if (typeof wire["id"] === "number") findings.irregular(`The id of call ${idOf(wire)} is a number`, "written as text")
    const target = wire["function"]
    if (isWire(target)) {
      const misnamed = target["arguments"] === undefined ? misnamedCall(wire, { id: "id", said: "arguments" }) : undefined
      if (misnamed) {
        findings.irregular(`Call ${idOf(wire)} has its arguments under another name`, "written as arguments")
        return misnamed
      }
      if (wire["type"] !== "function") findings.irregular(`Call ${idOf(wire)} names no type`, "written as a function")
      return readFunction(idOf(wire), target, wire, findings)
    }
    if (isWire(wire["custom"])) return readCustom(wire, wire["custom"])
    const named = typeof wire["name"] === "string"
    const borrowed = named && wire["arguments"] === undefined ? readBorrowed({ type: "tool_call", ...wire }) : undefined
    const [call] = borrowed ?? (named ? undefined : readBorrowed(wire)) ?? []
    if (named || call?.type === "call") {
      findings.irregular(`Call ${idOf(wire)} holds its name outside of "function"`, "written inside")
      return call ?? readFunction(idOf(wire), wire, wire, findings)
    }
  }
  findings.malformed("Expected a call: an object with a function")
  return malformedBlock(format, wire)
}

/** A later piece of a streamed call: it goes by the index of the piece that named the call. */
const isPiece = (wire: unknown): wire is Wire => {
  if (!isWire(wire) || typeof wire["index"] !== "number" || idOf(wire) !== "") return false
  const target = wire["function"]
  return isWire(target) && nameOf(target) === "" && typeof target["arguments"] === "string"
}

/** Calls of a stream that was stored piece by piece, each put together; undefined where none was. */
export const joinPieces = (calls: readonly unknown[]): readonly unknown[] | undefined => {
  if (!calls.some(isPiece)) return undefined
  const begun = new Map<unknown, number>()
  const joined: unknown[] = []
  for (const wire of calls) {
    const index = isWire(wire) ? wire["index"] : undefined
    const position = isPiece(wire) ? begun.get(index) : undefined
    const whole = position === undefined ? undefined : joined[position]
    if (position !== undefined && isWire(whole) && isWire(whole["function"]) && isPiece(wire)) {
      const target = whole["function"]
      const text = `${asWord(target["arguments"] ?? "")}${asWord((wire["function"] as Wire)["arguments"])}`
      joined[position] = { ...whole, function: { ...target, arguments: text } }
      continue
    }
    if (isWire(wire) && isWire(wire["function"]) && typeof index === "number") begun.set(index, joined.length)
    joined.push(wire)
  }
  const withoutIndex = (wire: unknown): unknown => {
    if (!isWire(wire)) return wire
    const { index: _, ...rest } = wire
    return rest
  }
  return joined.length === calls.length ? undefined : joined.map(withoutIndex)
}

/** A call, and after it what it brought, where the writer kept that inside of the call. */
const readAnswered = (wire: unknown, blocks: Block[], findings: Findings): void => {
  const result = resultInCall(wire)
  if (!result || !isWire(wire)) {
    blocks.push(readCall(wire, findings))
    return
  }
  const { result: _result, output: _output, ...call } = wire
  findings.irregular(`Call ${idOf(wire)} holds its result`, "written as a message of its own")
  blocks.push(readCall(call, findings), result)
}

/** Appends the calls of a message, whatever its role: who may call is for the invariants to say. */
export const readCalls = (message: Wire, blocks: Block[], findings: Findings): void => {
  const written = callsInText(message["tool_calls"])
  if (written) findings.irregular("The calls are a text where a list belongs", "written as a list")
  const calls = written ?? message["tool_calls"]
  if (Array.isArray(calls)) {
    if (calls.length === 0) findings.irregular("The list of calls is empty", "left out")
    const joined = joinPieces(calls)
    if (joined) findings.irregular("Calls are here in the pieces of a stream", "put together")
    for (const call of joined ?? (calls as readonly unknown[])) readAnswered(call, blocks, findings)
  } else if (isWire(calls)) {
    findings.irregular("A call is where a list of calls belongs", "written as a list")
    readAnswered(calls, blocks, findings)
  } else if (calls !== undefined && calls !== null) {
    findings.malformed("Expected tool_calls to be a list")
    blocks.push(malformedBlock(format, calls))
  }
  const legacy = message["function_call"]
  if (isWire(legacy)) blocks.push(readLegacyCall(legacy, findings))
}
