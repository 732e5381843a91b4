/**
 * Tool definitions of an Anthropic request, as far as a history depends on them: names, deferred loading, and the
 * references that results make to them.
 */
import { type WireObject, isArray, isObject } from "../wire.ts"
import type { Violation } from "../verdict.ts"

const namePattern = /^[a-zA-Z0-9_-]{1,128}$/
const propertyPattern = /^[a-zA-Z0-9_.-]{1,64}$/

export function toolsViolation(body: WireObject): Violation | undefined {
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
        message: name.length > 128
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
      message: `tools.${index}.custom.input_schema.properties: Property keys should match pattern `
        + "'^[a-zA-Z0-9_.-]{1,64}$'",
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
          message: `messages.${message}.content.${index}: tool_reference_unresolved: no tool is named `
            + `'${String(inner["tool_name"])}'`,
        }
      }
    }
  }
  return undefined
}
