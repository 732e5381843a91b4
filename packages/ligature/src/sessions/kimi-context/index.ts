/**
 * `context.jsonl` of Kimi CLI (the Python one): what the model gets, a message on each line in the shape of Chat Completions.
 * Lines whose role begins with an underscore control the agent and are no messages. Facts are from its sources
 * (src/kimi_cli/soul/context.py, July 2026) and files of its own tests.
 *
 * Going back to a checkpoint begins a new file; nothing in it says so. The agent skips lines it cannot read.
 */
import { type Block, isWire, resultText, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { writeArgumentsText } from "../../formats/engine/wire.ts"
import { writeUrl } from "../../formats/engine/media.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, nativeIn, recordsOf } from "../engine/fields.ts"
import { patch, patchList } from "../engine/patch.ts"
import { callBlock, readContent, resultBlock } from "../engine/read-content.ts"
import type { RecordMessage, RecordReading } from "../engine/session-format.ts"

const format = "kimi-context"

const controls: ReadonlySet<unknown> = new Set(["_checkpoint", "_usage"])

const isSystem = (record: unknown): record is Wire => isWire(record) && record["role"] === "_system_prompt"

const readCall = (wire: unknown): readonly Block[] => {
  if (!isWire(wire)) return readContent(format, wire)
  const held = isWire(wire["function"]) ? wire["function"] : wire
  return [callBlock(format, wire, { id: wire["id"], name: held["name"], input: held["arguments"] ?? "" })]
}

const read = (record: Wire): RecordReading => {
  const { role, content, tool_calls: calls, name } = record
  if (isSystem(record)) return { messages: [{ role: "system", blocks: readContent(format, content) }] }
  if (controls.has(role)) return {}
  if (typeof role === "string" && role.startsWith("_")) return { unknownType: role }
  if (role === "tool") {
    return { messages: [{ role, blocks: [resultBlock(format, record, { callId: record["tool_call_id"], name, content })] }] }
  }
  if (role !== "user" && role !== "assistant" && role !== "system") {
    return { findings: [{ kind: "malformed-record", what: "Expected a message of the user, the assistant or a tool" }] }
  }
  return { messages: [{ role, blocks: [...readContent(format, content), ...listOf(calls).flatMap(readCall)] }] }
}

const isText = ({ type }: Wire): boolean => type === "text"

const writePart = (block: Block): Wire | undefined => {
  const like = nativeIn(block, format)
  if (block.type === "text" || block.type === "opaque")
    return block.text === "" ? undefined : patch(like?.["type"] === "text" ? like : undefined, { type: "text", text: block.text })
  if (block.type === "thinking") {
    return patch(like?.["type"] === "think" ? like : undefined, {
      type: "think",
      think: block.text,
      ...(block.signature !== undefined && { encrypted: block.signature }),
    })
  }
  if (block.type !== "media") return undefined
  const url = writeUrl(block)
  return url === undefined ? undefined : (like ?? { type: "image_url", image_url: { url } })
}

const writeCall = (block: Block): Wire | undefined => {
  if (block.type !== "call") return undefined
  const like = nativeIn(block, format)
  const held = isWire(like?.["function"]) ? like["function"] : undefined
  return patch(like, { type: "function", id: block.id, function: patch(held, { name: block.name, arguments: writeArgumentsText(block) }) })
}

const write = (messages: readonly RecordMessage[], like: Wire | undefined): Wire => {
  const blocks = messages.flatMap((message) => message.blocks)
  const [first] = blocks
  const role = messages[0]?.role ?? "user"
  if (first?.type === "result") {
    const parts = first.content.flatMap((block): readonly Wire[] => [writePart(block) ?? []].flat())
    const plain = parts.length < 2 && parts.every(isText) ? resultText(first) : undefined
    const before = like?.["role"] === "tool" ? like : undefined
    return patch(before, {
      role: "tool",
      content: plain !== undefined && !Array.isArray(before?.["content"]) ? plain : patchList(before?.["content"], parts),
      tool_call_id: first.callId,
    })
  }
  const calls = blocks.flatMap((block): readonly Wire[] => [writeCall(block) ?? []].flat())
  const parts = blocks.flatMap((block): readonly Wire[] => [writePart(block) ?? []].flat())
  const before = like?.["role"] === "tool" ? undefined : like
  const isPlain = typeof before?.["content"] === "string" && parts.every(isText)
  return patch(before, {
    role: isSystem(before) ? "_system_prompt" : role,
    content: isPlain ? parts.map((part) => part["text"]).join("\n") : patchList(before?.["content"], parts),
    tool_calls: calls.length === 0 ? undefined : patchList(before?.["tool_calls"], calls),
  })
}

const isMessage = ({ role, content }: Wire): boolean => (role === "user" || role === "assistant") && content !== undefined

export const kimiContext = defineSession({
  format,
  title: "Kimi CLI context (context.jsonl)",
  agent: "Kimi CLI",
  aliases: ["kimi-cli"],
  sources: "MoonshotAI/kimi-cli src/kimi_cli/soul/context.py and session.py (July 2026); files of its own migration tests",
  capabilities: declareHomes({
    native: ["result-image", "thinking", "parallel-calls", "call-grouping", "raw-arguments", "call-id"],
    convention: ["result-error", "empty-result"],
  }),
  layout: "lines",
  view: "whole",
  records: recordsOf,
  read,
  write,
  marks: [
    {
      certainty: "certain",
      evidence: "a line has the role _checkpoint, _usage or _system_prompt",
      isOn: (record) => controls.has(record["role"]) || isSystem(record),
    },
  ],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "messages among lines with the roles _checkpoint, _usage and _system_prompt",
      isOn: (value) => {
        const records = listOf(value).filter(isWire)
        return records.some((record) => controls.has(record["role"]) || isSystem(record)) && records.some(isMessage)
      },
    },
  ],
})
