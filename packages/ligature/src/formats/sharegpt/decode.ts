/** ShareGPT → Transcript. Calls have no ids here: they are told apart by where they are. */
import {
  type Block,
  type CallBlock,
  isWire,
  type Message,
  type Native,
  readArgumentsObject,
  readArgumentsText,
  readResultContent,
  type ResultBlock,
  type Role,
  type Transcript,
  type Wire,
} from "../../model/index.ts"
import { borrowedMessage, misnamedCall } from "../engine/borrowed.ts"
import type { DecodeOptions } from "../engine/codec.ts"
import { malformedBlock } from "../engine/malformed.ts"
import { MessageList } from "../engine/message-list.ts"

// The text of a `function_call` entry: one call as JSON, or a list of them. The results of a list are in one `observation`, as a list of the same
// length, so that speakers keep taking turns; null stands for one not there.

export const format = "sharegpt"

const parse = (value: string): unknown => {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

const isCall = (value: unknown): value is Wire => isWire(value) && typeof value["name"] === "string"

const readCall = (wire: Wire): CallBlock => {
  const value = wire["arguments"]
  const misnamed = value === undefined ? misnamedCall(wire, { id: "name", name: "name", said: "arguments" }) : undefined
  if (misnamed) return { ...misnamed, id: "" }
  const read = typeof value === "string" ? readArgumentsText(value) : readArgumentsObject(value)
  return { type: "call", id: "", name: String(wire["name"]), ...read, native: { sharegpt: wire } }
}

/** Undefined: not the text of calls. */
const readCalls = (value: string): readonly CallBlock[] | undefined => {
  const read = parse(value)
  if (isCall(read)) return [readCall(read)]
  return Array.isArray(read) && read.length > 0 && read.every(isCall) ? read.map(readCall) : undefined
}

const nativeOf = (call: CallBlock): Wire | undefined => call.native?.[format] as Wire | undefined

const isUntouched = (call: CallBlock): boolean => {
  const native = nativeOf(call)
  if (!native || call.fault !== undefined || native["name"] !== call.name) return false
  return native["arguments"] === (typeof native["arguments"] === "string" ? call.raw : call.arguments)
}

const isList = (value: string): boolean => value.trimStart().startsWith("[")

/** True when the entry's text still says these calls and no others. */
export const saysCalls = (value: unknown, calls: readonly CallBlock[]): value is string => {
  if (typeof value !== "string" || !calls.every(isUntouched)) return false
  if (!isList(value)) return calls.length === 1
  const list = parse(value)
  return Array.isArray(list) && list.length === calls.length
}

const writeCall = (call: CallBlock): Wire => {
  const native = nativeOf(call)
  return { ...native, name: call.name, arguments: call.arguments }
}

export const writeCalls = (calls: readonly CallBlock[]): string => {
  const [only] = calls
  return JSON.stringify(calls.length === 1 && only ? writeCall(only) : calls.map(writeCall))
}

/** The texts of `count` results that are in one observation; undefined where it is the text of one result. */
export const readResultList = (value: string, count: number): readonly (string | undefined)[] | undefined => {
  if (count < 2 || !isList(value)) return undefined
  const list = parse(value)
  if (!Array.isArray(list) || list.length !== count) return undefined
  return list.map((each: unknown) => {
    if (each === null) return undefined
    return typeof each === "string" ? each : JSON.stringify(each)
  })
}

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
  const read = new MessageList(format, "conversations", options)
  const { system } = body
  if (typeof system === "string" && system !== "") {
    read.add({ role: "system", blocks: [{ type: "text", text: system }], native: { sharegpt: { system } } })
  }
  for (let index = 0; index < list.length; index++) {
    const wire = list[index]
    read.at(index)
    const role = isWire(wire) ? speakers.get(wire["from"]) : undefined
    const text = isWire(wire) ? wire["value"] : undefined
    const native = { sharegpt: wire }
    const blocks =
      isWire(wire) && role !== undefined && typeof text === "string"
        ? readBlocks(wire["from"], text, native, countCalls(read.messages.at(-1)))
        : undefined
    if (blocks && role) {
      read.add({ role, blocks, native })
      continue
    }
    const borrowed = isWire(wire) && wire["from"] === undefined ? borrowedMessage(wire) : undefined
    if (borrowed) {
      read.ofAnotherApi("Expected an entry of a speaker, got a message of another API")
      read.add(borrowed)
      continue
    }
    const isCall = role === "assistant" && typeof text === "string"
    const expected = isCall ? "the JSON text of a call or of a list of calls" : "an entry of a known speaker and a text"
    read.malformed(`Expected ${expected}`)
    read.add({ role: isCall ? role : "user", blocks: [malformedBlock(format, isCall ? text : wire)] })
  }
  return read.transcript(value, { ids: "optional" })
}
