/**
 * The order of Bedrock messages: strict alternation from user to user, and the calls of an assistant message answered
 * in the message right behind it.
 */
import { type WireObject, isArray, isObject } from "../wire.ts"
import type { Violation } from "../verdict.ts"
import type { BedrockModel } from "./blocks.ts"

export function turnsViolation(
  messages: readonly WireObject[],
  model: BedrockModel,
  openTip: boolean,
): Violation | undefined {
  if (messages[0]?.["role"] !== "user") {
    return {
      rule: "bedrock-starts-with-user",
      message: "A conversation must start with a user message. Try again with a conversation that starts with a user "
        + "message.",
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
        message: "A conversation must alternate between user and assistant roles. Make sure the conversation "
          + "alternates between user and assistant roles and try again.",
      }
    }
    const found = message["role"] === "assistant"
      ? readCalls(content, open, index, model)
      : readResults(content, open, index, model)
    if (found !== undefined) return found
  }
  if (messages.at(-1)?.["role"] === "user" || (openTip && open.size > 0)) return undefined
  return {
    rule: "bedrock-ends-with-user",
    message: "A conversation must end with a user message. Try again with a conversation that ends with a user "
      + "message.",
  }
}

function readCalls(
  content: readonly unknown[],
  open: Set<string>,
  index: number,
  model: BedrockModel,
): Violation | undefined {
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

function readResults(
  content: readonly unknown[],
  open: Set<string>,
  index: number,
  model: BedrockModel,
): Violation | undefined {
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
      message: `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of `
        + "previous turn.",
    }
  }
  if (results === 0 || !talks || model.isClaude) return undefined
  return {
    rule: "bedrock-mixed-toolresult-text",
    message: `messages.${index}.content: Conversation blocks and tool result blocks cannot be provided in the same `
      + "turn.",
  }
}
