/** Cards ↔ blocks. The card of a call holds its result as well; a card that is not done has none yet. */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  errorMark,
  isWire,
  type JsonObject,
  readArgumentsText,
  readResultContent,
  type ResultBlock,
  resultText,
  text,
} from "../../model/index.ts"
import { writeArgumentsText } from "../../formats/engine/wire.ts"
import { mediaNote } from "../../formats/engine/media.ts"
import { escapeHtml, type Segment, unescapeHtml } from "./segments.ts"

export const format = "open-webui"

const parse = (value: string): unknown => {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

/** Arguments are the JSON text of what the model wrote, which is JSON text itself; some writers leave out one layer. */
const readArguments = (attribute: string | undefined): Pick<CallBlock, "arguments" | "raw" | "fault"> => {
  if (attribute === undefined || attribute === "") return { arguments: {} }
  const value = parse(attribute)
  if (isWire(value)) return { arguments: value as JsonObject, raw: attribute }
  return readArgumentsText(typeof value === "string" ? value : attribute)
}

const readWords = (value: string): { readonly words: string; readonly structured?: true } => {
  const first = value[0]
  if (first === '"') {
    const said = parse(value)
    return { words: typeof said === "string" ? said : value }
  }
  const isJson = (first === "{" || first === "[") && typeof parse(value) === "object"
  return isJson ? { words: value, structured: true } : { words: value }
}

export interface CardBlocks {
  readonly call: CallBlock
  readonly result?: ResultBlock
}

export const readCard = (segment: Segment): CardBlocks => {
  const { attributes, body } = segment
  const id = attributes["id"] ?? ""
  const native = { "open-webui": segment }
  const call: CallBlock = {
    type: "call",
    id,
    name: attributes["name"] ?? "",
    ...readArguments(attributes["arguments"]),
    native,
  }
  if (attributes["done"] !== "true") return { call }
  const { words, structured } = readWords(attributes["result"] ?? unescapeHtml(body.trim()))
  const result: ResultBlock = {
    type: "result",
    callId: id,
    ...readResultContent(words === "" ? [] : [text(words)], { errorMark: true }),
    ...(structured && { structured }),
    ...(attributes["error"] === "true" && { error: true as const }),
    native,
  }
  return { call, result }
}

/** A result is text here: media leave a note. */
export const resultWords = (result: ResultBlock): string => {
  const isText = result.content.every((block) => block.type === "text")
  const shown = (block: ContentBlock): string => (block.type === "media" ? mediaNote(block) : block.text)
  const words = isText ? resultText(result) : result.content.map(shown).join("\n")
  return result.error === true && result.synthetic === undefined ? errorMark + words : words
}

const attribute = (value: string): string => escapeHtml(JSON.stringify(value))

export const writeCard = (call: CallBlock, result: ResultBlock | undefined): string => {
  const names = `id="${escapeHtml(call.id)}" name="${escapeHtml(call.name)}"`
  const asked = `${names} arguments="${attribute(writeArgumentsText(call))}"`
  const tag = `<details type="tool_calls" done="${result ? "true" : "false"}" ${asked}`
  if (!result) return `${tag}>\n<summary>Executing...</summary>\n</details>\n`
  const answered = `result="${attribute(resultWords(result))}" files="" embeds=""`
  return `${tag} ${answered}>\n<summary>Tool Executed</summary>\n</details>\n`
}

const unquoted = (line: string): string => {
  if (!line.startsWith(">")) return line
  return line.startsWith("> ") ? line.slice(2) : line.slice(1)
}

/** Reasoning is shown as a quotation. */
export const readReasoning = (segment: Segment): Block | undefined => {
  const words = unescapeHtml(segment.body.trim().split("\n").map(unquoted).join("\n")).trim()
  return words === "" ? undefined : { type: "thinking", text: words, native: { "open-webui": segment } }
}

export const writeReasoning = (words: string): string => {
  const quoted = escapeHtml(words)
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n")
  return `<details type="reasoning" done="true" duration="0">\n<summary>Thought</summary>\n${quoted}\n</details>\n`
}

/** Code that the page ran: for others its text, for this format the card. */
export const readCode = (segment: Segment): Block => {
  const output = segment.attributes["output"]
  const words = [unescapeHtml(segment.body.trim()), output ?? ""].filter((each) => each !== "").join("\n")
  return { type: "opaque", kind: "code_interpreter", text: words, native: { "open-webui": segment } }
}
