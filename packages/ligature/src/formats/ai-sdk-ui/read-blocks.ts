/** Parts → blocks. A tool part gives a call and, once it is answered, a result. */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  type MediaBlock,
  type Native,
  readArgumentsObject,
  readResultContent,
  type ResultBlock,
  syntheticTexts,
  text,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { toolKindOf } from "../engine/borrowed-tools.ts"
import { readBorrowed } from "../engine/borrowed.ts"
import { malformedBlock, previewOf } from "../engine/malformed.ts"
import { kindOfMediaType, readUrl } from "../engine/media.ts"
import { stringOf } from "../engine/wire.ts"

// The name of the format, and the way back to what it said.

export const format = "ai-sdk-ui"

export const nativeOf = (value: { readonly native?: Native }): unknown => value.native?.[format]

/** Parts that are for the screen alone: the SDK never sends them to a model. They come back with their message. */
export const isScreenPart = (part: unknown): boolean => {
  const type = isWire(part) ? stringOf(part["type"]) : ""
  return type === "step-start" || type.startsWith("data-") || type.startsWith("source")
}

/**
 * The parts of a message. Version 4 also knew messages without: their content and tool invocations are given the shape
 * of parts, text first, as the SDK itself orders them for a model.
 */
export const partsOf = (message: Wire): readonly unknown[] => {
  const { parts, content, toolInvocations: invocations } = message
  if (Array.isArray(parts)) return parts
  if (Array.isArray(content) && !Array.isArray(invocations)) return content
  const said = content ?? message["text"]
  const words = typeof said === "string" && said !== "" ? [{ type: "text", text: said }] : isWire(said) ? [said] : []
  if (!Array.isArray(invocations)) return words
  return [...words, ...invocations.map((toolInvocation: unknown) => ({ type: "tool-invocation", toolInvocation }))]
}

// A tool part holds a call and, once there is one, its result. The state says how far it got:
//
//   input-streaming → input-available → output-available | output-error
//                     approval-requested → approval-responded → output-available | output-error | output-denied
//
// Version 4 had `tool-invocation` parts with the states partial-call, call and result. Both are read into one shape, so
// that only this file knows the spellings.

interface ToolPart {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly state: string
  /** The provider ran it: the whole part is opaque. */
  readonly served: boolean
}

const olderStates: Readonly<Record<string, string>> = {
  "partial-call": "input-streaming",
  call: "input-available",
  result: "output-available",
}

/** The object with the fields of the call: the part, or what an older part wraps. */
export const toolFields = (part: Wire): Wire => {
  const inner = part["toolInvocation"]
  return part["type"] === "tool-invocation" && isWire(inner) ? inner : part
}

/** `tool-call`, `tool-result` and the like are parts of other APIs, which have no state. */
const isForeign = (part: Wire, type: string): boolean =>
  part["state"] === undefined && type !== "tool-invocation" && toolKindOf(part) !== undefined

export const isToolPart = (part: Wire): boolean => {
  const type = stringOf(part["type"])
  if (isForeign(part, type)) return false
  return type === "dynamic-tool" || type === "tool-invocation" || type.startsWith("tool-")
}

export const readToolPart = (part: Wire): ToolPart => {
  const fields = toolFields(part)
  const older = part["type"] === "tool-invocation"
  const named = older || part["type"] === "dynamic-tool"
  const state = stringOf(fields["state"])
  const input = older ? fields["args"] : (fields["input"] ?? fields["rawInput"])
  return {
    id: stringOf(fields["toolCallId"]),
    name: named ? stringOf(fields["toolName"]) : stringOf(part["type"]).slice("tool-".length),
    input,
    state: older && Object.hasOwn(olderStates, state) ? (olderStates[state] ?? state) : state,
    served: fields["providerExecuted"] === true,
  }
}

interface Written {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** Fields of the outcome; nothing while it is pending or unchanged. */
  readonly outcome: Wire | undefined
}

/** A new part. */
export const writeToolPart = ({ id, name, input, outcome }: Written): Wire => ({
  type: `tool-${name}`,
  toolCallId: id,
  state: "input-available",
  input,
  ...outcome,
})

