/**
 * Server tools: a call and its result stand in one assistant turn, the call first. MCP blocks obey the same order.
 */
import type { WireObject } from "../wire.ts"
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

/** Whether an assistant message may stand last although the model takes no prefill: a paused server-tool turn may. */
export function isPausedTurn(content: readonly unknown[]): boolean {
  return content.some(block => {
    const type = (block as WireObject | null)?.["type"]
    return type === "server_tool_use" || type === "mcp_tool_use"
  })
}
