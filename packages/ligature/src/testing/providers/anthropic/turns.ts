/**
 * The order of an Anthropic history, judged on turns: neighbours of one role count as one turn, because the API merges
 * them. System messages are outside the turns and are judged in `order.ts`.
 *
 * One walk. Between two turns the walk remembers only the calls of the assistant turn that was just read and which of
 * them the user turn has answered so far:
 *
 *   assistant turn   `pending` fills with call ids; `openServerCalls` with server calls that still lack a result
 *   user turn        leading results move ids from `pending` to `answered`; a result after other content is late
 *   end of turn      what is left in `pending` was never answered, or was answered too late
 */
import { isArray, isObject, type Violation, type WireObject } from "../verdict.ts"

interface TurnState {
  role: "" | "user" | "assistant"
  /** Calls without a leading result, with the message each is in. */
  readonly pending: Map<string, number>
  readonly answered: Set<string>
  /** Calls whose result is after other content of the user turn. */
  readonly late: Set<string>
  /** Whether content other than results was seen in the user turn, and where. */
  otherContent: string | undefined
  readonly callIds: Set<string>
  readonly openServerCalls: Map<string, string>
  readonly serverCalls: Set<string>
  /** Whether a pending call was made by code that runs on the server. */
  programmatic: boolean
}

function newTurnState(): TurnState {
  return {
    role: "",
    pending: new Map(),
    answered: new Set(),
    late: new Set(),
    otherContent: undefined,
    callIds: new Set(),
    openServerCalls: new Map(),
    serverCalls: new Set(),
    programmatic: false,
  }
}

export function turnsViolation(messages: readonly unknown[], openTip: boolean): Violation | undefined {
  const state = newTurnState()
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    if (!isObject(message) || message["role"] === "system") continue
    const role = message["role"] === "assistant" ? "assistant" : "user"
    const found = enterRole(state, role, index) ?? readContent(state, message["content"], role, index)
    if (found !== undefined) return found
  }
  if (state.role === "assistant" && openTip) return undefined
  return unansweredViolation(state)
}

function enterRole(state: TurnState, role: "user" | "assistant", index: number): Violation | undefined {
  if (state.role === role) return undefined
  if (role === "user") {
    state.role = role
    return danglingViolation(state, index)
  }
  const found = state.role === "user" ? unansweredViolation(state) : undefined
  state.role = role
  state.pending.clear()
  state.answered.clear()
  state.late.clear()
  state.otherContent = undefined
  state.programmatic = false
  return found
}

function readContent(state: TurnState, content: unknown, role: string, message: number): Violation | undefined {
  if (!isArray(content)) {
    if (role === "user") state.otherContent ??= `messages.${message}.content`
    return undefined
  }
  for (let index = 0; index < content.length; index++) {
    const block = content[index]
    if (!isObject(block)) continue
    const found = role === "assistant" ? readAssistantBlock(state, block, message, index) : readUserBlock(state, block, message, index)
    if (found !== undefined) return found
  }
  return undefined
}

function readAssistantBlock(state: TurnState, block: WireObject, message: number, index: number): Violation | undefined {
  const type = String(block["type"])
  if (type === "tool_use") return readCall(state, block, message, index)
  // The API drops the calls before a fallback block, so that none of them may be answered.
  if (type === "fallback") {
    state.pending.clear()
    state.openServerCalls.clear()
    return undefined
  }
  return serverCallViolation(state, block, type, message, index) ?? serverResultViolation(state, block, type, message, index)
}

function readCall(state: TurnState, block: WireObject, message: number, index: number): Violation | undefined {
  const id = String(block["id"])
  if (state.callIds.has(id)) {
    return {
      rule: "anthropic-tool-use-id-unique",
      message: `messages.${message}.content.${index}: \`tool_use\` ids must be unique`,
    }
  }
  state.callIds.add(id)
  state.pending.set(id, message)
  const caller = block["caller"]
  if (!isObject(caller) || !String(caller["type"]).startsWith("code_execution")) return undefined
  state.programmatic = true
  return state.serverCalls.has(String(caller["tool_id"]))
    ? undefined
    : {
        rule: "anthropic-server-tool-caller",
        message: `messages.${message}.content.${index}.tool_use.caller: source tool not found`,
      }
}