/** An older part says the result as a bare value, failed or not. */
const olderOutcome = (outcome: Wire): Wire => ({ state: "result", result: outcome["output"] ?? outcome["errorText"] })

/** The part with only those fields changed that say something else now. */
export const changeToolPart = (part: Wire, before: ToolPart, after: Written): Wire => {
  const older = part["type"] === "tool-invocation"
  const named = older || part["type"] === "dynamic-tool"
  const { output: _, errorText: __, result: ___, ...bare } = toolFields(part)
  const fields: Wire = {
    ...(after.outcome ? bare : toolFields(part)),
    ...(after.id !== before.id && { toolCallId: after.id }),
    ...(after.name !== before.name && (named ? { toolName: after.name } : { type: `tool-${after.name}` })),
    ...(after.input !== before.input && { [older ? "args" : "input"]: after.input }),
    ...(after.outcome && (older ? olderOutcome(after.outcome) : after.outcome)),
  }
  return older ? { ...part, toolInvocation: fields } : fields
}

// What a tool part says of its outcome → a result. Outputs are any JSON; content lists are read piece by piece.

type Content = Pick<ResultBlock, "content" | "error" | "synthetic" | "denied">

const textContent = (value: string): readonly ContentBlock[] => (value === "" ? [] : [text(value)])

const readPiece = (wire: Wire): ContentBlock => {
  const native = { "ai-sdk-ui": wire }
  const mediaType = wire["mediaType"] ?? wire["mimeType"]
  if (wire["type"] === "text" && typeof wire["text"] === "string") return { type: "text", text: wire["text"], native }
  if (typeof wire["data"] !== "string" || typeof mediaType !== "string") {
    return { type: "opaque", kind: stringOf(wire["type"]), text: previewOf(wire), native }
  }
  const block: MediaBlock = {
    type: "media",
    kind: kindOfMediaType(mediaType),
    mediaType,
    source: { type: "base64", data: wire["data"] },
    native,
  }
  return block
}

const isPiece = (value: unknown): value is Wire => isWire(value) && typeof value["type"] === "string"

/** The list in an output that is content: of the SDK (`{type: "content", value}`) or of an MCP tool (`{content}`). */
const contentList = (output: unknown): readonly Wire[] | undefined => {
  if (!isWire(output)) return undefined
  const list = output["type"] === "content" ? output["value"] : output["content"]
  return Array.isArray(list) && list.length > 0 && list.every(isPiece) ? list : undefined
}

const readValue = (output: unknown): Content => {
  const list = contentList(output)
  if (list) {
    const read = readResultContent(list.map(readPiece), { errorMark: true })
    return isWire(output) && output["isError"] === true ? { ...read, error: true } : read
  }
  if (typeof output === "string") return readResultContent(textContent(output), { errorMark: true })
  return { content: textContent(output === undefined || output === null ? "" : (JSON.stringify(output) ?? "")) }
}

const deniedText = (fields: Wire): string => {
  const { approval } = fields
  return (isWire(approval) && stringOf(approval["reason"])) || syntheticTexts["not-run"]
}

const readOutcome = (fields: Wire, state: string): Content | undefined => {
  switch (state) {
    case "output-available":
      return readValue("output" in fields ? fields["output"] : fields["result"])
    case "output-error":
      return { ...readResultContent(textContent(stringOf(fields["errorText"])), { errorMark: false }), error: true }
    case "output-denied":
      return { ...readResultContent([text(deniedText(fields))], { errorMark: false }), error: true, denied: true }
    default:
      return undefined
  }
}

/** Nothing while the tool has not answered. */
export const readResult = (part: Wire, tool: ToolPart): ResultBlock | undefined => {
  const read = readOutcome(toolFields(part), tool.state)
  return read && { type: "result", callId: tool.id, name: tool.name, ...read, native: { "ai-sdk-ui": part } }
}

interface Read {
  readonly block: Block
  readonly result?: ResultBlock
}

const readText = (wire: Wire): Block =>
  typeof wire["text"] === "string" ? { type: "text", text: wire["text"], native: { "ai-sdk-ui": wire } } : malformedBlock(format, wire)

