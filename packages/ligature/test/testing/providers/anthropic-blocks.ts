/**
 * Builders of Anthropic messages and blocks for the cases.
 */
import type { WireValue } from "./rejection-case.ts"

export const user = (...content: readonly WireValue[]): WireValue => ({ role: "user", content })
export const assistant = (...content: readonly WireValue[]): WireValue => ({ role: "assistant", content })
export const text = (value: string, more: WireValue = {}): WireValue => ({ type: "text", text: value, ...more })
export const call = (id: string, more: WireValue = {}): WireValue => ({
  type: "tool_use",
  id,
  name: "ls",
  input: {},
  ...more,
})
export const result = (id: string, more: WireValue = {}): WireValue => ({
  type: "tool_result",
  tool_use_id: id,
  ...more,
})
export const thinking = (more: WireValue = {}): WireValue => ({
  type: "thinking",
  thinking: "hm",
  signature: "Eq1",
  ...more,
})
export const search = (id: string): WireValue => ({ type: "server_tool_use", id, name: "web_search", input: {} })
export const found = (id: string): WireValue => ({ type: "web_search_tool_result", tool_use_id: id, content: [] })
export const marked = (ttl?: string): WireValue => ({
  cache_control: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) },
})
export const hi = user(text("hi"))
