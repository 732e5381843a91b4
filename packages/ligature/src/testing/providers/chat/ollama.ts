/**
 * Ollama's native `/api/chat`: arguments are objects, ids are not needed, a tool message names its tool. Its strictest
 * templates want the system message first and at least one user message.
 */
import { ollamaError } from "../error-bodies.ts"
import { type Judge, type Violation, verdictOf } from "../verdict.ts"
import { isArray, isObject, unknownKey } from "../wire.ts"

const roles: ReadonlySet<unknown> = new Set(["system", "user", "assistant", "tool"])
const messageKeys: ReadonlySet<string> = new Set([
  "role", "content", "thinking", "images", "tool_calls", "tool_name", "tool_call_id",
])

const format: Violation = { rule: "ollama-native-shape", message: "invalid message format" }
const contentType: Violation = { rule: "ollama-native-shape", message: "invalid message content type" }

export const judgeOllama: Judge = body => verdictOf(ollamaViolation(body), ollamaError)

function ollamaViolation(body: unknown): Violation | undefined {
  if (!isObject(body) || !isArray(body["messages"])) return format
  const messages = body["messages"]
  let hasUser = false
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    const found = messageViolation(message)
    if (found !== undefined || !isObject(message)) return found
    hasUser ||= message["role"] === "user"
    if (message["role"] === "system" && index > 0) {
      return { rule: "ollama-system-first", message: "system message must be at the beginning", status: 500 }
    }
  }
  if (hasUser) return undefined
  return { rule: "ollama-needs-user", message: "no user query found in messages", status: 500 }
}

function messageViolation(message: unknown): Violation | undefined {
  if (!isObject(message) || !roles.has(message["role"])) return format
  const extra = unknownKey(message, messageKeys)
  if (extra !== undefined) return { rule: "common-render-allow-list", message: `unknown field "${extra}"` }
  const content = message["content"]
  const calls = message["tool_calls"]
  const isAbsent = content === undefined || content === null
  if (typeof content !== "string" && !(isAbsent && isArray(calls))) return contentType
  if (message["role"] === "tool" && !isName(message["tool_name"])) return format
  if (calls === undefined) return undefined
  if (message["role"] !== "assistant" || !isArray(calls)) return format
  for (const call of calls) {
    const target = isObject(call) ? call["function"] : undefined
    if (!isObject(target) || !isName(target["name"]) || !isObject(target["arguments"])) return format
  }
  return undefined
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== ""
}
