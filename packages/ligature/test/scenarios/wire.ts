/** Short names for the wire messages of these tests, and the verdict of the strict fake providers on a request. */
import { convert } from "../../src/index.ts"
import { judges } from "../../src/testing/index.ts"

export const use = (id: string, name = "read_file", input: Readonly<Record<string, unknown>> = {}) => ({
  type: "tool_use",
  id,
  name,
  input,
})
export const answer = (id: string, content: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
})
export const says = (text: string) => ({ type: "text", text })
export const user = (...content: readonly unknown[]) => ({ role: "user", content })
export const assistant = (...content: readonly unknown[]) => ({ role: "assistant", content })

/** Anthropic messages as the request for OpenAI Chat, judged. */
export const toChat = (messages: readonly unknown[]) => {
  const converted = convert(messages, { from: "anthropic", to: "openai-chat" })
  return { ...converted, verdict: judges["openai-chat"](converted.value) }
}

/** The verdicts of both judges on messages as they are, no repair between: "" where a provider takes them. */
export const anthropicVerdict = (messages: readonly unknown[]): string => {
  const verdict = judges.anthropic({ model: "claude-sonnet-4-5", max_tokens: 1024, messages })
  return verdict.ok ? "" : JSON.stringify(verdict)
}
