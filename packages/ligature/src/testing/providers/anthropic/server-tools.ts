/**
 * Server tools: a call and its result stand in one assistant turn, the call first. MCP blocks obey the same order.
 */
import { type WireObject, isArray, isObject } from "../wire.ts"
import type { Violation } from "../verdict.ts"
import type { TurnState } from "./turns.ts"

export function serverCallViolation(
  state: TurnState,
  block: WireObject,
  type: string,
  message: number,
  index: number,
): Violation | undefined {
  if (type !== "server_tool_use" && type !== "mcp_tool_use") return undefined
  const id = String(block["id"])
  if (state.serverCalls.has(id)) {
    return {
      rule: "anthropic-tool-use-id-unique",
      message: `messages.${message}.content.${index}: \`tool_use\` ids must be unique`,
    }
  }
  state.serverCalls.add(id)
  state.openServerCalls.set(id, type === "mcp_tool_use" ? "mcp" : String(block["name"]))
  return undefined
}

export function serverResultViolation(
  state: TurnState,
  block: WireObject,
  type: string,
  message: number,
  index: number,
): Violation | undefined {
  if (!type.endsWith("_tool_result")) return undefined
  const id = String(block["tool_use_id"])
  if (state.openServerCalls.delete(id)) return undefined
  const call = type === "mcp_tool_result" ? "mcp_tool_use" : "server_tool_use"
  return {
    rule: type === "mcp_tool_result" ? "anthropic-mcp-blocks" : "anthropic-server-result-needs-call",
    message: `messages.${message}.content.${index}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}. `
      + `Each \`${type}\` block must have a corresponding \`${call}\` block before it.`,
  }
}

/** Whether encrypted content is genuine only its maker knows; that it was cut away can be seen. */
export function searchViolation(content: unknown, place: () => string): Violation | undefined {
  if (!isArray(content)) return undefined
  for (const found of content) {
    if (!isObject(found) || found["type"] !== "web_search_result" || isFilled(found["encrypted_content"])) continue
    return {
      rule: "anthropic-web-search-encrypted",
      message: `${place()}: Invalid \`encrypted_content\` in \`search_result\` block`,
    }
  }
  return undefined
}

export function stdoutViolation(content: unknown, place: () => string): Violation | undefined {
  if (!isObject(content) || content["type"] !== "encrypted_code_execution_result") return undefined
  if (isFilled(content["encrypted_stdout"])) return undefined
  return {
    rule: "anthropic-encrypted-stdout",
    message: `${place()}: Invalid \`encrypted_stdout\` in \`encrypted_code_execution_result\` block`,
  }
}

function isFilled(value: unknown): boolean {
  return typeof value === "string" && value !== ""
}

/** Whether an assistant message may stand last although the model takes no prefill: a paused server-tool turn may. */
export function isPausedTurn(content: readonly unknown[]): boolean {
  return content.some(block =>
    isObject(block) && (block["type"] === "server_tool_use" || block["type"] === "mcp_tool_use"))
}
