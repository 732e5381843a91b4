/**
 * The judge that all Chat Completions servers share, configured by their demands.
 */
import { type Judge, type Violation, modelOf, verdictOf } from "../verdict.ts"
import { type WireObject, isArray, isObject } from "../wire.ts"
import type { ChatDemands } from "./demands.ts"
import { chatMediaViolation } from "./media.ts"
import { chatMessageViolation } from "./messages.ts"
import { chatPairingViolation } from "./pairing.ts"

export function chatJudge(demands: ChatDemands): Judge {
  return (body, options) => {
    if (!isObject(body) || !isArray(body["messages"])) return verdictOf(missingMessages(demands), demands.errorBody)
    const messages = body["messages"]
    const context = { model: modelOf(body, options), options }
    const violation = emptyViolation(messages, demands)
      ?? shapeViolation(messages, demands)
      ?? (demands.media && chatMediaViolation(messages as readonly WireObject[], body, demands.media))
      ?? demands.before?.(messages as readonly WireObject[], body, context)
      ?? systemRoleViolation(messages as readonly WireObject[], context.model)
      ?? (demands.ownPairing === true
        ? undefined
        : chatPairingViolation(messages as readonly WireObject[], demands, options?.tip === "open"))
      ?? demands.extra?.(messages as readonly WireObject[], body, context)
      ?? toolsViolation(body["tools"])
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
    message: "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array "
      + "instead.",
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
  const index = messages.findIndex(message => message["role"] === "system")
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
    message: "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length "
      + `${tools.length} instead.`,
    param: "tools",
    code: "array_above_max_length",
  }
}
