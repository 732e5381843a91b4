/** What an event says now → the event. What can be said by changing a field changes that field alone. */
import { asWord, type Block, type CallBlock, isWire, mediaNote, type ResultBlock, resultText, type Wire } from "../../model/index.ts"
import { writeArgumentsText } from "../../formats/engine/wire.ts"
import { listOf, textAt, wireOf } from "../engine/fields.ts"
import { patch } from "../engine/patch.ts"
import type { RecordMessage, WritePlace } from "../engine/session-format.ts"
import { calledIn, responseMessage, textIn } from "./read-event.ts"

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
export const silenced = (event: Wire): Wire => {
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

export const writeEvent = (messages: readonly RecordMessage[], event: Wire | undefined, place: WritePlace): Wire => {
  const blocks = messages.flatMap((message) => message.blocks)
  const [first] = blocks
  if (first?.type === "result") return writeResult(first, event, place)
  const call = blocks.find((block) => block.type === "call")
  return call ? writeCall(call, joined(blocks), event) : writeMessage({ role: messages[0]?.role ?? "user", blocks }, event)
}
