/**
 * The lines of a rollout: `{ timestamp, ordinal?, type, payload }`. A record has a thing once for the model
 * (`response_item`) and often once more for the screen (`event_msg`); the rest is bookkeeping.
 *
 * What the items of a rollout mean to Codex, beyond what the Responses API says of them: which of them reach the model,
 * which user messages are prompts and which the agent wrote itself, and which call an output may answer.
 */
import { isWire, type Wire } from "../../model/index.ts"
import type { Capabilities } from "../../formats/engine/codec.ts"
import { openaiResponses } from "../../formats/openai-responses/index.ts"

export const format = "codex-rollout"

/** Every type of record that known versions write. */
export const recordTypes: ReadonlySet<unknown> = new Set([
  "session_meta",
  "response_item",
  "compacted",
  "turn_context",
  "event_msg",
  "world_state",
  "token_usage_record",
  "inter_agent_communication",
  "inter_agent_communication_metadata",
  "security_risk_score",
])

export const payloadOf = (record: unknown, type: string): Wire | undefined => {
  if (!isWire(record) || record["type"] !== type) return undefined
  const { payload } = record
  return isWire(payload) ? payload : undefined
}

/** The payload of an event of one type. */
export const eventOf = (record: unknown, type: string): Wire | undefined => {
  const payload = payloadOf(record, "event_msg")
  return payload?.["type"] === type ? payload : undefined
}

export const textField = (wire: Wire | undefined, key: string): string | undefined => {
  const value = wire?.[key]
  return typeof value === "string" && value !== "" ? value : undefined
}

/** Items that reach the model and that the Responses API knows by the same name. */
const apiItems: ReadonlySet<unknown> = new Set([
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "local_shell_call",
  "local_shell_call_output",
  "tool_search_call",
  "tool_search_output",
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_call",
  "compaction",
])

/** Items that only Codex and its own backend understand. */
export const ownItems: ReadonlySet<unknown> = new Set(["agent_message", "compaction_summary", "context_compaction"])

/** Items that stay in the file: snapshots of the working tree, requests to compact. */
const silentItems: ReadonlySet<unknown> = new Set(["ghost_snapshot", "compaction_trigger"])

export type ItemClass = "api" | "own" | "silent" | "unknown"

const roles: ReadonlySet<unknown> = new Set(["user", "assistant", "system", "developer"])

export const typeOf = (item: Wire): unknown => item["type"] ?? (item["role"] === undefined ? undefined : "message")

export const classOf = (item: Wire): ItemClass => {
  const type = typeOf(item)
  if (type === "message") return roles.has(item["role"]) ? "api" : "unknown"
  if (type === "reasoning") return isHollow(item) ? "silent" : "api"
  if (apiItems.has(type)) return "api"
  if (ownItems.has(type)) return "own"
  return silentItems.has(type) ? "silent" : "unknown"
}

const isTextPart = (part: unknown): boolean => isWire(part) && typeof part["text"] === "string" && part["text"] !== ""

const hasText = (parts: unknown): boolean => Array.isArray(parts) && parts.some(isTextPart)

/** What a redactor leaves in place of encrypted reasoning: no server takes it back. */
const redacted = "REDACTED"

/** Reasoning of which nothing is left, as redactors and servers that encrypt nothing leave it. */
const isHollow = ({ encrypted_content: encrypted, summary, content }: Wire): boolean => {
  if (typeof encrypted === "string" && encrypted !== "" && encrypted !== redacted) return false
  return !hasText(summary) && !hasText(content)
}

/** The text of a message item. */
export const textOf = ({ content }: Wire): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  let text = ""
  for (const part of content as readonly unknown[]) {
    if (isWire(part) && typeof part["text"] === "string") text += part["text"]
  }
  return text
}

/** A session is known by the first line of its first prompt. */
export const titleFrom = (prompt: string): string => prompt.trim().split("\n", 1)[0] ?? ""

/** How user messages begin that the agent itself puts in: surroundings, project instructions, notices. */
const contextOpenings = [
  "<environment_context>",
  "<user_instructions>",
  "# AGENTS.md instructions",
  "<INSTRUCTIONS>",
  "<permissions instructions>",
  "<turn_aborted>",
  "<user_shell_command>",
  "<skill>",
  "<subagent_notification>",
] as const

const isContext = (text: string): boolean => {
  if (!text.startsWith("<") && !text.startsWith("#")) return false
  return contextOpenings.some((opening) => text.startsWith(opening))
}

const firstText = ({ content }: Wire): string => {
  if (!Array.isArray(content)) return typeof content === "string" ? content : ""
  const [first] = content as readonly unknown[]
  return isWire(first) && typeof first["text"] === "string" ? first["text"] : ""
}

/** A user message that somebody typed: a turn begins with it. */
export const isPrompt = (item: Wire): boolean => typeOf(item) === "message" && item["role"] === "user" && !isContext(firstText(item))

/** Calls and outputs pair within a family only. Each is a bit: one number holds all families an id was used in. */
export const families = { function: 1, custom: 2, search: 4 } as const
export type Family = keyof typeof families

const callFamilies: ReadonlyMap<unknown, Family> = new Map([
  ["function_call", "function"],
  ["local_shell_call", "function"],
  ["custom_tool_call", "custom"],
  ["tool_search_call", "search"],
] as const)

const outputFamilies: ReadonlyMap<unknown, Family> = new Map([
  ["function_call_output", "function"],
  ["local_shell_call_output", "function"],
  ["custom_tool_call_output", "custom"],
  ["tool_search_output", "search"],
] as const)

export const callFamilyOf = (item: Wire): Family | undefined => callFamilies.get(item["type"])
export const outputFamilyOf = (item: Wire): Family | undefined => outputFamilies.get(item["type"])

/** The id by which call and output find each other; old shell calls have only their item id. */
export const callIdOf = (item: Wire): string | undefined => {
  const { type, call_id: callId, id } = item
  if (typeof callId === "string") return callId === "" ? undefined : callId
  const shell = type === "local_shell_call" || type === "local_shell_call_output"
  return shell && typeof id === "string" && id !== "" ? id : undefined
}

/** What a rollout can express: items of the Responses API, as far as Codex loads them again. */
export const capabilities: Capabilities = {
  homes: {
    ...openaiResponses.capabilities.homes,
    "result-document": "none",
    thinking: "convention",
    "redacted-thinking": "none",
    "cache-marks": "none",
    citations: "none",
    refusal: "convention",
    audio: "none",
    "server-tools": "convention",
    "compaction-marks": "convention",
    "tool-references": "convention",
  },
}
