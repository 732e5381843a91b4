/**
 * Conversation → AI SDK ModelMessage[]. Results go back into the tool messages that carried them, with the approvals
 * that was beside them; results of another format share one tool message per exchange.
 */
import {
  type AssistantBlock,
  type AssistantMessage,
  callsOf,
  type Conversation,
  type Exchange,
  isWire,
  type SystemMessage,
  type UserMessage,
  type Wire,
} from "../../model/index.ts"
import { mapList, omitFields, pickFields, storageFields } from "../engine/allow-list.ts"
import { type EncodeOptions, sameElements } from "../engine/codec.ts"
import { asWire } from "../engine/wire.ts"
import { format, nativeOf } from "./read-blocks.ts"
import { writeAssistantPart, writeResult, writeUserPart } from "./write-blocks.ts"

// Fields the SDK knows, per part type: its schemas drop or reject others. Clean values are returned untouched.

const set = (...fields: readonly string[]): readonly string[] => ["type", "providerOptions", ...fields]

const partFields: Readonly<Record<string, readonly string[]>> = {
  text: set("text"),
  image: set("image", "mediaType", "mimeType"),
  file: set("data", "filename", "mediaType", "mimeType"),
  reasoning: set("text", "signature"),
  "redacted-reasoning": set("data"),
  "tool-call": set("toolCallId", "toolName", "input", "args", "providerExecuted"),
  "tool-result": set("toolCallId", "toolName", "output", "result", "isError"),
  "tool-approval-request": set("approvalId", "toolCallId"),
  "tool-approval-response": set("approvalId", "approved", "reason", "providerExecuted"),
}

const messageFields: readonly string[] = ["role", "content", "providerOptions"]

const part = (wire: unknown): unknown => {
  if (!isWire(wire) || typeof wire["type"] !== "string") return wire
  const fields = Object.hasOwn(partFields, wire["type"]) ? partFields[wire["type"]] : undefined
  return fields ? pickFields(wire, fields) : wire
}

const allowed = {
  message: (wire: Wire): Wire => mapList(pickFields(wire, messageFields), "content", part),
  body: (wire: Wire): Wire => omitFields(wire, storageFields),
}

/**
 * The message these parts came from where they are the same, a string where the content was or may be one. A system message is
 * a string, unless it has a part that is no text: that one would be lost in a string.
 */
const withContent = (role: string, wire: Wire | undefined, parts: readonly Wire[]): Wire => {
  const previous = wire?.["content"]
  if (wire && sameElements(parts, previous)) return wire
  const [first] = parts
  const plain = parts.length === 1 && first?.["type"] === "text" && Object.keys(first).length === 2
  const single = plain && (typeof previous === "string" || (wire === undefined && role !== "tool"))
  const joined = role === "system" && parts.every((part) => part["type"] === "text")
  if (!single && !joined) return { ...wire, role, content: parts }
  const content = parts.map((part) => part["text"]).join("\n\n")
  return wire && content === previous ? wire : { ...wire, role, content }
}

const writeClientMessage = (message: SystemMessage | UserMessage): readonly Wire[] => {
  const native = nativeOf(message)
  const [first] = message.blocks
  if (first?.type === "opaque" && first.kind === "tool-approval-response" && nativeOf(first)) {
    return [withContent("tool", asWire(native), message.blocks.flatMap(writeUserPart))]
  }
  const wire = isWire(native) && "content" in native ? native : undefined
  const parts = message.blocks.flatMap(writeUserPart)
  return parts.length === 0 ? [] : [withContent(message.role, wire, parts)]
}

const isRequest = (block: AssistantBlock): boolean =>
  block.type === "opaque" && block.kind === "tool-approval-request" && nativeOf(block) !== undefined

/** An approval request follows its call: to its new id, or away with it. */
const writeRequest = (wire: Wire, ids: ReadonlyMap<unknown, string | undefined>): readonly Wire[] => {
  if (!ids.has(wire["toolCallId"])) return [wire]
  const id = ids.get(wire["toolCallId"])
  if (id === undefined) return []
  return [id === wire["toolCallId"] ? wire : { ...wire, toolCallId: id }]
}

