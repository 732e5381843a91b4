/**
 * A plain list of wire messages, in whatever format, as a light transcript for the survey, and the way back from its
 * places to places in the list. Matching results to calls is left to `laws/`: there is one implementation of it.
 *
 * A message of the transcript is usually one message of the list. Only items without role (OpenAI Responses) are joined:
 * what the model said in one go, reasoning, words and calls, is one assistant message there, because a provider rejects
 * such a run when a piece of it is missing.
 *
 * Messages may be wrapped, as session files do it: `{ uuid, parentUuid, message: { role, content } }`.
 */
import { type Survey, survey } from "../../laws/survey.ts"
import { type Block, isWire, type Message, type ResultBlock, type Role, type Wire } from "../../model/index.ts"
import { answerTypes, callKindOf, clientItems } from "../openai-responses/items.ts"
import { callBlock, idOf, readElement, resultBlock } from "./read-element.ts"

/** Where a result stands: in `list[message]`, alone, or as an element of the list under `key`. */
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

const wraps = (entry: unknown): entry is Wire & { readonly message: Wire } =>
  isWire(entry) && isWire(entry["message"]) && typeof entry["message"]["role"] === "string"

/** The message itself, where an entry of a session file is wrapped around it. */
export const messageIn = (entry: unknown): unknown => (wraps(entry) ? entry.message : entry)

/** A copy of the entry around another message. */
export const withMessage = (entry: unknown, message: Wire): Wire => (wraps(entry) ? { ...entry, message } : message)

/** Under which key a message keeps its elements, if it has a list of them. */
export const elementsKey = (wire: Wire): ElementsKey | undefined =>
  Array.isArray(wire["content"]) ? "content" : Array.isArray(wire["parts"]) ? "parts" : undefined

const isFunctionEntry = (value: unknown): value is Wire => isWire(value)

class ListReader {
  readonly messages: Message[] = []
  readonly starts: number[] = []
  readonly #places = new Map<Block, ResultPlace>()
  readonly #served = new Set<string>()
  /** The run of items that what comes next may belong to. */
  #run: Block[] | undefined
  #index = 0

  readonly placeOf = (result: ResultBlock): ResultPlace => {
    const place = this.#places.get(result)
    if (!place) throw new TypeError("Expected a result of this list")
    return place
  }

  next(entry: unknown): void {
    const wire = messageIn(entry)
    const item = isWire(wire) && typeof wire["role"] !== "string" && typeof wire["type"] === "string"
    if (item) this.#item(wire, wire["type"] as string)
    else this.#message(wire)
    this.#index++
  }

  #item(wire: Wire, type: string): void {
    if (answerTypes.has(type)) {
      const result = resultBlock(wire["call_id"] ?? wire["id"], undefined, wire["output"])
      this.#places.set(result, { message: this.#index, element: -1 })
      this.#start("tool", [result])
      return
    }
    const kind = callKindOf(type)
    const block = kind
      ? callBlock(wire["call_id"] ?? wire["id"], wire["name"] ?? type, wire[kind.field])
      : readElement(wire)
    const client = clientItems.get(type)
    if (client) this.#start(client, [block])
    else if (this.#run) this.#run.push(block)
    else if (this.messages.at(-1)?.role === "assistant" && isItemMessage(this.#last)) this.#join([block])
    else this.#run = this.#start("assistant", [block])
    this.#last = wire
  }

  #last: Wire | undefined

  #message(value: unknown): void {
    const wire: Wire = isWire(value) ? value : {}
    const role = roles.get(wire["role"]) ?? "user"
    const blocks = this.#blocks(wire, role)
    if (role === "assistant" && this.#run) for (const block of blocks) this.#run.push(block)
    else this.#start(role, blocks)
    this.#last = wire
  }

  #blocks(wire: Wire, role: Role): Block[] {
    const key = elementsKey(wire)
    const list = key ? (wire[key] as readonly unknown[]) : []
    const blocks: Block[] = []
    if (role === "tool" && !list.some(isResultElement)) {
      const result = resultBlock(wire["tool_call_id"], wire["name"], wire["content"])
      this.#places.set(result, { message: this.#index, element: -1 })
      return [result]
    }
    if (typeof wire["content"] === "string") blocks.push(readElement(wire["content"]))
    for (let element = 0; element < list.length; element++) {
      let block = readElement(list[element])
      if (block.type === "opaque" && block.half === "call") this.#served.add(block.span ?? "")
      if (block.type === "result") {
        if (role === "assistant" && this.#served.has(block.callId)) {
          block = { type: "opaque", kind: "result", text: "", span: block.callId, half: "result", native: {} }
        } else this.#places.set(block, { message: this.#index, element, ...(key && { key }) })
      }
      blocks.push(block)
    }
    if (Array.isArray(wire["tool_calls"])) {
      for (const call of wire["tool_calls"]) if (isFunctionEntry(call)) blocks.push(readToolCall(call))
    } else if (isWire(wire["function_call"])) {
      blocks.push(callBlock("", wire["function_call"]["name"], wire["function_call"]["arguments"]))
    }
    return blocks
  }

  #start(role: Role, blocks: Block[]): Block[] {
    this.#run = undefined
    this.messages.push({ role, blocks })
    this.starts.push(this.#index)
    return blocks
  }

  #join(blocks: readonly Block[]): void {
    const open = this.messages.at(-1)?.blocks as Block[]
    for (const block of blocks) open.push(block)
    this.#run = open
  }
}
