/** Parts → blocks. A tool part gives a call and, once it is answered, a result. */
import {
  type Block,
  type CallBlock,
  isWire,
  type MediaBlock,
  readArgumentsObject,
  type ResultBlock,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { readBorrowed } from "../engine/borrowed.ts"
import { malformedBlock, previewOf } from "../engine/malformed.ts"
import { kindOfMediaType, readUrl } from "../engine/media.ts"
import { format, textOf } from "./format.ts"
import { readResult } from "./read-output.ts"
import { isToolPart, readToolPart, type ToolPart, toolFields } from "./tool-part.ts"

export interface Read {
  readonly block: Block
  readonly result?: ResultBlock
}

const readText = (wire: Wire): Block =>
  typeof wire["text"] === "string"
    ? { type: "text", text: wire["text"], native: { "ai-sdk-ui": wire } }
    : malformedBlock(format, wire)

const readFile = (wire: Wire): Block => {
  const { url, data } = wire
  const mediaType = wire["mediaType"] ?? wire["mimeType"] ?? wire["contentType"]
  const name = wire["filename"] ?? wire["name"]
  const read =
    typeof url === "string"
      ? readUrl(url)
      : typeof data === "string"
        ? { source: { type: "base64", data } as const }
        : undefined
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

/** The proof of origin stands in the metadata of whichever provider gave it; version 4 had it among the details. */
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
    text: textOf(wire["text"] ?? wire["reasoning"]),
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
    return { block: { type: "opaque", kind: textOf(part["type"]), text: shown, native: { "ai-sdk-ui": part } } }
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