function readUserBlock(state: TurnState, block: WireObject, message: number, index: number): Violation | undefined {
  if (block["type"] !== "tool_result") {
    state.otherContent ??= `messages.${message}.content.${index}`
    return undefined
  }
  const id = String(block["tool_use_id"])
  if (state.answered.has(id) || state.late.has(id)) {
    return {
      rule: "anthropic-duplicate-tool-result",
      message:
        `messages.${message}.content.${index}: each tool_use must have a single result. ` +
        `Found multiple \`tool_result\` blocks with id: ${id}`,
    }
  }
  if (!state.pending.has(id)) {
    return {
      rule: "anthropic-orphan-tool-result",
      message:
        `messages.${message}.content.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ` +
        `${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    }
  }
  if (state.otherContent !== undefined) {
    state.late.add(id)
    return undefined
  }
  state.pending.delete(id)
  state.answered.add(id)
  return undefined
}

function unansweredViolation(state: TurnState): Violation | undefined {
  if (state.pending.size === 0) return programmaticViolation(state)
  const [first] = state.pending
  const ids = [...state.pending.keys()]
  return {
    rule: ids.every((id) => state.late.has(id)) ? "anthropic-tool-result-first-in-content" : "anthropic-tool-use-needs-result",
    message:
      `messages.${first?.[1] ?? 0}: \`tool_use\` ids were found without \`tool_result\` blocks immediately ` +
      `after: ${ids.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next ` +
      "message.",
  }
}

function programmaticViolation(state: TurnState): Violation | undefined {
  if (!state.programmatic || state.otherContent === undefined) return undefined
  return {
    rule: "anthropic-programmatic-results-only",
    message: `${state.otherContent}: only \`tool_result\` blocks may answer calls made by code execution`,
  }
}

/** Code that waits for a client result keeps its own server call open; in every other case the result must be there. */
function danglingViolation(state: TurnState, index: number): Violation | undefined {
  if (state.openServerCalls.size === 0 || state.programmatic) return undefined
  const [first] = state.openServerCalls
  const [id, name] = first ?? ["", ""]
  return {
    rule: name === "mcp" ? "anthropic-mcp-blocks" : "anthropic-server-tool-dangling",
    message:
      `messages.${index - 1}: \`${name}\` tool use with id \`${id}\` was found without a corresponding ` + `\`${name}_tool_result\` block`,
  }
}

/** Server tools: a call and its result are in one assistant turn, the call first. MCP blocks obey the same order. */
function serverCallViolation(state: TurnState, block: WireObject, type: string, message: number, index: number): Violation | undefined {
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

function serverResultViolation(state: TurnState, block: WireObject, type: string, message: number, index: number): Violation | undefined {
  if (!type.endsWith("_tool_result")) return undefined
  const id = String(block["tool_use_id"])
  if (state.openServerCalls.delete(id)) return undefined
  const call = type === "mcp_tool_result" ? "mcp_tool_use" : "server_tool_use"
  return {
    rule: type === "mcp_tool_result" ? "anthropic-mcp-blocks" : "anthropic-server-result-needs-call",
    message:
      `messages.${message}.content.${index}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}. ` +
      `Each \`${type}\` block must have a corresponding \`${call}\` block before it.`,
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

/** Whether an assistant message may be last although the model takes no prefill: a paused server-tool turn may. */
export function isPausedTurn(content: readonly unknown[]): boolean {
  return content.some((block) => isObject(block) && (block["type"] === "server_tool_use" || block["type"] === "mcp_tool_use"))
}
