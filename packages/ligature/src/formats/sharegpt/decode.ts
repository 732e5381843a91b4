/** ShareGPT → Transcript. Calls have no ids here: they are told apart by where they stand. */
import {
  type Block,
  type Diagnostic,
  isWire,
  type Message,
  type Native,
  readResultContent,
  type ResultBlock,
  type Role,
  type Transcript,
  type Wire,
} from "../../model/index.ts"
import type { DecodeOptions } from "../engine/codec.ts"
import { borrowedMessage } from "../engine/borrowed-message.ts"
import { malformedBlock, malformedMessage, ofAnotherApi } from "../engine/malformed.ts"
import { format, readCalls, readResultList } from "./calls.ts"

/** Trainers use several names for the same speaker. */
const speakers: ReadonlyMap<unknown, Role> = new Map([
  ["system", "system"],
  ["human", "user"],
  ["user", "user"],
  ["gpt", "assistant"],
  ["assistant", "assistant"],
  ["chatgpt", "assistant"],
  ["function_call", "assistant"],
  ["observation", "tool"],
  ["tool", "tool"],
])

const readResult = (value: string, native: Native): ResultBlock => {
  const content = value === "" ? [] : [{ type: "text", text: value } as const]
  return { type: "result", callId: "", ...readResultContent(content, { errorMark: true }), native }
}

const readResults = (value: string, native: Native, openCalls: number): readonly Block[] => {
  const list = readResultList(value, openCalls)
  if (!list) return [readResult(value, native)]
  return list.flatMap((each) => (each === undefined ? [] : [readResult(each, native)]))
}

/** Undefined: a call that is none. */
const readBlocks = (from: unknown, value: string, native: Native, openCalls: number): readonly Block[] | undefined => {
  if (speakers.get(from) === "tool") return readResults(value, native, openCalls)
  if (from === "function_call") return readCalls(value)
  return value === "" ? [] : [{ type: "text", text: value }]
}

const countCalls = (message: Message | undefined): number =>
  message?.role === "assistant" ? message.blocks.filter((block) => block.type === "call").length : 0

const listOf = (body: Wire): readonly unknown[] => {
  const list = body["conversations"]
  if (Array.isArray(list)) return list
  return list === undefined ? [] : [list]
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const body: Wire = isWire(value) ? value : { conversations: value }
  const list = listOf(body)
  const messages: Message[] = []
  const diagnostics: Diagnostic[] = []
  const { system } = body
  if (typeof system === "string" && system !== "") {
    messages.push({ role: "system", blocks: [{ type: "text", text: system }], native: { sharegpt: { system } } })
  }
  for (let index = 0; index < list.length; index++) {
    const wire = list[index]
    const line = options.lines?.[index]
    const atLine = line === undefined ? undefined : { line }
    const role = isWire(wire) ? speakers.get(wire["from"]) : undefined
    const text = isWire(wire) ? wire["value"] : undefined
    const native = { sharegpt: wire }
    const blocks =
      isWire(wire) && role !== undefined && typeof text === "string"
        ? readBlocks(wire["from"], text, native, countCalls(messages.at(-1)))
        : undefined
    if (blocks && role) {
      messages.push({ role, blocks, native, ...atLine })
      continue
    }
    const place = { message: messages.length, path: `conversations[${index}]`, ...atLine }
    const borrowed = isWire(wire) && wire["from"] === undefined ? borrowedMessage(wire) : undefined
    if (borrowed) {
      diagnostics.push(ofAnotherApi(place, "Expected an entry of a speaker, got a message of another API"))
      messages.push({ ...borrowed, ...atLine })
      continue
    }
    const isCall = role === "assistant" && typeof text === "string"
    const expected = isCall ? "the JSON text of a call or of a list of calls" : "an entry of a known speaker and a text"
    diagnostics.push(malformedMessage(place, `Expected ${expected}`))
    messages.push({ role: isCall ? role : "user", blocks: [malformedBlock(format, isCall ? text : wire)], ...atLine })
  }
  return {
    format,
    messages,
    native: { sharegpt: isWire(value) ? value : {} },
    ids: "optional",
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
