/**
 * The strictest chat templates of open models at once: the system message only first, user and assistant by turns with
 * tool results on the user's side, one call per assistant message, nine-character ids.
 */
import { templateError } from "../error-bodies.ts"
import type { Judge, Violation } from "../verdict.ts"
import { type WireObject, isArray, isObject } from "../wire.ts"
import { chatJudge } from "./judge-chat.ts"

const idPattern = /^[a-zA-Z0-9]{9}$/

export const judgeTemplateStrict: Judge = chatJudge({
  name: "template",
  errorBody: templateError,
  idLength: undefined,
  parsesArguments: true,
  toleratedKeys: new Set(["reasoning_content", "reasoning"]),
  unknownKeys: (_role, key, message) => ({
    rule: "common-render-allow-list",
    message: `messages.${message}.${key}: Extra inputs are not permitted`,
  }),
  unanswered: ids =>
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    + `The following tool_call_ids did not have response messages: ${ids.join(", ")}`,
  orphan: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
  before: templateViolation,
})

function templateViolation(messages: readonly WireObject[]): Violation | undefined {
  let previous = ""
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    const role = message?.["role"]
    if (role === "system" || role === "developer") {
      if (index === 0) continue
      return { rule: "ollama-system-first", message: "System message must be at the beginning.", status: 500 }
    }
    const side = role === "assistant" ? "assistant" : "user"
    if (role === "tool" && !isArray(messages[index - 1]?.["tool_calls"]) && messages[index - 1]?.["role"] !== "tool") {
      return { rule: "template-tool-outside", message: "Tool message outside of assistant" }
    }
    const mergesInto = role === "tool" && messages[index - 1]?.["role"] === "tool"
    if (!mergesInto && side === (previous === "" ? "assistant" : previous)) {
      return {
        rule: "template-alternation",
        message: "After the optional system message, conversation roles must alternate "
          + "user/assistant/user/assistant/...",
      }
    }
    previous = side
    const found = callsViolation(message?.["tool_calls"])
      ?? (role === "tool" ? idViolation(message?.["tool_call_id"]) : undefined)
    if (found !== undefined) return found
  }
  return undefined
}

function callsViolation(calls: unknown): Violation | undefined {
  if (!isArray(calls)) return undefined
  if (calls.length > 1) {
    return { rule: "template-single-call", message: "This model only supports single tool-calls at once!" }
  }
  return idViolation(isObject(calls[0]) ? calls[0]["id"] : undefined)
}

function idViolation(id: unknown): Violation | undefined {
  if (typeof id === "string" && idPattern.test(id)) return undefined
  return {
    rule: "template-mistral-id",
    message: "Tool call IDs should be alphanumeric strings with length >= 9!",
  }
}
