/**
 * What a refusal names beside the history: parameters of the request, marks for the cache, ids of items. An edit makes the
 * members it is about acceptable and leaves everything else alone. It is named after the requirement of the rule book whose
 * refusal calls for it; the bodies it is applied to are those of the upstream's own wire.
 */
import { membersFrom, skipBlanks, sliceBody } from "../conversation/slices.ts"
import { isJson, type Json } from "../wires/wire.ts"
import { splice, writeList } from "./write-body.ts"

export interface Edit {
  /** A fact about a model, or about what one conversation holds. */
  readonly scope: "model" | "conversation"
  /** The members it looks at. */
  readonly on: readonly string[]
  /** Members with other values; undefined: left out. Those that stay are the very same values, or absent. */
  readonly apply: (members: Json) => Json
  /** A request that was written here would be refused for certain: nobody has to ask first. */
  readonly isDue?: (body: Json) => boolean
}

/** The very list where nothing changed. */
const mapped = (list: readonly unknown[], change: (each: unknown) => unknown): readonly unknown[] => {
  let changed = false
  const next = list.flatMap((each) => {
    const value = change(each)
    if (value !== each) changed = true
    return value === undefined ? [] : [value]
  })
  return changed ? next : list
}

/** Members that hold what a model or a tool's author wrote: their names say nothing to a provider. */
const foreign: ReadonlySet<string> = new Set(["input", "args", "response", "input_schema", "parameters"])

/** The value without these members, however deep in what the provider defines; the very value where it has none. */
const without = (value: unknown, drop: (name: string, value: unknown) => boolean): unknown => {
  if (Array.isArray(value)) return mapped(value, (each) => without(each, drop))
  if (!isJson(value)) return value
  let changed = false
  const kept: [string, unknown][] = []
  for (const [name, each] of Object.entries(value)) {
    const next = drop(name, each) ? undefined : foreign.has(name) ? each : without(each, drop)
    if (next !== each) changed = true
    if (next !== undefined) kept.push([name, next])
  }
  return changed ? Object.fromEntries(kept) : value
}

const least = 1024

/** Clearing of thinking is only allowed where there is thinking. */
const noThinking = (members: Json): Json => {
  const { thinking, context_management: management } = members
  if (thinking === undefined) return {}
  const edits = isJson(management) ? management["edits"] : undefined
  if (!isJson(management) || !Array.isArray(edits)) return { thinking: undefined }
  const kept = edits.filter((each) => !(isJson(each) && String(each["type"]).startsWith("clear_thinking")))
  return { thinking: undefined, context_management: kept.length === 0 ? undefined : { ...management, edits: kept } }
}

const budgetBelow = (members: Json): Json => {
  const { thinking, max_tokens: most } = members
  if (!isJson(thinking) || typeof thinking["budget_tokens"] !== "number" || typeof most !== "number") return {}
  if (most <= least) return noThinking(members)
  const budget = Math.min(Math.max(thinking["budget_tokens"], least), most - 1)
  return budget === thinking["budget_tokens"] ? {} : { thinking: { ...thinking, budget_tokens: budget } }
}

const startsWithThinking = ({ content }: Json): boolean => {
  const first: unknown = Array.isArray(content) ? content[0] : undefined
  return isJson(first) && (first["type"] === "thinking" || first["type"] === "redacted_thinking")
}

/** With manual thinking, the answer whose calls are being answered begins with thinking; one from elsewhere has none. */
const lacksThinking = ({ thinking, messages }: Json): boolean => {
  if (!isJson(thinking) || thinking["type"] !== "enabled" || !Array.isArray(messages)) return false
  const list = messages.filter(isJson)
  const last = list.findLastIndex(({ role }) => role === "assistant")
  const isAnswered = list
    .slice(last + 1)
    .some(({ content }) => Array.isArray(content) && content.some((each) => isJson(each) && each["type"] === "tool_result"))
  let first = last
  while (first > 0 && list[first - 1]?.["role"] === "assistant") first--
  const message = list[first]
  return isAnswered && message !== undefined && !startsWithThinking(message)
}

const marked = ["tools", "system", "messages"] as const

/** A provider takes four marks. The last ones cover the most. */
const mostMarks = 4

const fewerMarks = (members: Json): Json => {
  let count = 0
  const counts = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(counts)
    else if (isJson(value)) {
      if (isJson(value["cache_control"])) count++
      for (const [name, each] of Object.entries(value)) if (!foreign.has(name)) counts(each)
    }
  }
  for (const name of marked) counts(members[name])
  let spare = count + (isJson(members["cache_control"]) ? 1 : 0) - mostMarks
  if (spare <= 0) return {}
  return Object.fromEntries(
    marked.map((name) => [name, without(members[name], (key, value) => key === "cache_control" && isJson(value) && spare-- > 0)]),
  )
}

