/**
 * `wire.jsonl` of Kimi CLI (the Python one): what its screen got, events with seconds as time. The agent goes on from
 * `context.jsonl`, so that this file is only read; it alone has times, sub-agents and what was before a compaction. Facts are
 * from its sources (src/kimi_cli/wire/types.py and file.py, protocol 1.1 to 1.10, July 2026).
 *
 * Arguments of a call come in pieces that belong to the last call. A step that is tried again leaves its first attempt in the
 * file: what was streamed before `StepRetry` is not part of the conversation. Events of sub-agents are inside of
 * `SubagentEvent` and stay out of it, too.
 */
import { isWire, text, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { defineSession } from "../engine/define-session.ts"
import { isoOf } from "../engine/iso-time.ts"
import { recordsOf, stringOf, textAt, wireOf } from "../engine/fields.ts"
import { callBlock, readContent, resultBlock } from "../engine/read-content.ts"
import type { RecordReading } from "../engine/session-format.ts"

const format = "kimi-wire"

/** Shown on the screen, or for the program around the agent. */
const silent: ReadonlySet<string> = new Set([
  "StepBegin",
  "StepInterrupted",
  "StepRetry",
  "TurnEnd",
  "ToolCallPart",
  "StatusUpdate",
  "CompactionBegin",
  "SubagentEvent",
  "ApprovalRequest",
  "ApprovalResponse",
  "ApprovalRequestResolved",
  "QuestionRequest",
  "QuestionResponse",
  "Notification",
  "PlanDisplay",
  "BtwBegin",
  "BtwEnd",
  "HookTriggered",
  "HookResolved",
  "HookRequest",
  "HookResponse",
  "MCPLoadingBegin",
  "MCPLoadingEnd",
  "MCPStatusSnapshot",
  "ToolCallRequest",
])

const eventOf = ({ message }: Wire): { readonly type: string; readonly payload: Wire } | undefined => {
  const type = textAt(message, "type")
  return type === undefined || !isWire(message) ? undefined : { type, payload: wireOf(message["payload"]) }
}

/** As the agent tells the model: what the tool says of itself comes first, as text of the system. */
const readResult = (payload: Wire): RecordReading => {
  const { tool_call_id: callId, return_value: returned, result } = payload
  const said = wireOf(returned ?? result)
  const note = textAt(said, "message") ?? ""
  const error = said["is_error"] === true
  const block = resultBlock(format, payload, { callId, content: said["output"] ?? said["value"], error })
  const status = note === "" ? [] : [text(`<system>${error ? "ERROR: " : ""}${note}</system>`)]
  return { messages: [{ role: "tool", blocks: [{ ...block, content: [...status, ...block.content] }] }] }
}

const read = (record: Wire, more = ""): RecordReading => {
  const event = eventOf(record)
  if (!event) return record["type"] === "metadata" ? {} : { unknownType: record["type"] }
  const { type, payload } = event
  if (type === "TurnBegin" || type === "SteerInput")
    return { messages: [{ role: "user", blocks: readContent(format, payload["user_input"]) }] }
  if (type === "ContentPart") return { messages: [{ role: "assistant", blocks: readContent(format, payload) }] }
  if (type === "ToolCall") {
    const { name, arguments: begun } = wireOf(payload["function"])
    return {
      messages: [{ role: "assistant", blocks: [callBlock(format, payload, { id: payload["id"], name, input: stringOf(begun) + more })] }],
    }
  }
  if (type === "ToolResult") return readResult(payload)
  if (type === "CompactionEnd") return { compaction: { kind: "summary" } }
  return silent.has(type) ? {} : { unknownType: type }
}

interface Course {
  /** Pieces of arguments, by the index of the call they belong to. */
  readonly pieces: ReadonlyMap<number, string>
  /** What was streamed before the step was tried again. */
  readonly dropped: ReadonlySet<number>
  /** The step of each record. */
  readonly steps: readonly number[]
}

const courseOf = (records: readonly unknown[]): Course => {
  const pieces = new Map<number, string>()
  const dropped = new Set<number>()
  const steps: number[] = []
  let [step, call] = [0, -1]
  let streamed: number[] = []
  records.forEach((record, index) => {
    const event = isWire(record) ? eventOf(record) : undefined
    const type = event?.type
    if (type === "StepBegin" || type === "TurnBegin") {
      step++
      streamed = []
    }
    if (type === "StepRetry") for (const each of streamed) dropped.add(each)
    if (type === "ContentPart" || type === "ToolCall") streamed.push(index)
    if (type === "ToolCall") call = index
    if (type === "ToolCallPart" && call >= 0) pieces.set(call, (pieces.get(call) ?? "") + stringOf(event?.payload["arguments_part"]))
    steps.push(step)
  })
  return { pieces, dropped, steps }
}

export const kimiWire = defineSession({
  format,
  title: "Kimi CLI events (wire.jsonl)",
  agent: "Kimi CLI",
  sources: "MoonshotAI/kimi-cli src/kimi_cli/wire (protocol 1.1 to 1.10, July 2026); files of its own migration tests",
  capabilities: declareHomes({
    native: [
      "result-error",
      "result-image",
      "thinking",
      "block-order",
      "parallel-calls",
      "call-grouping",
      "raw-arguments",
      "call-id",
      "empty-result",
    ],
  }),
  layout: "lines",
  view: "whole",
  records: recordsOf,
  read: (record) => read(record),
  reader: (records) => {
    const { pieces, dropped, steps } = courseOf(records)
    return (record, index) => (dropped.has(index) ? {} : { ...read(record, pieces.get(index)), response: String(steps[index]) })
  },
  facts: ({ timestamp }) =>
    typeof timestamp === "number" && Number.isFinite(timestamp) ? { startedAt: isoOf(Math.round(timestamp * 1000)) } : {},
  marks: [
    {
      certainty: "certain",
      evidence: "a line has a time and an event with a payload, such as TurnBegin",
      isOn: (record) => {
        const event = eventOf(record)
        return (
          event !== undefined &&
          isWire(wireOf(record["message"])["payload"]) &&
          (read(record).messages !== undefined || silent.has(event.type))
        )
      },
    },
  ],
})
