/** One part of a message → a block; one reader per type of part. */
import {
  asWord,
  type Block,
  type ContentBlock,
  isWire,
  type JsonObject,
  type MediaBlock,
  type Native,
  readArgumentsObject,
  readResultContent,
  type ResultBlock,
  text,
  type Wire,
} from "../../model/index.ts"
import { malformedBlock, previewOf } from "../../formats/engine/malformed.ts"
import { callIdOf, format } from "./records.ts"

type Reader = (wire: Wire) => Block

const nativeOf = (wire: unknown): { readonly native: Native } => ({ native: { [format]: wire } })

const readText: Reader = (wire) => {
  const said = wire["text"]
  return typeof said === "string" ? { type: "text", text: said, ...nativeOf(wire) } : malformedBlock(format, wire)
}

const readReasoning: Reader = (wire) => {
  const said = typeof wire["text"] === "string" ? wire["text"] : ""
  return { type: "thinking", text: said, ...nativeOf(wire) }
}

const dataUrl = /^data:([^;,]*)[^,]{0,200},/

/** The bytes are base64, alone or as a data URL, or a link. */
const readMedia: Reader = (wire) => {
  const { data, mimeType, filename } = wire
  if (typeof data !== "string") return malformedBlock(format, wire)
  const head = dataUrl.exec(data.slice(0, 300))
  const mediaType = typeof mimeType === "string" && mimeType !== "" ? mimeType : head?.[1]
  const source: MediaBlock["source"] = /^https?:\/\//.test(data)
    ? { type: "url", url: data }
    : { type: "base64", data: head ? data.slice(head[0].length) : data }
  return {
    type: "media",
    kind: wire["type"] === "image" ? "image" : mediaType === "application/pdf" ? "document" : "file",
    ...(mediaType !== undefined && { mediaType }),
    ...(typeof filename === "string" && { name: filename }),
    source,
    ...nativeOf(wire),
  }
}

const readCall: Reader = (wire) => {
  const { id, name, input } = wire
  const head = { id: typeof id === "string" ? id : "", name: typeof name === "string" ? name : "" }
  if (isWire(input)) return { type: "call", ...head, arguments: input as JsonObject, ...nativeOf(wire) }
  return { type: "call", ...head, ...readArgumentsObject(input), ...nativeOf(wire) }
}

const readContent = (content: unknown): readonly ContentBlock[] => {
  if (typeof content === "string") return content === "" ? [] : [text(content)]
  if (!Array.isArray(content)) return content === undefined || content === null ? [] : [malformedBlock(format, content)]
  return content.map((wire): ContentBlock => {
    const block = readPart(wire)
    return block.type === "text" || block.type === "media" || block.type === "opaque" ? block : opaque(wire as Wire)
  })
}

const readResult: Reader = (wire) => {
  const { result } = wire
  const name = wire["toolName"] ?? wire["name"]
  const said = isWire(result) ? result["llmContent"] : result
  const structured = isWire(result) && said === undefined
  const content = structured ? [text(JSON.stringify(result))] : readContent(said)
  const block: ResultBlock = {
    type: "result",
    callId: callIdOf(wire),
    ...(typeof name === "string" && name !== "" && { name }),
    ...readResultContent(content, { errorMark: false }),
    ...(structured && { structured: true as const }),
    ...(isWire(result) && result["isError"] === true && { error: true as const }),
    ...nativeOf(wire),
  }
  return block
}

const opaque = (wire: Wire): Block & { readonly type: "opaque" } => ({
  type: "opaque",
  kind: asWord(wire["type"] ?? "unknown"),
  text: previewOf(wire),
  ...nativeOf(wire),
})

const readers: Readonly<Record<string, Reader>> = {
  text: readText,
  reasoning: readReasoning,
  image: readMedia,
  file: readMedia,
  tool_use: readCall,
  "tool-result": readResult,
  tool_result: readResult,
}

export const readPart = (wire: unknown): Block => {
  if (!isWire(wire) || typeof wire["type"] !== "string") return malformedBlock(format, wire)
  const reader = Object.hasOwn(readers, wire["type"]) ? readers[wire["type"]] : undefined
  return reader ? reader(wire) : opaque(wire)
}

export const readParts = (content: unknown): readonly Block[] => {
  if (typeof content === "string") return content === "" ? [] : [text(content)]
  if (Array.isArray(content)) return content.map(readPart)
  return content === undefined || content === null ? [] : [malformedBlock(format, content)]
}
