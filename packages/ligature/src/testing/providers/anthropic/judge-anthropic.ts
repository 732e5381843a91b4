/**
 * Judges a request body for the Anthropic Messages API: first the shape of every message, then the order of all.
 *
 * Not judged: what needs the provider's keys (whether a signature or encrypted content is genuine), and
 * demands on parameters that have nothing to do with the history.
 */
import { anthropicError } from "../error-bodies.ts"
import { type Judge, type JudgeOptions, type Violation, modelOf, verdictOf } from "../verdict.ts"
import { type WireObject, isArray, isObject, unknownKey } from "../wire.ts"
import { textViolation } from "./blocks.ts"
import { cacheViolation } from "./cache.ts"
import { bodyKeys } from "./fields.ts"
import { anthropicMediaViolation } from "./media.ts"
import { messagesViolation } from "./messages.ts"
import { orderViolation } from "./order.ts"
import { parametersViolation } from "./parameters.ts"
import { toolsViolation } from "./tools.ts"
import { turnsViolation } from "./turns.ts"

export const judgeAnthropic: Judge = (body, options) => verdictOf(anthropicViolation(body, options), anthropicError)

/**
 * The models that bind thinking to its conversation; without a name, the demands of the newest Claude hold. The binding
 * itself needs a memory of what was issued: see `bindThinking` of `startFakeProvider`.
 */
export const judgeAnthropicPreserved: Judge = (body, options) => {
  const named = options?.model !== undefined || (isObject(body) && typeof body["model"] === "string")
  return judgeAnthropic(body, named ? options : { ...options, model: "claude-opus-5-5" })
}

export function anthropicViolation(body: unknown, options: JudgeOptions | undefined): Violation | undefined {
  if (!isObject(body)) return { rule: "anthropic-shape", message: "Input should be a valid dictionary" }
  const extra = unknownKey(body, bodyKeys)
  if (extra !== undefined) {
    return { rule: "anthropic-extra-inputs", message: `${extra}: Extra inputs are not permitted` }
  }
  const messages = body["messages"]
  if (messages === undefined) return { rule: "anthropic-shape", message: "messages: Field required" }
  if (!isArray(messages)) return { rule: "anthropic-shape", message: "messages: Input should be a valid list" }
  if (messages.length === 0) {
    return { rule: "anthropic-messages-nonempty", message: "messages: at least one message is required" }
  }
  const model = modelOf(body, options)
  const thinking = body["thinking"]
  return systemPromptViolation(body["system"])
    ?? messagesViolation(messages, model)
    ?? anthropicMediaViolation(messages, body)
    ?? cacheViolation(body)
    ?? turnsViolation(messages, options?.tip === "open")
    ?? orderViolation(messages as readonly WireObject[], model, isObject(thinking) && thinking["type"] === "enabled")
    ?? toolsViolation(body)
    ?? parametersViolation(body, model)
}

function systemPromptViolation(system: unknown): Violation | undefined {
  if (system === undefined || typeof system === "string") return undefined
  if (!isArray(system)) return { rule: "anthropic-shape", message: "system: Input should be a valid list" }
  for (let index = 0; index < system.length; index++) {
    const block = system[index]
    if (!isObject(block) || block["type"] !== "text") {
      return { rule: "anthropic-shape", message: `system.${index}.type: Input should be 'text'` }
    }
    const found = textViolation(block, () => `system.${index}`)
    if (found !== undefined) return found
  }
  return undefined
}
