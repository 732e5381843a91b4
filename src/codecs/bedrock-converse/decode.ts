/** Bedrock Converse → Transcript. */
import {
  type Block,
  type Diagnostic,
  isWire,
  type Message,
  type Place,
  type Role,
  type Transcript,
  type Wire,
} from "../../model/index.ts"
import type { DecodeOptions } from "../codec.ts"
import { malformedBlock, malformedMessage } from "../malformed.ts"
import { format, readBlocks } from "./read-block.ts"

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["user", "user"],
  ["assistant", "assistant"],
  ["system", "system"],
  ["tool", "tool"],
])

/** A shape the API rejects but whose meaning is plain: it is read, reported, and written as it should be. */
const misshapen = (place: Place, what: string): Diagnostic => ({
  ...malformedMessage(place, what),
  help: "Nothing is lost: the meaning is plain, and it is written in the shape the API takes.",
  repair: { kind: "safe", what: "written as blocks" },
})

/** What reading this list of blocks had to bend. */
const bent = (content: unknown, blocks: readonly Block[], place: Place): readonly Diagnostic[] => {
  const found: Diagnostic[] = []
  if (typeof content === "string") found.push(misshapen(place, "Expected a list of blocks, got a string"))
  else if (Array.isArray(content) && content.length !== blocks.length) {
    found.push(misshapen(place, "Expected one key in a block, got several"))
  }
  for (const block of blocks) {
    if (block.type === "opaque" && block.kind === "malformed") {
      found.push(malformedMessage(place, "Expected a block: an object with one key that says what it is"))
    } else if (block.type === "result") {
      const wire = block.native?.[format]
      const held = isWire(wire) ? wire["toolResult"] : undefined
      const inner = isWire(held) ? held["content"] : undefined
      if (!Array.isArray(inner)) found.push(misshapen(place, `Expected a list as content of result ${block.callId}`))
      else found.push(...bent(inner, block.content, place))
    }
  }
  return found
}

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
    const blocks = readBlocks(system)
    diagnostics.push(...bent(system, blocks, { message: 0, path: "system" }))
    messages.push({ role: "system", blocks, native: { [format]: { system } } })
  }
  for (let index = 0; index < list.length; index++) {
    const wire = list[index]
    const at = options.lines?.[index]
    const line = at !== undefined && { line: at }
    const role = isWire(wire) ? roles.get(wire["role"]) : undefined
    const place = { message: messages.length, path: `messages[${index}]`, ...line }
    if (!isWire(wire) || role === undefined) {
      diagnostics.push(malformedMessage(place, "Expected a message with role user or assistant"))
      messages.push({ role: "user", blocks: [malformedBlock(format, wire)], ...line })
      continue
    }
    const blocks = readBlocks(wire["content"])
    diagnostics.push(...bent(wire["content"], blocks, place))
    messages.push({ role, blocks, native: { [format]: wire }, ...line })
  }
  const model = body["modelId"]
  return {
    format,
    messages,
    native: { [format]: isWire(value) ? value : {} },
    origin: { provider: format, ...(typeof model === "string" && { model }) },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
