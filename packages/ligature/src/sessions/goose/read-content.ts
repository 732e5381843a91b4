/** Content of goose messages → blocks. What is there for the screen only is no block and stays in its record. */
import {
  type Block,
  type ContentBlock,
  isWire,
  readArgumentsObject,
  readResultContent,
  text,
  type Wire,
} from "../../model/index.ts"
import { isSignature } from "../../formats/anthropic/decode.ts"
import { malformedBlock, previewOf } from "../../formats/engine/malformed.ts"
import { kindOfMediaType } from "../../formats/engine/media.ts"
import { isPlainText } from "../engine/fields.ts"
import { format } from "./format.ts"

type Reader = (wire: Wire) => Block

const readText: Reader = (wire) => {
  const { text: words } = wire
  if (typeof words !== "string") return malformedBlock(format, wire)
  return isPlainText(wire) ? wire : { type: "text", text: words, native: { goose: wire } }
}

const readMedia: Reader = (wire) => {
  const { data, mimeType } = wire
  if (typeof data !== "string") return malformedBlock(format, wire)
  const mediaType = typeof mimeType === "string" && mimeType !== "" ? mimeType : undefined
  const kind = mediaType === undefined ? (wire["type"] === "audio" ? "audio" : "image") : kindOfMediaType(mediaType)
  return {
    type: "media",
    kind,
    ...(mediaType !== undefined && { mediaType }),
    source: { type: "base64", data },
    native: { goose: wire },
  }
}

const readResource: Reader = (wire) => {
  const { resource } = wire
  const words = isWire(resource) ? resource["text"] : undefined
  if (typeof words === "string") return { type: "text", text: words, native: { goose: wire } }
  return { type: "opaque", kind: "resource", text: previewOf(wire), native: { goose: wire } }
}

const readThinking: Reader = (wire) => {
  const { thinking, signature } = wire
  return {
    type: "thinking",
    text: typeof thinking === "string" ? thinking : typeof wire["text"] === "string" ? wire["text"] : "",
    ...(isSignature(signature) ? { signature } : signature !== undefined && signature !== "" && { unsigned: true as const }),
    native: { goose: wire },
  }
}

const readRedacted: Reader = (wire) => ({
  type: "thinking",
  text: "",
  ...(typeof wire["data"] === "string" && { signature: wire["data"] }),
  redacted: true,
  native: { goose: wire },
})

/** A request that the agent could not read bears an error in place of the call. */
const readCall: Reader = (wire) => {
  const { id, toolCall } = wire
  const head = { type: "call", id: typeof id === "string" ? id : "" } as const
  const native = { goose: wire }
  const call = isWire(toolCall) ? toolCall : {}
  const value = isWire(call["value"]) ? call["value"] : undefined
  if (!value) {
    const raw = typeof call["error"] === "string" ? call["error"] : previewOf(toolCall ?? null)
    return { ...head, name: "", arguments: {}, raw, fault: "unparsable", native }
  }
  const { name, arguments: input } = value
  const read = input === undefined ? { arguments: {} } : readArgumentsObject(input)
  return { ...head, name: typeof name === "string" ? name : "", ...read, native }
}

/** Parts of a result may be meant for the user alone: the model did not see them. */
const isForModel = (wire: unknown): boolean => {
  const annotations = isWire(wire) ? wire["annotations"] : undefined
  const audience = isWire(annotations) ? annotations["audience"] : undefined
  return !Array.isArray(audience) || audience.length === 0 || audience.includes("assistant")
}

export interface Response {
  /** The parts that the model saw, as they came. */
  readonly parts: readonly unknown[]
  readonly failed: boolean
}

/** The outcome inside of a response: a list of parts, a call result around such a list, or an error text. */
export const readOutcome = (toolResult: unknown): Response => {
  const outcome = isWire(toolResult) ? toolResult : { value: toolResult }
  const { value, error } = outcome
  if (outcome["status"] === "error") {
    return { parts: [typeof error === "string" ? text(error) : error], failed: true }
  }
  const list = isWire(value) ? value["content"] : value
  const failed = isWire(value) && (value["isError"] === true || value["is_error"] === true)
  if (list === undefined || list === null) return { parts: [], failed }
  return { parts: Array.isArray(list) ? list.filter(isForModel) : [list], failed }
}

const asContent = (wire: unknown): ContentBlock => {
  const block = typeof wire === "string" ? text(wire) : readBlock(wire)
  if (block.type === "text" || block.type === "media" || block.type === "opaque") return block
  return { type: "opaque", kind: block.type, text: previewOf(wire), native: { goose: wire } }
}

const readResult: Reader = (wire) => {
  const { id, toolResult } = wire
  const { parts, failed } = readOutcome(toolResult)
  return {
    type: "result",
    callId: typeof id === "string" ? id : "",
    ...readResultContent(parts.map(asContent), { errorMark: false }),
    ...(failed && { error: true as const }),
    native: { goose: wire },
  }
}

const readers: Readonly<Record<string, Reader>> = {
  text: readText,
  image: readMedia,
  audio: readMedia,
  resource: readResource,
  toolRequest: readCall,
  frontendToolRequest: readCall,
  toolResponse: readResult,
  thinking: readThinking,
  reasoning: readThinking,
  redactedThinking: readRedacted,
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
  return reader?.(wire) ?? { type: "opaque", kind: wire["type"], text: previewOf(wire), native: { goose: wire } }
}

export const readContent = (content: unknown): readonly Block[] => {
  if (typeof content === "string") return content === "" ? [] : [text(content)]
  if (!Array.isArray(content)) return content === undefined || content === null ? [] : [malformedBlock(format, content)]
  const blocks: Block[] = []
  for (const wire of content as readonly unknown[]) if (!isScreenOnly(wire)) blocks.push(readBlock(wire))
  return blocks
}
