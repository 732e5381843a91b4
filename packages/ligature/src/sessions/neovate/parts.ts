/** The parts of a message ↔ blocks. A block that still has the content of its part is written as that very part. */
import {
  asWord,
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  type JsonObject,
  type MediaBlock,
  mediaNote,
  readArgumentsObject,
  readResultContent,
  type ResultBlock,
  text,
  type Wire,
} from "../../model/index.ts"
import { malformedBlock, previewOf } from "../../formats/engine/malformed.ts"
import { nativeIn, stringOf, textOf } from "../engine/fields.ts"
import { patch, patchList } from "../engine/patch.ts"

export const format = "neovate"

/** Results of early versions are in user messages, with other names for their fields. */
export const isResultPart = (part: unknown): part is Wire =>
  isWire(part) && (part["type"] === "tool-result" || part["type"] === "tool_result")

type Reader = (wire: Wire) => Block

const opaque = (wire: Wire): Block & { readonly type: "opaque" } => ({
  type: "opaque",
  kind: asWord(wire["type"] ?? "unknown"),
  text: previewOf(wire),
  native: { [format]: wire },
})

const readText: Reader = (wire) => {
  const { text: said } = wire
  return typeof said === "string" ? { type: "text", text: said, native: { [format]: wire } } : malformedBlock(format, wire)
}

const dataUrl = /^data:([^;,]*)[^,]{0,200},/

/** The bytes are base64, alone or as a data URL, or a link. */
const readMedia: Reader = (wire) => {
  const { type, data, mimeType, filename } = wire
  if (typeof data !== "string") return malformedBlock(format, wire)
  const head = dataUrl.exec(data.slice(0, 300))
  const mediaType = textOf(mimeType) ?? head?.[1]
  const source: MediaBlock["source"] = /^https?:\/\//.test(data)
    ? { type: "url", url: data }
    : { type: "base64", data: head ? data.slice(head[0].length) : data }
  return {
    type: "media",
    kind: type === "image" ? "image" : mediaType === "application/pdf" ? "document" : "file",
    ...(mediaType !== undefined && { mediaType }),
    ...(typeof filename === "string" && { name: filename }),
    source,
    native: { [format]: wire },
  }
}

const readCall: Reader = (wire) => {
  const { id, name, input } = wire
  const given = isWire(input) ? { arguments: input as JsonObject } : readArgumentsObject(input)
  return { type: "call", id: stringOf(id), name: stringOf(name), ...given, native: { [format]: wire } }
}

const readContent = (content: unknown): readonly ContentBlock[] =>
  readParts(content).map((block) =>
    block.type === "text" || block.type === "media" || block.type === "opaque" ? block : opaque(block.native?.[format] as Wire),
  )

const readResult: Reader = (wire) => {
  const { type, toolCallId, toolName, id, tool_use_id: oldId, name, result } = wire
  const seen = isWire(result) ? result["llmContent"] : result
  const structured = isWire(result) && seen === undefined
  const named = textOf(toolName ?? name)
  const block: ResultBlock = {
    type: "result",
    callId: stringOf(type === "tool-result" ? toolCallId : (id ?? oldId)),
    ...(named !== undefined && { name: named }),
    ...readResultContent(structured ? [text(JSON.stringify(result))] : readContent(seen), { errorMark: false }),
    ...(structured && { structured: true as const }),
    ...(isWire(result) && result["isError"] === true && { error: true as const }),
    native: { [format]: wire },
  }
  return block
}

const readers: ReadonlyMap<unknown, Reader> = new Map<unknown, Reader>([
  ["text", readText],
  ["reasoning", (wire) => ({ type: "thinking", text: stringOf(wire["text"]), native: { [format]: wire } })],
  ["image", readMedia],
  ["file", readMedia],
  ["tool_use", readCall],
  ["tool-result", readResult],
  ["tool_result", readResult],
])

const readPart = (wire: unknown): Block => {
  if (!isWire(wire) || typeof wire["type"] !== "string") return malformedBlock(format, wire)
  return (readers.get(wire["type"]) ?? opaque)(wire)
}

