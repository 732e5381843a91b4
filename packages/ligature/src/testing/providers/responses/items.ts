/**
 * The shape of one Responses input item.
 */
import { isArray, isObject, typeName, unknownKey, type Violation, type WireObject } from "../verdict.ts"

// Item types of the Responses API: which keys they allow, how their ids begin, and which output answers which call. A
// type without an allow-list here is taken as it comes.

const keys = (...names: readonly string[]): ReadonlySet<string> => new Set(["type", ...names])

const itemKeys: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["message", keys("role", "content", "id", "status", "phase", "prompt_cache_breakpoint")],
  ["function_call", keys("id", "call_id", "name", "arguments", "status", "namespace", "caller", "async")],
  ["function_call_output", keys("id", "call_id", "output", "status", "name", "namespace", "caller")],
  ["custom_tool_call", keys("id", "call_id", "name", "input", "status", "namespace", "caller", "async")],
  ["custom_tool_call_output", keys("id", "call_id", "output", "status", "name", "namespace", "caller")],
  ["reasoning", keys("id", "summary", "content", "encrypted_content", "status")],
  ["item_reference", keys("id")],
])

/** Types whose shape is not judged but which a request may hold. */
const otherItems: ReadonlySet<string> = new Set([
  "local_shell_call",
  "local_shell_call_output",
  "shell_call",
  "shell_call_output",
  "apply_patch_call",
  "apply_patch_call_output",
  "computer_call",
  "computer_call_output",
  "web_search_call",
  "file_search_call",
  "image_generation_call",
  "code_interpreter_call",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_call",
  "tool_search_call",
  "tool_search_output",
  "compaction",
  "compaction_trigger",
  "program",
  "program_output",
  "additional_tools",
  "configuration_update",
])

const idPrefixes: ReadonlyMap<string, string> = new Map([
  ["function_call", "fc"],
  ["message", "msg"],
  ["reasoning", "rs"],
  ["custom_tool_call", "ctc"],
])

interface CallKind {
  readonly output: string
  /** How error texts name this kind of call. */
  readonly name: string
}

export const callKinds: ReadonlyMap<string, CallKind> = new Map([
  ["function_call", { output: "function_call_output", name: "function call" }],
  ["custom_tool_call", { output: "custom_tool_call_output", name: "custom tool call" }],
  ["apply_patch_call", { output: "apply_patch_call_output", name: "apply patch call" }],
  ["shell_call", { output: "shell_call_output", name: "shell call" }],
  ["local_shell_call", { output: "local_shell_call_output", name: "local shell call" }],
  ["computer_call", { output: "computer_call_output", name: "computer call" }],
])

export const outputKinds: ReadonlyMap<string, string> = new Map([...callKinds].map(([call, kind]) => [kind.output, call]))

/** Items that the client wrote; everything else came out of the model. */
export function isClientItem(type: string, role: unknown): boolean {
  if (type === "message") return role !== "assistant"
  return (
    outputKinds.has(type) ||
    type === "mcp_approval_response" ||
    type === "compaction_trigger" ||
    type === "additional_tools" ||
    type === "configuration_update"
  )
}

/** The type of an item; a message may leave its type out. */
export function typeOfItem(item: Readonly<Record<string, unknown>>): string {
  const type = item["type"]
  if (typeof type === "string") return type
  return type === undefined && item["role"] !== undefined ? "message" : ""
}

const roles: ReadonlySet<unknown> = new Set(["user", "assistant", "system", "developer"])
const inputParts: ReadonlySet<string> = new Set(["input_text", "input_image", "input_file", "input_audio"])
const outputParts: ReadonlySet<string> = new Set(["output_text", "refusal"])
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/

const shape = (message: string, param: string, code?: string): Violation => ({
  rule: "openai-responses-shape",
  message,
  param,
  ...(code === undefined ? {} : { code }),
})

export function itemViolation(item: unknown, index: number): Violation | undefined {
  const place = (): string => `input[${index}]`
  if (!isObject(item)) {
    return shape(`Invalid type for '${place()}': expected an object, but got ${typeName(item)} instead.`, place())
  }
  const type = typeOfItem(item)
  const allowed = itemKeys.get(type)
  if (allowed === undefined && !otherItems.has(type)) {
    return shape(`Invalid value: '${String(item["type"])}' of '${place()}.type'.`, place(), "invalid_value")
  }
  const extra = allowed === undefined ? undefined : unknownKey(item, allowed)
  if (extra !== undefined) {
    return {
      rule: "common-render-allow-list",
      message: `Unknown parameter: '${place()}.${extra}'.`,
      param: `${place()}.${extra}`,
      code: "unknown_parameter",
    }
  }
  return idViolation(item["id"], type, place) ?? callIdViolation(item["call_id"], type, place) ?? bodyViolation(item, type, place)
}

function tooLong(rule: string, path: string, limit: number, length: number): Violation {
  return {
    rule,
    message:
      `Invalid '${path}': string too long. Expected a string with maximum length ${limit}, but got a string ` +
      `with length ${length} instead.`,
    param: path,
    code: "string_above_max_length",
  }
}

function idViolation(id: unknown, type: string, place: () => string): Violation | undefined {
  if (id === undefined || id === null) return undefined
  if (typeof id !== "string") return shape(`Invalid type for '${place()}.id': expected a string.`, `${place()}.id`)
  if (id.length > 64) return tooLong("openai-responses-id-length", `${place()}.id`, 64, id.length)
  const prefix = idPrefixes.get(type)
  if (prefix === undefined || id.startsWith(prefix)) return undefined
  return {
    rule: "openai-responses-item-id-prefix",
    message: `Invalid '${place()}.id': '${id}'. Expected an ID that begins with '${prefix}'.`,
    param: `${place()}.id`,
    code: "invalid_value",
  }
}

