/**
 * Results of tau2-bench: simulations of an agent and a user who both have tools. One simulation is a session:
 * `{ id, task_id, messages, termination_reason, reward_info, trial, seed, … }`; a file has many of them, or one.
 *
 * The calls of the simulated user go to the environment and the results come back to it: the agent sees neither, nor the
 * text beside such a call. The default view is what the agent saw. `whole` shows that traffic as text of user messages,
 * never as calls, because the agent made none of them.
 */
import {
  type Block,
  type CallBlock,
  isWire,
  mediaNote,
  readArgumentsObject,
  readResultContent,
  type ResultBlock,
  resultText,
  type Role,
  text,
  type Wire,
} from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { malformedBlock } from "../../formats/engine/malformed.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, nativeIn, stringOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import { patch } from "../engine/patch.ts"
import type { RecordMessage, RecordReading, View } from "../engine/session-format.ts"

const format = "tau2"

/** In a list of simulations the messages are mark enough; a file of its own must show more. */
const isSimulation = (value: unknown): value is Wire => isWire(value) && Array.isArray(value["messages"])

const isLoneSimulation = (value: unknown): value is Wire => isSimulation(value) && "task_id" in value && "termination_reason" in value

/** A file of results. It may have no simulation yet: then it is recognised by the task and environment beside them. */
const isResults = (value: unknown): value is Wire & { readonly simulations: readonly unknown[] } =>
  isWire(value) && Array.isArray(value["simulations"]) && ("tasks" in value || "info" in value)

const simulationOf = (value: unknown): Wire => {
  if (isResults(value)) return value.simulations.find(isSimulation) ?? {}
  return Array.isArray(value) ? { messages: value } : wireOf(value)
}

const isUserTraffic = ({ role, requestor, tool_calls: calls }: Wire): boolean =>
  role === "tool" ? requestor === "user" : role === "user" && Array.isArray(calls) && calls.length > 0

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["system", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "tool"],
])

const contentText = ({ content }: Wire): string =>
  typeof content === "string" ? content : content === null || content === undefined ? "" : JSON.stringify(content)

const readCall = (wire: unknown): Block => {
  if (!isWire(wire) || typeof wire["name"] !== "string") return malformedBlock(format, wire)
  const { id, name, arguments: input } = wire
  return { type: "call", id: stringOf(id), name, ...readArgumentsObject(input), native: { [format]: wire } }
}

const readResult = (wire: Wire): ResultBlock => {
  const content = contentText(wire)
  return {
    type: "result",
    callId: stringOf(wire["id"]),
    ...readResultContent(content === "" ? [] : [text(content)], { errorMark: false }),
    ...(wire["error"] === true && { error: true as const }),
    native: { [format]: wire },
  }
}

const describeTraffic = (wire: Wire): string => {
  const content = contentText(wire)
  if (wire["role"] === "tool") return `[The user's tool answered: ${content}]`
  const calls = listOf(wire["tool_calls"]).map((call) =>
    isWire(call) ? `[The user called ${textAt(call, "name") ?? "a tool"} ${JSON.stringify(call["arguments"]) ?? ""}]` : "",
  )
  return [content, ...calls].filter((line) => line !== "").join("\n")
}

const readBlocks = (wire: Wire, role: Role): readonly Block[] => {
  if (role === "tool") return [readResult(wire)]
  const content = contentText(wire)
  const calls = wire["tool_calls"] ?? []
  return [...(content === "" ? [] : [text(content)]), ...(Array.isArray(calls) ? calls.map(readCall) : [malformedBlock(format, calls)])]
}

const read = (record: Wire, view: View): RecordReading => {
  const role = roles.get(record["role"])
  if (role === undefined) return { messages: [{ role: "user", blocks: [malformedBlock(format, record)] }] }
  if (!isUserTraffic(record)) return { messages: [{ role, blocks: readBlocks(record, role) }] }
  if (view === "effective") return {}
  const shown = describeTraffic(record)
  return { messages: [{ role: "user", blocks: shown === "" ? [] : [text(shown)] }] }
}

const textIn = (blocks: readonly Block[]): string =>
  blocks
    .flatMap((block) => {
      if (block.type === "text" || (block.type === "opaque" && block.text !== "")) return [block.text]
      return block.type === "media" ? [mediaNote(block)] : []
    })
    .join("\n")

const writeCall = (call: CallBlock): Wire =>
  patch(nativeIn(call, format), { id: call.id, name: call.name, arguments: call.arguments, requestor: "assistant" })

const writeResult = (result: ResultBlock, like: Wire | undefined): Wire =>
  patch(like, {
    id: result.callId,
    role: "tool",
    content: resultText(result),
    requestor: "assistant",
    error: result.error === true,
  })

const write = (messages: readonly RecordMessage[], like: Wire | undefined): Wire => {
  const blocks = messages.flatMap((message) => message.blocks)
  const [first] = blocks
  if (first?.type === "result") return writeResult(first, like)
  const content = textIn(blocks)
  const calls = blocks.filter((block) => block.type === "call").map(writeCall)
  const fields = {
    role: messages[0]?.role ?? "user",
    content: content === "" && calls.length > 0 ? null : content,
    tool_calls: calls.length === 0 ? null : calls,
  }
  // A record that was a result or no message at all has no fields to keep.
  return patch(like && like["role"] !== "tool" && roles.has(like["role"]) ? like : undefined, fields)
}

export const tau2 = defineSession({
  format,
  title: "tau2-bench results",
  agent: "tau2-bench",
  sources: "sierra-research/tau2-bench src/tau2/data_model (2025 and 2026); results in oscaralvaro/tau2-bench",
  aliases: ["tau2-bench", "tau-squared"],
  capabilities: declareHomes({
    native: ["result-error", "empty-result", "parallel-calls", "call-grouping", "call-id", "system-in-the-middle"],
  }),
  layout: "value",
  listKey: "messages",
  view: "effective",
  strays: "text",
  records: (value) => listOf(simulationOf(value)["messages"]),
  wrap: (value, records) => {
    const simulation = simulationOf(value)
    return records === simulation["messages"] || records.length + listOf(simulation["messages"]).length === 0
      ? simulation
      : { ...simulation, messages: records }
  },
  read,
  write,
  about: (value) => {
    const { id, task_id: task, start_time: startedAt } = simulationOf(value)
    const title = typeof task === "string" || typeof task === "number" ? `task ${task}` : undefined
    return { id: textOf(id), title, startedAt: textOf(startedAt) }
  },
  marks: [],
  valueMarks: [
    { certainty: "certain", evidence: "it holds simulations beside the tasks they ran", isOn: isResults },
    { certainty: "likely", evidence: "it holds messages beside a task and the reason why the simulation ended", isOn: isLoneSimulation },
  ],
  sessionsIn: (root) => {
    if (isLoneSimulation(root)) return [{ path: [], value: root }]
    if (!isResults(root)) return []
    return root.simulations.flatMap((value, index) => (isSimulation(value) ? [{ path: ["simulations", index], value }] : []))
  },
})
