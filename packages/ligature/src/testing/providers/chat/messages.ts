/**
 * The shape of one Chat Completions message: role, keys, content, calls.
 */
import { isArray, isObject, parsesToObject, typeName, type Violation, type WireObject } from "../verdict.ts"
import type { ChatDemands } from "./judge-chat.ts"

const published: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["developer", new Set(["role", "content", "name"])],
  ["system", new Set(["role", "content", "name"])],
  ["user", new Set(["role", "content", "name"])],
  ["assistant", new Set(["role", "content", "name", "tool_calls", "refusal", "audio", "function_call"])],
  ["tool", new Set(["role", "content", "tool_call_id", "name"])],
  ["function", new Set(["role", "content", "name"])],
])

const textOnly: ReadonlySet<string> = new Set(["text"])
const partTypes: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["user", new Set(["text", "image_url", "input_audio", "file"])],
  ["assistant", new Set(["text", "refusal"])],
])

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/

export function chatMessageViolation(message: unknown, index: number, demands: ChatDemands): Violation | undefined {
  const shape = (text: string, field = ""): Violation => ({
    rule: `${demands.name}-shape`,
    message: text,
    param: `messages[${index}]${field}`,
  })
  if (!isObject(message)) {
    return shape(`Invalid type for 'messages[${index}]': expected an object, but got ${typeName(message)} instead.`)
  }
  const role = message["role"]
  const keys = typeof role === "string" ? published.get(role) : undefined
  if (typeof role !== "string" || keys === undefined) {
    return shape(
      `Invalid value: '${String(role)}'. Supported values are: 'system', 'assistant', 'user', 'function', ` + "'tool', and 'developer'.",
      ".role",
    )
  }
  for (const key in message) {
    if (keys.has(key) || demands.toleratedKeys.has(key) || message[key] === undefined) continue
    const found = demands.unknownKeys(role, key, index)
    if (found !== undefined) return found
  }
  return (
    contentViolation(message, role, index, shape, demands) ??
    (role === "assistant" ? callsViolation(message["tool_calls"], index, demands) : undefined) ??
    (role === "tool" ? idViolation(message["tool_call_id"], () => `messages[${index}].tool_call_id`, demands) : undefined)
  )
}

function contentViolation(
  message: WireObject,
  role: string,
  index: number,
  shape: (text: string, field?: string) => Violation,
  demands: ChatDemands,
): Violation | undefined {
  const content = message["content"]
  if (demands.emptyContent !== undefined && isEmptyContent(content)) return demands.emptyContent(index)
  if (typeof content === "string") return lengthViolation(content, () => `messages[${index}].content`, demands)
  if (content === null || content === undefined) {
    if (role === "assistant" && (isArray(message["tool_calls"]) || hasOtherContent(message))) return undefined
    if (role === "assistant" && demands.emptyAssistant !== undefined) return demands.emptyAssistant()
    return {
      rule: "openai-chat-content-null",
      message: "Invalid value for 'content': expected a string, got null.",
      param: `messages.[${index}].content`,
    }
  }
  if (!isArray(content)) {
    return {
      rule: "openai-chat-content-null",
      message: "Invalid 'content': 'content' field must be a string or an array of objects.",
      param: `messages[${index}].content`,
    }
  }
  if (content.length === 0) {
    return shape(
      `Invalid 'messages[${index}].content': empty array. Expected an array with minimum length 1, but got ` + "an empty array instead.",
      ".content",
    )
  }
  const allowed = partTypes.get(role) ?? textOnly
  for (let part = 0; part < content.length; part++) {
    const each = content[part]
    const type = isObject(each) ? each["type"] : undefined
    if (!isObject(each) || typeof type !== "string") {
      return shape(`Missing required parameter: 'messages[${index}].content[${part}].type'.`, `.content[${part}].type`)
    }
    if (!allowed.has(type) && (allowed === textOnly || demands.extraParts?.has(type) !== true)) {
      return demands.chunkTypes?.(role, type) ?? partViolation(role, type, index, part, shape)
    }
    const text = each["text"]
    if (type === "text" && typeof text !== "string") {
      return shape(
        `Invalid type for 'messages[${index}].content[${part}].text': expected a string, but got ` + `${typeName(text)} instead.`,
        `.content[${part}].text`,
      )
    }
    const long = typeof text === "string" ? lengthViolation(text, () => `messages[${index}].content[${part}].text`, demands) : undefined
    if (long !== undefined) return long
  }
  return undefined
}

function lengthViolation(text: string, place: () => string, { textLength }: ChatDemands): Violation | undefined {
  if (textLength === undefined || text.length <= textLength) return undefined
  return {
    rule: "openai-string-length",
    message:
      `Invalid '${place()}': string too long. Expected a string with maximum length ${textLength}, but got a ` +
      `string with length ${text.length} instead.`,
    param: place(),
    code: "string_above_max_length",
  }
}

