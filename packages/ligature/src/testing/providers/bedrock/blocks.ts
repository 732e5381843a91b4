/**
 * The shape of one Bedrock content block: an object with exactly one key that names its kind.
 */
import { isArray, isBlank, isObject, type Violation, type WireObject } from "../verdict.ts"

export interface BedrockModel {
  readonly isClaude: boolean
  readonly isMistral: boolean
}

const kinds: ReadonlySet<string> = new Set([
  "text",
  "image",
  "document",
  "video",
  "audio",
  "toolUse",
  "toolResult",
  "guardContent",
  "cachePoint",
  "reasoningContent",
  "citationsContent",
  "searchResult",
  "toolAddition",
  "toolRemoval",
])
const userKinds: ReadonlySet<string> = new Set(["toolResult", "image", "document", "video"])
const assistantKinds: ReadonlySet<string> = new Set(["toolUse", "reasoningContent"])
const resultKinds: ReadonlySet<string> = new Set(["text", "json", "image", "document", "video", "searchResult"])

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/
const mistralIdPattern = /^[a-zA-Z0-9]{9}$/

const shape = (message: string): Violation => ({ rule: "bedrock-shape", message })

export function blockViolation(
  block: unknown,
  role: string,
  message: number,
  index: number,
  model: BedrockModel,
  documents: Set<string>,
): Violation | undefined {
  const place = (): string => `messages.${message}.content.${index}`
  const kind = soleKey(block)
  if (!isObject(block) || kind === undefined || !kinds.has(kind)) {
    return shape(`The ContentBlock object at ${place()} must set one of the following keys: ${[...kinds].join(", ")}.`)
  }
  if (role === "user" ? assistantKinds.has(kind) : userKinds.has(kind)) {
    const isMedia = kind === "document" || kind === "image" || kind === "video"
    return {
      rule: isMedia ? "bedrock-document-names" : "bedrock-shape",
      message: `The ${kind} block at ${place()} is not allowed in a message with the role ${role}.`,
    }
  }
  switch (kind) {
    case "text":
      return textViolation(block["text"], place)
    case "toolUse":
      return callViolation(block["toolUse"], place, model)
    case "toolResult":
      return resultViolation(block["toolResult"], place, model)
    case "reasoningContent":
      return reasoningViolation(block["reasoningContent"], place, model)
    case "document":
      return documentViolation(block["document"], documents)
    default:
      return undefined
  }
}

function soleKey(block: unknown): string | undefined {
  if (!isObject(block)) return undefined
  let found: string | undefined
  for (const key in block) {
    if (block[key] === undefined) continue
    if (found !== undefined) return undefined
    found = key
  }
  return found
}

function textViolation(text: unknown, place: () => string): Violation | undefined {
  if (typeof text !== "string") return shape(`Value at '${place()}.text' must be a string`)
  if (!isBlank(text)) return undefined
  return {
    rule: "bedrock-blank-text",
    message: `The text field in the ContentBlock object at ${place()} is blank. Add text to the text field, and try ` + "again.",
  }
}

function idViolation(id: unknown, place: () => string, model: BedrockModel): Violation | undefined {
  if (typeof id !== "string" || !namePattern.test(id)) {
    return {
      rule: "bedrock-tool-id-pattern",
      message:
        `Value at '${place()}.toolUseId' failed to satisfy constraint: Member must satisfy regular expression ` +
        "pattern: [a-zA-Z0-9_-]{1,64}",
    }
  }
  if (!model.isMistral || mistralIdPattern.test(id)) return undefined
  return {
    rule: "bedrock-mistral-ids",
    message: `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
  }
}

function callViolation(call: unknown, place: () => string, model: BedrockModel): Violation | undefined {
  if (!isObject(call)) return shape(`Value at '${place()}.toolUse' must be an object`)
  const found = idViolation(call["toolUseId"], () => `${place()}.toolUse`, model)
  if (found !== undefined) return found
  if (typeof call["name"] !== "string" || !namePattern.test(call["name"])) {
    return {
      rule: "bedrock-tool-name-pattern",
      message:
        `Value at '${place()}.toolUse.name' failed to satisfy constraint: Member must satisfy regular ` +
        "expression pattern: [a-zA-Z0-9_-]{1,64}",
    }
  }
  if (isObject(call["input"])) return undefined
  return shape(`The format of the value at ${place()}.toolUse.input is invalid. Provide a json object for the field ` + "and try again.")
}

function resultViolation(result: unknown, place: () => string, model: BedrockModel): Violation | undefined {
  if (!isObject(result)) return shape(`Value at '${place()}.toolResult' must be an object`)
  const found = idViolation(result["toolUseId"], () => `${place()}.toolResult`, model)
  if (found !== undefined) return found
  const content = result["content"]
  if (!isArray(content)) return shape(`Value at '${place()}.toolResult.content' must not be null`)
  const status = result["status"]
  if (status !== undefined && status !== "success" && status !== "error") {
    return shape(`Value at '${place()}.toolResult.status' must satisfy enum value set: [success, error]`)
  }
  if (content.length === 0 && status === "error") {
    return {
      rule: "bedrock-error-result-empty",
      message: `The content field at ${place()}.toolResult cannot be empty when status value is error.`,
    }
  }
  for (let index = 0; index < content.length; index++) {
    const kind = soleKey(content[index])
    const inner = (): string => `${place()}.toolResult.content.${index}`
    if (kind === undefined || !resultKinds.has(kind)) {
      return shape(`The ToolResultContentBlock at ${inner()} is invalid.`)
    }
    const text = kind === "text" ? textViolation((content[index] as WireObject)["text"], inner) : undefined
    if (text !== undefined) return text
  }
  return undefined
}

function reasoningViolation(reasoning: unknown, place: () => string, model: BedrockModel): Violation | undefined {
  const text = isObject(reasoning) ? reasoning["reasoningText"] : undefined
  if (!isObject(text)) {
    return isObject(reasoning) && reasoning["redactedContent"] !== undefined
      ? undefined
      : shape(`Value at '${place()}.reasoningContent' must set reasoningText or redactedContent`)
  }
  const isSigned = typeof text["signature"] === "string" && text["signature"] !== ""
  if (model.isClaude) {
    return isSigned
      ? undefined
      : {
          rule: "bedrock-claude-thinking",
          message: `${place()}.thinking.signature: Field required`,
        }
  }
  return text["signature"] === undefined
    ? undefined
    : {
        rule: "bedrock-reasoning-signature-unsupported",
        message: "This model doesn't support the reasoningContent.reasoningText.signature field",
      }
}

function documentViolation(document: unknown, documents: Set<string>): Violation | undefined {
  const name = isObject(document) ? document["name"] : undefined
  if (typeof name !== "string") return shape("Value at 'document.name' must not be null")
  if (documents.has(name)) {
    return { rule: "bedrock-document-names", message: "Messages can not contain duplicate document names" }
  }
  documents.add(name)
  return undefined
}
