/**
 * Parts and messages in the way of a neighbouring API: a `tool_use` among the parts of a chat message, a `tool` message
 * among blocks, an `image_url` in a result, … Gateways, frameworks and half-finished conversions leave such mixtures. No
 * server takes them and nobody misreads them, so decoders ask here about what they do not know themselves, and report it.
 *
 * The blocks have no native value: every codec writes them in its own way.
 */
import {
  type Block,
  type CallBlock,
  type ContentBlock,
  isWire,
  type MediaBlock,
  readArgumentsObject,
  readArgumentsText,
  type ResultBlock,
  text,
  type Wire,
} from "../model/index.ts"
import { idText } from "./id-text.ts"
import { kindOfMediaType, readUrl } from "./media.ts"

const stringOf = (value: unknown): string => (typeof value === "string" ? value : "")

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "null"))

const call = (id: unknown, name: unknown, input: unknown): CallBlock => ({
  type: "call",
  id: idText(id),
  name: stringOf(name),
  // Whether arguments are text or an object depends on the API they come from, so that neither is a fault here.
  ...(typeof input === "string" ? readArgumentsText(input) : readArgumentsObject(input)),
})

const result = (callId: unknown, content: unknown, facts: { error?: boolean; name?: unknown } = {}): ResultBlock => ({
  type: "result",
  callId: idText(callId),
  ...(typeof facts.name === "string" && facts.name !== "" && { name: facts.name }),
  content: readSaid(content),
  ...(facts.error === true && { error: true }),
})

const isContent = (block: Block | undefined): block is ContentBlock => block?.type === "text" || block?.type === "media"

