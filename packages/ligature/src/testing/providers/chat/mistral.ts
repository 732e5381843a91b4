/** Judges of chat APIs with orders of roles of their own: Mistral, strict chat templates of open models, Ollama's native API. */
import {
  isArray,
  isObject,
  type Judge,
  mistralError,
  ollamaError,
  templateError,
  unknownKey,
  verdictOf,
  type Violation,
  type WireObject,
} from "../verdict.ts"
import { type ChatContext, chatJudge, compatibleMedia } from "./judge-chat.ts"

// Mistral: nine-character ids, a table of which role may follow which, and as many tool messages as calls.
//
// The newest published validator lets a user message follow tool messages; the hosted API refused it when it was last
// seen. The stricter of the two is judged, because what passes it passes both.

const followers: Readonly<Record<string, readonly string[]>> = {
  system: ["user", "assistant", "system"],
  user: ["assistant", "system", "user"],
  assistant: ["assistant", "user", "tool"],
  tool: ["assistant", "tool"],
}

const idPattern = /^[a-zA-Z0-9]{9}$/

export const judgeMistral: Judge = chatJudge({
  name: "mistral",
  errorBody: mistralError,
  idLength: undefined,
  parsesArguments: true,
  ownPairing: true,
  media: { ...compatibleMedia, images: 8, imageBytes: 10_000_000 },
  toleratedKeys: new Set(["prefix"]),
  extraParts: new Set(["thinking", "document_url", "reference"]),
  unknownKeys: (role, key, message) => ({
    rule: key === "reasoning_content" ? "mistral-no-reasoning-content" : "common-render-allow-list",
    message: `Extra inputs are not permitted: messages.${message}.${role}.${key}`,
  }),
  functionName: (name) => ({
    rule: "mistral-function-name",
    message: `Function name was ${name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum ` + "length of 64.",
  }),
  missingId: { rule: "mistral-tool-id-defined", message: "Tool call id has to be defined." },
  unanswered: () => "Not the same number of function calls and responses",
  orphan: "Unexpected tool call id in tool results",
  chunkTypes: (role, type) => ({
    rule: "mistral-chunk-types",
    message: `Unexpected content chunk types in ${role} message: ['${type}']`,
  }),
  emptyAssistant: () => noContent,
  extra: mistralViolation,
})

const noContent: Violation = {
  rule: "mistral-assistant-content-xor-calls",
  message: "Assistant message must have either content or tool_calls, but not none.",
}

function mistralViolation(messages: readonly WireObject[], _body: WireObject, context: ChatContext): Violation | undefined {
  const first = messages[0]?.["role"]
  if (first === undefined) return { rule: "mistral-start", message: "Conversation must have at least one message" }
  if (first !== "user" && first !== "system") {
    return { rule: "mistral-start", message: "Conversation must start with a user message or system message" }
  }
  const openTip = context.options?.tip === "open"
  return orderViolation(messages) ?? runsViolation(messages, openTip) ?? lastViolation(messages, openTip)
}

function orderViolation(messages: readonly WireObject[]): Violation | undefined {
  let previous = ""
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    const role = String(message?.["role"])
    if (previous !== "" && followers[previous]?.includes(role) !== true) {
      return { rule: "mistral-role-order", message: `Unexpected role '${role}' after role '${previous}'` }
    }
    previous = role
    if (role !== "assistant") continue
    if (message?.["prefix"] === true && index < messages.length - 1) {
      return { rule: "mistral-prefix-last", message: "Assistant message with prefix True must be last message" }
    }
    const content = message?.["content"]
    if (!isArray(message?.["tool_calls"]) && (content === "" || content === null || content === undefined)) {
      return noContent
    }
  }
  return undefined
}

