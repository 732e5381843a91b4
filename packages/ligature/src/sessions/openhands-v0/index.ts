/**
 * OpenHands before its SDK, and OpenDevin: a trajectory file, the `history` of an evaluation's line, or the joined files of a
 * session, each a list of events. Default view: `whole`, every event in the order of the log, with the summary of a
 * condensation where the condensation is; `effective` leaves out what condensations hide.
 */
import { isWire, type Wire, asWord, type Block, type CallBlock, mediaNote, type ResultBlock, resultText } from "../../model/index.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, textAt, wireOf } from "../engine/fields.ts"
import type { RecordReading, SessionFormat, View, WriteChange, RecordMessage, WritePlace } from "../engine/session-format.ts"
import { type Condensation, condensationOf, hiddenBy, withoutHidden } from "../openhands-v1/events.ts"
import { openhandsV1 } from "../openhands-v1/index.ts"
import { format, isOldCall, readEvent, responseOf, calledIn, responseMessage, textIn } from "./read-event.ts"
import { writeArgumentsText } from "../../formats/engine/wire.ts"
import { patch } from "../engine/patch.ts"

// What an event says now → the event. What can be said by changing a field changes that field alone.

const joined = (blocks: readonly Block[]): string =>
  blocks
    .flatMap((block) => {
      if (block.type === "media") return [mediaNote(block)]
      return block.type === "text" || (block.type === "opaque" && block.text !== "") ? [block.text] : []
    })
    .join("\n")

const inMessage = (response: unknown, change: (message: Wire) => Wire): unknown => {
  const [first, ...rest] = listOf(wireOf(response)["choices"])
  const message = responseMessage(response)
  return message ? { ...wireOf(response), choices: [{ ...wireOf(first), message: change(message) }, ...rest] } : response
}

/** The call and the text before it are in the response that they came from; each event has a copy of its own. */
const inResponse = (response: unknown, before: unknown, call: CallBlock, words: string): unknown =>
  inMessage(response, (message) => {
    const fields = { name: call.name, arguments: writeArgumentsText(call) }
    const calls = listOf(message["tool_calls"]).map((entry) =>
      isWire(entry) && entry["id"] === before ? { ...entry, id: call.id, function: { ...wireOf(entry["function"]), ...fields } } : entry,
    )
    const isSaid = textIn(message["content"]) === words
    return {
      ...message,
      ...(!isSaid && { content: words === "" ? null : words }),
      ...(Array.isArray(message["tool_calls"]) && { tool_calls: calls }),
    }
  })

/** The event without the text that is in an earlier event of its response. */
const silenced = (event: Wire): Wire => {
  const metadata = wireOf(event["tool_call_metadata"])
  const response = inMessage(metadata["model_response"], (message) => patch(message, { content: null }))
  const { thought, ...args } = wireOf(event["args"])
  const hasThought = thought !== undefined && !responseMessage(metadata["model_response"])
  return { ...event, ...(hasThought && { args }), tool_call_metadata: { ...metadata, model_response: response } }
}

const writeCall = (call: CallBlock, words: string, event: Wire | undefined): Wire => {
  const metadata = event?.["tool_call_metadata"]
  if (!event || !isWire(metadata)) {
    const args = { ...call.arguments, ...(words !== "" && { thought: words }) }
    const named = { function_name: call.name, tool_call_id: call.id, total_calls_in_response: 1 }
    return { source: "agent", action: call.name, ...event, args, tool_call_metadata: named }
  }
  const { tool_call_id: before, model_response: response } = metadata
  const message = responseMessage(response)
  // A response that does not have the call leaves its arguments to the action, and its text where it is none.
  const args = {
    ...(calledIn(message, before) ? wireOf(event["args"]) : call.arguments),
    ...(!message && words !== "" && { thought: words }),
  }
  const told = "model_response" in metadata && { model_response: inResponse(response, before, call, words) }
  return { ...event, args, tool_call_metadata: { ...metadata, tool_call_id: call.id, function_name: call.name, ...told } }
}

