/** Conversation → the simulation it came from; messages that nobody touched are the very same objects. */
import {
  type Block,
  type CallBlock,
  type Conversation,
  flatten,
  isWire,
  mediaNote,
  type ResultBlock,
  resultText,
  type Wire,
} from "../../model/index.ts"
import type { EncodeOptions } from "../../formats/engine/codec.ts"
import { rewriteRecords, type Unit, unitsOf } from "../engine/rewrite-records.ts"
import { decode, format } from "./decode.ts"
import { messagesOf, simulationOf } from "./simulation.ts"

const wordsOf = (blocks: readonly Block[]): string => {
  const words: string[] = []
  for (const block of blocks) {
    if (block.type === "text" || (block.type === "opaque" && block.text !== "")) words.push(block.text)
    else if (block.type === "media") words.push(mediaNote(block))
  }
  return words.join("\n")
}

const writeCall = (call: CallBlock): Wire => {
  const { id, name } = call
  const native = call.native?.[format]
  return { ...(isWire(native) && native), id, name, arguments: call.arguments, requestor: "assistant" }
}

const writeResult = (result: ResultBlock, previous: Wire): Wire => ({
  ...previous,
  id: result.callId,
  role: "tool",
  content: resultText(result),
  requestor: "assistant",
  error: result.error === true,
})

const write = (unit: Unit, record: unknown): Wire => {
  const previous = isWire(record) ? record : {}
  const [first] = unit.blocks
  if (first?.type === "result") return writeResult(first, previous)
  const words = wordsOf(unit.blocks)
  const calls = unit.blocks.filter((block): block is CallBlock => block.type === "call")
  if (previous["role"] === "tool") return { role: unit.role, content: words, tool_calls: null }
  return {
    ...previous,
    role: unit.role,
    content: words === "" && calls.length > 0 ? null : words,
    tool_calls: calls.length === 0 ? null : calls.map(writeCall),
  }
}

export const encode = (conversation: Conversation, _options: EncodeOptions = {}): Wire => {
  const simulation = simulationOf(conversation.native?.[format])
  const records = messagesOf(simulation)
  const before = unitsOf(decode(simulation).messages, format)
  const after = unitsOf(flatten(conversation).messages, format)
  const messages = rewriteRecords({ records, before, after, write })
  return messages === simulation["messages"] || messages === records ? simulation : { ...simulation, messages }
}
