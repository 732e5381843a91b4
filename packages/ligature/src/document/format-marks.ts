/**
 * The marks by which one wire format is told from the others. Weight 100 proves, 10 makes likely, 1 is a hint that is
 * used only where nothing better is found.
 */

import { asWord } from "../model/index.ts"
import type { WireFormat } from "../registry/registry.ts"
import { isList, isObject, member, type JsonObject } from "../json/json-value.ts"
import { isSignature } from "../formats/anthropic/decode.ts"
import { isItemType } from "./message-list.ts"

export interface Mark {
  readonly format: WireFormat
  readonly weight: 100 | 10 | 1
  readonly why: string
  readonly test: (value: JsonObject) => boolean
}

const has =
  (...keys: readonly string[]) =>
  (value: JsonObject): boolean => {
    for (const key of keys) if (Object.hasOwn(value, key)) return true
    return false
  }

const typeIn = (...types: readonly string[]) => {
  const known = new Set(types)
  return ({ type }: JsonObject): boolean => typeof type === "string" && known.has(type)
}

/** Asked of every block there is, so the sets are made once, not for each question. */
const isMediaPart = typeIn("image_url", "input_audio", "audio_url", "video_url", "think")
const isConverseBlock = has("toolUse", "toolResult", "reasoningContent", "cachePoint", "guardContent")
const isSdkToolPart = typeIn("tool-call", "tool-result", "tool-approval-request", "tool-approval-response")

/** Data sets keep messages of any API under the name that ShareGPT has for its list. */
const areMessages = (list: readonly unknown[]): boolean =>
  list.length > 0 && list.every((each) => isObject(each) && each["from"] === undefined && typeof each["role"] === "string")

const firstTool = (value: JsonObject): unknown => member(value["tools"], 0)

const isEmpty = (content: unknown): boolean =>
  content === undefined || content === null || content === "" || (isList(content) && content.length === 0)

const isUntyped = (value: unknown): boolean => isObject(value) && value["type"] === undefined

/** An object with the messages of a span, as lists or as JSON text. */
export const isTraced = (value: unknown): value is JsonObject =>
  isObject(value) && (Object.hasOwn(value, "gen_ai.input.messages") || Object.hasOwn(value, "gen_ai.output.messages"))

const isTracedPart = (part: unknown): boolean => {
  if (!isObject(part)) return false
  const { type, content, text, toolCallId } = part
  if (type === "text" || type === "reasoning" || type === "blob") return typeof content === "string" && text === undefined
  return type === "tool_call" || type === "tool_call_response" ? toolCallId === undefined && content === undefined : false
}

const mark = (format: WireFormat, weight: Mark["weight"], why: string, test: Mark["test"]): Mark => ({ format, weight, why, test })

export const requestMarks: readonly Mark[] = [
  mark(
    "gemini",
    100,
    "the request has systemInstruction or contents",
    has("contents", "systemInstruction", "system_instruction", "generationConfig"),
  ),
  mark("bedrock-converse", 100, "the request has toolConfig or inferenceConfig", has("inferenceConfig", "toolConfig")),
  mark("bedrock-converse", 10, "the system prompt is a list of blocks without type", ({ system }) => isUntyped(member(system, 0))),
  mark("bedrock-converse", 100, "tools are declared with toolSpec", (value) => member(firstTool(value), "toolSpec") !== undefined),
  mark("anthropic", 100, "tools are declared with input_schema", (value) => member(firstTool(value), "input_schema") !== undefined),
  mark("anthropic", 100, "the request has anthropic_version", has("anthropic_version")),
  mark(
    "anthropic",
    10,
    "the request has a top-level system prompt",
    ({ system, messages }) => isList(messages) && (typeof system === "string" || member(member(system, 0), "type") === "text"),
  ),
  mark(
    "anthropic",
    1,
    "the model is called claude-…",
    ({ model, messages }) => isList(messages) && typeof model === "string" && model.startsWith("claude"),
  ),
  mark("openai-chat", 10, "tools are declared with function", (value) => isObject(member(firstTool(value), "function"))),
  mark("openai-responses", 10, "the request has input", ({ input, model }) =>
    typeof input === "string" ? typeof model === "string" : isList(input),
  ),
  mark(
    "openai-responses",
    10,
    "tools are declared flat, with type function",
    (value) => member(firstTool(value), "type") === "function" && member(firstTool(value), "name") !== undefined,
  ),
  mark("openai-responses", 100, "the request has previous_response_id", has("previous_response_id")),
  mark("sharegpt", 10, "the list is called conversations", ({ conversations }) => isList(conversations) && !areMessages(conversations)),
  mark(
    "otel-messages",
    100,
    "the attributes are called gen_ai.input.messages or gen_ai.output.messages",
    (value) => isTraced(value) || isTraced(value["attributes"]),
  ),
]