/** Each run of tool messages answers the calls of the assistant message before it: as many, and each once. */
function runsViolation(messages: readonly WireObject[], openTip: boolean): Violation | undefined {
  const calls = new Set<string>()
  const answered = new Set<string>()
  for (const message of messages) {
    const role = message["role"]
    if (role === "tool") {
      const id = String(message["tool_call_id"])
      const found = idViolation(id) ?? resultViolation(id, calls, answered)
      if (found !== undefined) return found
      answered.add(id)
      continue
    }
    if (answered.size !== calls.size) return countViolation
    calls.clear()
    answered.clear()
    const asked = message["tool_calls"]
    if (role !== "assistant" || !isArray(asked)) continue
    for (const call of asked) {
      const id = isObject(call) ? String(call["id"]) : ""
      const found = idViolation(id)
      if (found !== undefined) return found
      if (calls.has(id)) {
        return { rule: "mistral-v13-ids", message: `Duplicate tool call id ${id} in assistant message` }
      }
      calls.add(id)
    }
  }
  const closing = messages.at(-1)?.["role"]
  if (closing === "assistant" || openTip) return undefined
  return answered.size === calls.size ? undefined : countViolation
}

const countViolation: Violation = {
  rule: "mistral-call-count",
  message: "Not the same number of function calls and responses",
}

function idViolation(id: string): Violation | undefined {
  if (idPattern.test(id)) return undefined
  return {
    rule: "mistral-tool-id-9",
    message: `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
  }
}

function resultViolation(id: string, calls: ReadonlySet<string>, answered: ReadonlySet<string>): Violation | undefined {
  if (answered.has(id)) {
    return { rule: "mistral-v13-ids", message: `Duplicate tool call id ${id} in tool results` }
  }
  if (calls.has(id)) return undefined
  return { rule: "mistral-v13-ids", message: `Unexpected tool call id ${id} in tool results` }
}

function lastViolation(messages: readonly WireObject[], openTip: boolean): Violation | undefined {
  const last = messages.at(-1)
  const role = last?.["role"]
  if (role === "user" || role === "tool" || (role === "assistant" && (last?.["prefix"] === true || openTip))) {
    return undefined
  }
  return {
    rule: "mistral-last-role",
    message:
      "Expected last role User or Tool (or Assistant with prefix or continue_final_message set to True) for " +
      `serving but got ${String(role)}`,
  }
}

// The strictest chat templates of open models at once: the system message only first, user and assistant by turns with
// tool results on the user's side, one call per assistant message, nine-character ids.

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
  unanswered: (ids) =>
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    `The following tool_call_ids did not have response messages: ${ids.join(", ")}`,
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
        message: "After the optional system message, conversation roles must alternate " + "user/assistant/user/assistant/...",
      }
    }
    previous = side
    const found = callsViolation(message?.["tool_calls"]) ?? (role === "tool" ? templateIdViolation(message?.["tool_call_id"]) : undefined)
    if (found !== undefined) return found
  }
  return undefined
}

function callsViolation(calls: unknown): Violation | undefined {
  if (!isArray(calls)) return undefined
  if (calls.length > 1) {
    return { rule: "template-single-call", message: "This model only supports single tool-calls at once!" }
  }
  return templateIdViolation(isObject(calls[0]) ? calls[0]["id"] : undefined)
}

function templateIdViolation(id: unknown): Violation | undefined {
  if (typeof id === "string" && idPattern.test(id)) return undefined
  return {
    rule: "template-mistral-id",
    message: "Tool call IDs should be alphanumeric strings with length >= 9!",
  }
}

// Ollama's native `/api/chat`: arguments are objects, ids are not needed, a tool message names its tool. Its strictest
// templates want the system message first and at least one user message.

const roles: ReadonlySet<unknown> = new Set(["system", "user", "assistant", "tool"])
const messageKeys: ReadonlySet<string> = new Set(["role", "content", "thinking", "images", "tool_calls", "tool_name", "tool_call_id"])

const format: Violation = { rule: "ollama-native-shape", message: "invalid message format" }
const contentType: Violation = { rule: "ollama-native-shape", message: "invalid message content type" }

export const judgeOllama: Judge = (body) => verdictOf(ollamaViolation(body), ollamaError)

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
