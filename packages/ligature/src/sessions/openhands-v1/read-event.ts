/** One event → what it says. One reader per kind; kinds without one are bookkeeping. */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  readArgumentsObject,
  readArgumentsText,
  readResultContent,
  type ResultBlock,
  type Role,
  text,
  type Wire,
} from "../../model/index.ts"
import { textAt } from "../engine/fields.ts"
import type { Saying } from "./assemble.ts"
import { format } from "./event.ts"
import { readThinking } from "./read-thinking.ts"
import { framed, readParts } from "./words.ts"

type Reader = (event: Wire) => Saying | undefined

/** Old events hold the call as Chat Completions says it, new ones flat. */
const readCall = (event: Wire, call: Wire): CallBlock => {
  const inner = call["function"]
  const target = isWire(inner) ? inner : call
  const value = target["arguments"]
  const id = textAt(event, "tool_call_id") ?? textAt(call, "id") ?? ""
  const name = textAt(target, "name") ?? textAt(event, "tool_name") ?? ""
  const read = typeof value === "string" ? readArgumentsText(value) : readArgumentsObject(value)
  return { type: "call", id, name, ...read, native: { [format]: event } }
}

const readAction: Reader = (event) => {
  const call = event["tool_call"]
  const native = { [format]: event }
  const blocks: Block[] = [...readThinking(event, event)]
  for (const block of readParts(event["thought"], native)) blocks.push({ ...block, native })
  blocks.push(readCall(event, isWire(call) ? call : { arguments: event["action"] }))
  const response = textAt(event, "llm_response_id")
  return { type: "calls", ...(response !== undefined && response !== "" && { response }), blocks }
}

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["user", "user"],
  ["assistant", "assistant"],
  ["system", "system"],
])

const readMessage: Reader = (event) => {
  const message = event["llm_message"]
  if (!isWire(message)) return undefined
  const native = { [format]: event }
  const role = roles.get(message["role"]) ?? (event["source"] === "agent" ? "assistant" : "user")
  const blocks: Block[] = role === "assistant" ? [...readThinking(message, event)] : []
  for (const block of readParts(message["content"], native)) blocks.push(block)
  for (const block of readParts(event["extended_content"], native)) blocks.push(block)
  const calls = message["tool_calls"]
  if (!Array.isArray(calls) || calls.length === 0) return { type: "message", role, blocks }
  for (const call of calls as readonly unknown[]) if (isWire(call)) blocks.push(readCall({}, call))
  return { type: "calls", blocks: blocks.map((block) => ({ ...block, native: { ...block.native, ...native } })) }
}

const readSystem: Reader = (event) => {
  const native = { [format]: event }
  const blocks = readParts(event["system_prompt"], native)
  return { type: "message", role: "system", blocks: readParts(event["dynamic_context"], native, blocks) }
}

const answer = (event: Wire, content: readonly ContentBlock[], more: Partial<ResultBlock>): Saying => {
  const name = textAt(event, "tool_name")
  const read = readResultContent(content, { errorMark: false })
  const callId = textAt(event, "tool_call_id") ?? ""
  const block: ResultBlock = {
    type: "result",
    callId,
    ...(name !== undefined && { name }),
    ...read,
    ...more,
    native: { [format]: event },
  }
  return { type: "result", block }
}

/** What the observation holds where none of the known fields has words: its fields, as JSON. */
const fieldsOf = (observation: Wire): readonly ContentBlock[] => {
  const { kind: _, ...fields } = observation
  for (const _field in fields) return [text(JSON.stringify(fields))]
  return []
}

const readObservation: Reader = (event) => {
  const native = { [format]: event }
  const observation = event["observation"]
  if (!isWire(observation)) return answer(event, readParts(observation, native), {})
  const { error } = observation
  const failed = error === true || (typeof error === "string" && error !== "") || observation["is_error"] === true
  const more: Partial<ResultBlock> = failed ? { error: true } : {}
  const words = observation["content"] ?? observation["output"] ?? observation["message"]
  const read = readParts(words, native)
  const content = read.length === 0 && typeof error === "string" ? readParts(error, native) : read
  const extended = readParts(event["extended_content"], native)
  if (words === undefined && content.length === 0) return answer(event, [...fieldsOf(observation), ...extended], more)
  return answer(event, [...framed(content, observation["metadata"]), ...extended], more)
}

/** Without the id of a call it is what the agent told its model in words. */
const readError: Reader = (event) => {
  const words = readParts(event["error"], { [format]: event })
  if (textAt(event, "tool_call_id") !== undefined) return answer(event, words, { error: true })
  return words.length === 0 ? undefined : { type: "message", role: "user", blocks: words }
}

const readReject: Reader = (event) => {
  const reason = textAt(event, "rejection_reason") ?? "User rejected the action"
  return answer(event, [text(`Action rejected: ${reason}`)], { error: true, denied: true })
}

const readCondensation: Reader = (event) => {
  const ids = event["forgotten_event_ids"]
  const summary = textAt(event, "summary")
  const offset = event["summary_offset"]
  return {
    type: "condensation",
    ids: Array.isArray(ids) ? (ids as readonly unknown[]) : [],
    ranges: [],
    ...(summary !== undefined && summary !== "" && { summary }),
    ...(typeof offset === "number" && offset >= 0 && { offset }),
  }
}

const readers: ReadonlyMap<unknown, Reader> = new Map<unknown, Reader>([
  ["SystemPromptEvent", readSystem],
  ["MessageEvent", readMessage],
  ["ActionEvent", readAction],
  ["NonExecutableActionEvent", readAction],
  ["ObservationEvent", readObservation],
  ["AgentErrorEvent", readError],
  ["UserRejectObservation", readReject],
  ["Condensation", readCondensation],
])

export const isKnownKind = (kind: unknown): boolean => readers.has(kind)

export const readEvent: Reader = (event) => readers.get(event["kind"])?.(event)
