/**
 * The judge that all Chat Completions servers share, configured by their demands.
 */
import { type MediaDemands, type MediaFault, type MediaPart, mediaViolation, partOfUrl } from "../media/judge-media.ts"
import {
  type ErrorBody,
  isArray,
  isObject,
  type Judge,
  type JudgeOptions,
  modelOf,
  verdictOf,
  type Violation,
  type WireObject,
} from "../verdict.ts"
import { chatMessageViolation } from "./messages.ts"

// What tells one Chat Completions server from another, as data for the shared judge. A server that differs in more than
// these switches adds its own pass (`extra`), which runs after the shared ones unless it says otherwise.

export interface ChatDemands {
  readonly errorBody: ErrorBody
  /** Prefix of the rule ids for shapes that no named rule describes. */
  readonly name: string
  /** Longest id of a call; `undefined` if the server does not count. */
  readonly idLength: number | undefined
  /** Whether the server parses `arguments` and fails on what is not an object. */
  readonly parsesArguments: boolean
  /** Whether and how unknown message keys are refused. */
  readonly unknownKeys: (role: string, key: string, message: number) => Violation | undefined
  /** Message keys beyond the published ones that this server takes. */
  readonly toleratedKeys: ReadonlySet<string>
  /** The text for calls without a response. */
  readonly unanswered: (ids: readonly string[]) => string
  readonly orphan: string
  /** If set: every message needs content, and this is the finding for one without. */
  readonly emptyContent?: (message: number) => Violation
  /** The finding for a name of a wrong shape, where it is not the usual one. */
  readonly functionName?: (name: string) => Violation
  /** Types of content parts beyond OpenAI's that user and assistant messages may hold here. */
  readonly extraParts?: ReadonlySet<string>
  /** The finding for a part that this role may not hold, where it is not the usual one. */
  readonly chunkTypes?: (role: string, type: string) => Violation
  /** The finding for an assistant message without content and without calls, where it is not the usual one. */
  readonly emptyAssistant?: () => Violation
  /** The finding for a call or result without an id, where it is not the usual one. */
  readonly missingId?: Violation
  /** What the server takes of images and files; undefined where its messages are text. */
  readonly media?: MediaDemands
  /** Longest text of a message; undefined if the server does not count. */
  readonly textLength?: number
  /** Judged before the shared passes: a server whose own order table speaks first. */
  readonly before?: (messages: readonly WireObject[], body: WireObject, options: ChatContext) => Violation | undefined
  /** Judged after the shared passes. */
  readonly extra?: (messages: readonly WireObject[], body: WireObject, options: ChatContext) => Violation | undefined
  /** Whether pairing is judged by `before` instead of the shared pass. */
  readonly ownPairing?: boolean
}

export interface ChatContext {
  readonly model: string | undefined
  readonly options: JudgeOptions | undefined
}

// Images and files in Chat Completions requests. Servers differ in what they take; the refusals of OpenAI stand for
// those of the ones whose own words are not known.

function partOf(part: unknown, place: () => string): MediaPart | undefined {
  if (!isObject(part)) return undefined
  const image = part["image_url"]
  if (part["type"] === "image_url") {
    const url = isObject(image) ? image["url"] : image
    return typeof url === "string" ? partOfUrl("image", url, `${place()}.image_url.url`) : undefined
  }
  const file = part["type"] === "file" ? part["file"] : undefined
  const data = isObject(file) ? file["file_data"] : undefined
  if (typeof data === "string") return partOfUrl("document", data, `${place()}.file.file_data`)
  return undefined
}

function partsOf(messages: readonly WireObject[]): readonly MediaPart[] {
  const parts: MediaPart[] = []
  messages.forEach(({ content }, index) => {
    if (!isArray(content)) return
    content.forEach((each, at) => {
      const part = partOf(each, () => `messages[${index}].content[${at}]`)
      if (part !== undefined) parts.push(part)
    })
  })
  return parts
}

export const dataUrlText =
  "Expected a base64-encoded data URL with an image MIME type (e.g. " + "'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got"

const formatText =
  "You uploaded an unsupported image. Please make sure your image has of one the following formats: " + "['png', 'jpeg', 'gif', 'webp']."

/** What the family says of a fault that has no words of its own at a server. */
export function refuseChat(fault: MediaFault, { place, kind }: MediaPart): Violation {
  const invalid = (rule: string, message: string): Violation => ({ rule, message, param: place, code: "invalid_value" })
  switch (fault.what) {
    case "empty":
      return invalid("openai-image-data", `Invalid '${place}'. ${dataUrlText} empty base64-encoded bytes.`)
    case "not-base64":
      return invalid("openai-image-data", `Invalid '${place}'. ${dataUrlText} unsupported base64-encoded bytes.`)
    case "address":
      return invalid("openai-image-data", `Invalid '${place}'. Only base64-encoded images are supported.`)
    case "unreadable":
    case "type":
    case "declared":
    case "encrypted":
      return {
        rule: "openai-image-format",
        message: kind === "image" ? formatText : `Invalid '${place}'. The file is not a PDF that can be read.`,
        code: "invalid_image_format",
      }
    case "bytes":
    case "side":
    case "many-side":
    case "pixels":
    case "pages":
      return invalid("openai-image-size", `Invalid '${place}'. The ${kind} is too large: ${fault.actual} > ${fault.limit}.`)
    case "images":
    case "documents":
    case "together":
      return { rule: "openai-image-count", message: `Too many images in request. Max is ${fault.limit}.` }
    case "request":
      return { rule: "openai-request-size", message: "Request body is too large.", status: 413 }
  }
}

const openaiTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"]

export const openaiMedia: MediaDemands = {
  types: openaiTypes,
  documentTypes: ["application/pdf"],
  imageBytes: 20_000_000,
  documentBytes: 32_000_000,
  pages: 100,
  images: 500,
  requestBytes: 50_000_000,
  refuse: refuseChat,
}

export const compatibleMedia: MediaDemands = { types: openaiTypes, refuse: refuseChat }

export const groqMedia: MediaDemands = {
  ...compatibleMedia,
  images: 5,
  pixels: 33_177_600,
  requestBytes: 4_000_000,
  refuse: (fault, part) =>
    fault.what === "images"
      ? { rule: "openai-image-count", message: `Too many images provided. This model supports up to ${fault.limit} images` }
      : refuseChat(fault, part),
}

function chatMediaViolation(messages: readonly WireObject[], body: unknown, demands: MediaDemands): Violation | undefined {
  return mediaViolation(partsOf(messages), body, demands)
}

// Pairing in a Chat Completions history: after an assistant message with calls is a run of tool messages that
// answers each of them, in any order, before any other role.
//
// The published texts say nothing about a second answer to one call; here it answers nothing and counts as an orphan.

function chatPairingViolation(messages: readonly WireObject[], demands: ChatDemands, openTip: boolean): Violation | undefined {
  /** Unanswered calls by id; a count, because one message may hold the same id twice. */
  const pending = new Map<string, number>()
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    if (message === undefined) continue
    if (message["role"] === "tool") {
      const id = String(message["tool_call_id"])
      const open = pending.get(id)
      if (open === undefined) {
        return { rule: "openai-chat-orphan-tool", message: demands.orphan, param: `messages.[${index}].role` }
      }
      if (open === 1) pending.delete(id)
      else pending.set(id, open - 1)
      continue
    }
    if (pending.size > 0) return unansweredViolation(pending, demands, index)
    const calls = message["tool_calls"]
    if (message["role"] !== "assistant" || !isArray(calls)) continue
    for (const call of calls) {
      const id = isObject(call) ? String(call["id"]) : ""
      pending.set(id, (pending.get(id) ?? 0) + 1)
    }
  }
  return pending.size === 0 || openTip ? undefined : unansweredViolation(pending, demands, messages.length)
}

function unansweredViolation(pending: ReadonlyMap<string, number>, demands: ChatDemands, index: number): Violation {
  return {
    rule: "openai-chat-tool-call-needs-response",
    message: demands.unanswered([...pending.keys()]),
    param: `messages.[${index}].role`,
  }
}

export function chatJudge(demands: ChatDemands): Judge {
  return (body, options) => {
    if (!isObject(body) || !isArray(body["messages"])) return verdictOf(missingMessages(demands), demands.errorBody)
    const messages = body["messages"]
    const context = { model: modelOf(body, options), options }
    const violation =
      emptyViolation(messages, demands) ??
      shapeViolation(messages, demands) ??
      (demands.media && chatMediaViolation(messages as readonly WireObject[], body, demands.media)) ??
      demands.before?.(messages as readonly WireObject[], body, context) ??
      systemRoleViolation(messages as readonly WireObject[], context.model) ??
      (demands.ownPairing === true
        ? undefined
        : chatPairingViolation(messages as readonly WireObject[], demands, options?.tip === "open")) ??
      demands.extra?.(messages as readonly WireObject[], body, context) ??
      toolsViolation(body["tools"])
    return verdictOf(violation, demands.errorBody)
  }
}

function missingMessages(demands: ChatDemands): Violation {
  return {
    rule: `${demands.name}-shape`,
    message: "Missing required parameter: 'messages'.",
    param: "messages",
    code: "missing_required_parameter",
  }
}

function emptyViolation(messages: readonly unknown[], demands: ChatDemands): Violation | undefined {
  if (messages.length > 0 || demands.name === "mistral") return undefined
  return {
    rule: `${demands.name}-shape`,
    message: "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array " + "instead.",
    param: "messages",
    code: "empty_array",
  }
}

function shapeViolation(messages: readonly unknown[], demands: ChatDemands): Violation | undefined {
  for (let index = 0; index < messages.length; index++) {
    const found = chatMessageViolation(messages[index], index, demands)
    if (found !== undefined) return found
  }
  return undefined
}

/** The first reasoning models took neither `system` nor, later, anything but `developer`. */
function systemRoleViolation(messages: readonly WireObject[], model: string | undefined): Violation | undefined {
  if (model === undefined || !/(^|\/)o1-(mini|preview)/.test(model)) return undefined
  const index = messages.findIndex((message) => message["role"] === "system")
  if (index < 0) return undefined
  return {
    rule: "openai-chat-system-role",
    message: `Unsupported value: 'messages[${index}].role' does not support 'system' with this model.`,
    param: `messages[${index}].role`,
    code: "unsupported_value",
  }
}

function toolsViolation(tools: unknown): Violation | undefined {
  if (!isArray(tools) || tools.length <= 128) return undefined
  return {
    rule: "openai-chat-tools-max-128",
    message:
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length " +
      `${tools.length} instead.`,
    param: "tools",
    code: "array_above_max_length",
  }
}