const withNames = (metadata: unknown, { callId, name }: ResultBlock): Wire => ({
  ...wireOf(metadata),
  ...(textAt(metadata, "function_name") !== undefined && name !== undefined && { function_name: name }),
  tool_call_id: callId,
})

const writeResult = (result: ResultBlock, event: Wire | undefined, { before, callOf }: WritePlace): Wire => {
  const { callId } = result
  const cause = callOf(callId)?.record
  const caused = cause?.["id"]
  const metadata = event?.["tool_call_metadata"] ?? cause?.["tool_call_metadata"]
  const isNamed = isWire(metadata) || callId !== `event_${asWord(caused)}`
  const link = isNamed ? { tool_call_metadata: withNames(metadata, result) } : {}
  const was = before[0]?.blocks[0]
  if (event && was?.type === "result" && was.content === result.content && was.error === result.error) {
    return { ...event, ...(caused !== undefined && "cause" in event && { cause: caused }), ...link }
  }
  const content = resultText(result)
  if (event) return { ...event, observation: "mcp", content, ...link }
  const { timestamp } = cause ?? {}
  return {
    ...(timestamp !== undefined && { timestamp }),
    source: "agent",
    ...(caused !== undefined && { cause: caused }),
    observation: "error",
    content,
    extras: { error_id: "" },
    ...link,
  }
}

const writeMessage = ({ role, blocks }: RecordMessage, event: Wire | undefined): Wire => {
  const { id, timestamp, action, args } = event ?? {}
  const content = joined(blocks)
  if (action === "condensation") return patch(event, { args: patch(wireOf(args), { summary: content }) })
  const keeps = isWire(args) && (action === "message" || action === "system")
  return {
    ...(id !== undefined && { id }),
    ...(timestamp !== undefined && { timestamp }),
    ...(keeps && event),
    source: role === "assistant" ? "agent" : "user",
    action: role === "system" ? "system" : "message",
    args: keeps ? { ...args, content } : { content },
  }
}

const writeEvent = (messages: readonly RecordMessage[], event: Wire | undefined, place: WritePlace): Wire => {
  const blocks = messages.flatMap((message) => message.blocks)
  const [first] = blocks
  if (first?.type === "result") return writeResult(first, event, place)
  const call = blocks.find((block) => block.type === "call")
  return call ? writeCall(call, joined(blocks), event) : writeMessage({ role: messages[0]?.role ?? "user", blocks }, event)
}

const lookedAt = 16

const sources: ReadonlySet<unknown> = new Set(["agent", "user", "environment"])

const isEvent = (value: unknown): value is Wire => {
  if (!isWire(value) || !(sources.has(value["source"]) || "cause" in value)) return false
  if (typeof value["action"] === "string") return isWire(value["args"])
  return typeof value["observation"] === "string" && ("content" in value || "extras" in value)
}

const isPair = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length === 2

/** The oldest evaluations wrote pairs of an action and its observation. */
const flattened = (list: readonly unknown[]): readonly unknown[] => (list.some(isPair) ? list.flat() : list)

const eventsOf = (value: unknown): readonly unknown[] => {
  const { history, records, events } = wireOf(value)
  return flattened(Array.isArray(value) ? value : listOf(history ?? records ?? events))
}

/** A line of an evaluation's output: `{ instance_id, history, … }`. */
const isEvaluation = (value: unknown): value is Wire =>
  isWire(value) && Array.isArray(value["history"]) && flattened(value["history"].slice(0, 8)).some(isEvent)

/** One event suffices: a share of the records would be another one after a repair. */
const isLog = (value: unknown): boolean => eventsOf(value).slice(0, lookedAt).some(isEvent)