export const readParts = (content: unknown): readonly Block[] => {
  if (typeof content === "string") return content === "" ? [] : [text(content)]
  if (Array.isArray(content)) return content.map(readPart)
  return content === undefined || content === null ? [] : [malformedBlock(format, content)]
}

const writeMedia = (block: MediaBlock): Wire => {
  const { kind, source, mediaType: mimeType = "image/png" } = block
  if (kind !== "image" || source.type === "file") return { type: "text", text: mediaNote(block) }
  return { type: "image", data: source.type === "url" ? source.url : `data:${mimeType};base64,${source.data}`, mimeType }
}

/** What the model saw: one text, or a list where there are images, or where there was one. */
const writeSeen = (content: readonly ContentBlock[], before: unknown): unknown => {
  const [first] = content
  if (content.length === 0) return Array.isArray(before) && before.length === 0 ? before : ""
  if (content.length === 1 && first?.type === "text" && !Array.isArray(before)) return first.text
  return patchList(before, writeParts(content))
}

/** `result` in a part: text in some versions, else an object with what the model saw and what the user was shown. */
const rewriteOutcome = ({ content, structured, error }: ResultBlock, before: unknown): unknown => {
  const failed = error === true
  const was = isWire(before) ? before : undefined
  const seen = was ? was["llmContent"] : before
  const now = writeSeen(content, seen)
  const isSame = seen === now || (now === "" && (seen === null || before === undefined)) || (seen === undefined && structured === true)
  if (isSame && (was?.["isError"] === true) === failed) return before
  const { isError: _, ...kept } = was ?? {}
  return { ...kept, llmContent: now, ...(failed && { isError: true }) }
}

const newResult = ({ callId, name = "", content, error }: ResultBlock, input: JsonObject): Wire => {
  const result = { llmContent: writeSeen(content, undefined), ...(error === true && { isError: true }) }
  return { type: "tool-result", toolCallId: callId, toolName: name, input, result }
}

const writeResult = (block: ResultBlock, input: JsonObject): Wire => {
  const wire = nativeIn(block, format)
  if (!wire) return newResult(block, input)
  const { callId, name } = block
  const nameKey = "toolName" in wire ? "toolName" : "name"
  const outcome = rewriteOutcome(block, wire["result"])
  return patch(wire, {
    [wire["type"] === "tool_result" ? "id" : "toolCallId"]: callId,
    ...(typeof wire[nameKey] === "string" && name !== undefined && { [nameKey]: name }),
    ...(outcome !== wire["result"] && { result: outcome }),
  })
}

/** A new result as early versions write it. */
export const asEarlyResult = ({ toolCallId: id, toolName: name, input, result }: Wire): Wire => ({
  type: "tool_result",
  id,
  name,
  input,
  result,
})

/** `inputOf`: the arguments of the call with this id, which new results repeat. Undefined: nothing of it can be written. */
const writePart = (block: Block, inputOf: (callId: string) => JsonObject): Wire | undefined => {
  const wire = nativeIn(block, format)
  switch (block.type) {
    case "text":
      return patch(wire ?? { type: "text" }, { text: block.text })
    case "thinking":
      if (wire && stringOf(wire["text"]) === block.text) return wire
      return block.text === "" ? undefined : patch(wire ?? { type: "reasoning" }, { text: block.text })
    case "media":
      return wire ?? writeMedia(block)
    case "call":
      return writeCall(block, wire)
    case "result":
      return writeResult(block, inputOf(block.callId))
    case "opaque":
      if (wire && block.kind !== "malformed") return wire
      return block.text === "" ? undefined : { type: "text", text: block.text }
  }
}

const writeCall = ({ id, name, arguments: input }: CallBlock, wire: Wire | undefined): Wire =>
  patch(wire ?? { type: "tool_use" }, { id, name, input })

export const writeParts = (blocks: readonly Block[], inputOf: (callId: string) => JsonObject = () => ({})): readonly Wire[] =>
  blocks.flatMap((block): Wire | readonly Wire[] => writePart(block, inputOf) ?? [])
