/** A unit that is new or has changed → its event. What can be said by changing a field changes that field alone. */
import {
  asWord,
  type Block,
  type CallBlock,
  isWire,
  mediaNote,
  type ResultBlock,
  resultText,
  type Wire,
} from "../../model/index.ts"
import { writeArgumentsText } from "../../formats/engine/wire.ts"
import { textAt } from "../engine/fields.ts"
import type { Unit } from "../engine/rewrite-records.ts"
import { sameBlocks } from "../engine/same-blocks.ts"
import { calledIn, responseMessage } from "./read-action.ts"
import { readObservation } from "./read-observation.ts"

const wordsOf = (blocks: readonly Block[]): string => {
  const words: string[] = []
  for (const block of blocks) {
    if (block.type === "text" || (block.type === "opaque" && block.text !== "")) words.push(block.text)
    else if (block.type === "media") words.push(mediaNote(block))
  }
  return words.join("\n")
}

const withNames = (metadata: unknown, { callId, name }: ResultBlock): Wire => ({
  ...(isWire(metadata) && metadata),
  ...(textAt(metadata, "function_name") !== undefined && name !== undefined && { function_name: name }),
  tool_call_id: callId,
})

/**
 * The call and the words before it stand in the response that they came from; each event has a copy of its own. Words of
 * the further calls of a response are not read: there, none is as good as any.
 */
const inResponse = (response: unknown, before: unknown, call: CallBlock, words: string): unknown => {
  const choices = isWire(response) ? response["choices"] : undefined
  if (!isWire(response) || !Array.isArray(choices)) return response
  const [first, ...rest] = choices as readonly unknown[]
  const message = isWire(first) ? first["message"] : undefined
  const entries = isWire(message) ? message["tool_calls"] : undefined
  if (!isWire(first) || !isWire(message) || !Array.isArray(entries)) return response
  const changed = (entries as readonly unknown[]).map((entry) => {
    if (!isWire(entry) || entry["id"] !== before) return entry
    const said = { name: call.name, arguments: writeArgumentsText(call) }
    return { ...entry, id: call.id, function: { ...(isWire(entry["function"]) && entry["function"]), ...said } }
  })
  const content = words === "" ? null : words
  return { ...response, choices: [{ ...first, message: { ...message, content, tool_calls: changed } }, ...rest] }
}

const writeCall = (call: CallBlock, words: string, event: Wire | undefined): Wire => {
  const metadata = event?.["tool_call_metadata"]
  if (event && isWire(metadata)) {
    const { tool_call_id: before, model_response: response } = metadata
    const named = { ...metadata, tool_call_id: call.id, function_name: call.name }
    const message = isWire(response) ? responseMessage(response) : undefined
    // A response that does not tell of the call leaves its arguments to the action, and its words where it is none.
    const args = {
      ...(calledIn(message, typeof before === "string" ? before : "") ? event["args"] as Wire : call.arguments),
      ...(!message && words !== "" && { thought: words }),
    }
    const told = "model_response" in metadata && { model_response: inResponse(response, before, call, words) }
    return { ...event, args, tool_call_metadata: { ...named, ...told } }
  }
  const args = { ...call.arguments, ...(words !== "" && { thought: words }) }
  const named = { function_name: call.name, tool_call_id: call.id, total_calls_in_response: 1 }
  return { source: "agent", action: call.name, ...event, args, tool_call_metadata: named }
}

const sameContent = (result: ResultBlock, event: Wire): boolean => {
  const said = readObservation(event, new Set([event["cause"]]))
  return said?.type === "result" && sameBlocks(said.block.content, result.content) && said.block.error === result.error
}

/** `causes`: the event of each call, by the call's id. */
const writeResult = (result: ResultBlock, event: Wire | undefined, causes: ReadonlyMap<string, Wire>): Wire => {
  const { callId } = result
  const cause = causes.get(callId)
  const caused = cause?.["id"]
  const metadata = event?.["tool_call_metadata"] ?? cause?.["tool_call_metadata"]
  const isNamed = isWire(metadata) || callId !== `event_${asWord(caused)}`
  const link = isNamed ? { tool_call_metadata: withNames(metadata, result) } : {}
  if (event && sameContent(result, event)) {
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

const writeMessage = ({ role, blocks }: Unit, event: Wire | undefined): Wire => {
  const { id, timestamp } = event ?? {}
  const content = wordsOf(blocks)
  const previous = event?.["args"]
  const keeps = isWire(previous) && (event?.["action"] === "message" || event?.["action"] === "system")
  return {
    ...(id !== undefined && { id }),
    ...(timestamp !== undefined && { timestamp }),
    ...(keeps && event),
    source: role === "assistant" ? "agent" : "user",
    action: role === "system" ? "system" : "message",
    args: keeps ? { ...previous, content } : { content },
  }
}

export const writeEvent = (unit: Unit, event: Wire | undefined, causes: ReadonlyMap<string, Wire>): Wire => {
  const [first] = unit.blocks
  if (first?.type === "result") return writeResult(first, event, causes)
  const call = unit.blocks.find((block): block is CallBlock => block.type === "call")
  return call ? writeCall(call, wordsOf(unit.blocks), event) : writeMessage(unit, event)
}
