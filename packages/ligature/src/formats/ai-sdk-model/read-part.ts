/** Content parts → blocks: one reader per type; what no reader knows, and what a provider ran itself, is kept whole. */
import {
  asWord,
  type Block,
  isWire,
  type OpaqueBlock,
  readArgumentsObject,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { misnamedCall, misnamedResult, readBorrowed } from "../engine/borrowed.ts"
import { malformedBlock, previewOf } from "../engine/malformed.ts"
import { either, format, textOf } from "./format.ts"
import { readMedia } from "./read-media.ts"
import { readResult } from "./read-output.ts"

type Reader = (wire: Wire) => Block

const opaque = (wire: Wire, shown: string, half?: "call" | "result"): OpaqueBlock => ({
  type: "opaque",
  kind: asWord(wire["type"]),
  ...(half && { span: textOf(wire["toolCallId"]), half }),
  text: shown,
  native: { "ai-sdk-model": wire },
})

const readText: Reader = (wire) =>
  typeof wire["text"] === "string"
    ? { type: "text", text: wire["text"], native: { "ai-sdk-model": wire } }
    : malformedBlock(format, wire)

const signatureFields = ["signature", "redactedData", "thoughtSignature", "reasoningEncryptedContent"]

/** The proof of origin stands in the options of whichever provider gave it; version 4 had it on the part. */
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
    text: textOf(wire["text"]),
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
  const name = textOf(wire["toolName"])
  if (wire["providerExecuted"] === true) return opaque(wire, `[${name}: ${previewOf(input)}]`, "call")
  const own = name !== "" && input !== undefined && typeof wire["toolCallId"] === "string"
  const misnamed = own ? undefined : misnamedCall(wire, { id: "toolCallId", name: "toolName", said: "args" in wire ? "args" : "input" })
  if (misnamed) return misnamed
  return {
    type: "call",
    id: textOf(wire["toolCallId"]),
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
    readMedia(wire, { value: wire["image"], mediaType: either(wire, "mediaType", "mimeType"), kind: "image" }) ??
    opaque(wire, "[image]"),
  file: (wire) =>
    readMedia(wire, {
      value: wire["data"],
      mediaType: either(wire, "mediaType", "mimeType"),
      name: wire["filename"],
    }) ?? opaque(wire, `[file ${textOf(wire["filename"])}]`),
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
