/**
 * Logs of Inspect AI: one file holds the samples of an evaluation, and each sample is a conversation, its `messages`.
 * Everything below `events`, `output` and `message_pool` repeats them. A log as `.eval` is a zip archive of the same values.
 * Facts are from its sources (src/inspect_ai/log/_log.py, model/_chat_message.py, _recorders/eval.py) and logs of versions
 * 0.3.58 to 0.3.135, log version 2 and 3. Only read: a log is a record of what was measured.
 *
 * Long texts are `attachment://HASH` and are in `attachments` of the sample.
 */
import { type Block, isWire, type MediaKind, readArgumentsText, type Role, text, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { readUrl } from "../../formats/engine/media.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, stringOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import { callBlock, type OwnParts, readContent, resultBlock } from "../engine/read-content.ts"
import type { RecordReading } from "../engine/session-format.ts"

const format = "inspect-log"

const isSample = (value: unknown): value is Wire =>
  isWire(value) && Array.isArray(value["messages"]) && "epoch" in value && ("input" in value || "target" in value)

const isLog = (value: unknown): value is Wire =>
  isWire(value) &&
  isWire(value["eval"]) &&
  typeof value["status"] === "string" &&
  ("plan" in value || "version" in value || "samples" in value)

const sampleOf = (value: unknown): Wire => {
  if (!isWire(value)) return { messages: value }
  const { samples } = value
  return Array.isArray(value["messages"]) || !Array.isArray(samples) ? value : wireOf(samples.find(isSample))
}

const attached = /^attachment:\/\/([0-9a-f]+)$/

/** The value with its long texts; the same value where it has none. */
const resolved = (value: unknown, texts: Wire, depth = 0): unknown => {
  if (typeof value === "string") {
    const [, hash = ""] = attached.exec(value) ?? []
    const found = hash !== "" && Object.hasOwn(texts, hash) ? texts[hash] : undefined
    return typeof found === "string" ? found : value
  }
  if (depth > 64) return value
  if (Array.isArray(value)) {
    const list = value.map((each) => resolved(each, texts, depth + 1))
    return list.every((each, index) => each === value[index]) ? value : list
  }
  if (!isWire(value)) return value
  const entries = Object.entries(value).map(([key, each]) => [key, resolved(each, texts, depth + 1)] as const)
  return entries.every(([key, each]) => each === value[key]) ? value : Object.fromEntries(entries)
}

const messagesOf = (value: unknown): readonly unknown[] => {
  const { messages, attachments } = sampleOf(value)
  const list = listOf(messages)
  return isWire(attachments) ? listOf(resolved(list, attachments)) : list
}

const media =
  (field: string, kind: MediaKind) =>
  (part: Wire): Block | undefined => {
    const url = textAt(part, field)
    return url === undefined ? undefined : { type: "media", kind, ...readUrl(url) }
  }

/** What a server did by itself is shown as text: its provider alone knows the rest. */
const ranThere = (part: Wire): Block => {
  const said = [stringOf(part["result"]), stringOf(part["error"])].find((words) => words !== "") ?? ""
  return {
    type: "opaque",
    kind: "tool_use",
    text: `[${stringOf(part["name"])}: ${JSON.stringify(part["arguments"] ?? "")}]${said === "" ? "" : `\n${said}`}`,
    native: { [format]: part },
  }
}

const own: OwnParts = {
  image: media("image", "image"),
  audio: media("audio", "audio"),
  video: media("video", "video"),
  document: media("document", "document"),
  reasoning: ({ reasoning, summary, signature, redacted }) => {
    // Reasoning that the provider withheld is its signature.
    if (redacted === true)
      return { type: "thinking", text: stringOf(summary), ...(typeof reasoning === "string" && { signature: reasoning }), redacted: true }
    return typeof reasoning === "string"
      ? { type: "thinking", text: reasoning, ...(typeof signature === "string" && { signature }) }
      : undefined
  },
  tool_use: ranThere,
}

const readCall = (call: unknown): readonly Block[] => {
  if (!isWire(call)) return readContent(format, call)
  const { id, function: name, arguments: input, parse_error: fault } = call
  const block = callBlock(format, call, { id, name: isWire(name) ? name["name"] : name, input: isWire(name) ? name["arguments"] : input })
  // What the model wrote could not be parsed; the log keeps its text as the arguments.
  return [typeof fault === "string" && typeof input === "string" ? { ...block, ...readArgumentsText(input) } : block]
}

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["system", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "tool"],
] as const)

const readResult = (record: Wire): Block => {
  const { tool_call_id: callId, function: name, content, error } = record
  const block = resultBlock(format, record, { callId, name, content, error: isWire(error) }, own)
  const said = textAt(error, "message") ?? ""
  const isSaid = said === "" || block.content.some((each) => each.type === "text" && each.text.includes(said))
  return isSaid ? block : { ...block, content: [...block.content, text(said)] }
}

const read = (record: Wire): RecordReading => {
  const { content, tool_calls: calls, reasoning, model } = record
  const role = roles.get(record["role"])
  if (role === undefined)
    return { findings: [{ kind: "malformed-record", what: "Expected a message of the system, the user, the assistant or a tool" }] }
  const id = textOf(record["id"])
  if (role === "tool") return { messages: [{ role, blocks: [readResult(record)], ...(id !== undefined && { id }) }] }
  // The oldest logs have the reasoning beside the content.
  const thought: readonly Block[] = typeof reasoning === "string" && reasoning !== "" ? [{ type: "thinking", text: reasoning }] : []
  const blocks = [...thought, ...readContent(format, content, own), ...listOf(calls).flatMap(readCall)]
  return {
    messages: [
      { role, blocks, ...(id !== undefined && { id }), ...(role === "assistant" && typeof model === "string" && { origin: { model } }) },
    ],
  }
}

export const inspectLog = defineSession({
  format,
  title: "Inspect AI log",
  agent: "Inspect AI",
  aliases: ["inspect", "inspect-ai", "eval"],
  sources: "UKGovernmentBEIS/inspect_ai src/inspect_ai/log and model (2026); logs of versions 0.3.58 to 0.3.135",
  idsRepeat: true,
  capabilities: declareHomes({
    native: [
      "result-error",
      "result-image",
      "thinking",
      "thinking-signature",
      "redacted-thinking",
      "block-order",
      "parallel-calls",
      "call-grouping",
      "call-id",
      "result-tool-name",
      "system-in-the-middle",
      "audio",
      "empty-result",
    ],
  }),
  layout: "value",
  listKey: "messages",
  view: "whole",
  records: messagesOf,
  wrap: (value) => wireOf(value),
  read,
  facts: ({ model }) => ({ model: textOf(model) }),
  about: (value) => {
    const { id, epoch, output } = sampleOf(value)
    const named = typeof id === "string" || typeof id === "number"
    return {
      ...(named && { id: typeof epoch === "number" && epoch > 1 ? `${id}, epoch ${epoch}` : String(id) }),
      model: textAt(output, "model"),
    }
  },
  marks: [],
  valueMarks: [
    { certainty: "certain", evidence: "it holds the samples of an evaluation, with its plan and status", isOn: isLog },
    { certainty: "likely", evidence: "it is the sample of an evaluation, with input, epoch and messages", isOn: isSample },
  ],
  sessionsIn: (root) => {
    if (isSample(root)) return [{ path: [], value: root }]
    const samples = isWire(root) ? listOf(root["samples"]) : []
    return samples.flatMap((value, index) => (isSample(value) ? [{ path: ["samples", index], value }] : []))
  },
})
