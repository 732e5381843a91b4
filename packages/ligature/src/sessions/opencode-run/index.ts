/**
 * `opencode run --format json`: the stream of a run, kept by whoever started it. Each line has a part as the agent stores it;
 * a tool's part has the call and its result together. What the user asked is not in it. Facts are from opencode's sources
 * (packages/opencode/src/cli/cmd/run.ts, August 2026) and a file. No agent opens such a stream: it is only read.
 */
import { type Block, isWire, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { defineSession } from "../engine/define-session.ts"
import { isoOf } from "../engine/iso-time.ts"
import { recordsOf, stringOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import { callBlock, resultBlock } from "../engine/read-content.ts"
import type { RecordMessage, RecordReading } from "../engine/session-format.ts"

const format = "opencode-run"

const silent: ReadonlySet<unknown> = new Set(["step_start", "step_finish", "error"])

const readTool = (part: Wire): readonly RecordMessage[] => {
  const { callID: id, tool: name } = part
  const state = wireOf(part["state"])
  const { status, input, output, error } = state
  const pending = status === "running" || status === "pending"
  const call = callBlock(format, part, { id, name, input })
  if (pending) return [{ role: "assistant", blocks: [{ ...call, pending: "running" }] }]
  const failed = status === "error"
  const said = failed ? (textOf(error) ?? stringOf(output)) : stringOf(output)
  return [
    { role: "assistant", blocks: [call] },
    { role: "tool", blocks: [resultBlock(format, part, { callId: id, name, content: said, error: failed })] },
  ]
}

const read = (record: Wire): RecordReading => {
  const { type } = record
  const part = wireOf(record["part"])
  const response = textAt(part, "messageID") ?? ""
  const says = (blocks: readonly Block[]): RecordReading => ({ messages: [{ role: "assistant", blocks }], response })
  if (type === "text") return says([{ type: "text", text: stringOf(part["text"]) }])
  if (type === "reasoning") return says([{ type: "thinking", text: stringOf(part["text"]) }])
  if (type === "tool_use") return { messages: readTool(part), response }
  return silent.has(type) ? {} : { unknownType: type }
}

export const opencodeRun = defineSession({
  format,
  title: "opencode run --format json",
  agent: "opencode",
  sources: "anomalyco/opencode packages/opencode/src/cli/cmd/run.ts (August 2026); a file in es617/claude-replay",
  capabilities: declareHomes({
    native: ["result-error", "thinking", "block-order", "parallel-calls", "call-grouping", "call-id", "empty-result"],
  }),
  layout: "lines",
  view: "whole",
  records: recordsOf,
  read,
  facts: ({ sessionID, timestamp }) => ({ id: textOf(sessionID), ...(typeof timestamp === "number" && { startedAt: isoOf(timestamp) }) }),
  marks: [
    {
      certainty: "certain",
      evidence: "a line has a sessionID and the part of a message",
      isOn: ({ type, sessionID, part }) =>
        typeof type === "string" && typeof sessionID === "string" && isWire(part) && typeof part["messageID"] === "string",
    },
  ],
})
