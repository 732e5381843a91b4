/** Items of `output` ↔ blocks. They follow the Responses format, with kinds of their own; one item is one block. */
import {
  asWord,
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  readArgumentsObject,
  readArgumentsText,
  readResultContent,
  type ResultBlock,
  text,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { writeArgumentsText } from "../../formats/engine/wire.ts"
import { malformedBlock, previewOf } from "../../formats/engine/malformed.ts"
import { mediaNote, readUrl } from "../../formats/engine/media.ts"
import { nativeIn, textOf } from "../engine/fields.ts"
import { format, resultWords } from "./cards.ts"

type Reader = (wire: Wire) => Block | undefined

const wordsOf = (parts: unknown): string => {
  if (typeof parts === "string") return parts
  if (!Array.isArray(parts)) return ""
  let words = ""
  for (const part of parts as readonly unknown[]) {
    if (isWire(part) && typeof part["text"] === "string") words += part["text"]
  }
  return words
}

const native = (wire: unknown) => ({ "open-webui": wire })

const readMessage: Reader = (wire) => {
  const words = wordsOf(wire["content"])
  return words === "" ? undefined : { type: "text", text: words, native: native(wire) }
}

const readCall: Reader = (wire) => {
  const { arguments: input } = wire
  const read = typeof input === "string" ? readArgumentsText(input) : readArgumentsObject(input)
  return {
    type: "call",
    id: textOf(wire["call_id"]) ?? "",
    name: textOf(wire["name"]) ?? "",
    ...read,
    native: native(wire),
  }
}

const readPart = (part: unknown): ContentBlock => {
  if (!isWire(part)) return typeof part === "string" ? text(part) : malformedBlock(format, part)
  if (typeof part["text"] === "string") return { type: "text", text: part["text"], native: native(part) }
  const url = part["image_url"]
  if (typeof url === "string") return { type: "media", kind: "image", ...readUrl(url), native: native(part) }
  return { type: "opaque", kind: asWord(part["type"] ?? "unknown"), text: previewOf(part), native: native(part) }
}

const readParts = (output: unknown): readonly ContentBlock[] => {
  if (typeof output === "string") return output === "" ? [] : [text(output)]
  if (Array.isArray(output)) return output.map(readPart)
  return output === undefined || output === null ? [] : [text(JSON.stringify(output))]
}

const readOutput: Reader = (wire) => ({
  type: "result",
  callId: textOf(wire["call_id"]) ?? "",
  ...readResultContent(readParts(wire["output"]), { errorMark: true }),
  native: native(wire),
})

const readReasoning: Reader = (wire) => {
  const words = wordsOf(wire["summary"]) || wordsOf(wire["content"])
  const seal = textOf(wire["encrypted_content"])
  if (words === "" && seal === undefined) return undefined
  return { type: "thinking", text: words, ...(seal !== undefined && { signature: seal }), native: native(wire) }
}

const readCode: Reader = (wire) => {
  const { code, output } = wire
  const ran = isWire(output) ? (textOf(output["stdout"]) ?? textOf(output["result"])) : textOf(output)
  const words = [textOf(code) ?? "", ran ?? ""].filter((each) => each !== "").join("\n")
  return { type: "opaque", kind: "code_interpreter", text: words, native: native(wire) }
}

const readers: ReadonlyMap<unknown, Reader> = new Map([
  ["message", readMessage],
  ["function_call", readCall],
  ["function_call_output", readOutput],
  ["reasoning", readReasoning],
  ["open_webui:code_interpreter", readCode],
])

/** Undefined for an item that says nothing. */
export const readItem = (wire: unknown): Block | undefined => {
  if (!isWire(wire)) return malformedBlock(format, wire)
  const reader = readers.get(wire["type"])
  if (reader) return reader(wire)
  return { type: "opaque", kind: asWord(wire["type"] ?? "unknown"), text: "", native: native(wire) }
}

/** True when a message has items that say something: then they stand for its content. */
export const hasItems = (stored: Wire): boolean => Array.isArray(stored["output"]) && stored["output"].length > 0

const isItem = (wire: Wire | undefined, type: string): wire is Wire => wire?.["type"] === type

/** Ids that the page gives to items; made from what names the item, so that they stay the same. */
export type ItemId = (kind: string) => string

const writeText = (words: string, previous: Wire | undefined, id: ItemId): Wire => {
  if (isItem(previous, "message") && wordsOf(previous["content"]) === words) return previous
  const own = isItem(previous, "message") ? previous : undefined
  const head = own ?? { type: "message", id: id("msg"), status: "completed", role: "assistant" }
  return { ...head, content: [{ type: "output_text", text: words }] }
}

const writeCall = (call: CallBlock, previous: Wire | undefined, id: ItemId): Wire => {
  const own = isItem(previous, "function_call") ? previous : undefined
  const raw = own?.["arguments"]
  const said = typeof raw === "string" ? call.fault === undefined && call.raw === raw : raw === call.arguments
  if (own && own["call_id"] === call.id && own["name"] === call.name && said) return own
  const head = own ?? { type: "function_call", id: id("fc"), status: "completed" }
  return { ...head, call_id: call.id, name: call.name, arguments: writeArgumentsText(call) }
}

const sameContent = (result: ResultBlock, previous: Wire): boolean => {
  const { content, error, synthetic } = readResultContent(readParts(previous["output"]), { errorMark: true })
  if (synthetic !== result.synthetic || (error === true) !== (result.error === true)) return false
  if (content.length !== result.content.length) return false
  return content.every((block, index) => {
    const other = result.content[index]
    // What could not be read is written as the text it was shown as, or it would stay damaged.
    if (block.type === "opaque" && block.kind === "malformed") return false
    if (block.type === "text" && other?.type === "text") return block.text === other.text
    return other !== undefined && block.type === other.type && nativeIn(block, format) === nativeIn(other, format)
  })
}

const writeResult = (result: ResultBlock, previous: Wire | undefined, id: ItemId): Wire => {
  const own = isItem(previous, "function_call_output") ? previous : undefined
  if (own && sameContent(result, own)) {
    return own["call_id"] === result.callId ? own : { ...own, call_id: result.callId }
  }
  const head = own ?? { type: "function_call_output", id: id("fco"), status: "completed" }
  return { ...head, call_id: result.callId, output: [{ type: "input_text", text: resultWords(result) }] }
}

const writeReasoning = (block: ThinkingBlock, previous: Wire | undefined, id: ItemId): Wire | undefined => {
  const own = isItem(previous, "reasoning") ? previous : undefined
  const read = own && readReasoning(own)
  const said = read?.type === "thinking" ? read.text : ""
  if (own && said === block.text) return own
  if (block.text === "") return undefined
  const head = own ?? { type: "reasoning", id: id("r"), status: "completed", start_tag: "<think>", end_tag: "</think>" }
  return { ...head, content: [{ type: "output_text", text: block.text }], summary: null }
}

export const writeItem = (block: Block, id: ItemId): Wire | undefined => {
  const previous = nativeIn(block, format)
  switch (block.type) {
    case "text":
      return writeText(block.text, previous, id)
    case "call":
      return writeCall(block, previous, id)
    case "result":
      return writeResult(block, previous, id)
    case "thinking":
      return writeReasoning(block, previous, id)
    case "media":
      return writeText(mediaNote(block), undefined, id)
    case "opaque":
      if (previous && typeof previous["type"] === "string" && block.kind !== "malformed") return previous
      return block.text === "" ? undefined : writeText(block.text, undefined, id)
  }
}
