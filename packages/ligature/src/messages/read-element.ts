/**
 * One element of a wire message → the block the survey needs: who calls, who answers, who says something else. Shapes
 * of all formats are read by the same tables, because their names do not collide; nobody has to say which format it is.
 * Unlike a codec it keeps nothing for the way back and parses no arguments: the wire message itself is the way back.
 */
import type { Block, CallBlock, ContentBlock, OpaqueBlock, Wire } from "../model/index.ts"
import { isWire, text } from "../model/index.ts"
import { idText } from "../formats/engine/wire.ts"

export const idOf = (value: unknown): string => (typeof value === "string" ? value : "")

const opaque = (kind: string): OpaqueBlock => ({ type: "opaque", kind, text: "", native: {} })

/** Tools the provider runs itself: both halves are in assistant messages, and nobody else answers them. */
export const servedHalf = (kind: string, span: unknown, half: "call" | "result"): OpaqueBlock => ({
  ...opaque(kind),
  span: idOf(span),
  half,
})

/** Compared only to tell a result that was delivered twice from the result of a call that reuses an id. */
const asText = (value: unknown): string => {
  if (typeof value === "string") return value
  try {
    return JSON.stringify(value) ?? ""
  } catch {
    return String(value)
  }
}

const readContent = (value: unknown): readonly ContentBlock[] => {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) return [text(asText(value))]
  return value.map((part: unknown) => text(isWire(part) && typeof part["text"] === "string" ? part["text"] : asText(part)))
}

/** Argument text stays text: `encoded` says that nobody has looked inside. */
const readArguments = (value: unknown): Pick<CallBlock, "arguments" | "raw" | "fault"> =>
  isWire(value) ? { arguments: value as CallBlock["arguments"] } : { arguments: {}, raw: asText(value), fault: "encoded" }

export const callBlock = (id: unknown, name: unknown, args: unknown): CallBlock => ({
  type: "call",
  id: idText(id),
  name: idOf(name),
  ...readArguments(args),
})

export const resultBlock = (callId: unknown, name: unknown, content: unknown): Block => ({
  type: "result",
  callId: idText(callId),
  ...(typeof name === "string" && name !== "" && { name }),
  content: readContent(content),
})

const served = new Set<unknown>(["server_tool_use", "mcp_tool_use"])

const readTyped = (wire: Wire, type: string): Block => {
  switch (type) {
    case "text":
    case "input_text":
    case "output_text":
      return text(idOf(wire["text"]))
    case "tool_use":
      return callBlock(wire["id"], wire["name"], wire["input"])
    case "tool_result":
      return resultBlock(wire["tool_use_id"] ?? wire["id"], wire["name"], wire["content"] ?? wire["result"])
    case "tool-call":
      if (wire["providerExecuted"] === true) return servedHalf(type, wire["toolCallId"], "call")
      return callBlock(wire["toolCallId"], wire["toolName"], wire["input"] ?? wire["args"])
    case "tool-result":
      return resultBlock(wire["toolCallId"], wire["toolName"], wire["output"] ?? wire["result"])
    default:
      if (served.has(type)) return servedHalf(type, wire["id"], "call")
      if (type.endsWith("_tool_result")) return servedHalf(type, wire["tool_use_id"], "result")
      return opaque(type)
  }
}

const isServed = (held: Wire): boolean => idOf(held["type"]).startsWith("server")

type KeyedReader = (held: Wire) => Block

const readFunctionCall: KeyedReader = (held) => callBlock(held["id"], held["name"], held["args"])
const readFunctionResponse: KeyedReader = (held) => resultBlock(held["id"], held["name"], held["response"])

/** Elements that say what they are by their key. */
const keyed: ReadonlyMap<string, KeyedReader> = new Map<string, KeyedReader>([
  ["functionCall", readFunctionCall],
  ["function_call", readFunctionCall],
  ["functionResponse", readFunctionResponse],
  ["function_response", readFunctionResponse],
  [
    "toolUse",
    (held) =>
      isServed(held) ? servedHalf("toolUse", held["toolUseId"], "call") : callBlock(held["toolUseId"], held["name"], held["input"]),
  ],
  [
    "toolResult",
    (held) =>
      isServed(held) ? servedHalf("toolResult", held["toolUseId"], "result") : resultBlock(held["toolUseId"], undefined, held["content"]),
  ],
])

export const readElement = (wire: unknown): Block => {
  if (typeof wire === "string") return text(wire)
  if (!isWire(wire)) return opaque("unknown")
  if (typeof wire["type"] === "string") return readTyped(wire, wire["type"])
  for (const key in wire) {
    const held = wire[key]
    const reader = isWire(held) ? keyed.get(key) : undefined
    if (reader) return reader(held as Wire)
  }
  return typeof wire["text"] === "string" ? text(wire["text"]) : opaque("unknown")
}
