/**
 * Which message may stand where in an Anthropic history: the first, the last, system messages, compaction blocks, and
 * the thinking block that must lead the last assistant turn.
 */
import { type WireObject, isArray, isObject } from "../wire.ts"
import type { Violation } from "../verdict.ts"
import { isEffortOnly } from "./messages.ts"
import { rejectsPrefill } from "./models.ts"
import { isPausedTurn } from "./server-tools.ts"

export function orderViolation(
  messages: readonly WireObject[],
  model: string | undefined,
  thinkingEnabled: boolean,
): Violation | undefined {
  return firstViolation(messages)
    ?? systemViolation(messages)
    ?? compactionViolation(messages)
    ?? lastViolation(messages, model)
    ?? (thinkingEnabled ? leadingThinkingViolation(messages) : undefined)
}

function blocksOf(message: WireObject | undefined): readonly unknown[] {
  const content = message?.["content"]
  return isArray(content) ? content : []
}

function typeOf(block: unknown): string {
  return isObject(block) ? String(block["type"]) : ""
}

function firstViolation(messages: readonly WireObject[]): Violation | undefined {
  const first = messages.find(message => message["role"] !== "system")
  if (first === undefined || first["role"] === "user" || typeOf(blocksOf(first)[0]) === "compaction") return undefined
  return { rule: "anthropic-first-message-user", message: "messages: first message must use the \"user\" role" }
}

/** A run of system messages is judged together: what stands before it and what stands after it. */
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
        message: `messages.${index}: role 'system' must precede an 'assistant' message or end the array; `
          + "it must directly follow a 'user' message",
      }
    }
  }
  return undefined
}

function endsInServerResult(message: WireObject): boolean {
  const last = typeOf(blocksOf(message).at(-1))
  return last.endsWith("_tool_result") && last !== "tool_result"
}

/** A signed compaction block stands once, at the very start; an unsigned one stays where the server put it. */
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
    if (messages[index]?.["role"] === "user") answersCalls ||= blocks.some(block => typeOf(block) === "tool_result")
    index -= 1
  }
  if (index < 0 || (!answersCalls && index < messages.length - 1)) return undefined
  while (index > 0 && messages[index - 1]?.["role"] === "assistant") index -= 1
  const message = messages[index]
  const found = typeof message?.["content"] === "string" ? "text" : typeOf(blocksOf(message)[0])
  if (found === "" || found === "thinking" || found === "redacted_thinking") return undefined
  return {
    rule: "anthropic-thinking-must-lead",
    message: `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found `
      + `\`${found}\`. `
      + "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the "
      + "lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from "
      + "previous turns. To avoid this requirement, disable `thinking`.",
  }
}
