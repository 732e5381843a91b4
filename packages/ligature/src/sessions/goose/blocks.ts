/** Content of goose messages ↔ blocks. What only the screen shows is no block, and stays in its record. */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  isMalformed,
  isWire,
  type MediaBlock,
  readArgumentsObject,
  readResultContent,
  type ResultBlock,
  text,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { isSignature } from "../../formats/anthropic/decode.ts"
import { malformedBlock, previewOf } from "../../formats/engine/malformed.ts"
import { kindOfMediaType, mediaNote } from "../../formats/engine/media.ts"
import { isPlainText, nativeIn, stringOf, textOf, wireOf } from "../engine/fields.ts"
import { patch, patchList } from "../engine/patch.ts"
import { sameBlocks } from "../engine/same-blocks.ts"

export const format = "goose"

type Reader = (wire: Wire) => Block

const native = (wire: unknown) => ({ native: { [format]: wire } })

const readMedia: Reader = (wire) => {
  const { type, data, mimeType } = wire
  if (typeof data !== "string") return malformedBlock(format, wire)
  const mediaType = textOf(mimeType)
  const kind = mediaType === undefined ? (type === "audio" ? "audio" : "image") : kindOfMediaType(mediaType)
  return { type: "media", kind, ...(mediaType !== undefined && { mediaType }), source: { type: "base64", data }, ...native(wire) }
}

const readThinking: Reader = (wire) => {
  const { thinking, signature } = wire
  return {
    type: "thinking",
    text: typeof thinking === "string" ? thinking : stringOf(wire["text"]),
    ...(isSignature(signature) ? { signature } : signature !== undefined && signature !== "" && { unsigned: true as const }),
    ...native(wire),
  }
}

/** A request that the agent could not read has an error in place of the call. */
const readCall: Reader = (wire) => {
  const { id, toolCall } = wire
  const head = { type: "call", id: stringOf(id) } as const
  const { value, error } = wireOf(toolCall)
  if (!isWire(value)) {
    const raw = typeof error === "string" ? error : previewOf(toolCall ?? null)
    return { ...head, name: "", arguments: {}, raw, fault: "unparsable", ...native(wire) }
  }
  const { name, arguments: input } = value
  return { ...head, name: stringOf(name), ...(input === undefined ? { arguments: {} } : readArgumentsObject(input)), ...native(wire) }
}

/** Parts of a result may be meant for the user alone: the model did not see them. */
const isForModel = (wire: unknown): boolean => {
  const { audience } = wireOf(wireOf(wire)["annotations"])
  return !Array.isArray(audience) || audience.length === 0 || audience.includes("assistant")
}

/** The outcome inside of a response: a list of parts, a call result around such a list, or an error text. */
const readOutcome = (toolResult: unknown): { readonly parts: readonly unknown[]; readonly failed: boolean } => {
  const { status, value, error } = isWire(toolResult) ? toolResult : { value: toolResult }
  if (status === "error") return { parts: [error], failed: true }
  const list = isWire(value) ? value["content"] : value
  const failed = isWire(value) && (value["isError"] === true || value["is_error"] === true)
  if (list === undefined || list === null) return { parts: [], failed }
  return { parts: Array.isArray(list) ? list.filter(isForModel) : [list], failed }
}

const readPart = (wire: unknown): ContentBlock => {
  const block = typeof wire === "string" ? text(wire) : readBlock(wire)
  if (block.type === "text" || block.type === "media" || block.type === "opaque") return block
  return { type: "opaque", kind: block.type, text: previewOf(wire), ...native(wire) }
}

const readResult = (wire: Wire): ResultBlock => {
  const { parts, failed } = readOutcome(wire["toolResult"])
  return {
    type: "result",
    callId: stringOf(wire["id"]),
    ...readResultContent(parts.map(readPart), { errorMark: false }),
    ...(failed && { error: true as const }),
    ...native(wire),
  }
}

const readers: Readonly<Record<string, Reader>> = {
  text: (wire) => {
    if (typeof wire["text"] !== "string") return malformedBlock(format, wire)
    return isPlainText(wire) ? wire : { type: "text", text: wire["text"], ...native(wire) }
  },
  image: readMedia,
  audio: readMedia,
  resource: (wire) => {
    const content = wireOf(wire["resource"])["text"]
    if (typeof content === "string") return { type: "text", text: content, ...native(wire) }
    return { type: "opaque", kind: "resource", text: previewOf(wire), ...native(wire) }
  },
  toolRequest: readCall,
  frontendToolRequest: readCall,
  toolResponse: readResult,
  thinking: readThinking,
  reasoning: readThinking,
  redactedThinking: (wire) => ({
    type: "thinking",
    text: "",
    ...(typeof wire["data"] === "string" && { signature: wire["data"] }),
    redacted: true,
    ...native(wire),
  }),
}