/** Servers know the ids of items they keep. Items without an id are taken as they are; reasoning that is not in the request goes with its id. */
const itemsWithoutIds = ({ input }: Json): Json => {
  if (!Array.isArray(input)) return {}
  return {
    input: mapped(input, (item) => {
      if (!isJson(item)) return item
      if (item["type"] === "item_reference" || (item["type"] === "reasoning" && typeof item["encrypted_content"] !== "string"))
        return undefined
      if (item["id"] === undefined) return item
      const { id: _, ...rest } = item
      return rest
    }),
  }
}

const itemsWithoutReasoning = ({ input }: Json): Json => {
  if (!Array.isArray(input)) return {}
  return itemsWithoutIds({ input: input.filter((item) => !(isJson(item) && item["type"] === "reasoning")) })
}

/** What the documentation of Gemini gives for calls that come from elsewhere. */
const signatureOfElsewhere = "skip_thought_signature_validator"

/** Parts of the model, where `is` says so, with that signature. */
const signedWhere = (contents: unknown, is: (part: Json) => boolean): unknown =>
  Array.isArray(contents)
    ? mapped(contents, (content) => {
        if (!isJson(content) || content["role"] !== "model" || !Array.isArray(content["parts"])) return content
        const parts = mapped(content["parts"], (part) =>
          isJson(part) && part["thoughtSignature"] !== signatureOfElsewhere && is(part)
            ? { ...part, thoughtSignature: signatureOfElsewhere }
            : part,
        )
        return parts === content["parts"] ? content : { ...content, parts }
      })
    : contents

/** References to tools that are in no list, by their names. */
const referencesAsText = (value: unknown): unknown => {
  if (Array.isArray(value)) return mapped(value, referencesAsText)
  if (!isJson(value)) return value
  if (value["type"] === "tool_reference") return { type: "text", text: `[tool ${String(value["tool_name"])}]` }
  const content = referencesAsText(value["content"])
  return content === value["content"] ? value : { ...value, content }
}

const ids: Edit = { scope: "conversation", on: ["input"], apply: itemsWithoutIds }
const reasoning: Edit = { scope: "conversation", on: ["input"], apply: itemsWithoutReasoning }

export const edits: Readonly<Record<string, Edit>> = {
  "anthropic-defer-loading-all": {
    scope: "model",
    on: ["tools"],
    apply: ({ tools }) => ({ tools: without(tools, (name) => name === "defer_loading") }),
  },
  "anthropic-thinking-type-enabled": {
    scope: "model",
    on: ["thinking"],
    apply: ({ thinking }) => {
      if (!isJson(thinking) || thinking["type"] !== "enabled") return {}
      const { budget_tokens: _, ...rest } = thinking
      return { thinking: { ...rest, type: "adaptive" } }
    },
  },
  "anthropic-thinking-type-adaptive": {
    scope: "model",
    on: ["thinking", "max_tokens", "context_management"],
    apply: (members) => {
      const { thinking, max_tokens: most } = members
      if (!isJson(thinking) || thinking["type"] !== "adaptive") return {}
      if (typeof most !== "number" || most <= least) return noThinking(members)
      return { thinking: { ...thinking, type: "enabled", budget_tokens: Math.max(least, Math.min(most - 1, most >> 1)) } }
    },
  },
  "anthropic-thinking-type-disabled": {
    scope: "model",
    on: ["thinking"],
    apply: ({ thinking }) => (isJson(thinking) && thinking["type"] === "disabled" ? { thinking: undefined } : {}),
  },
  "anthropic-forced-tool-choice": {
    scope: "model",
    on: ["tool_choice"],
    apply: ({ tool_choice: choice }) => {
      if (!isJson(choice) || (choice["type"] !== "any" && choice["type"] !== "tool")) return {}
      const { name: _, ...rest } = choice
      return { tool_choice: { ...rest, type: "auto" } }
    },
  },
  "anthropic-thinking-budget": { scope: "model", on: ["thinking", "max_tokens", "context_management"], apply: budgetBelow },
  "anthropic-thinking-must-lead": {
    scope: "conversation",
    on: ["thinking", "context_management"],
    apply: noThinking,
    isDue: lacksThinking,
  },
  "deepseek-anthropic-thinking": {
    scope: "conversation",
    on: ["thinking"],
    apply: ({ thinking }) => (isJson(thinking) && thinking["type"] === "disabled" ? {} : { thinking: { type: "disabled" } }),
  },
  "anthropic-effort-thinking-off": {
    scope: "model",
    on: ["output_config"],
    apply: ({ output_config: output }) =>
      isJson(output) && output["effort"] !== undefined && output["effort"] !== "high"
        ? { output_config: { ...output, effort: "high" } }
        : {},
  },
  "anthropic-server-tool-caller": {
    scope: "conversation",
    on: ["messages"],
    apply: ({ messages }) => ({ messages: without(messages, (name, value) => name === "caller" && isJson(value)) }),
  },
  "anthropic-tool-reference-unresolved": {
    scope: "conversation",
    on: ["messages"],
    apply: ({ messages }) => ({ messages: referencesAsText(messages) }),
  },
  "anthropic-turn-scoped-system": {
    scope: "conversation",
    on: ["messages"],
    apply: ({ messages }) => ({ messages: without(messages, (name) => name === "clear_at") }),
  },
  "anthropic-cache-max-4": { scope: "model", on: [...marked, "cache_control"], apply: fewerMarks },
  "anthropic-cache-ttl-order": {
    scope: "model",
    on: marked,
    apply: (members) =>
      Object.fromEntries(
        marked.map((name) => [name, without(members[name], (key, value) => key === "ttl" && (value === "1h" || value === "5m"))]),
      ),
  },
  "anthropic-cache-ttl-toplevel": {
    scope: "model",
    on: ["cache_control"],
    apply: ({ cache_control: mark }) => (mark === undefined ? {} : { cache_control: undefined }),
  },
  "openai-chat-empty-tool-calls": {
    scope: "model",
    on: ["messages"],
    apply: ({ messages }) => ({
      messages: without(messages, (name, value) => name === "tool_calls" && Array.isArray(value) && value.length === 0),
    }),
  },
  "openai-chat-system-role": {
    scope: "model",
    on: ["messages"],
    apply: ({ messages }) =>
      Array.isArray(messages)
        ? { messages: mapped(messages, (each) => (isJson(each) && each["role"] === "system" ? { ...each, role: "user" } : each)) }
        : {},
  },
  "openai-chat-tool-choice-without-tools": {
    scope: "model",
    on: ["tools", "tool_choice", "parallel_tool_calls"],
    apply: ({ tools }) => (Array.isArray(tools) && tools.length > 0 ? {} : { tool_choice: undefined, parallel_tool_calls: undefined }),
  },
  "gemini-thought-signature-invalid": {
    scope: "conversation",
    on: ["contents"],
    apply: ({ contents }) => ({ contents: signedWhere(contents, (part) => part["thoughtSignature"] !== undefined) }),
  },
  "gemini-image-signature": {
    scope: "model",
    on: ["contents"],
    apply: ({ contents }) => ({
      contents: signedWhere(contents, (part) => part["inlineData"] !== undefined && part["thoughtSignature"] === undefined),
    }),
  },
  "gemini-json-mode-with-tools": {
    scope: "model",
    on: ["generationConfig", "tools"],
    apply: ({ generationConfig: given, tools }) => {
      if (!isJson(given) || !Array.isArray(tools) || tools.length === 0) return {}
      const { responseMimeType: type, responseSchema: _, responseJsonSchema: __, ...rest } = given
      return type === undefined ? {} : { generationConfig: rest }
    },
  },
  "openai-responses-item-id-prefix": ids,
  "openai-responses-id-length": ids,
  "openai-responses-item-not-found": ids,
  "openai-responses-duplicate-item": ids,
  "openai-responses-call-needs-reasoning": reasoning,
  "openai-responses-message-needs-reasoning": reasoning,
  "openai-responses-reasoning-needs-follower": reasoning,
  "openai-responses-encrypted-content": reasoning,
}

