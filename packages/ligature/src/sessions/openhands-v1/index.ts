/**
 * OpenHands since its SDK (2025): a conversation is a log of events, one file each, here joined as lines. Calls of one
 * response are events of their own and belong to one message; results may come between them, since tools start as soon as
 * their call is there.
 *
 * A condensation hides earlier events from the model. The default view is every event in the order of the log, with the
 * summary of a condensation where the condensation is; `effective` leaves out what is hidden.
 */
import { isWire, type Block, type CallBlock, type ResultBlock, resultText, type Wire } from "../../model/index.ts"
import { type Capabilities, sameElements } from "../../formats/engine/codec.ts"
import { openaiChat } from "../../formats/openai-chat/index.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, textAt, nativeIn, wireOf } from "../engine/fields.ts"
import { condensationOf, withoutHidden, writeParts } from "./events.ts"
import { format, isKnownKind, readEvent } from "./read-event.ts"
import { anthropic } from "../../formats/anthropic/index.ts"
import { writeArgumentsText } from "../../formats/engine/wire.ts"
import { deriveUuid } from "../engine/derived-id.ts"
import { patch } from "../engine/patch.ts"
import type { RecordMessage, WritePlace } from "../engine/session-format.ts"

// What an event says now → the event. What can be said by changing a field changes that field alone.

const isThinking = ({ type }: Block): boolean => type === "thinking"

const isContent = ({ type }: Block): boolean => type !== "thinking" && type !== "call"

/** Whether these blocks of a record are the ones that were read from it. */
const areSame = (blocks: readonly Block[], { before }: WritePlace, isMeant: (block: Block) => boolean): boolean =>
  sameElements(blocks.filter(isMeant), before.flatMap((message) => message.blocks).filter(isMeant))

const headOf = (kind: string, event: Wire | undefined, place: WritePlace): Wire => ({
  kind,
  id: textAt(event, "id") ?? place.id,
  timestamp: textAt(event, "timestamp") ?? place.time,
})

/**
 * The fields of the thinking, where it changed. Signed blocks stay blocks; other text is what providers without signatures
 * return.
 */
const thinkingFields = (blocks: readonly Block[], holder: Wire, place: WritePlace): Wire => {
  if (areSame(blocks, place, isThinking)) return {}
  const now = blocks.filter((block) => block.type === "thinking")
  const signed = now.flatMap((block) => block.native?.[anthropic.format] ?? [])
  const plain = now.filter((block) => block.native?.[anthropic.format] === undefined).map(({ text }) => text)
  return {
    thinking_blocks: signed,
    reasoning_content: signed.length > 0 || plain.length === 0 ? null : plain.join("\n"),
    ...("responses_reasoning_item" in holder && { responses_reasoning_item: null }),
  }
}

/** In an event that already has the call: in the shape that it has there. */
const writeCall = (call: CallBlock, like: Wire | undefined): Wire => {
  const { id, name } = call
  const said = { name, arguments: writeArgumentsText(call) }
  if (!like) return { id, ...said, origin: "completion" }
  return isWire(like["function"]) ? patch(like, { id, function: patch(like["function"], said) }) : patch(like, { id, ...said })
}

const writeAction = (call: CallBlock, blocks: readonly Block[], event: Wire | undefined, place: WritePlace): Wire => {
  const { id, name } = call
  const isAction = event?.["kind"] === "ActionEvent" || event?.["kind"] === "NonExecutableActionEvent"
  const previous = event?.["tool_call"]
  const fields = {
    ...thinkingFields(blocks, event ?? {}, place),
    thought: isAction && areSame(blocks, place, isContent) ? event["thought"] : writeParts(blocks.filter(isContent)),
    tool_name: name,
    tool_call_id: id,
    tool_call: writeCall(call, isWire(previous) ? previous : undefined),
  }
  if (isAction) return patch(event, fields)
  return {
    ...headOf("ActionEvent", event, place),
    source: "agent",
    action: null,
    ...fields,
    llm_response_id: deriveUuid(format, "response", id),
  }
}

