/** Bedrock Converse → Transcript. */
import { type Diagnostic, isWire, type Message, type Role, type Transcript, type Wire } from "../../model/index.ts"
import type { DecodeOptions } from "../codec.ts"
import { malformedBlock, malformedMessage } from "../malformed.ts"
import { format, readBlocks } from "./read-block.ts"

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["user", "user"],
  ["assistant", "assistant"],
  ["system", "system"],
  ["tool", "tool"],
])

/** A list of messages, or one thing that is none and is kept as such. */
const listOf = (messages: unknown): readonly unknown[] => {
  if (Array.isArray(messages)) return messages
  return messages === undefined || messages === null ? [] : [messages]
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const body: Wire = isWire(value) ? value : { messages: value }
  const list = listOf(body["messages"])
  const diagnostics: Diagnostic[] = []
  const messages: Message[] = []
  const system = body["system"]
  if (system !== undefined && system !== null) {
    messages.push({ role: "system", blocks: readBlocks(system), native: { [format]: { system } } })
  }
  for (let index = 0; index < list.length; index++) {
    const wire = list[index]
    const at = options.lines?.[index]
    const line = at !== undefined && { line: at }
    const role = isWire(wire) ? roles.get(wire["role"]) : undefined
    if (!isWire(wire) || role === undefined) {
      const place = { message: messages.length, path: `messages[${index}]`, ...line }
      diagnostics.push(malformedMessage(place, "Expected a message with role user or assistant"))
      messages.push({ role: "user", blocks: [malformedBlock(format, wire)], ...line })
      continue
    }
    messages.push({ role, blocks: readBlocks(wire["content"]), native: { [format]: wire }, ...line })
  }
  const model = body["modelId"]
  return {
    format,
    messages,
    native: { [format]: isWire(value) ? value : {} },
    origin: { provider: "bedrock", ...(typeof model === "string" && { model }) },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