function callIdViolation(id: unknown, type: string, place: () => string): Violation | undefined {
  if (!callKinds.has(type) && !outputKinds.has(type)) return undefined
  if (typeof id !== "string" || id === "") {
    return {
      rule: "openai-responses-call-id-required-compat",
      message: `${place()}: missing field 'call_id'`,
      param: `${place()}.call_id`,
      code: "missing_required_parameter",
    }
  }
  if (id.length <= 64) return undefined
  return tooLong("openai-responses-call-id-length", `${place()}.call_id`, 64, id.length)
}

function bodyViolation(item: WireObject, type: string, place: () => string): Violation | undefined {
  switch (type) {
    case "message":
      return messageViolation(item, place)
    case "function_call":
      return nameViolation(item["name"], place) ?? stringViolation(item, "arguments", place)
    case "custom_tool_call":
      return nameViolation(item["name"], place) ?? stringViolation(item, "input", place)
    case "function_call_output":
    case "custom_tool_call_output":
      return outputViolation(item["output"], place)
    case "reasoning":
      return reasoningViolation(item, place)
    case "program":
      return typeof item["fingerprint"] === "string"
        ? undefined
        : {
            ...shape(`Missing required parameter: '${place()}.fingerprint'.`, `${place()}.fingerprint`),
            rule: "openai-responses-program",
          }
    case "additional_tools":
    case "configuration_update":
      return item["role"] === undefined || item["role"] === "developer"
        ? undefined
        : {
            ...shape(
              `Invalid value: '${String(item["role"])}' of '${place()}.role'. Supported values are: 'developer'.`,
              `${place()}.role`,
            ),
            rule: "openai-responses-additional-tools",
          }
    default:
      return undefined
  }
}

function stringViolation(item: WireObject, key: string, place: () => string): Violation | undefined {
  if (typeof item[key] === "string") return undefined
  return shape(
    `Invalid type for '${place()}.${key}': expected a string, but got ${typeName(item[key])} instead.`,
    `${place()}.${key}`,
    "invalid_type",
  )
}

function nameViolation(name: unknown, place: () => string): Violation | undefined {
  if (typeof name === "string" && namePattern.test(name)) return undefined
  const path = `${place()}.name`
  if (typeof name === "string" && name.length > 64) return tooLong("openai-chat-function-name", path, 64, name.length)
  return {
    rule: "openai-chat-function-name",
    message: `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern ` + "'^[a-zA-Z0-9_-]+$'.",
    param: path,
  }
}

function messageViolation(item: WireObject, place: () => string): Violation | undefined {
  const role = item["role"]
  if (!roles.has(role)) {
    return shape(
      `Invalid value: '${String(role)}' of '${place()}.role'. Supported values are: 'assistant', 'system', ` + "'developer', and 'user'.",
      `${place()}.role`,
    )
  }
  const content = item["content"]
  if (typeof content === "string") return lengthViolation(content, () => `${place()}.content`)
  if (!isArray(content)) return shape(`Missing required parameter: '${place()}.content'.`, `${place()}.content`)
  return partsViolation(content, role === "assistant" ? outputParts : inputParts, () => `${place()}.content`)
}

function partsViolation(parts: readonly unknown[], allowed: ReadonlySet<string>, place: () => string): Violation | undefined {
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index]
    const type = isObject(part) ? part["type"] : undefined
    if (!isObject(part) || typeof type !== "string" || !allowed.has(type)) {
      return shape(
        `Invalid value: '${String(type)}' of '${place()}[${index}].type'. Supported values are: ` +
          `${[...allowed].map((each) => `'${each}'`).join(", ")}.`,
        `${place()}[${index}].type`,
        "invalid_value",
      )
    }
    if (type.endsWith("_text") && typeof part["text"] !== "string") {
      return shape(`Missing required parameter: '${place()}[${index}].text'.`, `${place()}[${index}].text`)
    }
    const text = part["text"]
    const long = typeof text === "string" ? lengthViolation(text, () => `${place()}[${index}].text`) : undefined
    if (long !== undefined) return long
  }
  return undefined
}

const textLength = 10_485_760

function lengthViolation(text: string, place: () => string): Violation | undefined {
  return text.length <= textLength ? undefined : tooLong("openai-string-length", place(), textLength, text.length)
}

function outputViolation(output: unknown, place: () => string): Violation | undefined {
  if (typeof output === "string") return lengthViolation(output, () => `${place()}.output`)
  if (isArray(output)) return partsViolation(output, inputParts, () => `${place()}.output`)
  return shape(
    `Invalid type for '${place()}.output': expected one of a string or array of objects, but got ` + `${typeName(output)} instead.`,
    `${place()}.output`,
    "invalid_type",
  )
}

function reasoningViolation(item: WireObject, place: () => string): Violation | undefined {
  if (!isArray(item["summary"])) {
    const path = `${place()}.summary`
    return shape(`Missing required parameter: '${path}'.`, path, "missing_required_parameter")
  }
  const content = item["content"]
  if (!isArray(content) || content.length === 0) return undefined
  return {
    rule: "openai-responses-reasoning-content-empty",
    message:
      `Invalid '${place()}.content': array too long. Expected an array with maximum length 0, but got an array ` +
      `with length ${content.length} instead.`,
    param: `${place()}.content`,
    code: "array_above_max_length",
  }
}
