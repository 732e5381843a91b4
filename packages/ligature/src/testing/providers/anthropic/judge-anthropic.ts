/**
 * Judges a request body for the Anthropic Messages API: first the shape of every message, then the order of all.
 *
 * Not judged: what needs the provider's keys (whether a signature or encrypted content is genuine), and
 * demands on parameters that have nothing to do with the history.
 */
import {
  anthropicError,
  isArray,
  isObject,
  type Judge,
  type JudgeOptions,
  modelOf,
  unknownKey,
  verdictOf,
  type Violation,
  type WireObject,
} from "../verdict.ts"
import { bodyKeys, textViolation } from "./blocks.ts"
import { anthropicMediaViolation } from "./media.ts"
import {
  acceptsAdaptiveThinking,
  alwaysThinks,
  messagesViolation,
  orderViolation,
  rejectsForcedTools,
  wantsAdaptiveThinking,
} from "./messages.ts"
import { turnsViolation } from "./turns.ts"

// Parameters of an Anthropic request that decide whether a history can be sent at all: how thinking is switched on, and
// whether a tool may be forced. Most depend on the model, so a request that names none passes.

function parametersViolation(body: WireObject, model: string | undefined): Violation | undefined {
  return thinkingViolation(body, model) ?? toolChoiceViolation(body["tool_choice"], model)
}

function thinkingViolation(body: WireObject, model: string | undefined): Violation | undefined {
  const thinking = body["thinking"]
  if (!isObject(thinking)) return undefined
  switch (thinking["type"]) {
    case "enabled": {
      if (wantsAdaptiveThinking(model)) {
        return {
          rule: "anthropic-thinking-type-enabled",
          message:
            '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and ' +
            '"output_config.effort" to control thinking behavior.',
        }
      }
      const budget = thinking["budget_tokens"]
      const limit = body["max_tokens"]
      if (typeof budget !== "number" || typeof limit !== "number" || limit > budget) return undefined
      return {
        rule: "anthropic-thinking-budget",
        message: "`max_tokens` must be greater than `thinking.budget_tokens`",
      }
    }
    case "adaptive":
      return acceptsAdaptiveThinking(model)
        ? undefined
        : {
            rule: "anthropic-thinking-type-adaptive",
            message: "adaptive thinking is not supported on this model",
          }
    case "disabled":
      return alwaysThinks(model)
        ? {
            rule: "anthropic-thinking-type-disabled",
            message: '"thinking.type.disabled" is not supported for this model.',
          }
        : undefined
    default:
      return undefined
  }
}

function toolChoiceViolation(choice: unknown, model: string | undefined): Violation | undefined {
  const type = isObject(choice) ? choice["type"] : undefined
  if ((type !== "tool" && type !== "any") || !rejectsForcedTools(model)) return undefined
  return {
    rule: "anthropic-forced-tool-choice",
    message: 'tool_choice: type "tool" and "any" are not supported for this model.',
  }
}

// Tool definitions of an Anthropic request, as far as a history depends on them: names, deferred loading, and the
// references that results make to them.

const namePattern = /^[a-zA-Z0-9_-]{1,128}$/
const propertyPattern = /^[a-zA-Z0-9_.-]{1,64}$/

