/** Calls and results → items. The answer to a call is written as the item type that belongs to the call it answers. */
import {
  type CallBlock,
  type ContentBlock,
  type MediaBlock,
  type ResultBlock,
  resultText,
  type TextBlock,
  type Wire,
} from "../../model/index.ts"
import { mediaNote, writeUrl } from "../engine/media.ts"
import { writeArgumentsText } from "../engine/wire.ts"
import { errorMarkOf, sameResult } from "../engine/write-back.ts"
import { callKindOf, format, isMessageItem, isPartKind, nativeOf } from "./fields.ts"
import { partsFault, readResult } from "./read-blocks.ts"

// Blocks → content parts. What an assistant may say is narrower than what a user may: text and refusals only.

type Speaker = "assistant" | "client"

const textTypes: Readonly<Record<Speaker, string>> = { assistant: "output_text", client: "input_text" }
const legalTextTypes: Readonly<Record<Speaker, ReadonlySet<unknown>>> = {
  assistant: new Set(["output_text", "refusal"]),
  client: new Set(["input_text"]),
}

export const textPart = (words: string, speaker: Speaker): Wire => ({ type: textTypes[speaker], text: words })

/** The wire part of a block: its own, or the first one of the item it keeps. Plain strings have none. */
export const partOf = (block: ContentBlock): Wire | undefined => {
  const native = nativeOf(block) as Wire | undefined
  if (!native || !isMessageItem(native)) return native
  const content = native["content"]
  return Array.isArray(content) ? (content[0] as Wire | undefined) : undefined
}

export const writeText = (block: TextBlock, words: string, speaker: Speaker): Wire => {
  const part = partOf(block)
  if (!part) return textPart(words, speaker)
  const field = part["type"] === "refusal" ? "refusal" : "text"
  if (!legalTextTypes[speaker].has(part["type"])) return { ...part, type: textTypes[speaker], text: words }
  return part[field] === words ? part : { ...part, [field]: words }
}

const audioEncodings: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mp3": "mp3",
  "audio/mpeg": "mp3",
}

const writeImage = (block: MediaBlock): Wire => {
  const { source } = block
  if (source.type === "file") return { type: "input_image", file_id: source.id, detail: "auto" }
  const typed = block.mediaType === undefined ? { ...block, mediaType: "image/png" } : block
  return { type: "input_image", image_url: writeUrl(typed), detail: "auto" }
}

const writeFile = (block: MediaBlock): Wire => {
  const { source } = block
  const pdf = block.mediaType === undefined || block.mediaType === "application/pdf"
  const name = block.name ?? (pdf ? "document.pdf" : "document")
  if (source.type === "file") return { type: "input_file", file_id: source.id }
  if (source.type === "url") return { type: "input_file", file_url: source.url }
  const typed = block.mediaType === undefined ? { ...block, mediaType: "application/pdf" } : block
  return { type: "input_file", filename: name, file_data: writeUrl(typed) }
}

const writeMedia = (block: MediaBlock): Wire => {
  if (block.kind === "image") return writeImage(block)
  if (block.kind === "document" || block.kind === "file") return writeFile(block)
  const { source, mediaType = "" } = block
  const encoding = Object.hasOwn(audioEncodings, mediaType) ? audioEncodings[mediaType] : undefined
  if (block.kind === "audio" && source.type === "base64" && encoding !== undefined) {
    return { type: "input_audio", input_audio: { data: source.data, format: encoding } }
  }
  return textPart(mediaNote(block), "client")
}

/** A part of a user or system message, or of an output; undefined where a foreign block has nothing to show. */
export const writePart = (block: ContentBlock): Wire | undefined => {
  const native = nativeOf(block) as Wire | undefined
  switch (block.type) {
    case "text":
      return writeText(block, block.text, "client")
    case "media":
      return native ?? writeMedia(block)
    case "opaque":
      if (native && isPartKind(block.kind)) return native
      return block.text === "" ? undefined : textPart(block.text, "client")
  }
}

export const writeParts = (blocks: readonly ContentBlock[]): readonly Wire[] => blocks.map(writePart).filter((part) => part !== undefined)

const firstMedia = (result: ResultBlock): MediaBlock | undefined =>
  result.content.find((block): block is MediaBlock => block.type === "media")

const functionCall = (call: CallBlock, native: Wire | undefined): Wire => {
  const written = writeArgumentsText(call)
  if (!native) return { type: "function_call", call_id: call.id, name: call.name, arguments: written }
  if (native["call_id"] === call.id && native["name"] === call.name && native["arguments"] === written) {
    return native
  }
  return { ...native, type: "function_call", call_id: call.id, name: call.name, arguments: written }
}

