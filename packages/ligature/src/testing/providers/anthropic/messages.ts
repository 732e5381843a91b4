/**
 * The shape of an Anthropic message list, message by message: roles, keys, emptiness, blocks. Nothing here looks at two
 * messages at once.
 */
import { isArray, isBlank, isObject, unknownKey, type Violation, type WireObject } from "../verdict.ts"
import { blockViolation, emptyTextViolation, messageKeys, systemMessageKeys } from "./blocks.ts"
import { isPausedTurn } from "./turns.ts"

// Which demands a Claude model makes, read from its name: `claude-opus-4-6`, `claude-sonnet-5.5`,
// `claude-3-5-sonnet-…`, with or without a vendor prefix. A name that cannot be read makes no extra demand.

interface ClaudeModel {
  readonly family: string
  readonly major: number
  readonly minor: number
}

const families = "opus|sonnet|haiku|fable|mythos"
const familyFirst = new RegExp(`(${families})-(\\d{1,2})(?:[.-](\\d{1,2}))?(?!\\d)`)
const versionFirst = new RegExp(`claude-(\\d{1,2})(?:[.-](\\d{1,2}))?-(${families})`)

function readModel(name: string | undefined): ClaudeModel | undefined {
  if (name === undefined) return undefined
  const newer = familyFirst.exec(name)
  if (newer !== null) return { family: newer[1] ?? "", major: Number(newer[2]), minor: Number(newer[3] ?? 0) }
  const older = versionFirst.exec(name)
  if (older !== null) return { family: older[3] ?? "", major: Number(older[1]), minor: Number(older[2] ?? 0) }
  return name.includes("mythos-preview") ? { family: "mythos", major: 5, minor: 0 } : undefined
}

/** Claude 4.6 and later do not continue a trailing assistant message. */
function rejectsPrefill(name: string | undefined): boolean {
  const model = readModel(name)
  return model !== undefined && isAtLeast(model, 4, 6)
}

/**
 * `role: "system"` inside `messages`: Opus 4.8 and later, Fable and Mythos 5 and later; unknown names are not refused.
 */
function supportsSystemRole(name: string | undefined): boolean {
  const model = readModel(name)
  if (model === undefined) return true
  if (model.family === "opus") return isAtLeast(model, 4, 8)
  return (model.family === "fable" || model.family === "mythos") && model.major >= 5
}

function isAtLeast(model: ClaudeModel, major: number, minor: number): boolean {
  return model.major > major || (model.major === major && model.minor >= minor)
}

/** Opus 4.7 and all later models take only adaptive thinking. */
export function wantsAdaptiveThinking(name: string | undefined): boolean {
  const model = readModel(name)
  return model !== undefined && (isAtLeast(model, 5, 0) || (model.family === "opus" && isAtLeast(model, 4, 7)))
}

/** Models up to 4.5 do not know adaptive thinking. */
export function acceptsAdaptiveThinking(name: string | undefined): boolean {
  const model = readModel(name)
  return model === undefined || isAtLeast(model, 4, 6)
}

/** Fable, Mythos and Opus 5.5 cannot switch thinking off. */
export function alwaysThinks(name: string | undefined): boolean {
  const model = readModel(name)
  if (model === undefined) return false
  return model.family === "fable" || model.family === "mythos" || (model.family === "opus" && isAtLeast(model, 5, 5))
}

/** Opus 5.5, and Fable and Mythos from 5.1, take no forced tool choice. */
export function rejectsForcedTools(name: string | undefined): boolean {
  const model = readModel(name)
  if (model === undefined) return false
  if (model.family === "opus") return isAtLeast(model, 5, 5)
  return (model.family === "fable" || model.family === "mythos") && isAtLeast(model, 5, 1)
}

const shape = (message: string): Violation => ({ rule: "anthropic-shape", message })

export function messagesViolation(messages: readonly unknown[], model: string | undefined): Violation | undefined {
  const last = messages.length - 1
  for (let index = 0; index <= last; index++) {
    const found = messageViolation(messages[index], index, index === last, model)
    if (found !== undefined) return found
  }
  return undefined
}

