/** Items said by the model → blocks: reasoning, calls, and what only the server understands. */
import {
  type AssistantBlock,
  asWord,
  type CallBlock,
  type ContentBlock,
  isWire,
  type MediaBlock,
  type MediaSource,
  type OpaqueBlock,
  readArgumentsObject,
  readArgumentsText,
  readResultContent,
  type ResultBlock,
  text,
  type TextBlock,
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { malformedBlock, previewOf } from "../engine/malformed.ts"
import { kindOfMediaType, readUrl } from "../engine/media.ts"
import { stringOf } from "../engine/wire.ts"
import { answeredIdOf, callIdOf, callKindOf, format, isMessageItem, type ItemIds, partKind } from "./fields.ts"

// Content parts of message items and of outputs → blocks. A part keeps its wire value; a plain string has none.

type Reader = (wire: Wire) => ContentBlock

const opaquePart = (wire: Wire): OpaqueBlock => ({
  type: "opaque",
  kind: partKind(asWord(wire["type"])),
  text: previewOf(wire),
  native: { "openai-responses": wire },
})

const textFrom =
  (field: "text" | "refusal"): Reader =>
  (wire): TextBlock | OpaqueBlock => {
    const value = wire[field]
    if (typeof value !== "string") return malformedBlock(format, wire)
    return { type: "text", text: value, native: { "openai-responses": wire } }
  }

const readImage: Reader = (wire) => {
  const { image_url: url, file_id: id } = wire
  const native = { "openai-responses": wire }
  if (typeof url === "string") return { type: "media", kind: "image", ...readUrl(url), native }
  if (typeof id !== "string") return opaquePart(wire)
  return { type: "media", kind: "image", source: { type: "file", id }, native }
}

const fileSource = (wire: Wire): { readonly source: MediaSource; readonly mediaType?: string } | undefined => {
  const { file_data: data, file_url: url, file_id: id } = wire
  if (typeof data === "string" && data !== "") {
    return data.startsWith("data:") ? readUrl(data) : { source: { type: "base64", data } }
  }
  if (typeof url === "string" && url !== "") return { source: { type: "url", url } }
  return typeof id === "string" ? { source: { type: "file", id } } : undefined
}

const readFile: Reader = (wire) => {
  const read = fileSource(wire)
  if (!read) return opaquePart(wire)
  const block: MediaBlock = {
    type: "media",
    kind: read.mediaType === undefined ? "document" : kindOfMediaType(read.mediaType),
    ...read,
    ...(typeof wire["filename"] === "string" && { name: wire["filename"] }),
    native: { "openai-responses": wire },
  }
  return block
}

const readAudio: Reader = (wire) => {
  const audio = isWire(wire["input_audio"]) ? wire["input_audio"] : wire
  const { data, format: encoding } = audio
  if (typeof data !== "string") return opaquePart(wire)
  const mediaType = typeof encoding === "string" && { mediaType: `audio/${encoding}` }
  const source = { type: "base64", data } as const
  return { type: "media", kind: "audio", ...mediaType, source, native: { "openai-responses": wire } }
}

const readText = textFrom("text")

const readers: Readonly<Record<string, Reader>> = {
  input_text: readText,
  output_text: readText,
  text: readText,
  summary_text: readText,
  reasoning_text: readText,
  refusal: textFrom("refusal"),
  input_image: readImage,
  computer_screenshot: readImage,
  input_file: readFile,
  input_audio: readAudio,
}

export const readPart = (wire: unknown): ContentBlock => {
  if (!isWire(wire) || typeof wire["type"] !== "string") return malformedBlock(format, wire)
  const { type } = wire
  // Compared, not looked up: JSON.parse makes a new string of each long name, and a table would hash them all.
  if (type === "output_text" || type === "input_text") return readText(wire)
  // A whole message where a part belongs would be taken for an item of its own.
  if (isMessageItem(wire)) return malformedBlock(format, wire)
  const reader = Object.hasOwn(readers, type) ? readers[type] : undefined
  return reader ? reader(wire) : opaquePart(wire)
}

/** Content of a message item: a string or a list of parts. */
export const readParts = (content: unknown): readonly ContentBlock[] => {
  if (typeof content === "string") return [{ type: "text", text: content }]
  if (Array.isArray(content)) return content.map(readPart)
  return content === undefined || content === null ? [] : [malformedBlock(format, content)]
}

// Reasoning items. They are never edited in what they say: a home for the summary and the encrypted content is all they need. What is around
// those may be wrong in ways the server rejects, and is left out when the item is written.

const textsOf = (parts: unknown): string => {
  if (!Array.isArray(parts)) return ""
  const [only] = parts
  if (parts.length === 1 && isWire(only) && typeof only["text"] === "string") return only["text"]
  return parts.flatMap((part) => (isWire(part) && typeof part["text"] === "string" ? [part["text"]] : [])).join("\n\n")
}

const isOpen = (wire: Wire): boolean => Array.isArray(wire["content"]) && wire["content"].length > 0

const encryptedOf = (wire: Wire): string | undefined => {
  const encrypted = wire["encrypted_content"]
  return typeof encrypted === "string" && encrypted !== "" ? encrypted : undefined
}

/**
 * A server that stores its items knows the reasoning by id alone, so the id is proof enough where nothing is encrypted.
 * Not where the item carries its content in the open: that comes from servers that store nothing; OpenAI rejects it.
 */
const proofOf = (wire: Wire, stored: boolean): string | undefined => {
  const encrypted = encryptedOf(wire)
  if (encrypted !== undefined) return encrypted
  const { id } = wire
  return stored && !isOpen(wire) && typeof id === "string" && id !== "" ? id : undefined
}

export const readReasoning = (wire: Wire, stored: boolean): ThinkingBlock => {
  const signature = proofOf(wire, stored)
  const text = textsOf(wire["summary"]) || textsOf(wire["content"])
  const native = { "openai-responses": wire }
  if (signature === undefined) return { type: "thinking", text, tied: true, native }
  return { type: "thinking", text, signature, tied: true, native }
}

/** What is irregular about the item beside its id; OpenAI rejects plain content and wants the summary, even empty. */
export const reasoningFault = (wire: Wire): string | undefined => {
  if (isOpen(wire) && encryptedOf(wire) !== undefined) return "Reasoning carries plain content beside the encrypted one"
  return Array.isArray(wire["summary"]) ? undefined : "Reasoning without a summary"
}

const regular = (wire: Wire): Wire => {
  if (reasoningFault(wire) === undefined) return wire
  const { content, ...rest } = wire
  const kept = encryptedOf(wire) === undefined && content !== undefined ? { content } : {}
  return { ...rest, ...kept, summary: Array.isArray(wire["summary"]) ? wire["summary"] : [] }
}

/** Nothing where the item would be known by its id alone and the server would reject that id. */
export const writeReasoning = (wire: Wire, ids: ItemIds): Wire | undefined => {
  const item = ids.checked(wire)
  return item !== wire && encryptedOf(wire) === undefined && !isOpen(wire) ? undefined : regular(item)
}

const readCustom = (wire: Wire): CallBlock => ({
  type: "call",
  id: callIdOf(wire),
  name: stringOf(wire["name"]),
  arguments: { input: typeof wire["input"] === "string" ? wire["input"] : (JSON.stringify(wire["input"]) ?? "") },
  custom: true,
  native: { "openai-responses": wire },
})

const readFunction = (wire: Wire): CallBlock => {
  const { arguments: given, name, call_id: id } = wire
  const usual = typeof name === "string" && typeof id === "string" && wire["status"] !== "in_progress"
  if (usual && typeof given === "string") {
    const { arguments: read, fault } = readArgumentsText(given)
    const native = { "openai-responses": wire }
    // Spelled out: gathering fields from several objects costs more than parsing short arguments.
    if (fault === undefined) return { type: "call", id, name, arguments: read, raw: given, native }
    return { type: "call", id, name, arguments: read, raw: given, fault, native }
  }
  return {
    type: "call",
    id: callIdOf(wire),
    name: stringOf(name),
    ...(typeof given === "string" ? readArgumentsText(given) : readArgumentsObject(given)),
    ...(wire["status"] === "in_progress" && { pending: "running" }),
    native: { "openai-responses": wire },
  }
}

/** Calls of built-in tools the client runs: a shell, a patch, a computer. */
const readTyped = (wire: Wire, type: string, field: string): CallBlock => ({
  type: "call",
  id: callIdOf(wire),
  name: type.slice(0, -"_call".length),
  ...readArgumentsObject(wire[field] ?? (Array.isArray(wire["actions"]) ? { actions: wire["actions"] } : undefined)),
  native: { "openai-responses": wire },
})

const joined = (values: readonly unknown[]): string => values.filter((value) => typeof value === "string" && value !== "").join(" ")

const words = (...values: readonly unknown[]): string => joined(values)

const queries = (value: unknown): string => (Array.isArray(value) ? joined(value) : "")

/** What a reader of another format sees of a server-side item. Items that are state and no speech stay silent. */
const captions: Readonly<Record<string, (wire: Wire) => string>> = {
  web_search_call: ({ action }) =>
    isWire(action) ? `[web search: ${words(action["query"], queries(action["queries"]), action["url"])}]` : "[web search]",
  file_search_call: (wire) => `[file search: ${queries(wire["queries"])}]`,
  code_interpreter_call: (wire) => {
    const logs = Array.isArray(wire["outputs"]) ? wire["outputs"].map((output) => (isWire(output) ? output["logs"] : "")) : []
    return words(`[code interpreter: ${words(wire["code"])}]`, ...logs)
  },
  image_generation_call: (wire) => `[image generated: ${words(wire["revised_prompt"])}]`,
  mcp_call: (wire) => {
    const asked = `[${words(wire["server_label"], wire["name"])}: ${words(wire["arguments"])}]`
    return words(asked, wire["output"], wire["error"])
  },
  mcp_approval_request: (wire) => `[approval requested for ${words(wire["server_label"], wire["name"])}: ${words(wire["arguments"])}]`,
  mcp_approval_response: (wire) => (wire["approve"] === true ? "[approved]" : "[not approved]"),
  program: (wire) => `[program: ${words(wire["code"])}]`,
  program_output: (wire) => `[program output: ${previewOf(wire["result"] ?? wire["output"] ?? "")}]`,
}

const silent: ReadonlySet<string> = new Set([
  "compaction",
  "compaction_trigger",
  "item_reference",
  "mcp_list_tools",
  "additional_tools",
  "configuration_update",
  "tool_search_call",
  "tool_search_output",
])

/** Items that come in two halves with one call id: the server rejects one without the other (L9). */
const halves: Readonly<Record<string, "call" | "result">> = {
  program: "call",
  program_output: "result",
  tool_search_call: "call",
  tool_search_output: "result",
}

export const readOpaqueItem = (wire: Wire, type: string): OpaqueBlock => {
  const caption = Object.hasOwn(captions, type) ? captions[type] : undefined
  const half = Object.hasOwn(halves, type) ? halves[type] : undefined
  const span = wire["call_id"]
  // A caption is what was asked and what came back: other formats have no other copy of it.
  const shown = silent.has(type) ? "" : caption ? caption(wire) : previewOf(wire)
  return {
    type: "opaque",
    kind: type,
    ...(half && typeof span === "string" && { span, half }),
    text: shown,
    native: { "openai-responses": wire },
  }
}

/** The first block of an assistant message item keeps the whole item, later ones their own part. */
export const readAssistant = (wire: Wire): readonly AssistantBlock[] => {
  const { content } = wire
  const only: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined
  if (isWire(only) && only["type"] === "output_text" && typeof only["text"] === "string") {
    return [{ type: "text", text: only["text"], native: { "openai-responses": wire } }]
  }
  const blocks = readParts(content)
  const first = blocks[0] ?? text("")
  const native = { "openai-responses": wire }
  const own = first.type === "text" ? { type: first.type, text: first.text, native } : { ...first, native }
  return blocks.length <= 1 ? [own] : [own, ...blocks.slice(1)]
}

/** The block of one item of the model other than a message. `stored`: the server keeps items and knows them by id. */
export const readModelItem = (wire: Wire, type: string, stored: boolean): AssistantBlock => {
  if (type === "function_call") return readFunction(wire)
  if (type === "reasoning") return readReasoning(wire, stored)
  const kind = callKindOf(type)
  if (!kind) return readOpaqueItem(wire, type)
  return type === "custom_tool_call" ? readCustom(wire) : readTyped(wire, type, kind.field)
}

// Items that answer a call → result blocks. Only a patch output says that it failed; others carry the mark.

/** One command of a shell output: what it printed, on both channels. */
const shellText = (wire: unknown): string => {
  if (!isWire(wire)) return previewOf(wire)
  const { stdout, stderr } = wire
  if (typeof stdout !== "string" && typeof stderr !== "string") return previewOf(wire)
  return [stdout, stderr].filter((printed) => typeof printed === "string" && printed !== "").join("\n")
}

const readOutput = (wire: Wire): readonly ContentBlock[] => {
  const output = wire["output"]
  if (output === undefined || output === null || output === "") return []
  if (wire["type"] === "shell_call_output" && Array.isArray(output)) {
    const printed = output.map(shellText).filter((value) => value !== "")
    return printed.length === 0 ? [] : [text(printed.join("\n"))]
  }
  if (typeof output === "string" || Array.isArray(output)) return readParts(output)
  if (isWire(output) && typeof output["type"] === "string") return [readPart(output)]
  return [malformedBlock(format, output)]
}

const withoutBareMark = (content: readonly ContentBlock[]): readonly ContentBlock[] => {
  const [first, ...rest] = content
  return first?.type === "text" && first.text === "" ? rest : content
}

/** Nearly every answer: a text without any of our marks, which all begin with a bracket. */
const plainResult = (wire: Wire, output: string): ResultBlock => {
  const { name } = wire
  const callId = answeredIdOf(wire)
  const native = { "openai-responses": wire }
  const content = [text(output)]
  return typeof name === "string" ? { type: "result", callId, name, content, native } : { type: "result", callId, content, native }
}

export const readResult = (wire: Wire): ResultBlock => {
  const { type, output } = wire
  if (type === "function_call_output" && typeof output === "string" && output !== "" && !output.startsWith("[")) {
    return plainResult(wire, output)
  }
  const patch = type === "apply_patch_call_output"
  const read = readResultContent(readOutput(wire), { errorMark: !patch })
  const name = wire["name"]
  return {
    type: "result",
    callId: answeredIdOf(wire),
    ...(typeof name === "string" && { name }),
    ...read,
    ...(read.error === true && { content: withoutBareMark(read.content) }),
    ...(patch && wire["status"] === "failed" && { error: true as const }),
    ...(type === "custom_tool_call_output" && { custom: true as const }),
    native: { "openai-responses": wire },
  }
}

// What is wrong with the content of a message item or the output of an answer, as far as its parts go.

const textTypes: ReadonlySet<unknown> = new Set(["input_text", "output_text", "text", "summary_text", "reasoning_text"])

/** The content an item carries as text or parts, if it is such an item. */
const contentOf = (wire: Wire, type: string): unknown => {
  if (type === "message") return wire["content"]
  return type === "function_call_output" || type === "custom_tool_call_output" ? wire["output"] : ""
}

/** `foreign`: text typed as another speaker's. `malformed`: no text and no part at all. */
export const partsFault = (wire: Wire, type: string): "foreign" | "malformed" | undefined => {
  const content = contentOf(wire, type)
  if (typeof content === "string") return undefined
  if (!Array.isArray(content)) return "malformed"
  const own = type === "message" && wire["role"] === "assistant" ? "output_text" : "input_text"
  let fault: "foreign" | undefined
  for (const part of content as readonly unknown[]) {
    if (!isWire(part) || typeof part["type"] !== "string" || isMessageItem(part)) return "malformed"
    if (!textTypes.has(part["type"])) continue
    if (typeof part["text"] !== "string") return "malformed"
    if (part["type"] !== own) fault = "foreign"
  }
  return fault
}
