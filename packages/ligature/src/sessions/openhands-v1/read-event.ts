/** One event → what it says. One reader per kind. */
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
  type ThinkingBlock,
  type Wire,
} from "../../model/index.ts"
import { anthropic } from "../../formats/anthropic/index.ts"
import { isSignature } from "../../formats/anthropic/decode.ts"
import { listOf, stringOf, textAt, textOf } from "../engine/fields.ts"
import type { RecordReading } from "../engine/session-format.ts"
import { commandText, condensationOf, readCondensation, readParts } from "./events.ts"

export const format = "openhands-v1"

/** Undefined: the event does not have the shape of its kind. */
type Reader = (event: Wire) => RecordReading | undefined

/** The block is of Anthropic's own format, so that it may be replayed there. */
const readThinkingBlock = (wire: unknown, event: Wire): readonly ThinkingBlock[] => {
  if (!isWire(wire)) return []
  const native = { [anthropic.format]: wire, [format]: event }
  const { type, data, signature, thinking } = wire
  if (type === "redacted_thinking") return [{ type: "thinking", text: "", signature: stringOf(data), redacted: true, native }]
  if (type !== "thinking") return []
  const seal = textOf(signature)
  return [{ type: "thinking", text: stringOf(thinking), ...(isSignature(seal) ? { signature: seal } : { unsigned: true }), native }]
}

/** An item of the Responses API, as far as it is text. */
const summaryOf = (item: unknown): string | undefined => {
  const parts = listOf(isWire(item) ? item["summary"] : undefined).filter((part) => typeof part === "string")
  return parts.length === 0 ? undefined : parts.join("\n")
}

/** `holder` is the action event, or the message inside a message event. */
const readThinking = (holder: Wire, event: Wire): readonly ThinkingBlock[] => {
  const blocks = listOf(holder["thinking_blocks"]).flatMap((wire) => readThinkingBlock(wire, event))
  if (blocks.length > 0) return blocks
  const said = textOf(holder["reasoning_content"]) ?? summaryOf(holder["responses_reasoning_item"])
  return said === undefined ? [] : [{ type: "thinking", text: said, native: { [format]: event } }]
}

/** Old events hold the call as Chat Completions has it, new ones flat. */
const readCall = (event: Wire, call: Wire): Omit<CallBlock, "native"> => {
  const target = isWire(call["function"]) ? call["function"] : call
  const { arguments: value } = target
  const id = textAt(event, "tool_call_id") ?? textAt(call, "id") ?? ""
  const name = textAt(target, "name") ?? textAt(event, "tool_name") ?? ""
  return { type: "call", id, name, ...(typeof value === "string" ? readArgumentsText(value) : readArgumentsObject(value)) }
}

const readAction: Reader = (event) => {
  const { tool_call: call, action, thought } = event
  const native = { [format]: event }
  const blocks: readonly Block[] = [
    ...readThinking(event, event),
    ...readParts(thought, native).map((block) => ({ ...block, native })),
    { ...readCall(event, isWire(call) ? call : { arguments: action }), native },
  ]
  const response = textOf(event["llm_response_id"])
  return { messages: [{ role: "assistant", blocks }], ...(response !== undefined && { response }) }
}

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["user", "user"],
  ["assistant", "assistant"],
  ["system", "system"],
])

const readMessage: Reader = (event) => {
  const { llm_message: message, source, extended_content: more } = event
  if (!isWire(message)) return undefined
  const native = { [format]: event }
  const calls = listOf(message["tool_calls"])
  const { role: said } = message
  // Calls beside it do not make a message the assistant's: whoever said it does.
  const role = roles.get(said) ?? (said === undefined && source === "agent" ? "assistant" : "user")
  const blocks: readonly Block[] = [
    ...(role === "assistant" ? readThinking(message, event) : []),
    ...readParts(message["content"], native),
    ...readParts(more, native),
    ...calls.flatMap((call) => (isWire(call) ? [{ ...readCall({}, call), native: { [format]: call } }] : [])),
  ]
  return { messages: [{ role, blocks }] }
}

