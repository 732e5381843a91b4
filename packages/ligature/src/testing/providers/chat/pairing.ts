/**
 * Pairing in a Chat Completions history: behind an assistant message with calls stands a run of tool messages that
 * answers each of them, in any order, before any other role.
 *
 * The published texts say nothing about a second answer to one call; here it answers nothing and counts as an orphan.
 */
import { type WireObject, isArray, isObject } from "../wire.ts"
import type { Violation } from "../verdict.ts"
import type { ChatDemands } from "./demands.ts"

export function chatPairingViolation(
  messages: readonly WireObject[],
  demands: ChatDemands,
  openTip: boolean,
): Violation | undefined {
  /** Unanswered calls by id; a count, because one message may hold the same id twice. */
  const pending = new Map<string, number>()
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    if (message === undefined) continue
    if (message["role"] === "tool") {
      const id = String(message["tool_call_id"])
      const open = pending.get(id)
      if (open === undefined) {
        return { rule: "openai-chat-orphan-tool", message: demands.orphan, param: `messages.[${index}].role` }
      }
      if (open === 1) pending.delete(id)
      else pending.set(id, open - 1)
      continue
    }
    if (pending.size > 0) return unansweredViolation(pending, demands, index)
    const calls = message["tool_calls"]
    if (message["role"] !== "assistant" || !isArray(calls)) continue
    for (const call of calls) {
      const id = isObject(call) ? String(call["id"]) : ""
      pending.set(id, (pending.get(id) ?? 0) + 1)
    }
  }
  return pending.size === 0 || openTip ? undefined : unansweredViolation(pending, demands, messages.length)
}

function unansweredViolation(pending: ReadonlyMap<string, number>, demands: ChatDemands, index: number): Violation {
  return {
    rule: "openai-chat-tool-call-needs-response",
    message: demands.unanswered([...pending.keys()]),
    param: `messages.[${index}].role`,
  }
}
