/**
 * Judges a request body for Bedrock Converse. Claude and the other models there differ: Claude takes text beside tool
 * blocks and wants signed reasoning, the others take neither.
 */
import { bedrockError } from "../error-bodies.ts"
import { type Judge, type JudgeOptions, type Violation, modelOf, verdictOf } from "../verdict.ts"
import { type WireObject, isArray, isObject, unknownKey } from "../wire.ts"
import { type BedrockModel, blockViolation } from "./blocks.ts"
import { bedrockMediaViolation } from "./media.ts"
import { turnsViolation } from "./turns.ts"

const messageKeys: ReadonlySet<string> = new Set(["role", "content"])
const bodyKeys: ReadonlySet<string> = new Set([
  "messages", "system", "toolConfig", "inferenceConfig", "guardrailConfig", "additionalModelRequestFields",
  "promptVariables", "additionalModelResponseFieldPaths", "requestMetadata", "performanceConfig", "serviceTier",
  "outputConfig", "modelId", "model",
])

/** Claude if the model's name says so, and the other models' stricter demands otherwise. */
export const judgeBedrock: Judge = (body, options) => judge(body, options, false)

export const judgeBedrockClaude: Judge = (body, options) => judge(body, options, true)

function judge(body: unknown, options: JudgeOptions | undefined, isClaude: boolean): ReturnType<Judge> {
  return verdictOf(bedrockViolation(body, options, isClaude), bedrockError)
}

function bedrockViolation(
  body: unknown,
  options: JudgeOptions | undefined,
  isClaude: boolean,
): Violation | undefined {
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
  return bedrockMediaViolation(messages as readonly WireObject[], body)
    ?? turnsViolation(messages as readonly WireObject[], model, options?.tip === "open")
    ?? toolConfigViolation(body, usesTools, options)
}

function messageViolation(
  message: unknown,
  index: number,
  model: BedrockModel,
  documents: Set<string>,
): Violation | undefined {
  if (!isObject(message) || (message["role"] !== "user" && message["role"] !== "assistant")) {
    return {
      rule: "bedrock-shape",
      message: `Value at 'messages.${index}.role' failed to satisfy constraint: Member must satisfy enum value set: `
        + "[user, assistant]",
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
      message: `The content field in the Message object at messages.${index} is empty. Add a ContentBlock object to `
        + "the content field and try again.",
    }
  }
  for (let block = 0; block < content.length; block++) {
    const found = blockViolation(content[block], message["role"], index, block, model, documents)
    if (found !== undefined) return found
  }
  const holdsDocument = content.some(block => isObject(block) && block["document"] !== undefined)
  if (!holdsDocument || content.some(block => isObject(block) && typeof block["text"] === "string")) return undefined
  return {
    rule: "bedrock-document-names",
    message: `A text block must be provided when using documents. Add a text block to messages.${index}.content.`,
  }
}

function holdsToolBlock(message: unknown): boolean {
  const content = isObject(message) ? message["content"] : undefined
  return isArray(content)
    && content.some(block => isObject(block) && (block["toolUse"] !== undefined || block["toolResult"] !== undefined))
}

function toolConfigViolation(
  body: WireObject,
  usesTools: boolean,
  options: JudgeOptions | undefined,
): Violation | undefined {
  const isDemanded = options?.requireToolConfig ?? body["inferenceConfig"] !== undefined
  if (!isDemanded || !usesTools || isObject(body["toolConfig"])) return undefined
  return {
    rule: "bedrock-toolconfig-required",
    message: "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
  }
}