const readSystem: Reader = (event) => {
  const native = { [format]: event }
  const blocks = [...readParts(event["system_prompt"], native), ...readParts(event["dynamic_context"], native)]
  return { messages: [{ role: "system", blocks }] }
}

const answer = (event: Wire, content: readonly ContentBlock[], more: Partial<ResultBlock>): RecordReading => {
  const name = textAt(event, "tool_name")
  const block: ResultBlock = {
    type: "result",
    callId: stringOf(event["tool_call_id"]),
    ...(name !== undefined && { name }),
    ...readResultContent(content, { errorMark: false }),
    ...more,
    native: { [format]: event },
  }
  return { messages: [{ role: "tool", blocks: [block] }] }
}

/** The first text framed as the output of a command; one is made where there is none. */
const framed = (blocks: readonly ContentBlock[], metadata: unknown): readonly ContentBlock[] => {
  if (!isWire(metadata)) return blocks
  const [first, ...rest] = blocks
  if (first?.type === "text") return [{ ...first, text: commandText(first.text, metadata) }, ...rest]
  const frame = commandText("", metadata)
  return frame === "" ? blocks : [text(frame), ...blocks]
}

/** What the observation holds where none of the known fields has text: its fields, as JSON. */
const fieldsOf = (observation: Wire): readonly ContentBlock[] => {
  const { kind: _, ...fields } = observation
  return Object.keys(fields).length === 0 ? [] : [text(JSON.stringify(fields))]
}

const readObservation: Reader = (event) => {
  const native = { [format]: event }
  const { observation } = event
  if (!isWire(observation)) return answer(event, readParts(observation, native), {})
  const { error, is_error: isError, metadata } = observation
  const failed = error === true || textOf(error) !== undefined || isError === true
  const said = observation["content"] ?? observation["output"] ?? observation["message"]
  const read = readParts(said, native)
  const content = read.length === 0 && typeof error === "string" ? readParts(error, native) : read
  const shown = said === undefined && content.length === 0 ? fieldsOf(observation) : framed(content, metadata)
  return answer(event, [...shown, ...readParts(event["extended_content"], native)], failed ? { error: true } : {})
}

/** Without the id of a call it is what the agent told its model as text. */
const readError: Reader = (event) => {
  const blocks = readParts(event["error"], { [format]: event })
  if (textAt(event, "tool_call_id") !== undefined) return answer(event, blocks, { error: true })
  return blocks.length === 0 ? undefined : { messages: [{ role: "user", blocks }] }
}

const readRejection: Reader = (event) => {
  const reason = textAt(event, "rejection_reason") ?? "User rejected the action"
  return answer(event, [text(`Action rejected: ${reason}`)], { error: true, denied: true })
}

/** Kinds that say nothing to the model. */
const silentKinds = [
  "CondensationRequest",
  "ConversationErrorEvent",
  "ConversationStateUpdateEvent",
  "HookExecutionEvent",
  "LLMCompletionLogEvent",
  "PauseEvent",
  "StreamingDeltaEvent",
  "SystemPromptUpdateEvent",
  "TokenEvent",
]

const readers: ReadonlyMap<unknown, Reader> = new Map<unknown, Reader>([
  ["SystemPromptEvent", readSystem],
  ["MessageEvent", readMessage],
  ["ActionEvent", readAction],
  ["NonExecutableActionEvent", readAction],
  ["ObservationEvent", readObservation],
  ["AgentErrorEvent", readError],
  ["UserRejectObservation", readRejection],
  ["Condensation", (event) => readCondensation(condensationOf(event))],
  ...silentKinds.map((kind): [unknown, Reader] => [kind, () => ({})]),
])

export const isKnownKind = (kind: unknown): boolean => readers.has(kind)

export const readEvent = (event: Wire): RecordReading => {
  const { kind } = event
  const reader = readers.get(kind)
  if (!reader) return { unknownType: kind }
  return reader(event) ?? { findings: [{ kind: "malformed-record", what: `Expected the fields of a ${String(kind)}` }] }
}
