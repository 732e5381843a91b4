/**
 * Actions → what they say. An action with `tool_call_metadata` is a call of the model's response named there; actions
 * of old, which the agent wrote as text of its own making, are calls by the name of the action, and their event's id
 * is their id.
 */
import {
  asWord,
  type Block,
  type CallBlock,
  isWire,
  readArgumentsObject,
  readArgumentsText,
  type Role,
  text,
  type Wire,
} from "../../model/index.ts"
import type { Condensation, Saying } from "../openhands-v1/assemble.ts"
import { readParts } from "../openhands-v1/words.ts"
import { textAt } from "../engine/fields.ts"
import { format } from "./event.ts"

/** Actions that are no words of anybody: state changes, memory look-ups, markers. */
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

const textOf = (value: unknown): string => {
  if (typeof value === "string") return value
  return textAt(value, "text") ?? ""
}

/** The message of the response that an action came from. */
export const responseMessage = (response: Wire): Wire | undefined => {
  const choices = response["choices"]
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined
  const message = isWire(first) ? first["message"] : undefined
  return isWire(message) ? message : undefined
}

export const calledIn = (message: Wire | undefined, id: string): Wire | undefined => {
  const calls = message?.["tool_calls"]
  if (!Array.isArray(calls)) return undefined
  const found = (calls as readonly unknown[]).find((call) => isWire(call) && call["id"] === id)
  const target = isWire(found) ? found["function"] : undefined
  return isWire(target) ? target : undefined
}

const argumentsOf = (args: Wire): Wire => {
  const { thought: _, ...rest } = args
  return rest
}

/** Words before a call: of the response, where it is there, else the thought that the agent kept. */
const wordsBefore = (message: Wire | undefined, args: Wire): string =>
  textOf(message ? message["content"] : args["thought"])

/** Which response a call came from; undefined for actions of old. */
export const responseIdOf = (event: unknown): string | undefined => {
  const metadata = isWire(event) ? event["tool_call_metadata"] : undefined
  return isWire(metadata) ? textAt(metadata["model_response"], "id") : undefined
}

const readCall = (event: Wire, args: Wire, metadata: Wire): Saying => {
  const response = isWire(metadata["model_response"]) ? metadata["model_response"] : {}
  const message = responseMessage(response)
  const id = textAt(metadata, "tool_call_id") ?? ""
  const target = calledIn(message, id)
  const value = target?.["arguments"]
  const read = typeof value === "string" ? readArgumentsText(value) : readArgumentsObject(argumentsOf(args))
  const name = textAt(target, "name") ?? textAt(metadata, "function_name") ?? asWord(event["action"])
  const native = { [format]: event }
  const call: CallBlock = { type: "call", id, name, ...read, native }
  const words = wordsBefore(message, args)
  const responseId = textAt(response, "id")
  const blocks: Block[] = words.trim() === "" ? [call] : [{ ...text(words), native }, call]
  return { type: "calls", ...(responseId && { response: responseId }), repeats: true, blocks }
}

const readOldCall = (event: Wire, args: Wire): Saying => {
  const native = { [format]: event }
  const id = event["id"]
  const call: CallBlock = {
    type: "call",
    id: typeof id === "number" || typeof id === "string" ? `event_${id}` : "",
    name: asWord(event["action"]),
    ...readArgumentsObject(argumentsOf(args)),
    native,
  }
  const words = textOf(args["thought"])
  return { type: "calls", blocks: words.trim() === "" ? [call] : [{ ...text(words), native }, call] }
}

const spoken = (role: Role, words: string, more: readonly Block[] = []): Saying => ({
  type: "message",
  role,
  blocks: words === "" ? more : [text(words), ...more],
})

const readCondensation = (args: Wire): Condensation => {
  const { forgotten_event_ids: ids, forgotten_events_start_id: start, forgotten_events_end_id: end } = args
  const offset = args["summary_offset"]
  const summary = textAt(args, "summary")
  return {
    type: "condensation",
    ids: Array.isArray(ids) ? (ids as readonly unknown[]) : [],
    ranges: typeof start === "number" && typeof end === "number" ? [[start, end]] : [],
    ...(summary !== undefined && summary !== "" && { summary }),
    ...(typeof offset === "number" && offset >= 0 && { offset }),
  }
}

/** The last words of the agent. Its model called a tool for it, but nothing ever answers that call. */
const readFinish = (args: Wire, metadata: unknown): Saying => {
  const response = isWire(metadata) ? metadata["model_response"] : undefined
  const message = isWire(response) ? responseMessage(response) : undefined
  const outputs = isWire(args["outputs"]) ? textOf(args["outputs"]["content"]) : ""
  const called = calledIn(message, textAt(metadata, "tool_call_id") ?? "")?.["arguments"]
  const told = typeof called === "string" ? textOf(readArgumentsText(called).arguments["message"]) : ""
  const words = [wordsBefore(message, args), textOf(args["final_thought"]) || outputs || told]
  return spoken("assistant", words.filter((line) => line.trim() !== "").join("\n\n"))
}

/** Undefined: bookkeeping. */
export const readAction = (event: Wire): Saying | undefined => {
  const { action, source, tool_call_metadata: metadata } = event
  const args = isWire(event["args"]) ? event["args"] : {}
  const byUser = source === "user"
  if (action === "condensation") return readCondensation(args)
  if (silentActions.has(action)) return undefined
  if (action === "message") {
    const urls = args["image_urls"] ?? args["images_urls"]
    const images = readParts([{ type: "image", image_urls: urls }], { [format]: event })
    return spoken(byUser ? "user" : "assistant", textOf(args["content"]), images)
  }
  if (action === "system") return spoken("system", textOf(args["content"]))
  if (action === "finish") return byUser ? undefined : readFinish(args, metadata)
  if (isWire(metadata)) return readCall(event, args, metadata)
  if (!byUser) return readOldCall(event, args)
  if (action === "run") return spoken("user", `User executed the command:\n${textOf(args["command"])}`)
  return undefined
}
