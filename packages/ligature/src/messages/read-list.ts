/**
 * A plain list of wire messages, in whatever format, as a light transcript for the survey, and the way back from its
 * places to places in the list. Matching results to calls is left to `rules/`: there is one implementation of it.
 *
 * A message of the transcript is usually one message of the list. Only items without role (OpenAI Responses) are
 * joined: what the model said in one go, reasoning, words and calls, is one assistant message there, because the
 * provider rejects such a run when a piece of it is missing.
 *
 * Messages may be wrapped, as session files do it: `{ uuid, parentUuid, message: { role, content } }`.
 */
import { type Survey, survey, type SurveyOptions } from "../rules/survey/index.ts"
import { type Block, isWire, type Message, type ResultBlock, type Role, type Wire } from "../model/index.ts"
import { callsInText, idText, roleAlias, speakerOf } from "../formats/engine/wire.ts"
import { contentWithin } from "../formats/gemini/fields.ts"
import { callIdsIn, messageWithin } from "../formats/openai-chat/decode.ts"
import { joinPieces } from "../formats/openai-chat/read-blocks.ts"
import { answerTypes, callIdsByItem, callKindOf, clientItems, looksLikeItemId } from "../formats/openai-responses/fields.ts"
import { callBlock, idOf, readElement, resultBlock, servedHalf } from "./read-element.ts"

/** Where a result is: in `list[message]`, alone, or as an element of the list under `key`. */
export interface ResultPlace {
  readonly message: number
  readonly key?: ElementsKey
  readonly element: number
}

export type ElementsKey = "content" | "parts"

export interface ListSurvey extends Survey {
  /** For each message of the transcript, its first message of the list; one more than there are, to mark the end. */
  readonly starts: readonly number[]
  readonly placeOf: (result: ResultBlock) => ResultPlace
}

const roles: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ["assistant", "assistant"],
  ["model", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
  ["system", "system"],
  ["developer", "system"],
])

/** A whole answer of an API, appended instead of its message. */
const answerWithin = (entry: unknown): Wire | undefined => {
  const found = messageWithin(entry)
  if (found) return found
  const content = contentWithin(entry)
  return content && { role: "model", ...content }
}

const wraps = (entry: unknown): entry is Wire & { readonly message: Wire } =>
  isWire(entry) && isWire(entry["message"]) && typeof entry["message"]["role"] === "string"

/** The message itself, where an entry of a session file is wrapped around it. */
export const messageIn = (entry: unknown): unknown => (wraps(entry) ? entry.message : (answerWithin(entry) ?? entry))

/** False for the settings, snapshots and marks that session files hold between messages. */
export const isMessage = (entry: unknown): boolean => {
  const wire = messageIn(entry)
  if (!isWire(wire)) return false
  const { role, type } = wire
  return typeof role === "string" || type === "reasoning" || answerTypes.has(type) || callKindOf(type) !== undefined
}

/** A copy of the entry around another message. */
export const withMessage = (entry: unknown, message: Wire): Wire => (wraps(entry) ? { ...entry, message } : message)

/** Under which key a message keeps its elements, if it has a list of them. */
export const elementsKey = (wire: Wire): ElementsKey | undefined =>
  Array.isArray(wire["content"]) ? "content" : Array.isArray(wire["parts"]) ? "parts" : undefined

export const isResultElement = (element: unknown): boolean =>
  isWire(element) && (idOf(element["type"]).startsWith("tool") || isWire(element["toolResult"]) || hasResponse(element))

const hasResponse = (element: Wire): boolean => isWire(element["functionResponse"]) || isWire(element["function_response"])

/** An entry that names no tool is no call. */
const readToolCall = (wire: unknown): Block => {
  if (!isWire(wire)) return readElement(wire)
  const held = isWire(wire["function"]) ? wire["function"] : isWire(wire["custom"]) ? wire["custom"] : wire
  if (held === wire && typeof wire["name"] !== "string") return readElement({})
  return callBlock(wire["id"], held["name"], held["arguments"] ?? held["input"] ?? held["args"])
}

/** Some writers name the call of a tool message in a list of one, SDKs and other APIs by their own names. */
const calledId = (wire: Wire, isCallId: (id: unknown) => boolean): unknown => {
  const { tool_call_id: id = wire["toolCallId"] ?? wire["tool_use_id"] ?? wire["call_id"], tool_call_ids: ids, id: own } = wire
  if (idText(id) !== "") return id
  if (Array.isArray(ids)) return ids[0]
  return wire["role"] === "tool" && isCallId(own) ? own : id
}

class ListReader {
  readonly messages: Message[] = []
  readonly starts: number[] = []
  readonly #places = new Map<Block, ResultPlace>()
  readonly #served = new Set<string>()
  readonly #list: readonly unknown[]
  readonly #isCallId: (id: unknown) => boolean
  #byItem: ReadonlyMap<string, string> | undefined
  #index = 0
  /** The blocks of the assistant message that the model may still be speaking. */
  #speech: Block[] | undefined
  #afterItem = false

