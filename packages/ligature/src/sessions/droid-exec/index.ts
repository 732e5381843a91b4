/**
 * `droid exec -o stream-json`: what a run of Factory's droid printed, kept by whoever started it. A call and its result share
 * an id; a call of an answer has the answer's messageId. Nobody publishes its sources. No agent opens such a stream: it is
 * only read.
 */
import { type Block, isWire, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { defineSession } from "../engine/define-session.ts"
import { isoOf } from "../engine/iso-time.ts"
import { recordsOf, stringOf, textAt, textOf } from "../engine/fields.ts"
import { callBlock, readContent, resultBlock } from "../engine/read-content.ts"
import type { RecordReading } from "../engine/session-format.ts"

const format = "droid-exec"

const silent: ReadonlySet<unknown> = new Set(["system", "completion", "error"])

const read = (record: Wire): RecordReading => {
  const { type, role, id, messageId, toolName: name, toolId } = record
  const says = (blocks: readonly Block[], response: unknown): RecordReading => ({
    messages: [{ role: "assistant", blocks }],
    ...(typeof response === "string" && { response }),
  })
  if (type === "message" && role === "user") return { messages: [{ role, blocks: readContent(format, record["text"]) }] }
  if (type === "message") return says(readContent(format, record["text"]), id)
  if (type === "reasoning") return says([{ type: "thinking", text: stringOf(record["text"]) }], messageId ?? id)
  if (type === "tool_call") return says([callBlock(format, record, { id, name: name ?? toolId, input: record["parameters"] })], messageId)
  if (type === "tool_result") {
    const { value, error } = record
    const said = {
      callId: id,
      name: name ?? toolId,
      content: value ?? textAt(error, "message") ?? error,
      error: record["isError"] === true,
    }
    return { messages: [{ role: "tool", blocks: [resultBlock(format, record, said)] }] }
  }
  return silent.has(type) ? {} : { unknownType: type }
}

const sessionIdOf = ({ session_id: one, sessionId: other }: Wire): string | undefined => textOf(one) ?? textOf(other)

export const droidExec = defineSession({
  format,
  title: "droid exec -o stream-json",
  agent: "Factory droid",
  sources: "no public source; the output of version 0.225.2, which was run",
  capabilities: declareHomes({
    native: ["result-error", "structured-result", "block-order", "parallel-calls", "call-grouping", "call-id", "empty-result"],
  }),
  layout: "lines",
  view: "whole",
  records: recordsOf,
  read,
  facts: (record) => {
    const { type, cwd, model, timestamp } = record
    return {
      id: sessionIdOf(record),
      ...(type === "system" && { folder: textOf(cwd), model: textOf(model) }),
      ...(typeof timestamp === "number" && { startedAt: isoOf(timestamp) }),
    }
  },
  marks: [
    {
      certainty: "certain",
      evidence: "a call has a toolId, a toolName and parameters",
      isOn: ({ type, toolId, toolName, parameters }) =>
        type === "tool_call" && typeof toolId === "string" && typeof toolName === "string" && isWire(parameters),
    },
    {
      certainty: "certain",
      evidence: "a completion has the finalText of a session",
      isOn: (record) => record["type"] === "completion" && typeof record["finalText"] === "string" && sessionIdOf(record) !== undefined,
    },
    {
      certainty: "likely",
      evidence: "a message has its text and the session beside its role",
      isOn: (record) =>
        record["type"] === "message" &&
        typeof record["role"] === "string" &&
        typeof record["text"] === "string" &&
        sessionIdOf(record) !== undefined,
    },
  ],
})
