/** One tau2 message → one message of the model. */
import {
  type Block,
  isWire,
  type Message,
  readArgumentsObject,
  readResultContent,
  type ResultBlock,
  type Role,
  text,
  type Wire,
} from "../../model/index.ts"
import { malformedBlock } from "../../formats/engine/malformed.ts"
import { isUserTraffic } from "./simulation.ts"

export const format = "tau2"

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["system", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "tool"],
])

const wordsOf = (content: unknown): string =>
  typeof content === "string" ? content : content === null || content === undefined ? "" : JSON.stringify(content)

const nameOf = (call: Wire): string => (typeof call["name"] === "string" ? call["name"] : "a tool")

const readCall = (wire: unknown): Block => {
  if (!isWire(wire) || typeof wire["name"] !== "string") return malformedBlock(format, wire)
  const { id, name } = wire
  return {
    type: "call",
    id: typeof id === "string" ? id : "",
    name,
    ...readArgumentsObject(wire["arguments"]),
    native: { [format]: wire },
  }
}

const readResult = (wire: Wire): ResultBlock => {
  const words = wordsOf(wire["content"])
  const { id, error } = wire
  return {
    type: "result",
    callId: typeof id === "string" ? id : "",
    ...readResultContent(words === "" ? [] : [text(words)], { errorMark: false }),
    ...(error === true && { error: true as const }),
    native: { [format]: wire },
  }
}

/** How the user's own dealings with its tools read, for those who ask for all that was said. */
const tellTraffic = (wire: Wire): string => {
  const words = wordsOf(wire["content"])
  if (wire["role"] === "tool") return `[The user's tool answered: ${words}]`
  const calls = (Array.isArray(wire["tool_calls"]) ? (wire["tool_calls"] as readonly unknown[]) : []).map((call) =>
    isWire(call) ? `[The user called ${nameOf(call)} ${JSON.stringify(call["arguments"]) ?? ""}]` : "",
  )
  return [words, ...calls].filter((line) => line !== "").join("\n")
}

const readBlocks = (wire: Wire, role: Role): Block[] => {
  if (role === "tool") return [readResult(wire)]
  const words = wordsOf(wire["content"])
  const blocks: Block[] = words === "" ? [] : [text(words)]
  const calls = wire["tool_calls"]
  if (Array.isArray(calls)) for (const call of calls) blocks.push(readCall(call))
  else if (calls !== null && calls !== undefined) blocks.push(malformedBlock(format, calls))
  return blocks
}

/** Undefined where it is no message at all. */
export const readMessage = (record: unknown): Message | undefined => {
  const role = isWire(record) ? roles.get(record["role"]) : undefined
  if (!isWire(record) || role === undefined) return undefined
  const native = { [format]: record }
  if (isUserTraffic(record)) {
    const words = tellTraffic(record)
    return { role: "user", blocks: words === "" ? [] : [text(words)], native }
  }
  return { role, blocks: readBlocks(record, role), native }
}