const customCall = (call: CallBlock, native: Wire | undefined): Wire => {
  const { input } = call.arguments
  const written = typeof input === "string" ? input : writeArgumentsText(call)
  if (native && native["call_id"] === call.id && native["name"] === call.name && native["input"] === written) {
    return native
  }
  return { ...native, type: "custom_tool_call", call_id: call.id, name: call.name, input: written }
}

const typedCall = (call: CallBlock, native: Wire, field: string): Wire => {
  const given = native[field] ?? native["actions"]
  const written = native[field] === undefined && "actions" in native ? call.arguments["actions"] : call.arguments
  const sameId = native["call_id"] === call.id || (typeof native["call_id"] !== "string" && native["id"] === call.id)
  if (sameId && given === written) return native
  const key = native[field] === undefined && "actions" in native ? "actions" : field
  return { ...native, ...(!sameId && { call_id: call.id }), [key]: written }
}

/** A built-in call whose answer has no home in its kind of output is written as a plain function, with its answer. */
const needsPlainForm = (type: unknown, result: ResultBlock | undefined): boolean =>
  type === "computer_call" && result !== undefined && firstMedia(result) === undefined

export const writeCall = (call: CallBlock, result: ResultBlock | undefined): Wire => {
  const native = nativeOf(call) as Wire | undefined
  const type = native?.["type"]
  if (type === "function_call" && call.custom === undefined) return functionCall(call, native)
  const kind = callKindOf(type)
  if (call.custom === true) return customCall(call, type === "custom_tool_call" ? native : undefined)
  if (!native || !kind) return functionCall(call, native)
  return needsPlainForm(type, result) ? functionCall(call, undefined) : typedCall(call, native, kind.field)
}

const writeOutput = (result: ResultBlock): string | readonly Wire[] => {
  const { content } = result
  const mark = errorMarkOf(result)
  const first = content[0]
  if (!first) return mark
  if (content.length === 1 && first.type === "text" && !nativeOf(first)) return mark + first.text
  if (mark === "") return writeParts(content)
  if (first.type !== "text") return [textPart(mark, "client"), ...writeParts(content)]
  return [writeText(first, mark + first.text, "client"), ...writeParts(content.slice(1))]
}

const screenshot = (media: MediaBlock): Wire =>
  media.source.type === "file"
    ? { type: "computer_screenshot", file_id: media.source.id }
    : { type: "computer_screenshot", image_url: writeUrl({ ...media, mediaType: media.mediaType ?? "image/png" }) }

/** What each type of answer says beside its call id. */
const answerFields = (result: ResultBlock, type: string): Wire => {
  const failed = result.error === true
  const media = firstMedia(result)
  if (type === "apply_patch_call_output") {
    return { status: failed ? "failed" : "completed", output: resultText(result) }
  }
  if (type === "shell_call_output") {
    const outcome = { type: "exit", exit_code: failed ? 1 : 0 }
    return { output: [{ stdout: errorMarkOf(result) + resultText(result), stderr: "", outcome }] }
  }
  if (type === "computer_call_output" && media) return { output: screenshot(media) }
  return { output: outputOf(result) }
}

const outputOf = (result: ResultBlock): string | readonly Wire[] => {
  const output = writeOutput(result)
  return Array.isArray(output) && output.length === 0 ? "" : output
}

/** Nearly every result: one text that did not fail. */
const isSameText = ({ output }: Wire, { content, error }: ResultBlock): boolean => {
  const [first] = content
  return error === undefined && content.length === 1 && first?.type === "text" && first.text === output
}

/** Nearly every answer of this format: a function's output, as it came. */
const isUsualAnswer = (native: Wire, result: ResultBlock, callItem: Wire): boolean =>
  native["call_id"] === result.callId &&
  isSameText(native, result) &&
  native["type"] === "function_call_output" &&
  callItem["type"] === "function_call"

/** True when the wire answer says what the result says: read again, because only the reader knows what it said. */
const saysTheSame = (native: Wire, result: ResultBlock): boolean =>
  isSameText(native, result) || sameResult(readResult(native), result, format)

/** `callItem` is the item the call was written as. */
export const writeResult = (result: ResultBlock, callItem: Wire): Wire => {
  const native = nativeOf(result) as Wire | undefined
  if (native && isUsualAnswer(native, result, callItem)) return native
  const answers = callKindOf(callItem["type"])?.answers ?? (["function_call_output"] as const)
  const own = native?.["type"]
  const type = typeof own === "string" && answers.includes(own) ? own : answers[0]
  if (native && own === type && partsFault(native, type) === undefined && saysTheSame(native, result)) {
    const named = native["call_id"] === result.callId
    if (named || (native["call_id"] === undefined && native["id"] === result.callId)) return native
    return { ...native, call_id: result.callId }
  }
  if (!native && type === "function_call_output") return { type, call_id: result.callId, output: outputOf(result) }
  return { ...native, type, call_id: result.callId, ...answerFields(result, type) }
}
