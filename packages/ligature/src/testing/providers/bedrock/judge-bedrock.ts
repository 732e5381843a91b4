/**
 * Judges a request body for Bedrock Converse. Claude and the other models there differ: Claude takes text beside tool
 * blocks and wants signed reasoning, the others take neither.
 */
import { refuseAnthropic } from "../anthropic/media.ts"
import {
  bedrockError,
  isArray,
  isObject,
  type Judge,
  type JudgeOptions,
  modelOf,
  unknownKey,
  verdictOf,
  type Violation,
  type WireObject,
} from "../verdict.ts"
import { type MediaDemands, type MediaPart, mediaViolation } from "../media/judge-media.ts"
import { type BedrockModel, blockViolation } from "./blocks.ts"

/** Images and documents in Converse requests: among the blocks of a message, and inside results. Bytes are base64 in JSON. */
const documentFormats: Readonly<Record<string, string>> = { pdf: "application/pdf" }

function partOf(block: unknown, place: () => string): MediaPart | undefined {
  if (!isObject(block)) return undefined
  const kind = isObject(block["image"]) ? "image" : isObject(block["document"]) ? "document" : undefined
  const held = kind === undefined ? undefined : block[kind]
  if (kind === undefined || !isObject(held)) return undefined
  const format = String(held["format"])
  const source = isObject(held["source"]) ? held["source"] : {}
  const { bytes } = source
  return {
    kind,
    place: `${place()}.${kind}.source.base64`,
    declared: kind === "image" ? `image/${format}` : (documentFormats[format] ?? format),
    ...(typeof bytes === "string" && { data: bytes }),
  }
}

function partsOf(messages: readonly WireObject[]): readonly MediaPart[] {
  const parts: MediaPart[] = []
  messages.forEach(({ content }, index) => {
    if (!isArray(content)) return
    content.forEach((block, at) => {
      const place = (): string => `messages.${index}.content.${at}`
      const part = partOf(block, place)
      if (part !== undefined) parts.push(part)
      const result = isObject(block) ? block["toolResult"] : undefined
      const inner = isObject(result) ? result["content"] : undefined
      if (!isArray(inner)) return
      inner.forEach((each, number) => {
        const held = partOf(each, () => `${place()}.toolResult.content.${number}`)
        if (held !== undefined) parts.push(held)
      })
    })
  })
  return parts
}

const tooLarge = "bedrock-media-limits"

const refuse: MediaDemands["refuse"] = (fault, part) => {
  switch (fault.what) {
    case "bytes":
      return {
        rule: tooLarge,
        message:
          part.kind === "image"
            ? `${part.place.replace(/base64$/, "bytes")}: image exceeds 5 MB maximum`
            : `The document at ${part.place} exceeds the size limit of ${fault.limit} bytes.`,
      }
    case "documents":
      return { rule: tooLarge, message: `You can't include more than ${fault.limit} documents in a request.` }
    case "images":
      return { rule: tooLarge, message: `too many images and documents: ${fault.actual} + 0 > ${fault.limit}` }
    case "request":
      return { rule: tooLarge, message: "Input is too long for requested model.", status: 400 }
    default:
      return refuseAnthropic(fault, part)
  }
}

const demands: MediaDemands = {
  types: ["image/png", "image/jpeg", "image/gif", "image/webp"],
  isStrict: true,
  imageBytes: 3_750_000,
  documentBytes: 4_500_000,
  side: 8000,
  images: 20,
  documents: 5,
  pages: 100,
  requestBytes: 20_000_000,
  refuse,
}

function bedrockMediaViolation(messages: readonly WireObject[], body: unknown): Violation | undefined {
  return mediaViolation(partsOf(messages), body, demands)
}

// The order of Bedrock messages: strict alternation from user to user, and the calls of an assistant message answered
// in the message right after it.

function turnsViolation(messages: readonly WireObject[], model: BedrockModel, openTip: boolean): Violation | undefined {
  if (messages[0]?.["role"] !== "user") {
    return {
      rule: "bedrock-starts-with-user",
      message: "A conversation must start with a user message. Try again with a conversation that starts with a user " + "message.",
    }
  }
  /** Unanswered calls of the previous message. */
  const open = new Set<string>()
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    const content = message?.["content"]
    if (message === undefined || !isArray(content)) continue
    if (index > 0 && messages[index - 1]?.["role"] === message["role"]) {
      return {
        rule: "bedrock-alternate",
        message:
          "A conversation must alternate between user and assistant roles. Make sure the conversation " +
          "alternates between user and assistant roles and try again.",
      }
    }
    const found = message["role"] === "assistant" ? readCalls(content, open, index, model) : readResults(content, open, index, model)
    if (found !== undefined) return found
  }
  if (messages.at(-1)?.["role"] === "user" || (openTip && open.size > 0)) return undefined
  return {
    rule: "bedrock-ends-with-user",
    message: "A conversation must end with a user message. Try again with a conversation that ends with a user " + "message.",
  }
}

function readCalls(content: readonly unknown[], open: Set<string>, index: number, model: BedrockModel): Violation | undefined {
  let talks = false
  for (const block of content) {
    if (!isObject(block)) continue
    const call = block["toolUse"]
    talks ||= block["text"] !== undefined
    if (!isObject(call)) continue
    const id = String(call["toolUseId"])
    if (open.has(id)) {
      return {
        rule: "bedrock-tool-id-pattern",
        message: `The toolUse blocks at messages.${index}.content contain duplicate Ids: ${id}`,
      }
    }
    open.add(id)
  }
  if (open.size === 0 || !talks || model.isClaude) return undefined
  return {
    rule: "bedrock-mixed-tooluse-text",
    message: `messages.${index}.content: Conversation blocks and tool use blocks cannot be provided in the same turn.`,
  }
}

