/**
 * Parts and messages in the way of a neighbouring API: a `tool_use` among the parts of a chat message, a `tool` message
 * among blocks, an `image_url` in a result, … Gateways, frameworks and half-finished conversions leave such mixtures. No
 * server takes them and nobody misreads them, so decoders ask here about what they do not know themselves, and report it.
 *
 * The blocks have no native value: every codec writes them in its own way. What a reader here did not take over from the
 * part stays with the block under `leftover`, for the report.
 */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  type MediaBlock,
  type Message,
  type ResultBlock,
  text,
  type Wire,
} from "../../model/index.ts"
import { callFrom, heldToolKind, isMisnamed, type OwnNames, resultFrom, resultWithin, toolKindOf } from "./borrowed-tools.ts"
import { kindOfMediaType, readUrl } from "./media.ts"
import { leftover, unreadOf } from "./unread.ts"
import { idText, speakerOf } from "./wire.ts"

/** A text as it is, any other value as JSON. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "null"))

const isContent = (block: Block | undefined): block is ContentBlock => block?.type === "text" || block?.type === "media"

/** A call, a result or a thought inside of a result is what a tool printed: it is said in words. */
const readSaidPart = (part: unknown): ContentBlock => {
  const block = isWire(part) && toolKindOf(part) === undefined ? readOther(part) : undefined
  if (isContent(block)) return block
  return text(isWire(part) && "json" in part ? textOf(part["json"]) : textOf(part))
}

/** What a result says: text, parts, or `{ type, value }` around either. */
const readSaid = (content: unknown): readonly ContentBlock[] => {
  if (content === undefined || content === null || content === "") return []
  if (Array.isArray(content)) return content.map(readSaidPart)
  if (isWire(content) && typeof content["type"] === "string" && "value" in content) return readSaid(content["value"])
  return [text(textOf(content))]
}

const fromUrl = (holder: unknown, kind: "image" | "document" = "image"): MediaBlock | undefined => {
  const url = isWire(holder) ? holder["url"] : holder
  return typeof url === "string" ? { type: "media", kind, ...readUrl(url) } : undefined
}

const fromBytes = (data: unknown, mediaType: unknown, kind?: "image" | "document"): MediaBlock | undefined => {
  if (typeof data !== "string") return undefined
  const known = typeof mediaType === "string" ? mediaType : undefined
  const described = kind ?? (known === undefined ? "file" : kindOfMediaType(known))
  return { type: "media", kind: described, ...(known !== undefined && { mediaType: known }), source: { type: "base64", data } }
}

const fromSource = (wire: Wire, kind: "image" | "document"): MediaBlock | undefined => {
  const { source } = wire
  if (!isWire(source)) return undefined
  if (source["type"] === "url") return fromUrl(source, kind)
  return fromBytes(source["data"], source["media_type"], kind)
}

type Reader = (wire: Wire) => Block | undefined

/** Tracing standards name the text of a part as others name that of a message. */
const readText: Reader = ({ text: said, content }) => {
  if (typeof said === "string") return text(said)
  return said === undefined && typeof content === "string" ? text(content) : undefined
}

const readThinking: Reader = ({ thinking, reasoning, text: said, content }) => {
  const words = [thinking, reasoning, said, content].find((value) => typeof value === "string" && value !== "")
  return typeof words === "string" ? { type: "thinking", text: words } : undefined
}

const byType: ReadonlyMap<unknown, Reader> = new Map<unknown, Reader>([
  ["text", readText],
  ["input_text", readText],
  ["output_text", readText],
  ["thinking", readThinking],
  ["reasoning", readThinking],
  ["image", (wire) => fromSource(wire, "image") ?? fromUrl(wire["image"])],
  ["document", (wire) => fromSource(wire, "document")],
  ["image_url", (wire) => fromUrl(wire["image_url"])],
  ["input_image", (wire) => fromUrl(wire["image_url"])],
  // Bytes of which nobody says what they are mean nothing to a model.
  ["blob", ({ content, mime_type: type }) => (typeof type === "string" && content !== "" ? fromBytes(content, type) : undefined)],
])