function toolsViolation(body: WireObject): Violation | undefined {
  const tools = body["tools"]
  if (!isArray(tools) || tools.length === 0) return undefined
  const names = new Set<string>()
  let allDeferred = true
  for (let index = 0; index < tools.length; index++) {
    const tool = tools[index]
    if (!isObject(tool)) {
      return { rule: "anthropic-shape", message: `tools.${index}: Input should be a valid dictionary` }
    }
    allDeferred &&= tool["defer_loading"] === true
    const schema = schemaViolation(tool["input_schema"], index)
    if (schema !== undefined) return schema
    const name = tool["name"]
    if (typeof name !== "string") continue
    names.add(name)
    if (!namePattern.test(name)) {
      return {
        rule: "anthropic-tool-use-name-length",
        message:
          name.length > 128
            ? `tools.${index}.custom.name: String should have at most 128 characters`
            : `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
      }
    }
  }
  if (allDeferred) return { rule: "anthropic-defer-loading-all", message: "All tools have defer_loading: true" }
  return referencesViolation(body["messages"], names)
}

function schemaViolation(schema: unknown, index: number): Violation | undefined {
  const properties = isObject(schema) ? schema["properties"] : undefined
  if (!isObject(properties)) return undefined
  for (const key in properties) {
    if (propertyPattern.test(key)) continue
    return {
      rule: "anthropic-tool-input-schema",
      message: `tools.${index}.custom.input_schema.properties: Property keys should match pattern ` + "'^[a-zA-Z0-9_.-]{1,64}$'",
    }
  }
  return undefined
}

function referencesViolation(messages: unknown, names: ReadonlySet<string>): Violation | undefined {
  if (!isArray(messages)) return undefined
  for (let message = 0; message < messages.length; message++) {
    const each = messages[message]
    const content = isObject(each) ? each["content"] : undefined
    if (!isArray(content)) continue
    for (let index = 0; index < content.length; index++) {
      const block = content[index]
      if (!isObject(block) || block["type"] !== "tool_result" || !isArray(block["content"])) continue
      for (const inner of block["content"]) {
        if (!isObject(inner) || inner["type"] !== "tool_reference" || names.has(String(inner["tool_name"]))) continue
        return {
          rule: "anthropic-tool-reference-unresolved",
          message: `messages.${message}.content.${index}: tool_reference_unresolved: no tool is named ` + `'${String(inner["tool_name"])}'`,
        }
      }
    }
  }
  return undefined
}

// Cache marks of an Anthropic request: at most four, and none that lives longer than one before it. They are counted in
// the order in which the API caches: tools, system, messages.

interface Marks {
  count: number
  short: boolean
  violation: Violation | undefined
  /** Lifetime of the mark on the last block that was read, for the top-level mark that lands there. */
  lastTtl: string | undefined
}

function cacheViolation(body: WireObject): Violation | undefined {
  const marks: Marks = { count: 0, short: false, violation: undefined, lastTtl: undefined }
  readBlocks(marks, body["tools"], "tools")
  readBlocks(marks, body["system"], "system")
  const messages = body["messages"]
  if (isArray(messages)) {
    for (let index = 0; index < messages.length; index++) {
      const message = messages[index]
      if (isObject(message) && isArray(message["content"])) readBlocks(marks, message["content"], index)
    }
  }
  if (marks.violation !== undefined) return marks.violation
  const top = body["cache_control"]
  if (isObject(top)) {
    const ttl = ttlOf(top)
    if (marks.lastTtl !== undefined && marks.lastTtl !== ttl) {
      return {
        rule: "anthropic-cache-ttl-toplevel",
        message: `Top-level cache_control has ttl='${ttl}' but the target block already has cache_control with ` + `ttl='${marks.lastTtl}'`,
      }
    }
  }
  if (marks.count <= 4) return undefined
  return {
    rule: "anthropic-cache-max-4",
    message: `A maximum of 4 blocks with cache_control may be provided. Found ${marks.count}.`,
  }
}

function ttlOf(mark: WireObject): string {
  return mark["ttl"] === "1h" ? "1h" : "5m"
}

/** `root` is a name, or the index of a message: the path is only spelled out for a finding. */
function readBlocks(marks: Marks, blocks: unknown, root: string | number): void {
  if (!isArray(blocks)) return
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]
    if (!isObject(block)) continue
    readMark(marks, block["cache_control"], root, index)
    const inner = block["content"]
    if (block["type"] !== "tool_result" || !isArray(inner)) continue
    for (const each of inner) {
      if (isObject(each) && each["cache_control"] !== undefined) readMark(marks, each["cache_control"], root, index)
    }
  }
}

function readMark(marks: Marks, mark: unknown, root: string | number, index: number): void {
  marks.lastTtl = undefined
  if (!isObject(mark)) return
  marks.count += 1
  const ttl = ttlOf(mark)
  marks.lastTtl = ttl
  if (ttl === "5m") marks.short = true
  else if (marks.short) {
    const path = typeof root === "number" ? `messages.${root}.content.${index}` : `${root}.${index}`
    marks.violation ??= {
      rule: "anthropic-cache-ttl-order",
      message: `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' ` + "cache_control block",
    }
  }
}

export const judgeAnthropic: Judge = (body, options) => verdictOf(anthropicViolation(body, options), anthropicError)

/**
 * The models that bind thinking to its conversation; without a name, the demands of the newest Claude hold. The binding
 * itself needs a memory of what was issued: see `bindThinking` of `startFakeProvider`.
 */
export const judgeAnthropicPreserved: Judge = (body, options) => {
  const named = options?.model !== undefined || (isObject(body) && typeof body["model"] === "string")
  return judgeAnthropic(body, named ? options : { ...options, model: "claude-opus-5-5" })
}

function anthropicViolation(body: unknown, options: JudgeOptions | undefined): Violation | undefined {
  if (!isObject(body)) return { rule: "anthropic-shape", message: "Input should be a valid dictionary" }
  const extra = unknownKey(body, bodyKeys)
  if (extra !== undefined) {
    return { rule: "anthropic-extra-inputs", message: `${extra}: Extra inputs are not permitted` }
  }
  const messages = body["messages"]
  if (messages === undefined) return { rule: "anthropic-shape", message: "messages: Field required" }
  if (!isArray(messages)) return { rule: "anthropic-shape", message: "messages: Input should be a valid list" }
  if (messages.length === 0) {
    return { rule: "anthropic-messages-nonempty", message: "messages: at least one message is required" }
  }
  const model = modelOf(body, options)
  const thinking = body["thinking"]
  return (
    systemPromptViolation(body["system"]) ??
    messagesViolation(messages, model) ??
    anthropicMediaViolation(messages, body) ??
    cacheViolation(body) ??
    turnsViolation(messages, options?.tip === "open") ??
    orderViolation(messages as readonly WireObject[], model, isObject(thinking) && thinking["type"] === "enabled") ??
    toolsViolation(body) ??
    parametersViolation(body, model)
  )
}

function systemPromptViolation(system: unknown): Violation | undefined {
  if (system === undefined || typeof system === "string") return undefined
  if (!isArray(system)) return { rule: "anthropic-shape", message: "system: Input should be a valid list" }
  for (let index = 0; index < system.length; index++) {
    const block = system[index]
    if (!isObject(block) || block["type"] !== "text") {
      return { rule: "anthropic-shape", message: `system.${index}.type: Input should be 'text'` }
    }
    const found = textViolation(block, () => `system.${index}`)
    if (found !== undefined) return found
  }
  return undefined
}
