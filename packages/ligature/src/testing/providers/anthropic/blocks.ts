/**
 * The shape of one Anthropic block: what the API checks before it looks at the order of anything.
 */
import { isArray, isBlank, isObject, unknownKey, type Violation, type WireObject } from "../verdict.ts"
import { imageViolation } from "./media.ts"
import { searchViolation, stdoutViolation } from "./turns.ts"

// Which keys and which roles each Anthropic block type allows. The API forbids every key it does not know. A type whose
// published shape is still moving has no allow-list here and is taken as it comes.

interface BlockDemands {
  /** Allowed keys; `undefined` means not judged. */
  readonly keys: ReadonlySet<string> | undefined
  readonly roles: "user" | "assistant" | "any"
}

const keys = (...names: readonly string[]): ReadonlySet<string> => new Set(["type", ...names])
const serverResult: BlockDemands = {
  keys: keys("tool_use_id", "content", "cache_control", "caller"),
  roles: "assistant",
}

const blockDemands: ReadonlyMap<string, BlockDemands> = new Map<string, BlockDemands>([
  ["text", { keys: keys("text", "cache_control", "citations"), roles: "any" }],
  ["image", { keys: keys("source", "cache_control"), roles: "any" }],
  ["document", { keys: keys("source", "cache_control", "citations", "context", "title"), roles: "user" }],
  ["search_result", { keys: keys("source", "title", "content", "cache_control", "citations"), roles: "any" }],
  ["container_upload", { keys: keys("file_id", "cache_control"), roles: "any" }],
  ["tool_result", { keys: keys("tool_use_id", "content", "is_error", "cache_control"), roles: "user" }],
  ["tool_use", { keys: keys("id", "name", "input", "cache_control", "caller"), roles: "assistant" }],
  ["thinking", { keys: keys("thinking", "signature"), roles: "assistant" }],
  ["redacted_thinking", { keys: keys("data"), roles: "assistant" }],
  ["server_tool_use", { keys: keys("id", "name", "input", "cache_control", "caller"), roles: "assistant" }],
  ["web_search_tool_result", serverResult],
  ["web_fetch_tool_result", serverResult],
  ["code_execution_tool_result", serverResult],
  ["bash_code_execution_tool_result", serverResult],
  ["text_editor_code_execution_tool_result", serverResult],
  ["tool_search_tool_result", serverResult],
  ["advisor_tool_result", serverResult],
  ["mcp_tool_use", { keys: keys("id", "name", "server_name", "input", "cache_control"), roles: "assistant" }],
  ["mcp_tool_result", { keys: keys("tool_use_id", "content", "is_error", "cache_control"), roles: "assistant" }],
  ["mcp_tool_listing", { keys: undefined, roles: "any" }],
  ["compaction", { keys: keys("content", "cache_control", "signature", "encrypted_content"), roles: "assistant" }],
  ["fallback", { keys: undefined, roles: "assistant" }],
  ["connector_text", { keys: undefined, roles: "assistant" }],
])

/** Blocks that may be inside the content of a result. */
const resultContentTypes: ReadonlySet<string> = new Set(["text", "image", "document", "search_result", "tool_reference", "browser_state"])

const toolReferenceKeys = keys("tool_name", "cache_control")
export const messageKeys: ReadonlySet<string> = new Set(["role", "content"])
export const systemMessageKeys: ReadonlySet<string> = new Set(["role", "content", "clear_at", "output_config"])

export const bodyKeys: ReadonlySet<string> = new Set([
  "messages",
  "model",
  "max_tokens",
  "system",
  "tools",
  "tool_choice",
  "thinking",
  "metadata",
  "stop_sequences",
  "stream",
  "temperature",
  "top_k",
  "top_p",
  "service_tier",
  "container",
  "context_management",
  "mcp_servers",
  "output_config",
  "output_format",
  "betas",
  "inference_geo",
  "speed",
  "cache_control",
  "fallbacks",
  "fallback_credit_token",
  "thread",
  "compaction",
  "anthropic_version",
  "anthropic_beta",
])

const serverToolNames: ReadonlySet<string> = new Set([
  "web_search",
  "web_fetch",
  "code_execution",
  "bash_code_execution",
  "text_editor_code_execution",
  "tool_search_tool_regex",
  "tool_search_tool_bm25",
  "advisor",
])

