/**
 * `chat_history.jsonl` of Grok Build: the messages as the model gets them, items of several APIs on lines. Reasoning is on
 * lines of its own before what it led to. Facts are from its sources (xai-org/grok-build, user guide and session storage,
 * July 2026) and files of both generations: the older one has roles where this one has types. `updates.jsonl` beside it is
 * what the agent itself goes on from, so that this file is only read.
 */
import { type Block, isWire, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, recordsOf, stringOf, textAt, textOf } from "../engine/fields.ts"
import { callBlock, readContent, resultBlock } from "../engine/read-content.ts"
import type { RecordReading } from "../engine/session-format.ts"

const format = "grok-build"

const kindOf = ({ type, role }: Wire): string => textOf(type) ?? textOf(role) ?? ""

const readCall = (wire: unknown): readonly Block[] => {
  if (!isWire(wire)) return readContent(format, wire)
  const held = isWire(wire["function"]) ? wire["function"] : wire
  return [callBlock(format, wire, { id: wire["id"], name: held["name"], input: held["arguments"] })]
}

const readReasoning = (record: Wire): Block => {
  const parts = [...listOf(record["summary"]), ...listOf(record["content"])]
  const signature = textOf(record["encrypted_content"])
  return {
    type: "thinking",
    text: parts.map((part) => textAt(part, "text") ?? stringOf(part)).join("\n\n"),
    ...(signature !== undefined && { signature }),
  }
}

/** What a tool of the server did: only its provider knows how to take that back. */
const readServed = (record: Wire): Block => {
  const kind = isWire(record["kind"]) ? record["kind"] : record
  return {
    type: "opaque",
    kind: textAt(kind, "tool_type") ?? "backend_tool_call",
    text: `[${textAt(kind, "tool_type") ?? "tool"}: ${JSON.stringify(kind["action"] ?? kind)}]`,
    native: { [format]: record },
  }
}

const read = (record: Wire): RecordReading => {
  const { content, tool_calls: calls, model_id: model, reasoning_content: thought } = record
  const kind = kindOf(record)
  switch (kind) {
    case "system":
    case "user":
      return { messages: [{ role: kind, blocks: readContent(format, content) }] }
    case "reasoning":
      return { messages: [{ role: "assistant", blocks: [readReasoning(record)] }] }
    case "backend_tool_call":
      return { messages: [{ role: "assistant", blocks: [readServed(record)] }] }
    case "assistant": {
      const thinking: readonly Block[] = typeof thought === "string" && thought !== "" ? [{ type: "thinking", text: thought }] : []
      const blocks = [...thinking, ...readContent(format, content), ...listOf(calls).flatMap(readCall)]
      return { messages: [{ role: "assistant", blocks, ...(typeof model === "string" && { origin: { model } }) }] }
    }
    case "tool":
    case "tool_result":
      return {
        messages: [
          {
            role: "tool",
            blocks: [resultBlock(format, record, { callId: record["tool_call_id"], content, error: record["is_error"] === true })],
          },
        ],
      }
    default:
      return { unknownType: kind }
  }
}

export const grokBuild = defineSession({
  format,
  title: "Grok Build chat history",
  agent: "Grok Build",
  aliases: ["grok"],
  sources:
    "xai-org/grok-build, guide to sessions and session storage (July 2026); sessions of version 1.0.41, which was run; files of two generations in kenn-io/agentsview",
  capabilities: declareHomes({
    native: [
      "thinking",
      "thinking-signature",
      "parallel-calls",
      "call-grouping",
      "raw-arguments",
      "call-id",
      "server-tools",
      "system-in-the-middle",
      "empty-result",
    ],
  }),
  layout: "lines",
  view: "whole",
  records: recordsOf,
  read,
  reader: (records) => {
    // Reasoning and what follows it are one message, until somebody else has a line.
    let message = 0
    const messages = records.map((record) => {
      const kind = isWire(record) ? kindOf(record) : ""
      if (kind !== "assistant" && kind !== "reasoning" && kind !== "backend_tool_call") message++
      return message
    })
    return (record, index) => ({ ...read(record), response: String(messages[index]) })
  },
  facts: ({ model_id: model }) => ({ model: textOf(model) }),
  marks: [
    {
      certainty: "certain",
      evidence: "an assistant line has a model_id and its text beside it",
      isOn: ({ type, role, content, model_id: model }) =>
        (type === "assistant" || role === "assistant") && typeof model === "string" && typeof content === "string",
    },
    {
      certainty: "certain",
      evidence: "a line is a user's with the index of its prompt or the reason why it was made",
      isOn: ({ type, prompt_index: index, synthetic_reason: reason, content }) =>
        type === "user" && content !== undefined && (typeof index === "number" || typeof reason === "string"),
    },
    {
      certainty: "likely",
      evidence: "a line of type tool_result names its call",
      isOn: ({ type, tool_call_id: id, content }) => type === "tool_result" && typeof id === "string" && content !== undefined,
    },
  ],
})