const forTheScreen: ReadonlySet<unknown> = new Set([
  "toolConfirmationRequest",
  "actionRequired",
  "systemNotification",
  "contextLengthExceeded",
  "summarizationRequested",
  "conversationCompacted",
])

/** True for content that never reaches the model. */
export const isScreenOnly = (wire: unknown): boolean => isWire(wire) && forTheScreen.has(wire["type"])

const readBlock = (wire: unknown): Block => {
  if (!isWire(wire) || typeof wire["type"] !== "string") return malformedBlock(format, wire)
  const reader = Object.hasOwn(readers, wire["type"]) ? readers[wire["type"]] : undefined
  return reader?.(wire) ?? { type: "opaque", kind: wire["type"], text: previewOf(wire), ...native(wire) }
}

export const readContent = (content: unknown): readonly Block[] => {
  if (typeof content === "string") return content === "" ? [] : [text(content)]
  if (!Array.isArray(content)) return content === undefined || content === null ? [] : [malformedBlock(format, content)]
  return content.filter((wire) => !isScreenOnly(wire)).map(readBlock)
}

const textPart = (content: string): Wire => ({ type: "text", text: content })

const writeMedia = (block: MediaBlock): Wire => {
  const { kind, source, mediaType } = block
  if ((kind !== "image" && kind !== "audio") || source.type !== "base64") return textPart(mediaNote(block))
  return { type: kind, data: source.data, mimeType: mediaType ?? (kind === "image" ? "image/png" : "audio/wav") }
}

const writeThinking = ({ text: content, signature = "", redacted }: ThinkingBlock, wire: Wire | undefined): Wire => {
  if (wire) {
    const field = typeof wire["thinking"] === "string" || typeof wire["text"] !== "string" ? "thinking" : "text"
    return stringOf(wire[field]) === content ? wire : patch(wire, { [field]: content })
  }
  return redacted === true ? { type: "redactedThinking", data: signature } : { type: "thinking", thinking: content, signature }
}

const writeCall = ({ id, name, arguments: input }: CallBlock, wire: Wire | undefined): Wire => {
  const { toolCall, type = "toolRequest" } = wire ?? {}
  const { value } = wireOf(toolCall)
  const call = isWire(value) ? value : undefined
  const isBare = call !== undefined && call["arguments"] === undefined && Object.keys(input).length === 0
  const called = patch(call, { name, arguments: isBare ? undefined : input })
  return patch(wire, { type, id, toolCall: called === call ? toolCall : { status: "success", value: called } })
}

const writePart = (block: ContentBlock): Wire => {
  const wire = nativeIn(block, format)
  if (block.type === "text") {
    if (!wire) return block.native === undefined ? (block as unknown as Wire) : textPart(block.text)
    if (wire["type"] !== "resource") return patch(wire, { text: block.text })
    return wireOf(wire["resource"])["text"] === block.text ? wire : textPart(block.text)
  }
  if (wire && !isMalformed(block)) return wire
  return block.type === "media" ? writeMedia(block) : textPart(block.text)
}

const writeResult = (result: ResultBlock, wire: Wire | undefined): Wire => {
  const { callId: id, content, error, synthetic } = result
  const before = wire && readResult(wire)
  const isSame = before && sameBlocks(before.content, content) && !content.some(isMalformed)
  if (isSame && (before.error === error || synthetic !== undefined)) return patch(wire, { id })
  const value = { content: content.map(writePart), isError: error === true }
  return patch(wire, { type: "toolResponse", id, toolResult: { status: "success", value } })
}

const writeBlock = (block: Block): readonly Wire[] => {
  const wire = nativeIn(block, format)
  switch (block.type) {
    case "call":
      return [writeCall(block, wire)]
    case "result":
      return [writeResult(block, wire)]
    case "thinking":
      return [writeThinking(block, wire)]
    default:
      return block.type === "opaque" && block.text === "" && !wire ? [] : [writePart(block)]
  }
}

/** The content these blocks make. What only the screen shows keeps its place, counted by what the model sees before it. */
export const writeContent = (blocks: readonly Block[], before: unknown): unknown => {
  if (blocks.length === 0 && (before === undefined || before === null || before === "")) return before
  const written: readonly unknown[] = blocks.flatMap(writeBlock)
  if (!Array.isArray(before)) return written
  const content: unknown[] = []
  let next = 0
  for (const wire of before as readonly unknown[]) {
    if (isScreenOnly(wire)) content.push(wire)
    else if (next < written.length) content.push(written[next++])
  }
  return patchList(before, [...content, ...written.slice(next)])
}
