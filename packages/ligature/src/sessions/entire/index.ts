/**
 * Transcripts as Entire keeps them with commits: `{ v: 1, agent, type, content }` on lines, in one shape for every agent it
 * watches. A call has its result inside of it. Facts are from its sources (entireio/cli cmd/entire/cli/transcript/compact,
 * version 0.5.1, April 2026) and files of its tests. Only read: Entire makes them from the sessions of agents.
 */
import { type Block, isWire, type ResultBlock, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { defineSession } from "../engine/define-session.ts"
import { recordsOf, textOf } from "../engine/fields.ts"
import { callBlock, readContent, resultBlock } from "../engine/read-content.ts"
import type { RecordReading } from "../engine/session-format.ts"

const format = "entire"

const isCall = (part: unknown): part is Wire => isWire(part) && part["type"] === "tool_use"

const readPart = (part: unknown): readonly Block[] =>
  isCall(part) ? [callBlock(format, part, { id: part["id"], name: part["name"], input: part["input"] })] : readContent(format, part)

const readResult = (part: unknown): readonly ResultBlock[] => {
  if (!isCall(part) || !isWire(part["result"])) return []
  const { output, status } = part["result"]
  return [resultBlock(format, part, { callId: part["id"], name: part["name"], content: output, error: status === "error" })]
}

const read = (record: Wire): RecordReading => {
  const { type, content, id } = record
  if (type !== "user" && type !== "assistant")
    return type === "system" ? { messages: [{ role: "system", blocks: readContent(format, content) }] } : { unknownType: type }
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content]
  const results = parts.flatMap(readResult)
  const named = textOf(id)
  return {
    messages: [
      { role: type, blocks: parts.flatMap(readPart), ...(named !== undefined && { id: named }) },
      ...(results.length === 0 ? [] : [{ role: "tool" as const, blocks: results }]),
    ],
  }
}

export const entire = defineSession({
  format,
  title: "Entire transcript",
  agent: "Entire",
  sources: "entireio/cli cmd/entire/cli/transcript/compact (version 0.5.1, April 2026)",
  capabilities: declareHomes({
    native: ["result-error", "thinking", "block-order", "parallel-calls", "call-grouping", "call-id", "empty-result"],
  }),
  layout: "lines",
  view: "whole",
  records: recordsOf,
  read,
  facts: ({ ts, model }) => ({ startedAt: textOf(ts), model: textOf(model) }),
  marks: [
    {
      certainty: "certain",
      evidence: "its lines have a version, the agent they come from and content",
      isOn: ({ v, agent, type, content }) =>
        typeof v === "number" && typeof agent === "string" && (type === "user" || type === "assistant") && content !== undefined,
    },
  ],
})