/** The ids of calls as they came, and as they are: none for a call that was left out. Empty where nobody asks. */
const callIds = (message: AssistantMessage, wire: Wire | undefined): ReadonlyMap<unknown, string | undefined> => {
  const ids = new Map<unknown, string | undefined>()
  if (!message.blocks.some(isRequest)) return ids
  const content = wire?.["content"]
  for (const part of Array.isArray(content) ? (content as readonly unknown[]) : []) {
    if (isWire(part) && part["type"] === "tool-call") ids.set(part["toolCallId"], undefined)
  }
  for (const block of message.blocks) {
    const part = nativeOf(block)
    if (block.type === "call" && isWire(part)) ids.set(part["toolCallId"], block.id)
  }
  return ids
}

const writeAssistant = (message: AssistantMessage): readonly Wire[] => {
  const native = nativeOf(message)
  const [wire, ...trail] = (Array.isArray(native) ? native : [native]) as readonly (Wire | undefined)[]
  const ids = callIds(message, wire)
  const parts = message.blocks.flatMap((block) =>
    isRequest(block) ? writeRequest(nativeOf(block) as Wire, ids) : writeAssistantPart(block),
  )
  const approvals = trail.filter(isWire)
  return parts.length === 0 ? approvals : [withContent("assistant", wire, parts), ...approvals]
}

interface Carried {
  readonly wire: Wire | undefined
  readonly parts: Wire[]
}

const firstPart = (wire: Wire): unknown => (Array.isArray(wire["content"]) ? wire["content"][0] : undefined)

/** The same tool message; after a trip through JSON two copies of it are told by their first call. */
const sameCarrier = (left: Wire | undefined, right: Wire | undefined): boolean => {
  if (left === right) return true
  if (!left || !right) return false
  const [one, other] = [firstPart(left), firstPart(right)]
  return isWire(one) && isWire(other) && one["toolCallId"] !== undefined && one["toolCallId"] === other["toolCallId"]
}

/** Results with the approvals among which they stood. */
const writeCarried = ({ wire, parts }: Carried): Wire => {
  const content = wire?.["content"]
  if (!Array.isArray(content)) return { ...wire, role: "tool", content: parts }
  let next = 0
  const restored = (content as readonly unknown[]).flatMap((part): readonly unknown[] => {
    if (isWire(part) && part["type"] === "tool-approval-response") return [part]
    const written = parts[next++]
    return written ? [written] : []
  })
  return withContent("tool", wire, [...restored, ...parts.slice(next)] as readonly Wire[])
}

const writeExchange = (exchange: Exchange): readonly Wire[] => {
  const out: Wire[] = [...writeAssistant(exchange.message)]
  const calls = callsOf(exchange)
  let open: Carried | undefined
  exchange.outcomes.forEach(({ result, carrier }, index) => {
    if (!result) return
    const native = carrier?.[format]
    const wire = asWire(native)
    if (open && !sameCarrier(open.wire, wire)) {
      out.push(writeCarried(open))
      open = undefined
    }
    open ??= { wire, parts: [] }
    open.parts.push(writeResult(result, calls[index]?.name ?? ""))
  })
  if (open) out.push(writeCarried(open))
  return exchange.reply ? out.concat(writeAssistant(exchange.reply)) : out
}

/** The system text of the body, where the conversation still begins with it. */
const systemOf = (conversation: Conversation): unknown => {
  const [first] = conversation.items
  const native = first?.role === "system" ? nativeOf(first) : undefined
  if (first?.role !== "system" || !isWire(native) || !("system" in native)) return undefined
  const { system } = native
  const words = first.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")
  if (isWire(system)) return system["content"] === words ? system : { ...system, content: words }
  return first.blocks.every((block) => block.type === "text") ? words : system
}

const envelope = (conversation: Conversation, system: unknown, stripping: boolean): Wire => {
  const native = nativeOf(conversation)
  const body = isWire(native) ? (stripping ? allowed.body(native) : native) : {}
  if (system !== undefined) return { ...body, system }
  if (!body["system"]) return body
  const { system: _, ...rest } = body
  return rest
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const stripping = options.extras === "strip"
  const system = systemOf(conversation)
  const items = system === undefined ? conversation.items : conversation.items.slice(1)
  const out: Wire[] = []
  for (const item of items) {
    const written = item.role === "exchange" ? writeExchange(item) : writeClientMessage(item)
    for (const wire of written) out.push(stripping ? allowed.message(wire) : wire)
  }
  const body = envelope(conversation, system, stripping)
  return { ...body, messages: sameElements(out, body["messages"]) ? body["messages"] : out }
}
