/**
 * One event, `{ id, timestamp, source, message, cause?, action + args | observation + content + extras, tool_call_metadata? }`,
 * → what it says. An action with `tool_call_metadata` is a call of the model's response named there; actions of old, which the
 * agent wrote as text of its own making, are calls by the name of the action, and their event's id is their id. Observations
 * name their call in the same way, older ones by the event that caused them.
 */
import {
  asWord,
  type Block,
  type CallBlock,
  isWire,
  readArgumentsObject,
  readArgumentsText,
  readResultContent,
  type ResultBlock,
  type Role,
  text,
  type Wire,
} from "../../model/index.ts"
import { listOf, stringOf, textAt, wireOf } from "../engine/fields.ts"
import type { RecordReading } from "../engine/session-format.ts"
import { commandText, condensationOf, readCondensation, readParts } from "../openhands-v1/events.ts"

export const format = "openhands-v0"

/** What an event can only tell in the light of the others. */
export interface EventContext {
  /** Whether the event of this id made a call without metadata. */
  readonly isCause: (id: unknown) => boolean
  /** An event of the same response came before: each of them has a copy of its text. */
  readonly isRepeated: boolean
}

/** State changes, memory look-ups, markers. */
const silentActions: ReadonlySet<unknown> = new Set([
  "change_agent_state",
  "condensation_request",
  "loop_recovery",
  "null",
  "pause",
  "recall",
  "resume",
  "start_hidden",
  "stop",
  "summarize",
])

/** What is for the agent itself, or reaches the model in a template we do not have. */
const silentObservations: ReadonlySet<unknown> = new Set([
  "agent_state_changed",
  "loop_detection",
  "null",
  "recall",
  "server_ready",
  "success",
  "task_tracking_update",
])

/** A text, or what has one. */
export const textIn = (value: unknown): string => (typeof value === "string" ? value : stringOf(wireOf(value)["text"]))

/** The message of the response that an action came from. */
export const responseMessage = (response: unknown): Wire | undefined => {
  const message = wireOf(listOf(wireOf(response)["choices"])[0])["message"]
  return isWire(message) ? message : undefined
}

export const calledIn = (message: Wire | undefined, id: unknown): Wire | undefined => {
  const found = listOf(message?.["tool_calls"]).find((call) => isWire(call) && call["id"] === id)
  const target = wireOf(found)["function"]
  return isWire(target) ? target : undefined
}

/** Which response a call came from; undefined for actions of old. */
export const responseOf = ({ action, tool_call_metadata: metadata }: Wire): string | undefined =>
  typeof action === "string" && action !== "finish" ? textAt(wireOf(metadata)["model_response"], "id") || undefined : undefined

export const isOldCall = ({ action, source, tool_call_metadata: metadata }: Wire): boolean =>
  typeof action === "string" && !isWire(metadata) && source !== "user" && !silentActions.has(action) && !readers.has(action)

/** The text before a call: of the response, where it is there, else the thought that the agent kept. */
const textBefore = (message: Wire | undefined, args: Wire): string => textIn(message ? message["content"] : args["thought"])

const said = (role: Role, words: string, more: readonly Block[] = []): RecordReading => ({
  messages: [{ role, blocks: words === "" ? more : [text(words), ...more] }],
})

const withCall = (event: Wire, words: string, call: Omit<CallBlock, "type" | "native">): RecordReading => {
  const native = { [format]: event }
  const block: CallBlock = { type: "call", ...call, native }
  return { messages: [{ role: "assistant", blocks: words.trim() === "" ? [block] : [{ ...text(words), native }, block] }] }
}

const readCall = (event: Wire, args: Wire, { isRepeated }: EventContext): RecordReading => {
  const { thought: _, ...rest } = args
  const { tool_call_metadata: metadata, action, id: eventId } = event
  if (!isWire(metadata)) {
    const id = typeof eventId === "number" || typeof eventId === "string" ? `event_${eventId}` : ""
    return withCall(event, textIn(args["thought"]), { id, name: asWord(action), ...readArgumentsObject(rest) })
  }
  const message = responseMessage(metadata["model_response"])
  const id = textAt(metadata, "tool_call_id") ?? ""
  const target = calledIn(message, id)
  const value = target?.["arguments"]
  const read = typeof value === "string" ? readArgumentsText(value) : readArgumentsObject(rest)
  const name = textAt(target, "name") ?? textAt(metadata, "function_name") ?? asWord(action)
  const response = responseOf(event)
  const words = isRepeated ? "" : textBefore(message, args)
  return { ...withCall(event, words, { id, name, ...read }), ...(response !== undefined && { response }) }
}