/** What a request that was written here is known to need. */
export const dueEdits = (body: Json): readonly string[] =>
  Object.entries(edits).flatMap(([name, { isDue }]) => (isDue?.(body) ? [name] : []))

/** A request that was written here, edited. */
export const editValue = (value: Json, names: readonly string[]): Json => {
  let edited = value
  for (const name of names) {
    const edit = edits[name]
    if (!edit) continue
    const given = Object.fromEntries(edit.on.flatMap((each) => (edited[each] === undefined ? [] : [[each, edited[each]]])))
    const changed = Object.entries(edit.apply(given)).filter(([each, next]) => next !== given[each])
    if (changed.length === 0) continue
    const all = { ...edited, ...Object.fromEntries(changed) }
    edited = Object.fromEntries(Object.entries(all).filter(([, each]) => each !== undefined))
  }
  return edited
}

/** A client's own body, edited: what stays keeps its bytes. `list`: the member with the messages. */
export const editBody = (body: Buffer, names: readonly string[], list: string): Buffer => {
  let edited = body
  for (const name of names) {
    const edit = edits[name]
    if (edit) edited = editOnce(edited, edit, list)
  }
  return edited
}

const editOnce = (body: Buffer, edit: Edit, list: string): Buffer => {
  const open = skipBlanks(body, 0)
  const members = body[open] === 123 ? membersFrom(body, open + 1) : undefined
  if (!members) return body
  const given: Record<string, unknown> = {}
  try {
    for (const name of edit.on) {
      const span = members.get(name)
      if (span) given[name] = JSON.parse(body.toString("utf8", span.start, span.end))
    }
  } catch {
    return body
  }
  const changed = new Map<string, Buffer | undefined>()
  for (const [name, next] of Object.entries(edit.apply(given))) {
    const before = given[name]
    if (next === before) continue
    const slices = name === list && Array.isArray(before) && Array.isArray(next) ? sliceBody(body, list) : undefined
    changed.set(
      name,
      next === undefined
        ? undefined
        : slices && Array.isArray(before) && Array.isArray(next)
          ? writeList(next, before, body, slices.elements)
          : Buffer.from(JSON.stringify(next)),
    )
  }
  return changed.size === 0 ? body : splice(body, members, changed)
}
