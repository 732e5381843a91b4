/**
 * Conversations as ChatGPT and DeepSeek export them: `mapping` has the nodes of a tree by their ids, and `current_node` is where
 * the user left. A file has many conversations. A tool is called by a message that is addressed to it, and answers with a message of
 * its own; neither has an id for the call. Facts are from exports (2024 to 2026) and from LibreChat's importer
 * (api/server/utils/import, August 2026). Only read: nobody imports such a file back.
 */
import { type Block, isWire, type JsonObject, parseJson, text, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { deriveUuid } from "../engine/derived-id.ts"
import { defineSession } from "../engine/define-session.ts"
import { isoOf } from "../engine/iso-time.ts"
import { listOf, stringOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import { readContent } from "../engine/read-content.ts"
import type { RecordMessage, RecordReading } from "../engine/session-format.ts"

const format = "chatgpt-export"

const isConversation = (value: unknown): value is Wire =>
  isWire(value) &&
  isWire(value["mapping"]) &&
  Object.values(value["mapping"]).some((node) => isWire(node) && "children" in node && "parent" in node)

const nodesOf = (value: unknown): readonly Wire[] => {
  if (Array.isArray(value)) return value.filter(isWire)
  const mapping = wireOf(wireOf(value)["mapping"])
  return Object.entries(mapping).flatMap(([id, node]) => (isWire(node) ? [node["id"] === id ? node : { ...node, id }] : []))
}

const pointer = (part: Wire): Block => {
  const kind = stringOf(part["content_type"])
  const url = textAt(part, "asset_pointer")
  if (url !== undefined && kind.includes("image")) return { type: "media", kind: "image", source: { type: "url", url } }
  const said = textAt(part, "text")
  return said === undefined ? { type: "opaque", kind: kind || "part", text: `[${kind || "part"}]`, native: { [format]: part } } : text(said)
}

const readPart = (part: unknown): readonly Block[] => {
  if (typeof part === "string") return part === "" ? [] : [text(part)]
  return isWire(part) ? [pointer(part)] : []
}

const thoughtOf = (thought: unknown): string =>
  [textAt(thought, "summary"), textAt(thought, "content")].filter((words) => words !== undefined && words !== "").join("\n")

const readBlocks = (content: Wire): readonly Block[] => {
  const kind = content["content_type"]
  if (kind === "thoughts") return [{ type: "thinking", text: listOf(content["thoughts"]).map(thoughtOf).join("\n\n") }]
  if (kind === "user_editable_context")
    return readContent(
      format,
      [content["user_profile"], content["user_instructions"]]
        .map(stringOf)
        .filter((words) => words !== "")
        .join("\n\n"),
    )
  if (Array.isArray(content["parts"])) return content["parts"].flatMap(readPart)
  const said = ["text", "result", "content", "model_set_context"]
    .map((name) => textAt(content, name))
    .find((words) => words !== undefined && words !== "")
  return said === undefined ? [] : [text(said)]
}

/** Pieces of DeepSeek's messages: whose they are shows in their type. */
const readFragments = (fragments: readonly unknown[]): readonly RecordMessage[] => {
  const isUser = fragments.some((fragment) => textAt(fragment, "type") === "REQUEST")
  const blocks = fragments.filter(isWire).map((fragment): Block => {
    const words = textAt(fragment, "content") ?? ""
    if (fragment["type"] === "THINK") return { type: "thinking", text: words }
    if (fragment["type"] === "REQUEST" || fragment["type"] === "RESPONSE") return text(words)
    return {
      type: "opaque",
      kind: stringOf(fragment["type"]),
      text: words || `[${stringOf(fragment["type"])}]`,
      native: { [format]: fragment },
    }
  })
  return [{ role: isUser ? "user" : "assistant", blocks }]
}

/** Everybody is meant, or nobody in particular. */
const isCall = (message: Wire): boolean => {
  const recipient = textOf(message["recipient"])
  return textAt(message["author"], "role") === "assistant" && recipient !== undefined && recipient !== "all"
}

const readCall = (node: Wire, message: Wire): Block => {
  const words = readBlocks(wireOf(message["content"]))
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("\n")
  const value = parseJson(words)
  const head = {
    type: "call",
    id: stringOf(node["id"]),
    name: stringOf(message["recipient"]),
    assigned: true,
    native: { [format]: message },
  } as const
  return isWire(value) ? { ...head, arguments: value as JsonObject } : { ...head, arguments: { input: words }, custom: true }
}

/** `callId`: the call that a tool's message answers, where there is one. */
const read = (node: Wire, callId?: string): RecordReading => {
  const message = node["message"]
  if (!isWire(message)) return {}
  if (Array.isArray(message["fragments"])) return { messages: readFragments(message["fragments"]) }
  const role = textAt(message["author"], "role") ?? textAt(message, "role")
  const id = textOf(node["id"])
  const model = textAt(message["metadata"], "model_slug") ?? textAt(message, "model")
  if (isCall(message))
    return { messages: [{ role: "assistant", blocks: [readCall(node, message)], ...(model !== undefined && { origin: { model } }) }] }
  const content = message["content"]
  const blocks = isWire(content) ? readBlocks(content) : readContent(format, content)
  if (blocks.length === 0 && role !== "tool") return {}
  if (role === "tool") {
    const name = textAt(message["author"], "name") ?? "tool"
    const said = blocks.filter((block) => block.type === "text" || block.type === "media" || block.type === "opaque")
    if (callId !== undefined)
      return { messages: [{ role, blocks: [{ type: "result", callId, name, content: said, native: { [format]: message } }] }] }
    // A tool that nobody called, or that goes on after it answered.
    return said.length === 0 ? {} : { messages: [{ role: "user", blocks: [text(`[${name}]`), ...said] }] }
  }
  if (role !== "user" && role !== "assistant" && role !== "system") return { unknownType: role }
  return {
    messages: [
      { role, blocks, ...(id !== undefined && { id }), ...(role === "assistant" && model !== undefined && { origin: { model } }) },
    ],
  }
}

/** For each message of a tool on the path the call before it that nothing has answered yet. */
const answersOn = (nodes: readonly unknown[], path: readonly number[]): ReadonlyMap<number, string> => {
  const answers = new Map<number, string>()
  let open: { readonly id: string; readonly name: string }[] = []
  for (const index of path) {
    const node = wireOf(nodes[index])
    const message = wireOf(node["message"])
    if (isCall(message)) open.push({ id: stringOf(node["id"]), name: stringOf(message["recipient"]) })
    const { role, name } = wireOf(message["author"])
    if (role === "user") open = []
    if (role !== "tool") continue
    const at = open.findIndex((call) => call.name === name || call.name.split(".")[0] === stringOf(name).split(".")[0])
    const [call] = open.splice(at < 0 ? 0 : at, 1)
    if (call) answers.set(index, call.id)
  }
  return answers
}

const timeOf = (value: unknown): string | undefined =>
  typeof value === "number" && value > 0 ? isoOf(Math.round(value * 1000)) : textOf(value)

/** Where the user left; where the file does not say it, the newest answer to the newest question. */
const tipOf = (value: unknown): string | undefined => {
  const named = textAt(value, "current_node")
  if (named !== undefined) return named
  const nodes = new Map(nodesOf(value).map((node) => [stringOf(node["id"]), node]))
  let node = [...nodes.values()].find(({ parent }) => textOf(parent) === undefined || !nodes.has(stringOf(parent)))
  const passed = new Set<unknown>()
  while (node !== undefined && !passed.has(node)) {
    passed.add(node)
    const next = nodes.get(stringOf(listOf(node["children"]).at(-1)))
    if (next === undefined) break
    node = next
  }
  return textOf(node?.["id"])
}

export const chatgptExport = defineSession({
  format,
  title: "ChatGPT or DeepSeek export",
  agent: "ChatGPT",
  aliases: ["chatgpt", "deepseek-export"],
  sources: "exports of 2024 to 2026; danny-avila/LibreChat api/server/utils/import (August 2026)",
  capabilities: declareHomes({ native: ["thinking", "free-text-call", "system-in-the-middle"] }),
  layout: "value",
  listKey: "mapping",
  view: "whole",
  records: nodesOf,
  wrap: (value) => wireOf(value),
  links: {
    id: "id",
    parent: "parent",
    content: ({ message }) => [message ?? null],
    newId: deriveUuid,
    tip: tipOf,
  },
  read: (node) => read(node),
  reader: (nodes, path) => {
    const answers = answersOn(nodes, path)
    return (node, index) => read(node, answers.get(index))
  },
  facts: ({ message }) => ({ model: textAt(wireOf(message)["metadata"], "model_slug") ?? textAt(message, "model") }),
  about: (value) => {
    const { conversation_id: one, id: other, title, create_time: created, inserted_at: inserted } = wireOf(value)
    return { id: textOf(one) ?? textOf(other), title: textOf(title), startedAt: timeOf(created ?? inserted) }
  },
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "it maps ids to nodes with a message, a parent and children",
      isOn: (value) => isConversation(value) || (Array.isArray(value) && value.slice(0, 8).some(isConversation)),
    },
  ],
  sessionsIn: (root) =>
    Array.isArray(root)
      ? root.flatMap((value: unknown, index) => (isConversation(value) ? [{ path: [index], value }] : []))
      : [{ path: [], value: root }],
})