const idPattern = /^[a-zA-Z0-9_-]+$/

const shape = (message: string): Violation => ({ rule: "anthropic-shape", message })

export function blockViolation(block: unknown, role: string, message: number, index: number): Violation | undefined {
  const place = (): string => `messages.${message}.content.${index}`
  if (!isObject(block)) return shape(`${place()}: Input should be a valid dictionary or object to extract fields from`)
  const type = block["type"]
  if (typeof type !== "string") return shape(`${place()}.type: Field required`)
  const demands = blockDemands.get(type)
  if (demands === undefined) {
    return shape(`${place()}: Input tag '${type}' found using 'type' does not match any of the expected tags`)
  }
  if (demands.roles !== "any" && demands.roles !== role) {
    return {
      rule: type === "document" ? "anthropic-version-document-in-assistant" : "anthropic-tool-blocks-role",
      message: `messages.${message}: \`${type}\` blocks can only be in \`${demands.roles}\` messages`,
    }
  }
  const extra = demands.keys === undefined ? undefined : unknownKey(block, demands.keys)
  if (extra !== undefined) return extraViolation(type, extra, `${place()}.${type}.${extra}`)
  switch (type) {
    case "text":
      return textViolation(block, place) ?? citationsViolation(block, role, place)
    case "tool_use":
      return callViolation(block, place)
    case "tool_result":
      return resultViolation(block, place)
    case "thinking":
      return thinkingViolation(block, place)
    case "redacted_thinking":
      return typeof block["data"] === "string" && block["data"] !== ""
        ? undefined
        : {
            rule: "anthropic-redacted-thinking-invalid",
            message: `${place()}: Invalid \`data\` in \`redacted_thinking\` block`,
          }
    case "server_tool_use":
      return serverCallViolation(block, place)
    case "web_search_tool_result":
      return searchViolation(block["content"], place)
    case "code_execution_tool_result":
      return stdoutViolation(block["content"], place)
    case "mcp_tool_use":
      return isObject(block["input"]) ? undefined : inputViolation("mcp_tool_use", place)
    case "image":
      return imageViolation(block, place)
    case "compaction":
      return block["content"] !== ""
        ? undefined
        : {
            rule: "anthropic-compaction-threshold-block",
            message: `${place()}.compaction.content: compaction content must be null or a non-empty string`,
          }
    default:
      return undefined
  }
}

function extraViolation(type: string, key: string, path: string): Violation {
  const onThinking = key === "cache_control" && (type === "thinking" || type === "redacted_thinking")
  return {
    rule: onThinking ? "anthropic-thinking-cache-control" : "anthropic-extra-inputs",
    message: `${path}: Extra inputs are not permitted`,
  }
}

/** Also used for the blocks inside a result and for the top-level system prompt. */
export function textViolation(block: WireObject, place: () => string): Violation | undefined {
  const text = block["text"]
  if (typeof text !== "string") return shape(`${place()}.text.text: Input should be a valid string`)
  if (text !== "" && !isBlank(text)) return undefined
  if (isObject(block["cache_control"])) {
    return {
      rule: "anthropic-cache-empty-text",
      message: `${place()}.text: cache_control cannot be set for empty text blocks`,
    }
  }
  return emptyTextViolation(text)
}

export function emptyTextViolation(text: string): Violation {
  return {
    rule: "anthropic-empty-text",
    message:
      text === "" ? "messages: text content blocks must be non-empty" : "messages: text content blocks must contain non-whitespace text",
  }
}

function citationsViolation(block: WireObject, role: string, place: () => string): Violation | undefined {
  const citations = block["citations"]
  if (role !== "user" || !isArray(citations) || citations.length === 0) return undefined
  return {
    rule: "anthropic-version-citations-in-user",
    message: `${place()}.text.citations: citations are not permitted on text blocks of user messages`,
  }
}

function idViolation(id: unknown, path: () => string): Violation | undefined {
  if (typeof id === "string" && idPattern.test(id)) return undefined
  return {
    rule: "anthropic-tool-id-pattern",
    message:
      typeof id === "string"
        ? `${path()}: String should match pattern '^[a-zA-Z0-9_-]+$'`
        : `${path()}: ${id === undefined ? "Field required" : "Input should be a valid string"}`,
  }
}