/** A part that is neither a call nor a result. */
const readOther: Reader = (wire) => {
  const { type, inlineData } = wire
  if (typeof type === "string") return byType.get(type)?.(wire)
  return isWire(inlineData) ? fromBytes(inlineData["data"], inlineData["mimeType"]) : readText(wire)
}

const readTool = (wire: Wire): readonly Block[] | undefined => {
  const typed = typeof wire["type"] === "string"
  const answers = !typed && wire["role"] === undefined && idText(wire["tool_call_id"]) !== ""
  const kind = typed ? toolKindOf(wire) : answers ? "result" : heldToolKind(wire)
  if (kind === undefined) return undefined
  if (kind === "result") return [resultFrom(wire, readSaid)]
  const result = resultWithin(wire, readSaid)
  return result ? [callFrom(wire), result] : [callFrom(wire)]
}

/** The last of the blocks with what they leave unsaid of the wire value they were read from. */
const withLeftover = (blocks: readonly Block[], wire: unknown): readonly Block[] => {
  const unread = unreadOf(wire, blocks)
  const last = blocks.at(-1)
  if (!unread || !last) return blocks
  return [...blocks.slice(0, -1), { ...last, native: { ...last.native, [leftover]: unread } }]
}

/** The blocks another API means by this part: a call may bring its result along. Undefined where none would write it. */
export const readBorrowed = (wire: Wire): readonly Block[] | undefined => {
  const tools = readTool(wire)
  if (tools) return withLeftover(tools, wire)
  const block = readOther(wire)
  return block && withLeftover([block], wire)
}

/** The call in a value of a format that names the fields of it as another one does. `held`: the object with the fields. */
export const misnamedCall = (held: Wire, own: OwnNames, wire = held): CallBlock | undefined =>
  isMisnamed(held, "call", own) ? (withLeftover([callFrom(held)], wire)[0] as CallBlock) : undefined

export const misnamedResult = (held: Wire, own: OwnNames, wire = held): ResultBlock | undefined =>
  isMisnamed(held, "result", own) ? (withLeftover([resultFrom(held, readSaid)], wire)[0] as ResultBlock) : undefined

/** What a call brought, where a writer kept it in the call itself: a result that is in the wrong place. */
export const resultInCall = (wire: unknown): ResultBlock | undefined => {
  // Asked of every call, hence a glance first.
  if (!isWire(wire) || (wire["result"] ?? wire["output"] ?? null) === null || !(wire["function"] ?? wire["name"])) return undefined
  // Its call is next to it, with or without an id.
  return resultWithin(wire, readSaid, false)
}

/**
 * The blocks of a message that says its calls, or the call it answers, beside its content, as chat messages do.
 * Undefined where it does not.
 */
export const borrowedBlocks = (wire: Wire, read: (content: unknown) => readonly Block[]): readonly Block[] | undefined => {
  const { tool_calls: calls, tool_call_id: callId, role } = wire
  // Asked of every message in formats that have no such fields, hence a glance first.
  if (calls === undefined && callId === undefined && wire["invalid_tool_calls"] === undefined) return undefined
  if (idText(callId) !== "" && role !== "assistant") return withLeftover([resultFrom(wire, readSaid)], wire)
  // A framework keeps calls whose arguments it could not parse in a list of their own.
  const invalid = wire["invalid_tool_calls"]
  const all = [calls, invalid].flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []))
  if (all.length === 0) return undefined
  const readCall = (each: unknown): readonly Block[] => (isWire(each) ? readBorrowed(each) : undefined) ?? [text(textOf(each))]
  return withLeftover([...read(wire["content"]), ...all.flatMap(readCall)], wire)
}

// A whole message or item in the way of a neighbouring API where one of another is: `{ role, parts }` or a `function_call` item among chat
// messages, blocks in a message of items, `{ type: "ai" }` of a framework. Histories that moved from one provider to another half-way look like this.
// Decoders ask here about what they cannot read themselves, and report it; the blocks have no native value, so that every codec writes them in its
// own way.

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