function isEmptyContent(content: unknown): boolean {
  return content === undefined || content === null || content === "" || (isArray(content) && content.length === 0)
}

function hasOtherContent(message: WireObject): boolean {
  return typeof message["refusal"] === "string" || isObject(message["audio"]) || isObject(message["function_call"])
}

function partViolation(
  role: string,
  type: string,
  index: number,
  part: number,
  shape: (text: string, field?: string) => Violation,
): Violation {
  if (type !== "image_url") {
    return shape(`Invalid value: '${type}' of 'messages[${index}].content[${part}].type' with role '${role}'.`, `.content[${part}].type`)
  }
  return {
    rule: "openai-chat-tool-image",
    message:
      `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', but this ` +
      `message with role '${role}' contains an image URL.`,
    param: `messages[${index}]`,
  }
}

function callsViolation(calls: unknown, index: number, demands: ChatDemands): Violation | undefined {
  if (calls === undefined || calls === null) return undefined
  if (!isArray(calls)) {
    const path = `messages[${index}].tool_calls`
    return {
      rule: `${demands.name}-shape`,
      message: `Invalid type for '${path}': expected an array of objects, but got ${typeName(calls)} instead.`,
      param: path,
    }
  }
  if (calls.length === 0) {
    const path = `messages[${index}].tool_calls`
    return {
      rule: "openai-chat-empty-tool-calls",
      message: `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array ` + "instead.",
      param: path,
      code: "empty_array",
    }
  }
  for (let call = 0; call < calls.length; call++) {
    const found = callViolation(calls[call], () => `messages[${index}].tool_calls[${call}]`, demands)
    if (found !== undefined) return found
  }
  return undefined
}

function callViolation(call: unknown, place: () => string, demands: ChatDemands): Violation | undefined {
  const missing = (field: string): Violation => ({
    rule: `${demands.name}-shape`,
    message: `Missing required parameter: '${place()}${field}'.`,
    param: `${place()}${field}`,
    code: "missing_required_parameter",
  })
  if (!isObject(call)) return missing("")
  const found = idViolation(call["id"], () => `${place()}.id`, demands)
  if (found !== undefined) return found
  if (call["type"] === "custom") {
    const custom = call["custom"]
    if (isObject(custom) && typeof custom["name"] === "string" && typeof custom["input"] === "string") return undefined
    return { ...missing(".custom"), rule: "openai-chat-custom-tool" }
  }
  if (call["type"] !== "function") return missing(".type")
  const target = call["function"]
  if (!isObject(target)) return missing(".function")
  return nameViolation(target["name"], place, demands) ?? argumentsViolation(target["arguments"], place, demands)
}

function nameViolation(name: unknown, place: () => string, demands: ChatDemands): Violation | undefined {
  if (typeof name === "string" && namePattern.test(name)) return undefined
  if (demands.functionName !== undefined) return demands.functionName(String(name))
  const text =
    typeof name !== "string" || name === ""
      ? "empty string. Expected a string with minimum length 1, but got an empty string instead."
      : name.length > 64
        ? `string too long. Expected a string with maximum length 64, but got a string with length ${name.length} instead.`
        : "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
  return {
    rule: "openai-chat-function-name",
    message: `Invalid '${place()}.function.name': ${text}`,
    param: `${place()}.function.name`,
  }
}

function argumentsViolation(value: unknown, place: () => string, demands: ChatDemands): Violation | undefined {
  if (typeof value === "string" && (!demands.parsesArguments || parsesToObject(value))) return undefined
  const path = place()
  return {
    rule: "openai-chat-arguments-json",
    message:
      typeof value === "string"
        ? `failed to parse tool call arguments as json: '${path}.function.arguments'`
        : `Invalid type for '${path}.function.arguments': expected a string, but got ${typeName(value)} instead.`,
    param: `${path}.function.arguments`,
  }
}

function idViolation(id: unknown, place: () => string, demands: ChatDemands): Violation | undefined {
  if (typeof id !== "string" || id === "") {
    if (demands.missingId !== undefined) return demands.missingId
    const path = place()
    return {
      rule: `${demands.name}-shape`,
      message:
        typeof id === "string"
          ? `Invalid '${path}': empty string. Expected a string with minimum length 1, but got an empty string instead.`
          : `Missing required parameter: '${path}'.`,
      param: path,
    }
  }
  if (demands.idLength === undefined || id.length <= demands.idLength) return undefined
  const path = place()
  return {
    rule: "openai-chat-tool-call-id-length",
    message:
      `Invalid '${path}': string too long. Expected a string with maximum length ${demands.idLength}, but got a ` +
      `string with length ${id.length} instead.`,
    param: path,
    code: "string_above_max_length",
  }
}