export const messageMarks: readonly Mark[] = [
  mark("openai-chat", 100, "assistant messages have tool_calls", ({ tool_calls }) => isList(tool_calls) && tool_calls.length > 0),
  mark("openai-chat", 10, "assistant messages have tool_calls", has("tool_calls")),
  mark(
    "openai-chat",
    100,
    "a tool message has tool_call_id",
    ({ role, tool_call_id, content }) => role === "tool" && typeof tool_call_id === "string" && !isEmpty(content),
  ),
  mark(
    "openai-chat",
    100,
    "a message has function_call or the role function",
    ({ role, function_call }) => role === "function" || (role === "assistant" && isObject(function_call)),
  ),
  mark("openai-chat", 10, "a tool message is plain text", ({ role, content }) => role === "tool" && typeof content === "string"),
  mark("openai-chat", 1, "a message has the role system or developer", ({ role }) => role === "system" || role === "developer"),
  mark("openai-chat", 1, "a message has reasoning_content or refusal", has("reasoning_content", "refusal")),
  mark(
    "openai-responses",
    100,
    "an item without role has the type of a Responses item",
    ({ role, type }) => role === undefined && typeof type === "string" && isItemType(type),
  ),
  mark(
    "openai-responses",
    10,
    "messages have type message",
    ({ role, type, stop_reason }) => type === "message" && typeof role === "string" && stop_reason === undefined,
  ),
  mark("gemini", 100, "a message has the role model", ({ role, parts }) => role === "model" && isList(parts)),
  mark("gemini", 100, "parts have no type", ({ parts }) => isUntyped(member(parts, 0))),
  mark(
    "otel-messages",
    100,
    "parts have a type and their text in content",
    ({ role, parts }) => typeof role === "string" && isList(parts) && parts.slice(0, 8).some(isTracedPart),
  ),
  mark(
    "ai-sdk-ui",
    100,
    "messages consist of typed parts",
    ({ role, parts }) =>
      typeof role === "string" && isList(parts) && typeof member(parts[0], "type") === "string" && !parts.slice(0, 8).some(isTracedPart),
  ),
  mark("ai-sdk-ui", 100, "a message has toolInvocations", has("toolInvocations")),
  mark(
    "sharegpt",
    100,
    "messages are pairs of from and value",
    ({ from, value, role }) => role === undefined && typeof from === "string" && value !== undefined,
  ),
]

export const blockMarks: readonly Mark[] = [
  mark(
    "anthropic",
    100,
    "blocks are of type tool_use or tool_result",
    typeIn(
      "tool_use",
      "redacted_thinking",
      "server_tool_use",
      "web_search_tool_result",
      "mcp_tool_use",
      "mcp_tool_result",
      "search_result",
      "container_upload",
    ),
  ),
  mark("anthropic", 100, "blocks are of type tool_use or tool_result", ({ type, content }) => type === "tool_result" && !isEmpty(content)),
  // What a repair may leave out, since nothing can be read from it, is no proof: what is left would be of another format.
  mark("anthropic", 10, "blocks are of type thinking or tool_result", typeIn("thinking", "tool_result")),
  mark("anthropic", 100, "thinking blocks have a signature", ({ type, signature }) => type === "thinking" && isSignature(signature)),
  mark("anthropic", 100, "media blocks have a source", ({ type, source }) => (type === "image" || type === "document") && isObject(source)),
  mark("anthropic", 1, "a block has cache_control", has("cache_control")),
  mark(
    "openai-chat",
    100,
    "parts are of type image_url, input_audio, video_url or think",
    (part) => isMediaPart(part) && Object.hasOwn(part, asWord(part["type"])),
  ),
  mark(
    "openai-responses",
    100,
    "content is of type input_text or output_text",
    typeIn("input_text", "output_text", "input_image", "input_file"),
  ),
  mark("bedrock-converse", 100, "blocks are called toolUse or toolResult", (block) => isUntyped(block) && isConverseBlock(block)),
  mark("bedrock-converse", 10, "blocks have a text and no type", (block) => isUntyped(block) && typeof block["text"] === "string"),
  mark(
    "ai-sdk-model",
    100,
    "parts are of type tool-call or tool-result with toolCallId",
    (part) => isSdkToolPart(part) && !Object.hasOwn(part, "state"),
  ),
  mark(
    "ai-sdk-model",
    10,
    "parts are of type reasoning, file or image",
    ({ type, text, mediaType, image }) =>
      (type === "reasoning" && typeof text === "string") ||
      (type === "file" && typeof mediaType === "string") ||
      (type === "image" && image !== undefined),
  ),
]
