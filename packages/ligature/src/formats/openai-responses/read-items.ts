/** Items said by the model → blocks: reasoning, calls, and what only the server understands. */
import {
  type AssistantBlock,
  type CallBlock,
  isWire,
  type OpaqueBlock,
  readArgumentsObject,
  readArgumentsText,
  text,
  type Wire,
} from "../../model/index.ts"
import { previewOf } from "../engine/malformed.ts"
import { callIdOf } from "./call-ids.ts"
import { callKindOf } from "./items.ts"
import { readParts } from "./read-parts.ts"
import { readReasoning } from "./reasoning.ts"

const readCustom = (wire: Wire): CallBlock => ({
  type: "call",
  id: callIdOf(wire),
  name: typeof wire["name"] === "string" ? wire["name"] : "",
  arguments: { input: typeof wire["input"] === "string" ? wire["input"] : (JSON.stringify(wire["input"]) ?? "") },
  custom: true,
  native: { "openai-responses": wire },
})

const readFunction = (wire: Wire): CallBlock => {
  const { arguments: given, name, call_id: id } = wire
  const usual = typeof name === "string" && typeof id === "string" && wire["status"] !== "in_progress"
  if (usual && typeof given === "string") {
    const { arguments: read, fault } = readArgumentsText(given)
    const native = { "openai-responses": wire }
    // Spelled out: gathering fields from several objects costs more than parsing short arguments.
    if (fault === undefined) return { type: "call", id, name, arguments: read, raw: given, native }
    return { type: "call", id, name, arguments: read, raw: given, fault, native }
  }
  return {
    type: "call",
    id: callIdOf(wire),
    name: typeof name === "string" ? name : "",
    ...(typeof given === "string" ? readArgumentsText(given) : readArgumentsObject(given)),
    ...(wire["status"] === "in_progress" && { pending: "running" }),
    native: { "openai-responses": wire },
  }
}

/** Calls of built-in tools the client runs: a shell, a patch, a computer. */
const readTyped = (wire: Wire, type: string, field: string): CallBlock => ({
  type: "call",
  id: callIdOf(wire),
  name: type.slice(0, -"_call".length),
  ...readArgumentsObject(wire[field] ?? (Array.isArray(wire["actions"]) ? { actions: wire["actions"] } : undefined)),
  native: { "openai-responses": wire },
})

const joined = (values: readonly unknown[]): string =>
  values.filter((value) => typeof value === "string" && value !== "").join(" ")

const words = (...values: readonly unknown[]): string => joined(values)

const queries = (value: unknown): string => (Array.isArray(value) ? joined(value) : "")

/** What a reader of another format sees of a server-side item. Items that are state and no speech stay silent. */
const captions: Readonly<Record<string, (wire: Wire) => string>> = {
  web_search_call: ({ action }) =>
    isWire(action)
      ? `[web search: ${words(action["query"], queries(action["queries"]), action["url"])}]`
      : "[web search]",
  file_search_call: (wire) => `[file search: ${queries(wire["queries"])}]`,
  code_interpreter_call: (wire) => {
    const logs = Array.isArray(wire["outputs"]) ? wire["outputs"].map((output) => (isWire(output) ? output["logs"] : "")) : []
    return words(`[code interpreter: ${words(wire["code"])}]`, ...logs)
  },
  image_generation_call: (wire) => `[image generated: ${words(wire["revised_prompt"])}]`,
  mcp_call: (wire) => {
    const asked = `[${words(wire["server_label"], wire["name"])}: ${words(wire["arguments"])}]`
    return words(asked, wire["output"], wire["error"])
  },
  mcp_approval_request: (wire) =>
    `[approval requested for ${words(wire["server_label"], wire["name"])}: ${words(wire["arguments"])}]`,
  mcp_approval_response: (wire) => (wire["approve"] === true ? "[approved]" : "[not approved]"),
  program: (wire) => `[program: ${words(wire["code"])}]`,
  program_output: (wire) => `[program output: ${previewOf(wire["result"] ?? wire["output"] ?? "")}]`,
}

const silent: ReadonlySet<string> = new Set([
  "compaction",
  "compaction_trigger",
  "item_reference",
  "mcp_list_tools",
  "additional_tools",
  "configuration_update",
  "tool_search_call",
  "tool_search_output",
])

/** Items that come in two halves with one call id: the server rejects one without the other (L9). */
const halves: Readonly<Record<string, "call" | "result">> = {
  program: "call",
  program_output: "result",
  tool_search_call: "call",
  tool_search_output: "result",
}

export const readOpaqueItem = (wire: Wire, type: string): OpaqueBlock => {
  const caption = Object.hasOwn(captions, type) ? captions[type] : undefined
  const half = Object.hasOwn(halves, type) ? halves[type] : undefined
  const span = wire["call_id"]
  // A caption is what was asked and what came back: other formats have no other copy of it.
  const shown = silent.has(type) ? "" : caption ? caption(wire) : previewOf(wire)
  return {
    type: "opaque",
    kind: type,
    ...(half && typeof span === "string" && { span, half }),
    text: shown,
    native: { "openai-responses": wire },
  }
}

/** The first block of an assistant message item keeps the whole item, later ones their own part. */
export const readAssistant = (wire: Wire): readonly AssistantBlock[] => {
  const { content } = wire
  const only: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined
  if (isWire(only) && only["type"] === "output_text" && typeof only["text"] === "string") {
    return [{ type: "text", text: only["text"], native: { "openai-responses": wire } }]
  }
  const blocks = readParts(content)
  const first = blocks[0] ?? text("")
  const native = { "openai-responses": wire }
  const own = first.type === "text" ? { type: first.type, text: first.text, native } : { ...first, native }
  return blocks.length <= 1 ? [own] : [own, ...blocks.slice(1)]
}

/** The block of one item of the model other than a message. `stored`: the server keeps items and knows them by id. */
export const readModelItem = (wire: Wire, type: string, stored: boolean): AssistantBlock => {
  if (type === "function_call") return readFunction(wire)
  if (type === "reasoning") return readReasoning(wire, stored)
  const kind = callKindOf(type)
  if (!kind) return readOpaqueItem(wire, type)
  return type === "custom_tool_call" ? readCustom(wire) : readTyped(wire, type, kind.field)
}
