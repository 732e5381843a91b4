/**
 * A whole message or item in the way of a neighbouring API where one of another stands: `{ role, parts }` or a
 * `function_call` item among chat messages, blocks in a message of items, `{ type: "ai" }` of a framework. Histories that
 * moved from one provider to another half-way look like this. Decoders ask here about what they cannot read themselves,
 * and report it; the blocks have no native value, so that every codec writes them in its own way.
 */
import { type Block, isWire, type Message, text, type Wire } from "../../model/index.ts"
import { borrowedBlocks, readBorrowed, withLeftover } from "./borrowed.ts"
import { heldToolKind, toolKindOf } from "./borrowed-tools.ts"
import { speakerOf } from "./role-alias.ts"

const readPart = (part: unknown): readonly Block[] =>
  (isWire(part) ? readBorrowed(part) : undefined) ?? [text(typeof part === "string" ? part : (JSON.stringify(part) ?? "null"))]

const readAll = (content: unknown): readonly Block[] => {
  if (content === undefined || content === null || content === "") return []
  return (Array.isArray(content) ? content : [content]).flatMap(readPart)
}

/** The message another API means by this; undefined where none of them would write it. */
export const borrowedMessage = (wire: unknown): Message | undefined => {
  if (!isWire(wire)) return undefined
  // An element that is one block, with nobody who says it: whose it is shows in its type.
  const kind = wire["role"] === undefined ? toolKindOf(wire) : undefined
  const lone = kind && readBorrowed(wire)
  if (lone) return { role: kind === "call" ? "assistant" : "tool", blocks: lone }
  const role = speakerOf(wire)
  if (role === undefined) return undefined
  const said = wire["content"] ?? wire["parts"] ?? wire["text"]
  const blocks = borrowedBlocks(wire, readAll) ?? withLeftover(readAll(said), wire)
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
  if (type === "output_text" || type === "input_text") return false
  return (type === undefined ? heldToolKind(part) : toolKindOf(part)) !== undefined
}
