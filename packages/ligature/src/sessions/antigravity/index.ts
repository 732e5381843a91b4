/**
 * The transcript that Antigravity CLI writes beside its database: numbered steps of the user, the model and the system. Calls
 * are in the planner's response, without ids, their arguments as JSON within texts; the steps of the model that follow are
 * their results, in order. A `CHECKPOINT` is a compaction. Nobody publishes its sources. Only read: the agent goes on from
 * its database.
 */
import { type Block, isWire, parseJson, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, recordsOf, stringOf, textOf, wireOf } from "../engine/fields.ts"
import { callBlock, readContent, resultBlock } from "../engine/read-content.ts"
import type { RecordReading } from "../engine/session-format.ts"

const format = "antigravity"

/** Only the model plans: a step of another source calls no tool, whatever it calls itself. */
const isPlanner = ({ source, type }: Wire): boolean => source === "MODEL" && type === "PLANNER_RESPONSE"

const isResult = (step: Wire): boolean => step["source"] === "MODEL" && !isPlanner(step)

const idOf = (step: Wire, call: number): string => `call_${String(step["step_index"])}_${call + 1}`

/** An argument is a JSON value within a text. */
const plain = (value: unknown): unknown => (typeof value === "string" ? (parseJson(value) ?? value) : value)

const readCall = (step: Wire, call: unknown, index: number): Block => {
  const { name, args } = wireOf(call)
  const input = Object.fromEntries(Object.entries(wireOf(args)).map(([key, value]) => [key, plain(value)]))
  return { ...callBlock(format, wireOf(call), { id: idOf(step, index), name, input }), assigned: true }
}

/** `answers`: the call whose result a step is. */
const read = (step: Wire, answers?: string): RecordReading => {
  const { source, type, content, thinking, status } = step
  if (type === "CHECKPOINT") return { compaction: { kind: "summary" } }
  if (isPlanner(step)) {
    const thought: readonly Block[] = stringOf(thinking) === "" ? [] : [{ type: "thinking", text: stringOf(thinking) }]
    const calls = listOf(step["tool_calls"]).map((call, index) => readCall(step, call, index))
    return { messages: [{ role: "assistant", blocks: [...thought, ...readContent(format, content), ...calls] }] }
  }
  if (isResult(step)) {
    if (answers === undefined) return { messages: [{ role: "assistant", blocks: readContent(format, content) }] }
    const result = resultBlock(format, step, { callId: answers, content: content ?? "", error: status === "ERROR" })
    return { messages: [{ role: "tool", blocks: [result] }] }
  }
  if (typeof source === "string" && source.startsWith("USER")) return { messages: [{ role: "user", blocks: readContent(format, content) }] }
  return source === "SYSTEM" ? {} : { unknownType: type }
}

/** For each step that is a result the call it answers: steps answer the calls before them one after the other. */
const answersIn = (steps: readonly unknown[]): ReadonlyMap<number, string> => {
  const answers = new Map<number, string>()
  let open: string[] = []
  steps.forEach((step, index) => {
    if (!isWire(step)) return
    if (isPlanner(step)) open = listOf(step["tool_calls"]).map((_, call) => idOf(step, call))
    else if (isResult(step)) {
      const id = open.shift()
      if (id !== undefined) answers.set(index, id)
    }
  })
  return answers
}

export const antigravity = defineSession({
  format,
  title: "Antigravity CLI transcript",
  agent: "Antigravity",
  sources: "no public source; the description of one transcript (2026)",
  capabilities: declareHomes({ native: ["result-error", "thinking", "parallel-calls", "call-grouping", "empty-result"] }),
  layout: "lines",
  view: "whole",
  records: recordsOf,
  read: (step) => read(step),
  reader: (steps) => {
    const answers = answersIn(steps)
    return (step, index) => read(step, answers.get(index))
  },
  facts: ({ created_at: startedAt }) => ({ startedAt: textOf(startedAt) }),
  marks: [
    {
      certainty: "certain",
      evidence: "a step has a step_index, the source it comes from, a type and a status",
      isOn: ({ step_index: index, source, type, status }) =>
        typeof index === "number" && typeof source === "string" && typeof type === "string" && status !== undefined,
    },
  ],
})
