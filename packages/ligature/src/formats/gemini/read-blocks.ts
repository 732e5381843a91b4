/** One Gemini part → blocks. One reader per kind of part; what no reader knows becomes an opaque block. */
import {
  type Block,
  type ContentBlock,
  type Diagnostic,
  isWire,
  type JsonObject,
  type MediaKind,
  type MediaSource,
  type Native,
  type OpaqueBlock,
  type Place,
  pushAll,
  readArgumentsObject,
  readResultContent,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { heldToolKind, toolKindOf } from "../engine/borrowed-tools.ts"
import { misnamedCall, misnamedResult, readBorrowed } from "../engine/borrowed.ts"
import { malformedBlock, malformedMessage, previewOf } from "../engine/malformed.ts"
import { kindOfMediaType } from "../engine/media.ts"
import { misshapen } from "../engine/message-list.ts"
import { idText, stringOf } from "../engine/wire.ts"
import { either, type PartKind, partKinds, partMarks, signatureOf } from "./fields.ts"

// The `response` object of a function response ↔ text. The API documents `output` and `error`; SDKs write `result`; tools return whatever object they
// like. An object of any other shape is read as its JSON, and the part it came on still holds the object, so it goes back as an object as long as
// nobody changed its text.

interface ResponseReading {
  readonly text: string
  readonly error: boolean
  /** The one field that holds the text, where the object has only that. */
  readonly key?: "output" | "result" | "error"
}

const empty: ResponseReading = { text: "", error: false }

const onlyKey = (wire: Wire): string | undefined => {
  let only: string | undefined
  for (const key in wire) {
    if (only !== undefined) return undefined
    only = key
  }
  return only
}

export const readResponse = (response: unknown): ResponseReading => {
  if (response === undefined || response === null) return empty
  if (typeof response === "string") return { text: response, error: false }
  if (!isWire(response)) return { text: JSON.stringify(response) ?? "", error: false }
  const key = onlyKey(response)
  if (key === undefined) {
    const json = JSON.stringify(response) ?? ""
    return json === "{}" ? empty : { text: json, error: false }
  }
  const value = response[key]
  if (key === "output" || key === "result" || key === "error") {
    if (typeof value === "string") return { text: value, error: key === "error", key }
  }
  const error = key === "error" && value !== null && value !== undefined && value !== false
  return { text: JSON.stringify(response) ?? "", error }
}

/** `previous` is what the response it replaces said: its field is used on where it fits. */
export const writeResponse = (text: string, error: boolean, previous: ResponseReading | undefined): Wire => {
  if (error) return { error: text }
  return previous?.key === "result" ? { result: text } : { output: text }
}

export const format = "gemini"

/** What the readers of one request share. */
export interface Reading {
  readonly diagnostics: Diagnostic[]
  /** How many spans of executable code were named so far. */
  codes: number
  /** The span of the code whose result has not come yet. */
  openCode: string | undefined
  /** How names of such spans begin. */
  codePrefix: string
}

export const newReading = (diagnostics: Diagnostic[] = []): Reading => ({ diagnostics, codes: 0, openCode: undefined, codePrefix: "code-" })

/** What is not of this format at all: kept verbatim, shown as text, reported. */
export const malformed = (value: unknown, what: string, reading: Reading, place: Place): OpaqueBlock => {
  reading.diagnostics.push(malformedMessage(place, what))
  return malformedBlock(format, value)
}

type Reader = (part: Wire, held: unknown, reading: Reading, place: Place) => Block

const nativeOf = (part: Wire): Native => ({ gemini: part })

const thinking = (part: Wire, text: string): ThinkingBlock => {
  const signature = signatureOf(part)
  const native = nativeOf(part)
  return signature === "" ? { type: "thinking", text, native } : { type: "thinking", text, signature, native }
}

/** A signature at the end of a stream rides on an empty text: that part is a signature, not an empty text to drop. */
const readText: Reader = (part, held, reading, place) => {
  if (typeof held !== "string") return malformed(part, "Expected a string as text", reading, place)
  if (part["thought"] === true) return thinking(part, held)
  if (signatureOf(part) !== "" && held.trim() === "") return thinking(part, "")
  return { type: "text", text: held, native: nativeOf(part) }
}

const readId = (held: Wire, reading: Reading, place: Place): string => {
  const { id } = held
  if (typeof id === "number") reading.diagnostics.push(misshapen(place, "Expected a string as id", "written as text"))
  return idText(id)
}

const respelt = (block: Block, reading: Reading, place: Place): Block => {
  reading.diagnostics.push(misshapen(place, "A call or response has fields of another API", "written with its own"))
  return block
}

const readCall: Reader = (part, held, reading, place) => {
  if (!isWire(held)) return malformed(part, "Expected an object as function call", reading, place)
  const { args } = held
  const [id, name, native] = [readId(held, reading, place), stringOf(held["name"]), nativeOf(part)]
  if (isWire(args)) return { type: "call", id, name, arguments: args as JsonObject, native }
  const misnamed = misnamedCall(held, { id: "id", name: "name", said: "args" }, part)
  if (misnamed) return respelt(misnamed, reading, place)
  if (args === undefined || args === null) return { type: "call", id, name, arguments: {}, native }
  return { type: "call", id, name, ...readArgumentsObject(args), native }
}

/** Every mark of ours begins with a bracket: most results are known to carry none by their first character. */
const isUnmarked = (text: string): boolean => text !== "" && !text.startsWith("[")

const readResult: Reader = (part, held, reading, place) => {
  if (!isWire(held)) return malformed(part, "Expected an object as function response", reading, place)
  const given = held["response"]
  const misnamed = given === undefined ? misnamedResult(held, { id: "id", said: "response" }, part) : undefined
  if (misnamed) return respelt(misnamed, reading, place)
  if (!isWire(given)) {
    reading.diagnostics.push(misshapen(place, "Expected an object as response", "wrapped in an object"))
  }
  const { text, error } = readResponse(given)
  const [callId, name] = [readId(held, reading, place), held["name"]]
  if (!error && typeof name === "string" && held["parts"] === undefined && isUnmarked(text)) {
    return { type: "result", callId, name, content: [{ type: "text", text }], native: nativeOf(part) }
  }
  const content: ContentBlock[] = text === "" ? [] : [{ type: "text", text }]
  const parts = held["parts"]
  if (Array.isArray(parts)) for (const inner of parts) pushAll(content, readContentPart(inner, reading, place))
  return {
    type: "result",
    callId,
    ...(typeof name === "string" && { name }),
    ...readResultContent(content, { errorMark: false }),
    ...(error && { error: true as const }),
    native: nativeOf(part),
  }
}

/** A part of what a tool gave back. */
export const readContentPart = (part: unknown, reading: Reading, place: Place): readonly ContentBlock[] =>
  readPart(part, reading, place).map((block) => {
    if (block.type === "text" || block.type === "media" || block.type === "opaque") return block
    // A call, a response or a thought inside of a response is what a tool printed: it is said in words.
    return malformed(part, `Expected text or media in a response, got a ${block.type}`, reading, place)
  })

const readInline: Reader = (part, held, reading, place) => {
  if (!isWire(held) || typeof held["data"] !== "string") {
    return malformed(part, "Expected inline data in base64", reading, place)
  }
  return media(part, held, { type: "base64", data: held["data"] })
}

/** Uploads and buckets can be read by Google alone; any other address by everybody. */
const isPrivate = (uri: string): boolean => !uri.startsWith("http") || uri.startsWith("https://generativelanguage.googleapis.com/")

const readFile: Reader = (part, held, reading, place) => {
  const uri = isWire(held) ? either(held, "fileUri", "file_uri") : undefined
  if (!isWire(held) || typeof uri !== "string") return malformed(part, "Expected the address of a file", reading, place)
  return media(part, held, isPrivate(uri) ? { type: "file", id: uri } : { type: "url", url: uri })
}

const media = (part: Wire, held: Wire, source: MediaSource): Block => {
  const mediaType = either(held, "mimeType", "mime_type")
  const name = either(held, "displayName", "display_name")
  const kind: MediaKind = typeof mediaType === "string" ? kindOfMediaType(mediaType) : "file"
  return {
    type: "media",
    kind,
    ...(typeof mediaType === "string" && { mediaType }),
    ...(typeof name === "string" && { name }),
    source,
    native: nativeOf(part),
  }
}

const opaque = (kind: string, part: unknown, text = previewOf(part)): OpaqueBlock => ({
  type: "opaque",
  kind,
  text,
  native: { gemini: part },
})

const ownSpan = (held: unknown): string | undefined =>
  isWire(held) && typeof held["id"] === "string" && held["id"] !== "" ? held["id"] : undefined

/** Ids are new here: older histories pair code and result by order alone. */
const spanOfCode = (held: unknown, reading: Reading): string => {
  reading.codes++
  reading.openCode = ownSpan(held) ?? `${reading.codePrefix}${reading.codes}`
  return reading.openCode
}

/** A result without code before it is half a span: nobody else's name for it. */
const spanOfCodeResult = (held: unknown, reading: Reading): string => {
  const span = ownSpan(held) ?? reading.openCode ?? `${reading.codePrefix}result-${++reading.codes}`
  reading.openCode = undefined
  return span
}

const readCode: Reader = (part, held, reading) => {
  const code = isWire(held) ? stringOf(held["code"]) : ""
  const language = isWire(held) ? stringOf(held["language"]).toLowerCase() : ""
  const text = `\`\`\`${language}\n${code}\n\`\`\``
  return { ...opaque("executableCode", part, text), span: spanOfCode(held, reading), half: "call" }
}

const readCodeResult: Reader = (part, held, reading) => {
  const text = isWire(held) && typeof held["output"] === "string" ? held["output"] : previewOf(held)
  return { ...opaque("codeExecutionResult", part, text), span: spanOfCodeResult(held, reading), half: "result" }
}

/** Halves without an id cannot be told to belong together: each stands for itself. */
const serverSpan = (held: unknown, half: "call" | "result"): Pick<OpaqueBlock, "span" | "half"> => {
  const span = ownSpan(held)
  return span === undefined ? {} : { span, half }
}

const serverName = (held: unknown): string => {
  const name = isWire(held) ? stringOf(either(held, "toolType", "tool_type")) : ""
  return name === "" ? "server tool" : name
}

const readServerCall: Reader = (part, held) => {
  const text = `[${serverName(held)}: ${previewOf(isWire(held) ? held["args"] : held)}]`
  return { ...opaque("toolCall", part, text), ...serverSpan(held, "call") }
}

const readServerResult: Reader = (part, held) => {
  const text = previewOf(isWire(held) ? held["response"] : held)
  return { ...opaque("toolResponse", part, text), ...serverSpan(held, "result") }
}

const readers: Readonly<Record<PartKind, Reader>> = {
  text: readText,
  call: readCall,
  result: readResult,
  inline: readInline,
  file: readFile,
  code: readCode,
  "code-result": readCodeResult,
  "server-call": readServerCall,
  "server-result": readServerResult,
}

/** No field we know: a bare signature, nothing at all, or something newer than this file. */
const readUnknown = (part: Wire, reading: Reading, place: Place): Block | readonly Block[] => {
  const borrowed = typeof part["type"] === "string" || heldToolKind(part) ? readBorrowed(part) : undefined
  if (borrowed) {
    reading.diagnostics.push(misshapen(place, "Expected a part, got a block of another API", "written as a part"))
    return borrowed
  }
  const kind = Object.keys(part).find((key) => !partMarks.has(key) && part[key] !== null && part[key] !== undefined)
  if (typeof part["type"] === "string") return malformed(part, "Expected a part, got half a block of another API", reading, place)
  if (kind !== undefined) return opaque(kind, part)
  return signatureOf(part) === "" ? { type: "text", text: "", native: nativeOf(part) } : thinking(part, "")
}

/** Several fields in one part: each gets a part of its own; marks (signatures too) stay with a call or the last. */
const split = (part: Wire, keys: readonly string[]): readonly Wire[] => {
  const marked = keys.find((key) => partKinds.get(key) === "call") ?? keys.at(-1)
  return keys.map((key) => {
    if (key !== marked) return { [key]: part[key] }
    return Object.fromEntries(Object.entries(part).filter(([name]) => name === key || !keys.includes(name)))
  })
}

const isHeld = (part: Wire, key: string): boolean => partKinds.has(key) && part[key] !== null && part[key] !== undefined

/** The common fields are compared; the table knows the others. */
const kindOf = (key: string): PartKind | undefined => {
  if (key === "functionResponse") return "result"
  if (key === "functionCall") return "call"
  return key === "thoughtSignature" ? undefined : partKinds.get(key)
}

/** Reads a part that holds one thing, or nothing known. Undefined where it holds several, each of which is a block. */
const readWhole = (part: Wire, reading: Reading, place: Place): Block | readonly Block[] | undefined => {
  // Parts of this API have no type: where one says that it is a call, no field of it is ours.
  if (part["type"] !== undefined && toolKindOf(part) !== undefined) return readUnknown(part, reading, place)
  let kind: PartKind | undefined
  let held: unknown
  for (const key in part) {
    const found = kindOf(key)
    const value = found === undefined ? undefined : part[key]
    if (value === null || value === undefined) continue
    if (kind !== undefined) return undefined
    kind = found
    held = value
  }
  return kind === undefined ? readUnknown(part, reading, place) : readers[kind](part, held, reading, place)
}

export const readPart = (part: unknown, reading: Reading, place: Place): readonly Block[] => {
  const block = readOne(part, reading, place)
  return Array.isArray(block) ? block : [block as Block]
}

/** A block, or several where a part holds several things: a list for every part would be thrown away at once. */
const readOne = (part: unknown, reading: Reading, place: Place): Block | readonly Block[] => {
  if (typeof part === "string") {
    reading.diagnostics.push(misshapen(place, "Expected a part, got a string", "written as a text part"))
    return { type: "text", text: part }
  }
  if (!isWire(part)) return malformed(part, "Expected a part", reading, place)
  const whole = readWhole(part, reading, place)
  if (whole) return whole
  const keys = Object.keys(part).filter((key) => isHeld(part, key))
  const what = `Expected one of ${keys.join(", ")} in a part, got ${keys.length}`
  reading.diagnostics.push(misshapen(place, what, "written as parts of their own"))
  return split(part, keys).flatMap((piece) => readPart(piece, reading, place))
}

export const readParts = (parts: readonly unknown[], reading: Reading, place: Place): readonly Block[] => {
  const blocks = parts.map((part) => readOne(part, reading, place))
  return (blocks.some(Array.isArray) ? blocks.flat() : blocks) as readonly Block[]
}