function readResults(content: readonly unknown[], open: Set<string>, index: number, model: BedrockModel): Violation | undefined {
  const asked = open.size
  let results = 0
  let talks = false
  for (const block of content) {
    if (!isObject(block)) continue
    const result = block["toolResult"]
    if (isObject(result)) {
      results += 1
      open.delete(String(result["toolUseId"]))
    } else talks ||= block["cachePoint"] === undefined
  }
  if (open.size > 0) {
    return {
      rule: "bedrock-missing-toolresult",
      message: `Expected toolResult blocks at messages.${index}.content for the following Ids: ${[...open].join(", ")}`,
    }
  }
  if (results > asked) {
    return {
      rule: "bedrock-excess-toolresult",
      message: `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of ` + "previous turn.",
    }
  }
  if (results === 0 || !talks || model.isClaude) return undefined
  return {
    rule: "bedrock-mixed-toolresult-text",
    message: `messages.${index}.content: Conversation blocks and tool result blocks cannot be provided in the same ` + "turn.",
  }
}

const messageKeys: ReadonlySet<string> = new Set(["role", "content"])
const bodyKeys: ReadonlySet<string> = new Set([
  "messages",
  "system",
  "toolConfig",
  "inferenceConfig",
  "guardrailConfig",
  "additionalModelRequestFields",
  "promptVariables",
  "additionalModelResponseFieldPaths",
  "requestMetadata",
  "performanceConfig",
  "serviceTier",
  "outputConfig",
  "modelId",
  "model",
])

/** Claude if the model's name says so, and the other models' stricter demands otherwise. */
export const judgeBedrock: Judge = (body, options) => judge(body, options, false)

export const judgeBedrockClaude: Judge = (body, options) => judge(body, options, true)

function judge(body: unknown, options: JudgeOptions | undefined, isClaude: boolean): ReturnType<Judge> {
  return verdictOf(bedrockViolation(body, options, isClaude), bedrockError)
}

function bedrockViolation(body: unknown, options: JudgeOptions | undefined, isClaude: boolean): Violation | undefined {
  if (!isObject(body) || !isArray(body["messages"])) {
    return { rule: "bedrock-shape", message: "1 validation error detected: Value at 'messages' must not be null" }
  }
  const extra = unknownKey(body, bodyKeys)
  if (extra !== undefined) return { rule: "common-render-allow-list", message: `Unexpected field: ${extra}` }
  const messages = body["messages"]
  const name = modelOf(body, options) ?? (typeof body["modelId"] === "string" ? body["modelId"] : "")
  const model: BedrockModel = {
    isClaude: isClaude || /claude|anthropic/.test(name),
    isMistral: /mistral/.test(name),
  }
  const documents = new Set<string>()
  let usesTools = false
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    const found = messageViolation(message, index, model, documents)
    if (found !== undefined) return found
    usesTools ||= holdsToolBlock(message)
  }
  return (
    bedrockMediaViolation(messages as readonly WireObject[], body) ??
    turnsViolation(messages as readonly WireObject[], model, options?.tip === "open") ??
    toolConfigViolation(body, usesTools, options)
  )
}

function messageViolation(message: unknown, index: number, model: BedrockModel, documents: Set<string>): Violation | undefined {
  if (!isObject(message) || (message["role"] !== "user" && message["role"] !== "assistant")) {
    return {
      rule: "bedrock-shape",
      message: `Value at 'messages.${index}.role' failed to satisfy constraint: Member must satisfy enum value set: ` + "[user, assistant]",
    }
  }
  const extra = unknownKey(message, messageKeys)
  if (extra !== undefined) {
    return { rule: "common-render-allow-list", message: `Unexpected field: messages.${index}.${extra}` }
  }
  const content = message["content"]
  if (!isArray(content) || content.length === 0) {
    return {
      rule: "bedrock-blank-text",
      message:
        `The content field in the Message object at messages.${index} is empty. Add a ContentBlock object to ` +
        "the content field and try again.",
    }
  }
  for (let block = 0; block < content.length; block++) {
    const found = blockViolation(content[block], message["role"], index, block, model, documents)
    if (found !== undefined) return found
  }
  const holdsDocument = content.some((block) => isObject(block) && block["document"] !== undefined)
  if (!holdsDocument || content.some((block) => isObject(block) && typeof block["text"] === "string")) return undefined
  return {
    rule: "bedrock-document-names",
    message: `A text block must be provided when using documents. Add a text block to messages.${index}.content.`,
  }
}

function holdsToolBlock(message: unknown): boolean {
  const content = isObject(message) ? message["content"] : undefined
  return (
    isArray(content) && content.some((block) => isObject(block) && (block["toolUse"] !== undefined || block["toolResult"] !== undefined))
  )
}

function toolConfigViolation(body: WireObject, usesTools: boolean, options: JudgeOptions | undefined): Violation | undefined {
  const isDemanded = options?.requireToolConfig ?? body["inferenceConfig"] !== undefined
  if (!isDemanded || !usesTools || isObject(body["toolConfig"])) return undefined
  return {
    rule: "bedrock-toolconfig-required",
    message: "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
  }
}