function callViolation(block: WireObject, place: () => string): Violation | undefined {
  const found = idViolation(block["id"], () => `${place()}.tool_use.id`)
  if (found !== undefined) return found
  const name = block["name"]
  if (typeof name !== "string") return shape(`${place()}.tool_use.name: Input should be a valid string`)
  if (name.length === 0 || name.length > 200) {
    const limit = name.length === 0 ? "at least 1 character" : "at most 200 characters"
    return {
      rule: "anthropic-tool-use-name-length",
      message: `${place()}.tool_use.name: String should have ${limit}`,
    }
  }
  return isObject(block["input"]) ? undefined : inputViolation("tool_use", place)
}

function inputViolation(type: string, place: () => string): Violation {
  return {
    rule: "anthropic-tool-use-input-object",
    message: `${place()}.${type}.input: Input should be a valid dictionary`,
  }
}

function serverCallViolation(block: WireObject, place: () => string): Violation | undefined {
  const name = block["name"]
  if (typeof name !== "string" || !serverToolNames.has(name)) {
    const names = [...serverToolNames].map((each) => `'${each}'`).join(", ")
    return {
      rule: "anthropic-server-tool-name",
      message: `${place()}.server_tool_use.name: Input should be ${names}`,
    }
  }
  return isObject(block["input"]) ? undefined : inputViolation("server_tool_use", place)
}

/** A block made by another vendor is told by its first letters; everything else would need the vendor's key. */
function thinkingViolation(block: WireObject, place: () => string): Violation | undefined {
  const signature = block["signature"]
  if (typeof signature !== "string") {
    return {
      rule: "anthropic-thinking-signature-missing",
      message:
        signature === undefined
          ? `${place()}.thinking.signature: Field required`
          : `${place()}.thinking.signature.str: Input should be a valid string`,
    }
  }
  if (typeof block["thinking"] !== "string") {
    return shape(`${place()}.thinking.thinking: Input should be a valid string`)
  }
  if (signature !== "" && !signature.startsWith("gAAAA")) return undefined
  return {
    rule: "anthropic-thinking-signature-invalid",
    message: `${place()}: Invalid \`signature\` in \`thinking\` block`,
  }
}

function resultViolation(block: WireObject, place: () => string): Violation | undefined {
  const found = idViolation(block["tool_use_id"], () => `${place()}.tool_result.tool_use_id`)
  if (found !== undefined) return found
  const isError = block["is_error"]
  if (isError !== undefined && isError !== null && typeof isError !== "boolean") {
    return shape(`${place()}.tool_result.is_error: Input should be a valid boolean`)
  }
  const content = block["content"]
  if (content === undefined || content === null || typeof content === "string") return undefined
  if (!isArray(content)) return contentTypeViolation(`${place()}.tool_result.content: Input should be a valid list`)
  if (isError === true && content.some((inner) => isObject(inner) && inner["type"] !== "text")) {
    return {
      rule: "anthropic-failed-result-text",
      message: `${place()}.tool_result: all content must be type 'text' if 'is_error' is true`,
    }
  }
  for (let index = 0; index < content.length; index++) {
    const inner = resultContentViolation(content[index], () => `${place()}.tool_result.content.${index}`)
    if (inner !== undefined) return inner
  }
  return undefined
}

function contentTypeViolation(message: string): Violation {
  return { rule: "anthropic-tool-result-content-types", message }
}

function resultContentViolation(block: unknown, place: () => string): Violation | undefined {
  const type = isObject(block) ? block["type"] : undefined
  if (!isObject(block) || typeof type !== "string") {
    return contentTypeViolation(`${place()}: Input should be a valid block`)
  }
  if (!resultContentTypes.has(type)) {
    return contentTypeViolation(
      `${place()}: Input tag '${type}' found using 'type' does not match any of the expected tags: ` +
        [...resultContentTypes].map((each) => `'${each}'`).join(", "),
    )
  }
  const allowed = type === "tool_reference" ? toolReferenceKeys : blockDemands.get(type)?.keys
  const extra = allowed === undefined ? undefined : unknownKey(block, allowed)
  if (extra !== undefined) return extraViolation(type, extra, `${place()}.${type}.${extra}`)
  if (type === "text") return textViolation(block, place)
  return type === "image" ? imageViolation(block, place) : undefined
}