const readSaidPart = (part: unknown): ContentBlock => {
  const block = isWire(part) ? readBorrowed(part) : undefined
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

/** The id and the words of a result, under whatever names APIs, SDKs and frameworks have for them. */
const answeredNames = ["tool_use_id", "tool_call_id", "toolUseId", "toolCallId", "call_id", "id"] as const
const saidNames = ["content", "output", "result", "text"] as const
const calledNames = ["id", "toolUseId", "toolCallId", "call_id", "tool_use_id", "tool_call_id"] as const
const inputNames = ["input", "arguments", "args", "parameters"] as const

const firstOf = (wire: Wire, names: readonly string[]): unknown => {
  for (const name of names) if (wire[name] !== undefined && wire[name] !== null) return wire[name]
  return undefined
}

/** Arguments that came in pieces and were never put into the call: the object of its start is still empty. */
const pieces = (wire: Wire): string | undefined => {
  const { input, partial_json: written } = wire
  const started = input === undefined || input === null || input === "" || (isWire(input) && Object.keys(input).length === 0)
  return started && typeof written === "string" && written !== "" ? written : undefined
}

/** Whether a `tool_use` or `tool_result` says under another name what it does not say under its own. */
export const isMisnamed = (wire: Wire): boolean => {
  const isCall = wire["type"] === "tool_use"
  const [id, ids] = isCall ? [wire["id"], calledNames] : [wire["tool_use_id"], answeredNames]
  const [said, names] = isCall ? [wire["input"], inputNames] : [wire["content"], saidNames]
  const lacks = (value: unknown): boolean => value === undefined || value === null
  if ((lacks(id) && idText(firstOf(wire, ids)) !== "") || (lacks(said) && firstOf(wire, names) !== undefined)) return true
  return isCall && pieces(wire) !== undefined
}

type Reader = (wire: Wire) => Block | undefined

const readText: Reader = (wire) => (typeof wire["text"] === "string" ? text(wire["text"]) : undefined)

const byType: ReadonlyMap<unknown, Reader> = new Map<unknown, Reader>([
  ["tool_use", (wire) => call(firstOf(wire, calledNames), wire["name"], pieces(wire) ?? firstOf(wire, inputNames))],
  [
    "tool_result",
    (wire) => {
      const facts = { error: wire["is_error"] === true, name: wire["name"] }
      return result(firstOf(wire, answeredNames), firstOf(wire, saidNames), facts)
    },
  ],
  ["tool-call", (wire) => call(wire["toolCallId"], wire["toolName"], wire["input"] ?? wire["args"])],
  [
    "tool-result",
    (wire) =>
      result(wire["toolCallId"], wire["output"] ?? wire["result"], { error: wire["isError"] === true, name: wire["toolName"] }),
  ],
  ["function_call", (wire) => call(wire["call_id"] ?? wire["id"], wire["name"], wire["arguments"])],
  ["function_call_output", (wire) => result(wire["call_id"], wire["output"])],
  [
    "custom_tool_call",
    (wire) => ({ ...call(wire["call_id"] ?? wire["id"], wire["name"], { input: textOf(wire["input"]) }), custom: true }),
  ],
  ["custom_tool_call_output", (wire) => ({ ...result(wire["call_id"], wire["output"]), custom: true })],
  ["tool_call", (wire) => call(wire["id"], wire["name"], wire["args"] ?? wire["arguments"])],
  ["invalid_tool_call", (wire) => call(wire["id"], wire["name"], wire["args"] ?? "")],
  [
    "function",
    (wire) => {
      const target = wire["function"]
      return isWire(target) ? call(wire["id"], target["name"], target["arguments"]) : undefined
    },
  ],
  ["text", readText],
  ["input_text", readText],
  ["output_text", readText],
  ["image", (wire) => fromSource(wire, "image")],
  ["document", (wire) => fromSource(wire, "document")],
  ["image_url", (wire) => fromUrl(wire["image_url"])],
  ["input_image", (wire) => fromUrl(wire["image_url"])],
])

/** APIs whose parts have no type: a part is named by the field that holds it. */
const byField: Readonly<Record<string, Reader>> = {
  functionCall: (held) => call(held["id"], held["name"], held["args"] ?? {}),
  functionResponse: (held) => result(held["id"], held["response"], { name: held["name"] }),
  inlineData: (held) => fromBytes(held["data"], held["mimeType"]),
  toolUse: (held) => call(held["toolUseId"], held["name"], held["input"]),
  toolResult: (held) => result(held["toolUseId"], held["content"], { error: held["status"] === "error" }),
  function: (held) => (typeof held["name"] === "string" ? call("", held["name"], held["arguments"]) : undefined),
}

/** The block another API means by this part; undefined where none of them would write it. */
export const readBorrowed = (wire: Wire): Block | undefined => {
  const reader = byType.get(wire["type"])
  if (reader) return reader(wire)
  if (typeof wire["type"] === "string") return undefined
  if (wire["role"] === undefined && idText(wire["tool_call_id"]) !== "") {
    return result(wire["tool_call_id"], firstOf(wire, saidNames), { name: wire["name"] })
  }
  for (const field in wire) {
    const held = wire[field]
    if (Object.hasOwn(byField, field) && isWire(held)) return byField[field]?.(held)
  }
  return readText(wire)
}

/** What a call brought, where a writer kept it in the call itself: a result that stands in the wrong place. */
export const resultInCall = (wire: unknown): ResultBlock | undefined => {
  if (!isWire(wire) || !isWire(wire["function"])) return undefined
  const said = wire["result"] ?? wire["output"]
  if (said === undefined || said === null || said === "" || idText(wire["id"]) === "") return undefined
  return result(wire["id"], said)
}

/**
 * The blocks of a message that says its calls, or the call it answers, beside its content, as chat messages do.
 * Undefined where it does not.
 */
export const borrowedBlocks = (wire: Wire, read: (content: unknown) => readonly Block[]): readonly Block[] | undefined => {
  const { content, tool_calls: calls, tool_call_id: callId, role } = wire
  if (idText(callId) !== "" && role !== "assistant") {
    return [result(callId, content, { name: wire["name"], error: wire["status"] === "error" })]
  }
  // A framework keeps calls whose arguments it could not parse in a list of their own.
  const invalid = wire["invalid_tool_calls"]
  const all = [calls, invalid].flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []))
  if (all.length === 0) return undefined
  const readCall = (each: unknown): Block => (isWire(each) ? readBorrowed(each) : undefined) ?? text(textOf(each))
  return [...read(content), ...all.map(readCall)]
}