/** An evaluation has one run per line. */
const sessionsIn: SessionFormat["sessionsIn"] = (root) => {
  if (isEvaluation(root)) return [{ path: ["history"], value: root["history"] }]
  const runs = listOf(root).flatMap((value, index) => (isEvaluation(value) ? [{ path: [index, "history"], value: value["history"] }] : []))
  return runs.length > 0 || !Array.isArray(root) || !isLog(root) ? runs : [{ path: [], value: root }]
}

const condensationIn = ({ action, args }: Wire): Condensation | undefined =>
  action === "condensation" ? condensationOf(wireOf(args)) : undefined

/** Events of a response that come after another one of it: they repeat its text. */
const repeatersIn = (records: readonly unknown[], isHidden: (id: unknown) => boolean): ReadonlySet<number> => {
  const repeaters = new Set<number>()
  let open: string | undefined
  records.forEach((record, index) => {
    if (!isWire(record) || isHidden(record["id"])) return
    const response = responseOf(record)
    if (response !== undefined && response === open) repeaters.add(index)
    else if (response !== undefined) open = response
    else if (readEvent(record, { isCause: () => false, isRepeated: false }).messages?.some(({ role }) => role !== "tool")) open = undefined
  })
  return repeaters
}

const reader = (records: readonly unknown[], _path: readonly number[], view: View): ((record: Wire, index: number) => RecordReading) => {
  const causes = new Map<unknown, number>()
  records.forEach((record, index) => {
    const { id } = wireOf(record)
    if (isWire(record) && (typeof id === "number" || typeof id === "string") && isOldCall(record) && !causes.has(id)) causes.set(id, index)
  })
  const condensations = view === "whole" ? [] : records.flatMap((record) => (isWire(record) ? (condensationIn(record) ?? []) : []))
  const repeaters = repeatersIn(records, hiddenBy(condensations))
  return (record, index) => readEvent(record, { isCause: (id) => (causes.get(id) ?? index) < index, isRepeated: repeaters.has(index) })
}

/** Where the event that had the text of its response is gone or changed, the next one would say it a second time. */
const silenceRepeaters = (records: readonly unknown[], { before, places }: WriteChange): readonly unknown[] => {
  const never = (): boolean => false
  const now = repeatersIn(records, never)
  const stale = new Set([...repeatersIn(before, never)].flatMap((index) => places[index] ?? -1).filter((at) => at >= 0 && !now.has(at)))
  return records.map((record, index) => (stale.has(index) && isWire(record) ? silenced(record) : record))
}

export const openhandsV0 = defineSession({
  format,
  title: "OpenHands trajectory",
  agent: "OpenHands",
  sources: "All-Hands-AI/OpenHands openhands/events/serialization (0.x); outputs of its own evaluations and tests",
  noun: "events",
  aliases: ["opendevin", "openhands-trajectory", "openhands-events"],
  capabilities: openhandsV1.capabilities,
  layout: "list",
  listKey: "history",
  orLines: true,
  view: "whole",
  idsRepeat: true,
  records: eventsOf,
  wrap: (value, records, change) => {
    if (!isWire(value)) return { history: Array.isArray(value) && !change ? value : records }
    return change ? { ...value, history: records } : value
  },
  read: (record) => readEvent(record, { isCause: (id) => id !== undefined, isRepeated: false }),
  reader,
  effective: (path) => withoutHidden(path, condensationIn),
  write: writeEvent,
  afterWrite: silenceRepeaters,
  facts: (record) => ({ startedAt: textAt(record, "timestamp") }),
  about: (value) => ({ id: textAt(value, "instance_id") }),
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "its records hold the history of a run, in events of agent and environment",
      // Lines of evaluations are sessions each, and no events of one.
      isOn: (value, syntax) => syntax === "value" && (Array.isArray(value) ? value : [value]).slice(0, lookedAt).some(isEvaluation),
    },
    { certainty: "certain", evidence: "its records are actions and observations with a source", isOn: isLog },
  ],
  sessionsIn,
})