  constructor(list: readonly unknown[]) {
    this.#list = list
    this.#isCallId = callIdsIn(list)
  }

  readonly placeOf = (result: ResultBlock): ResultPlace => {
    const place = this.#places.get(result)
    if (!place) throw new TypeError("Expected a result of this list")
    return place
  }

  next(entry: unknown): void {
    const wire = messageIn(entry)
    if (!isWire(wire)) this.#start("user", [readElement(wire)])
    else if (typeof wire["role"] === "string" || typeof wire["type"] !== "string") this.#message(wire)
    else {
      const role = speakerOf(wire)
      if (role) this.#message({ ...wire, role })
      else this.#item(wire, wire["type"])
    }
    this.#index++
  }

  #item(wire: Wire, type: string): void {
    const kind = callKindOf(type)
    const id = wire["call_id"] ?? wire["id"]
    if (answerTypes.has(type)) this.#start("tool", [this.#wholeResult(this.#callOf(id), undefined, wire["output"] ?? wire["content"])])
    else if (kind) this.#speak([callBlock(id, wire["name"] ?? type, wire[kind.field])], true)
    else {
      const client = clientItems.get(type)
      if (client) this.#start(client, [readElement(wire)])
      else this.#speak([readElement(wire)], true)
    }
  }

  /** The call id, where an output names the item of its call instead. */
  #callOf(id: unknown): unknown {
    if (typeof id !== "string" || !looksLikeItemId(id)) return id
    this.#byItem ??= callIdsByItem(this.#list)
    return this.#byItem.get(id) ?? id
  }

  #message(wire: Wire): void {
    // A message that names the call it answers is a result, whoever it says it is from.
    const answers = idText(wire["tool_call_id"]) !== "" && wire["tool_calls"] === undefined && wire["role"] !== "assistant"
    const role = answers ? "tool" : (roles.get(wire["role"]) ?? roleAlias(wire["role"]) ?? "user")
    const key = elementsKey(wire)
    const elements = key ? (wire[key] as readonly unknown[]) : []
    const called = calledId(wire, this.#isCallId)
    if (role === "tool" && (key === undefined || idText(called) !== "")) {
      this.#start(role, [this.#wholeResult(called, wire["name"], wire["content"] ?? wire["output"] ?? wire["result"])])
      return
    }
    const blocks = elements.map((element, index) => this.#element(element, index, role, key))
    if (typeof wire["content"] === "string") blocks.push(readElement(wire["content"]))
    const only = wire["content"] ?? wire["parts"]
    if (isWire(only)) blocks.push(this.#element(only, -1, role, undefined))
    const { tool_calls: given = wire["toolCalls"], function_call: call } = wire
    const calls = callsInText(given) ?? given
    if (Array.isArray(calls)) for (const entry of joinPieces(calls) ?? calls) blocks.push(readToolCall(entry))
    else if (isWire(calls)) blocks.push(readToolCall(calls))
    if (isWire(call)) blocks.push(callBlock("", call["name"], call["arguments"]))
    if (role === "assistant") this.#speak(blocks, false)
    else this.#start(role, blocks)
  }

  #element(wire: unknown, element: number, role: Role, key: ElementsKey | undefined): Block {
    const block = readElement(wire)
    if (block.type === "opaque" && block.half === "call") this.#served.add(block.span ?? "")
    if (block.type !== "result") return block
    if (role === "assistant" && this.#served.has(block.callId)) {
      return servedHalf("tool-result", block.callId, "result")
    }
    this.#places.set(block, { message: this.#index, element, ...(key && { key }) })
    return block
  }

  #wholeResult(id: unknown, name: unknown, content: unknown): Block {
    const result = resultBlock(id, name, content)
    this.#places.set(result, { message: this.#index, element: -1 })
    return result
  }

  #start(role: Role, blocks: Block[]): void {
    this.messages.push({ role, blocks })
    this.starts.push(this.#index)
    this.#speech = undefined
  }

  #speak(blocks: Block[], item: boolean): void {
    if (this.#speech && (item || this.#afterItem)) {
      for (const block of blocks) this.#speech.push(block)
    } else {
      this.#start("assistant", blocks)
      this.#speech = blocks
    }
    this.#afterItem = item
  }
}

/** Reads a list and finds out which result answers which call. Linear. */
export const surveyList = (list: readonly unknown[], options: SurveyOptions): ListSurvey => {
  const reader = new ListReader(list)
  for (const entry of list) reader.next(entry)
  const { messages, starts, placeOf } = reader
  starts.push(list.length)
  return { ...survey({ format: "message-list", messages }, options), starts, placeOf }
}

/** True when a message carries results and nothing else. */
export const holdsOnlyResults = (entry: unknown): boolean => {
  const reader = new ListReader([entry])
  reader.next(entry)
  const blocks = reader.messages[0]?.blocks ?? []
  return blocks.length > 0 && blocks.every((block) => block.type === "result")
}