/** The last text of the agent. Its model called a tool for it, but nothing ever answers that call. */
const readFinish = ({ source, tool_call_metadata: metadata }: Wire, args: Wire): RecordReading => {
  if (source === "user") return {}
  const message = responseMessage(wireOf(metadata)["model_response"])
  const called = calledIn(message, textAt(metadata, "tool_call_id") ?? "")?.["arguments"]
  const told = typeof called === "string" ? textIn(readArgumentsText(called).arguments["message"]) : ""
  const last = textIn(args["final_thought"]) || textIn(wireOf(args["outputs"])["content"]) || told
  return said("assistant", [textBefore(message, args), last].filter((line) => line.trim() !== "").join("\n\n"))
}

const readMessage = (event: Wire, args: Wire): RecordReading => {
  const images = readParts([{ type: "image", image_urls: args["image_urls"] ?? args["images_urls"] }], { [format]: event })
  return { ...said(event["source"] === "user" ? "user" : "assistant", textIn(args["content"]), images), starts: event["source"] === "user" }
}

const readers: ReadonlyMap<unknown, (event: Wire, args: Wire) => RecordReading> = new Map([
  ["message", readMessage],
  ["system", (_: Wire, args: Wire) => said("system", textIn(args["content"]))],
  ["finish", readFinish],
  ["condensation", (_: Wire, args: Wire) => ({ ...readCondensation(condensationOf(args)), starts: false })],
])

const readAction = (event: Wire, context: EventContext): RecordReading => {
  const { action, source, tool_call_metadata: metadata } = event
  const args = wireOf(event["args"])
  const reader = readers.get(action)
  if (reader) return reader(event, args)
  if (silentActions.has(action)) return {}
  if (isWire(metadata) || source !== "user") return readCall(event, args, context)
  return action === "run" ? { ...said("user", `User executed the command:\n${textIn(args["command"])}`), starts: false } : {}
}

const contentOf = ({ content, extras, observation }: Wire): string => {
  const outputs = wireOf(wireOf(extras)["outputs"])["content"]
  if (observation === "delegate" && typeof outputs === "string") return outputs
  if (typeof content === "string") return content
  return content === undefined || content === null ? "" : JSON.stringify(content)
}

/** As the model saw it. */
const observedText = (event: Wire): string => {
  const content = contentOf(event)
  if (event["observation"] === "run") return commandText(content, wireOf(event["extras"])["metadata"])
  return event["observation"] === "error" ? `${content}\n[Error occurred in processing last action]` : content
}

const readResult = (event: Wire, callId: string, name: string | undefined): RecordReading => {
  const native = { [format]: event }
  const { extras, observation } = event
  // A placeholder that we wrote is found again by its text, which is alone.
  const isOwn = readResultContent([text(contentOf(event))], { errorMark: false }).synthetic !== undefined
  const words = isOwn ? contentOf(event) : observedText(event)
  const pictures = readParts([{ type: "image", image_urls: wireOf(extras)["image_urls"] }], native)
  const rejected = observation === "user_rejected"
  const failed = observation === "error" || (observation !== "run" && wireOf(extras)["error"] === true)
  const block: ResultBlock = {
    type: "result",
    callId,
    ...(name !== undefined && { name }),
    ...readResultContent([...(words === "" ? [] : [text(words)]), ...pictures], { errorMark: false }),
    ...((rejected || failed) && { error: true }),
    ...(rejected && { denied: true }),
    native,
  }
  return { messages: [{ role: "tool", blocks: [block] }] }
}

const readObservation = (event: Wire, { isCause }: EventContext): RecordReading => {
  const { observation, cause, tool_call_metadata: metadata } = event
  const id = textAt(metadata, "tool_call_id")
  if (id !== undefined) return readResult(event, id, textAt(metadata, "function_name") || undefined)
  if (isCause(cause)) return readResult(event, `event_${asWord(cause)}`, undefined)
  const words = silentObservations.has(observation) ? "" : observedText(event)
  if (words.trim() === "") return {}
  return { ...said("user", observation === "run" ? `\nObserved result of command executed by user:\n${words}` : words), starts: false }
}

export const readEvent = (event: Wire, context: EventContext): RecordReading => {
  if (typeof event["action"] === "string") return readAction(event, context)
  if (typeof event["observation"] === "string") return readObservation(event, context)
  return { findings: [{ kind: "malformed-record", what: "An event is neither an action nor an observation" }] }
}