function messageViolation(message: unknown, index: number, isLast: boolean, model: string | undefined): Violation | undefined {
  if (!isObject(message)) return shape(`messages.${index}: Input should be a valid dictionary or object`)
  const role = message["role"]
  if (role !== "user" && role !== "assistant" && role !== "system") {
    return shape(`messages.${index}.role: Unexpected role "${String(role)}". Allowed roles are "user" or "assistant"`)
  }
  if (role === "system" && !supportsSystemRole(model)) {
    return {
      rule: "anthropic-system-role-unsupported",
      message:
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, ' +
        'not "system" as an input message role.',
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

function stringContentViolation(content: string, message: WireObject, role: string, index: number, isLast: boolean): Violation | undefined {
  if (content === "") return emptyMessageViolation(message, role, index, isLast)
  return isBlank(content) ? emptyTextViolation(content) : undefined
}

function emptyMessageViolation(message: WireObject, role: string, index: number, isLast: boolean): Violation | undefined {
  if (role === "assistant" && isLast) return undefined
  if (isEffortOnly(message)) return undefined
  return {
    rule: "anthropic-empty-message",
    message: `messages.${index}: all messages must have non-empty content except for the optional final assistant ` + "message",
  }
}

/** A system message that only sets the effort has no content and may be anywhere. */
function isEffortOnly(message: WireObject): boolean {
  const content = message["content"]
  return (
    message["role"] === "system" && isObject(message["output_config"]) && (content === "" || (isArray(content) && content.length === 0))
  )
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

// Which message may be where in an Anthropic history: the first, the last, system messages, compaction blocks, and
// the thinking block that must lead the last assistant turn.

export function orderViolation(
  messages: readonly WireObject[],
  model: string | undefined,
  thinkingEnabled: boolean,
): Violation | undefined {
  return (
    firstViolation(messages) ??
    systemViolation(messages) ??
    compactionViolation(messages) ??
    lastViolation(messages, model) ??
    (thinkingEnabled ? leadingThinkingViolation(messages) : undefined)
  )
}

function blocksOf(message: WireObject | undefined): readonly unknown[] {
  const content = message?.["content"]
  return isArray(content) ? content : []
}

function typeOf(block: unknown): string {
  return isObject(block) ? String(block["type"]) : ""
}

function firstViolation(messages: readonly WireObject[]): Violation | undefined {
  const first = messages.find((message) => message["role"] !== "system")
  if (first === undefined || first["role"] === "user" || typeOf(blocksOf(first)[0]) === "compaction") return undefined
  return { rule: "anthropic-first-message-user", message: 'messages: first message must use the "user" role' }
}

/** A run of system messages is judged together: what is before it and what is after it. */
function systemViolation(messages: readonly WireObject[]): Violation | undefined {
  let before: WireObject | undefined
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    if (message?.["role"] !== "system") {
      before = message
      continue
    }
    if (isEffortOnly(message)) continue
    if (before === undefined) {
      return {
        rule: "anthropic-system-role-position",
        message: `messages.${index}: use the top-level 'system' parameter for the initial system prompt`,
      }
    }
    const next = messages[index + 1]
    const allowedNext = next === undefined || next["role"] === "assistant" || next["role"] === "system"
    if (!allowedNext || (before["role"] === "assistant" && !endsInServerResult(before))) {
      return {
        rule: "anthropic-system-role-position",
        message:
          `messages.${index}: role 'system' must precede an 'assistant' message or end the array; ` +
          "it must directly follow a 'user' message",
      }
    }
  }
  return undefined
}

function endsInServerResult(message: WireObject): boolean {
  const last = typeOf(blocksOf(message).at(-1))
  return last.endsWith("_tool_result") && last !== "tool_result"
}

/** A signed compaction block is once, at the very start; an unsigned one stays where the server put it. */
function compactionViolation(messages: readonly WireObject[]): Violation | undefined {
  let signed = 0
  for (let index = 0; index < messages.length; index++) {
    const blocks = blocksOf(messages[index])
    for (let block = 0; block < blocks.length; block++) {
      const each = blocks[block]
      if (!isObject(each) || each["type"] !== "compaction" || typeof each["signature"] !== "string") continue
      signed += 1
      if (signed > 1) return compactionText("compaction_block_ambiguous", index, block)
      if (index > 0 || block > 0) return compactionText("compaction_block_misplaced", index, block)
    }
  }
  return undefined
}

function compactionText(code: string, message: number, block: number): Violation {
  return {
    rule: "anthropic-compaction-block-placement",
    message: `messages.${message}.content.${block}: ${code}`,
    code,
  }
}

function lastViolation(messages: readonly WireObject[], model: string | undefined): Violation | undefined {
  const last = messages.at(-1)
  if (last?.["role"] !== "assistant") return undefined
  const content = last["content"]
  if (rejectsPrefill(model) && !(isArray(content) && isPausedTurn(content))) {
    return {
      rule: "anthropic-no-prefill",
      message: "This model does not support assistant message prefill. The conversation must end with a user message.",
    }
  }
  const block = isArray(content) ? content.at(-1) : undefined
  const text = typeof content === "string" ? content : isObject(block) && block["type"] === "text" ? block["text"] : ""
  if (typeof text !== "string" || text.trimEnd() === text) return undefined
  return {
    rule: "anthropic-trailing-whitespace",
    message: "messages: final assistant content cannot end with trailing whitespace",
  }
}

/** With manual thinking, the assistant turn of an open tool loop starts with thinking. */
function leadingThinkingViolation(messages: readonly WireObject[]): Violation | undefined {
  let index = messages.length - 1
  let answersCalls = false
  while (index >= 0 && messages[index]?.["role"] !== "assistant") {
    const blocks = blocksOf(messages[index])
    if (messages[index]?.["role"] === "user") answersCalls ||= blocks.some((block) => typeOf(block) === "tool_result")
    index -= 1
  }
  if (index < 0 || (!answersCalls && index < messages.length - 1)) return undefined
  while (index > 0 && messages[index - 1]?.["role"] === "assistant") index -= 1
  const message = messages[index]
  const found = typeof message?.["content"] === "string" ? "text" : typeOf(blocksOf(message)[0])
  if (found === "" || found === "thinking" || found === "redacted_thinking") return undefined
  return {
    rule: "anthropic-thinking-must-lead",
    message:
      `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found ` +
      `\`${found}\`. ` +
      "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the " +
      "lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from " +
      "previous turns. To avoid this requirement, disable `thinking`.",
  }
}