const writeResult = (result: ResultBlock, event: Wire | undefined, place: WritePlace): Wire => {
  const { callId, name, error } = result
  const was = place.before[0]?.blocks[0]
  const before = textAt(event, "tool_name")
  const ids = { tool_call_id: callId, ...(before !== undefined && name !== undefined && { tool_name: name }) }
  if (was?.type === "result" && was.content === result.content && was.error === error) return patch(event, ids)
  if (event?.["kind"] === "ObservationEvent") {
    const { kind } = wireOf(event["observation"])
    const observation = { kind, content: writeParts(result.content), is_error: error === true }
    return patch(event, { ...ids, observation, ...("extended_content" in event && { extended_content: [] }) })
  }
  const head = headOf("AgentErrorEvent", event, place)
  return { ...head, source: "agent", tool_name: name ?? before ?? "", tool_call_id: callId, error: resultText(result) }
}

const writeSystem = (content: readonly Wire[], event: Wire): Wire => {
  const [first = { type: "text", text: "" }, ...rest] = content
  const { dynamic_context: context } = event
  if (context === undefined || context === null) return patch(event, { system_prompt: rest.length > 0 ? content : first })
  return patch(event, { system_prompt: first, dynamic_context: rest.length > 1 ? rest : (rest[0] ?? null) })
}

const writeMessage = ({ role, blocks }: RecordMessage, event: Wire | undefined, place: WritePlace): Wire => {
  const content = writeParts(blocks)
  if (role === "system" && event?.["kind"] === "SystemPromptEvent") return writeSystem(content, event)
  const inner = event?.["llm_message"]
  const calls = blocks.flatMap((block) => (block.type === "call" ? [writeCall(block, nativeIn(block, format))] : []))
  const message = patch(wireOf(inner), {
    role,
    content,
    ...(role === "assistant" && thinkingFields(blocks, wireOf(inner), place)),
    ...((calls.length > 0 || (isWire(inner) && "tool_calls" in inner)) && { tool_calls: calls }),
  })
  if (event && isWire(inner)) return patch(event, { llm_message: message, extended_content: [] })
  return { ...headOf("MessageEvent", event, place), source: role === "assistant" ? "agent" : "user", llm_message: message }
}

const writeEvent = (messages: readonly RecordMessage[], event: Wire | undefined, place: WritePlace): Wire => {
  const blocks = messages.flatMap((message) => message.blocks)
  const [first] = blocks
  if (first?.type === "result") return writeResult(first, event, place)
  if (event?.["kind"] === "Condensation")
    return patch(event, {
      summary: writeParts(blocks)
        .map(({ text }) => text)
        .join("\n"),
    })
  const calls = blocks.filter((block) => block.type === "call")
  const [call] = calls
  const isMessage = isWire(event?.["llm_message"]) || calls.length > 1
  return call && !isMessage
    ? writeAction(call, blocks, event, place)
    : writeMessage({ role: messages[0]?.role ?? "user", blocks }, event, place)
}

/** Chat Completions, with fields for errors and refusals of results, and Anthropic's thinking. */
export const capabilities: Capabilities = {
  homes: {
    ...openaiChat.capabilities.homes,
    "result-error": "native",
    "result-image": "native",
    "empty-result": "native",
    thinking: "native",
    "thinking-signature": "native",
    "redacted-thinking": "native",
    "call-grouping": "native",
    "result-tool-name": "native",
    "compaction-marks": "native",
  },
}

/** The kind alone is no mark: every event also says who sent it and when. */
const isEvent = (record: unknown): boolean =>
  isWire(record) && isKnownKind(record["kind"]) && ["id", "timestamp", "source"].every((key) => typeof record[key] === "string")

export const openhandsV1 = defineSession({
  format,
  title: "OpenHands conversation",
  agent: "OpenHands",
  sources: "OpenHands/software-agent-sdk openhands-sdk/openhands/sdk/event; conversations in OpenHands/benchmarks (2026)",
  noun: "events",
  aliases: ["openhands", "openhands-sdk"],
  capabilities,
  layout: "lines",
  view: "whole",
  records: (value) => (Array.isArray(value) ? value : isWire(value) ? listOf(value["records"] ?? value["events"]) : []),
  wrap: (value, records) => (isWire(value) && value["records"] === records ? value : { records }),
  read: readEvent,
  effective: (path) => withoutHidden(path, (record) => (record["kind"] === "Condensation" ? condensationOf(record) : undefined)),
  write: writeEvent,
  facts: (record) => ({ startedAt: textAt(record, "timestamp") }),
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "its records are events with a kind such as ActionEvent and a source",
      isOn: (value) => (Array.isArray(value) ? value : [value]).slice(0, 16).some(isEvent),
    },
  ],
})