const readFile = (wire: Wire): Block => {
  const { url, data } = wire
  const mediaType = wire["mediaType"] ?? wire["mimeType"] ?? wire["contentType"]
  const name = wire["filename"] ?? wire["name"]
  const read = typeof url === "string" ? readUrl(url) : typeof data === "string" ? { source: { type: "base64", data } as const } : undefined
  if (!read) return { type: "opaque", kind: "file", text: previewOf(wire), native: { "ai-sdk-ui": wire } }
  const block: MediaBlock = {
    type: "media",
    kind: typeof mediaType === "string" ? kindOfMediaType(mediaType) : "file",
    ...read,
    ...(typeof mediaType === "string" && { mediaType }),
    ...(typeof name === "string" && { name }),
    native: { "ai-sdk-ui": wire },
  }
  return block
}

const signatureFields = ["signature", "redactedData", "thoughtSignature", "reasoningEncryptedContent"]

/** The proof of origin is in the metadata of whichever provider gave it; version 4 had it among the details. */
const signatureOf = (wire: Wire): string | undefined => {
  const { providerMetadata: metadata, details } = wire
  const places = [...(isWire(metadata) ? Object.values(metadata) : []), ...(Array.isArray(details) ? details : [])]
  for (const place of places) {
    if (!isWire(place)) continue
    for (const field of signatureFields) if (typeof place[field] === "string") return place[field]
  }
  return undefined
}

const readReasoning = (wire: Wire): Block => {
  const signature = signatureOf(wire)
  const block: ThinkingBlock = {
    type: "thinking",
    text: stringOf(wire["text"] ?? wire["reasoning"]),
    ...(signature !== undefined && { signature }),
    native: { "ai-sdk-ui": wire },
  }
  return block
}

/** Who is waited for: nobody once there is an answer. */
const pendingOf = (part: Wire, state: string): CallBlock["pending"] => {
  if (state.startsWith("output-")) return undefined
  const { approval } = toolFields(part)
  const approved = isWire(approval) && approval["approved"] === true
  return state.startsWith("approval-") && !approved ? "approval" : "running"
}

/** Arguments that were still streaming are cut: they must not be run (L7). */
const readInput = ({ input, state }: ToolPart): Pick<CallBlock, "arguments" | "raw" | "fault"> => {
  if (state !== "input-streaming") return readArgumentsObject(input)
  const raw = typeof input === "string" ? input : (JSON.stringify(input) ?? "")
  return { arguments: {}, raw, fault: "unparsable" }
}

const readTool = (part: Wire): Read => {
  const tool = readToolPart(part)
  const result = readResult(part, tool)
  if (tool.served) {
    const outcome = result ? ` ${previewOf(toolFields(part)["output"] ?? toolFields(part)["errorText"])}` : ""
    const shown = `[${tool.name}: ${previewOf(tool.input)}]${outcome}`
    return { block: { type: "opaque", kind: stringOf(part["type"]), text: shown, native: { "ai-sdk-ui": part } } }
  }
  const pending = pendingOf(part, tool.state)
  const block: CallBlock = {
    type: "call",
    id: tool.id,
    name: tool.name,
    ...readInput(tool),
    ...(pending && { pending }),
    native: { "ai-sdk-ui": part },
  }
  return result ? { block, result } : { block }
}

const readers: Readonly<Record<string, (wire: Wire) => Block>> = {
  text: readText,
  reasoning: readReasoning,
  file: readFile,
}

export const readAttachment = readFile

/** A part of another API, with its result where it brings one along. */
const readForeign = (wire: Wire): Read | undefined => {
  const [block, result] = readBorrowed(wire) ?? []
  if (!block) return undefined
  return result?.type === "result" ? { block, result } : { block }
}

export const readPart = (wire: unknown): Read => {
  if (!isWire(wire)) return { block: malformedBlock(format, wire) }
  const type = typeof wire["type"] === "string" ? wire["type"] : undefined
  if (type !== undefined && isToolPart(wire)) return readTool(wire)
  const reader = type !== undefined && Object.hasOwn(readers, type) ? readers[type] : undefined
  if (reader) return { block: reader(wire) }
  const foreign = readForeign(wire)
  if (foreign) return foreign
  if (type === undefined) return { block: malformedBlock(format, wire) }
  return { block: { type: "opaque", kind: type, text: previewOf(wire), native: { "ai-sdk-ui": wire } } }
}
