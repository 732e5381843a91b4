/**
 * A whole message or item in the way of a neighbouring API where one of another stands: `{ role, parts }` or a
 * `function_call` item among chat messages, blocks in a message of items, `{ type: "ai" }` of a framework. Histories that
 * moved from one provider to another half-way look like this. Decoders ask here about what they cannot read themselves,
 * and report it; the blocks have no native value, so that every codec writes them in its own way.
 */
import { type Block, isWire, type Message, type Role, text, type Wire } from "../model/index.ts"
import { borrowedBlocks, readBorrowed } from "./borrowed.ts"
import { speakerOf } from "./role-alias.ts"

/** Elements that are one block, with nobody who says it: whose it is shows in its type. */
const lone: ReadonlyMap<unknown, Role> = new Map([
  ["function_call", "assistant"],
  ["custom_tool_call", "assistant"],
  ["tool_use", "assistant"],
  ["tool-call", "assistant"],
  ["function_call_output", "tool"],
  ["custom_tool_call_output", "tool"],
  ["tool_result", "tool"],
  ["tool-result", "tool"],
])

const readPart = (part: unknown): Block =>
  (isWire(part) ? readBorrowed(part) : undefined) ?? text(typeof part === "string" ? part : (JSON.stringify(part) ?? "null"))

const readAll = (content: unknown): readonly Block[] => {
  if (content === undefined || content === null || content === "") return []
  return (Array.isArray(content) ? content : [content]).map(readPart)
}

/** The message another API means by this; undefined where none of them would write it. */
export const borrowedMessage = (wire: unknown): Message | undefined => {
  if (!isWire(wire)) return undefined
  const owner = wire["role"] === undefined ? lone.get(wire["type"]) : undefined
  const block = owner && readBorrowed(wire)
  if (owner && block) return { role: owner, blocks: [block] }
  const role = speakerOf(wire)
  if (role === undefined) return undefined
  const blocks = borrowedBlocks(wire, readAll) ?? readAll(wire["content"] ?? wire["parts"] ?? wire["text"])
  const answers = blocks.length > 0 && blocks.every(({ type }) => type === "result")
  // A tool that answers nobody is nobody's message.
  if (role === "tool" && !answers) return undefined
  return { role: answers && role !== "assistant" ? "tool" : role, blocks }
}

/** Words or parts under another key than the usual one: a glance, for messages without content. */
export const saysElsewhere = (wire: Wire): boolean =>
  (wire["content"] === undefined || wire["content"] === null) && (wire["parts"] !== undefined || typeof wire["text"] === "string")

/** Whether a part is a call or a result as a neighbour writes it: a glance, for every part. */
export const isBorrowedPart = (part: unknown): boolean => {
  if (!isWire(part)) return false
  const { type } = part
  if (type === undefined) {
    const { functionCall, functionResponse, toolUse, toolResult } = part
    return isWire(functionCall ?? functionResponse ?? toolUse ?? toolResult)
  }
  return type === "tool_use" || type === "tool_result" || type === "tool-call" || type === "tool-result"
}
