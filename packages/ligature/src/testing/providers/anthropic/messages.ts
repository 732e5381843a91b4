/**
 * The shape of an Anthropic message list, message by message: roles, keys, emptiness, blocks. Nothing here looks at two
 * messages at once.
 */
import { type WireObject, isArray, isBlank, isObject, unknownKey } from "../wire.ts"
import type { Violation } from "../verdict.ts"
import { blockViolation, emptyTextViolation } from "./blocks.ts"
import { messageKeys, systemMessageKeys } from "./fields.ts"
import { supportsSystemRole } from "./models.ts"

const shape = (message: string): Violation => ({ rule: "anthropic-shape", message })

export function messagesViolation(messages: readonly unknown[], model: string | undefined): Violation | undefined {
  const last = messages.length - 1
  for (let index = 0; index <= last; index++) {
    const found = messageViolation(messages[index], index, index === last, model)
    if (found !== undefined) return found
  }
  return undefined
}

function messageViolation(
  message: unknown,
  index: number,
  isLast: boolean,
  model: string | undefined,
): Violation | undefined {
  if (!isObject(message)) return shape(`messages.${index}: Input should be a valid dictionary or object`)
  const role = message["role"]
  if (role !== "user" && role !== "assistant" && role !== "system") {
    return shape(`messages.${index}.role: Unexpected role "${String(role)}". Allowed roles are "user" or "assistant"`)
  }
  if (role === "system" && !supportsSystemRole(model)) {
    return {
      rule: "anthropic-system-role-unsupported",
      message: "messages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter, "
        + "not \"system\" as an input message role.",
    }
  }
  const found = messageKeysViolation(message, role, index)
  if (found !== undefined) return found
  const content = message["content"]
  if (content === undefined) return shape(`messages.${index}.content: Field required`)
  if (typeof content === "string") return stringContentViolation(content, message, role, index, isLast)
  if (!isArray(content)) return shape(`messages.${index}.content: Input should be a valid list`)
  if (content.length === 0) return emptyMessageViolation(message, role, index, isLast)
  for (let block = 0; block < content.length; block++) {
    const inside = blockViolation(content[block], role, index, block)
    if (inside !== undefined) return inside
  }
  return role === "system" ? turnScopedViolation(message, content, index) : undefined
}

function messageKeysViolation(message: WireObject, role: string, index: number): Violation | undefined {
  const extra = unknownKey(message, role === "system" ? systemMessageKeys : messageKeys)
  if (extra === undefined) return undefined
  if (extra === "clear_at") {
    return {
      rule: "anthropic-turn-scoped-system",
      message: `messages.${index}: clear_at is only permitted on role 'system' messages`,
    }
  }
  return { rule: "anthropic-extra-inputs", message: `messages.${index}.${extra}: Extra inputs are not permitted` }
}

function stringContentViolation(
  content: string,
  message: WireObject,
  role: string,
  index: number,
  isLast: boolean,
): Violation | undefined {
  if (content === "") return emptyMessageViolation(message, role, index, isLast)
  return isBlank(content) ? emptyTextViolation(content) : undefined
}

function emptyMessageViolation(
  message: WireObject,
  role: string,
  index: number,
  isLast: boolean,
): Violation | undefined {
  if (role === "assistant" && isLast) return undefined
  if (isEffortOnly(message)) return undefined
  return {
    rule: "anthropic-empty-message",
    message: `messages.${index}: all messages must have non-empty content except for the optional final assistant `
      + "message",
  }
}

/** A system message that only sets the effort has no content and may stand anywhere. */
export function isEffortOnly(message: WireObject): boolean {
  const content = message["content"]
  return message["role"] === "system" && isObject(message["output_config"])
    && (content === "" || (isArray(content) && content.length === 0))
}

function turnScopedViolation(message: WireObject, content: readonly unknown[], index: number): Violation | undefined {
  if (message["clear_at"] === undefined || message["clear_at"] === null) return undefined
  const violation = (text: string): Violation => ({
    rule: "anthropic-turn-scoped-system",
    message: `messages.${index}: ${text}`,
  })
  if (message["output_config"] !== undefined) {
    return violation("output_config is not permitted on a turn-scoped system message")
  }
  for (const block of content) {
    if (!isObject(block)) continue
    if (block["type"] !== "text") {
      return violation("a turn-scoped system message supports text blocks only (clear_at: 'next_user_message')")
    }
    if (block["cache_control"] !== undefined) {
      return violation("cache_control is not permitted on a turn-scoped system message")
    }
  }
  return undefined
}
