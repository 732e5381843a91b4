/**
 * Attributes of a span → Transcript. What went to the model and what came back are two lists, and one history: system
 * instructions, input, output. Messages of the output are told from the others by their native value.
 */
import { type Block, type Diagnostic, isWire, type Message, type Role, type Transcript, type Wire } from "../../model/index.ts"
import { borrowedBlocks } from "../engine/borrowed.ts"
import { borrowedMessage } from "../engine/borrowed-message.ts"
import type { DecodeOptions } from "../engine/codec.ts"
import { malformedBlock, malformedMessage, ofAnotherApi } from "../engine/malformed.ts"
import { attributesOf, format, inputKey, listOf, outputKey, systemKey } from "./format.ts"
import { isUntyped, readParts } from "./read-part.ts"

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["system", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "tool"],
])

const isMalformed = (block: Block): boolean => block.type === "opaque" && block.kind === "malformed"

/** Every part of this format keeps its wire value. */
const isBorrowed = (block: Block): boolean => block.native?.[format] === undefined

interface Read {
  readonly message: Message
  /** What is not of this format about it. */
  readonly found?: "malformed" | "borrowed"
}

const readMessage = (wire: unknown): Read => {
  const role = isWire(wire) ? roles.get(wire["role"]) : undefined
  if (!isWire(wire)) return { message: { role: "user", blocks: [malformedBlock(format, wire)] }, found: "malformed" }
  if (role === undefined || wire["parts"] === undefined) {
    const message = borrowedMessage(wire)
    if (message && message.blocks.length > 0) return { message, found: "borrowed" }
  }
  if (role === undefined) return { message: { role: "user", blocks: [malformedBlock(format, wire)] }, found: "malformed" }
  const borrowed = borrowedBlocks(wire, () => readParts(wire["parts"]))
  if (borrowed) {
    const answers = role !== "assistant" && borrowed.every(({ type }) => type === "result")
    return { message: { role: answers ? "tool" : role, blocks: borrowed }, found: "borrowed" }
  }
  const blocks = readParts(wire["parts"])
  const { name } = wire
  const message: Message = { role, blocks, ...(typeof name === "string" && name !== "" && { name }), native: { "otel-messages": wire } }
  if (blocks.some(isMalformed)) return { message, found: "malformed" }
  const { parts } = wire
  return blocks.some(isBorrowed) || !Array.isArray(parts) || parts.some(isUntyped) ? { message, found: "borrowed" } : { message }
}

const findings = {
  malformed: (place: Diagnostic["place"]) => malformedMessage(place, "Expected a message of a role and a list of parts"),
  borrowed: (place: Diagnostic["place"]) => ofAnotherApi(place, "Expected a message of a role and parts, got one of another API"),
} as const

/** The system instructions are a list of parts, without a message around them. */
const readSystem = (instructions: unknown): readonly Message[] => {
  const isText = typeof instructions === "string" && instructions !== "" && !instructions.trimStart().startsWith("[")
  const blocks = readParts(isText ? instructions : listOf(instructions))
  return blocks.length === 0 ? [] : [{ role: "system", blocks, native: { "otel-messages": { system: instructions } } }]
}

/** In the output, so that it goes back there; one of another API at least with the reason for which it ended. */
const asOutput = (message: Message, wire: unknown): Message => {
  const ended = isWire(wire) && wire["finish_reason"] !== undefined ? { finish_reason: wire["finish_reason"] } : undefined
  return { ...message, native: { "otel-messages": { output: message.native ? wire : ended } } }
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const attributes: Wire = isWire(value) ? attributesOf(value) : { [inputKey]: value }
  const messages: Message[] = [...readSystem(attributes[systemKey])]
  const diagnostics: Diagnostic[] = []
  for (const key of [inputKey, outputKey]) {
    listOf(attributes[key]).forEach((wire, index) => {
      const line = key === inputKey ? options.lines?.[index] : undefined
      const atLine = line === undefined ? undefined : { line }
      const { message, found } = readMessage(wire)
      if (found) diagnostics.push(findings[found]({ message: messages.length, path: `${key}[${index}]`, ...atLine }))
      messages.push({ ...(key === outputKey ? asOutput(message, wire) : message), ...atLine })
    })
  }
  return {
    format,
    messages,
    native: { "otel-messages": isWire(value) ? value : {} },
    ids: "optional",
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
