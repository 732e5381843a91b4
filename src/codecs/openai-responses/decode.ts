/**
 * OpenAI Responses → Transcript. The input is a flat list of items; what the model said between two things the client said
 * is one assistant message here, and outputs that stand side by side are one tool message. An assistant message keeps the
 * list of its items, so that the encoder can tell whether the reasoning an item depends on is still there.
 */
import { type Block, type Diagnostic, isWire, type Message, type Role, type Transcript, type Wire } from "../../model/index.ts"
import type { DecodeOptions } from "../codec.ts"
import { malformedBlock, malformedMessage } from "../malformed.ts"
import { answerTypes, clientItems, format } from "./items.ts"
import { readModelItem, readOpaqueItem } from "./read-items.ts"
import { readParts } from "./read-parts.ts"
import { readResult } from "./read-result.ts"

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["user", "user"],
  ["assistant", "assistant"],
  ["system", "system"],
  ["developer", "system"],
])

/** Type of an item; a message may leave it out. */
const typeOf = (wire: unknown): string | undefined => {
  if (!isWire(wire)) return undefined
  const type = wire["type"] ?? (wire["role"] === undefined ? undefined : "message")
  if (typeof type !== "string" || (type === "message" && !roles.has(wire["role"]))) return undefined
  return type
}

/** Collects the messages of a list; an assistant or tool message stays open for the items that belong to it. */
const collector = (messages: Message[]) => {
  let role: Role | undefined
  let blocks: Block[] = []
  let items: Wire[] = []

  const open = (next: "assistant" | "tool", line: number | undefined): void => {
    if (role === next) return
    role = next
    blocks = []
    items = []
    const native = next === "assistant" && { native: { [format]: items } }
    messages.push({ role: next, blocks, ...native, ...(line !== undefined && { line }) })
  }

  return {
    whole: (message: Message, line: number | undefined): void => {
      role = undefined
      messages.push(line === undefined ? message : { ...message, line })
    },
    assistant: (wire: Wire, type: string, line: number | undefined): void => {
      open("assistant", line)
      items.push(wire)
      for (const block of readModelItem(wire, type)) blocks.push(block)
    },
    answer: (wire: Wire, line: number | undefined): void => {
      open("tool", line)
      blocks.push(readResult(wire))
    },
  }
}

const readInstructions = (body: Wire): readonly Message[] => {
  const instructions = body["instructions"]
  if (instructions === undefined || instructions === null || instructions === "") return []
  const blocks = typeof instructions === "string" ? readParts(instructions) : [malformedBlock(format, instructions)]
  return [{ role: "system", blocks, native: { [format]: { instructions } } }]
}

const readInput = (input: unknown, options: DecodeOptions, messages: Message[], diagnostics: Diagnostic[]): void => {
  if (typeof input === "string") {
    messages.push({ role: "user", blocks: readParts(input), native: { [format]: input } })
    return
  }
  if (!Array.isArray(input)) {
    if (input === undefined || input === null) return
    diagnostics.push(malformedMessage({ path: "input" }, "Expected the input to be a text or a list of items"))
    messages.push({ role: "user", blocks: [malformedBlock(format, input)] })
    return
  }
  const list: readonly unknown[] = input
  const collect = collector(messages)
  for (let index = 0; index < list.length; index++) {
    const wire = list[index]
    const type = typeOf(wire)
    const line = options.lines?.[index]
    if (!isWire(wire) || type === undefined) {
      const place = { message: messages.length, path: `input[${index}]`, ...(line !== undefined && { line }) }
      diagnostics.push(malformedMessage(place, "Expected an item with a type, or a message with a known role"))
      collect.whole({ role: "user", blocks: [malformedBlock(format, wire)] }, line)
      continue
    }
    const role = type === "message" ? roles.get(wire["role"]) : clientItems.get(type)
    if (answerTypes.has(type)) collect.answer(wire, line)
    else if (role === undefined || role === "assistant") collect.assistant(wire, type, line)
    else if (type === "message") {
      collect.whole({ role, blocks: readParts(wire["content"]), native: { [format]: wire } }, line)
    } else collect.whole({ role, blocks: [readOpaqueItem(wire, type)] }, line)
  }
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const body: Wire = isWire(value) ? value : { input: value }
  const diagnostics: Diagnostic[] = []
  const messages: Message[] = [...readInstructions(body)]
  readInput(body["input"], options, messages, diagnostics)
  const model = body["model"]
  return {
    format,
    messages,
    native: { [format]: isWire(value) ? value : {} },
    origin: { provider: "openai", ...(typeof model === "string" && { model }) },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
