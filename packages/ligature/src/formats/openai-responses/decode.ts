/** OpenAI Responses → Transcript: a request body or a bare list of items. The items themselves are read one by one. */
import {
  asWord,
  type Block,
  type Diagnostic,
  isWire,
  type Message,
  type Place,
  resultText,
  type Role,
  type Transcript,
  type Wire,
} from "../../model/index.ts"
import { toolKindOf } from "../engine/borrowed-tools.ts"
import { borrowedMessage, isBorrowedPart, readBorrowed, saysElsewhere } from "../engine/borrowed.ts"
import type { DecodeOptions } from "../engine/codec.ts"
import { malformedBlock, malformedMessage, ofAnotherApi } from "../engine/malformed.ts"
import {
  answerTypes,
  callIdFault,
  callIdsByItem,
  callIdsIn,
  callInPlainWords,
  callKindOf,
  clientItems,
  format,
  ItemIds,
  looksLikeItemId,
  outputInPlainWords,
} from "./fields.ts"
import { partsFault, readAssistant, readModelItem, readOpaqueItem, readParts, readResult, reasoningFault } from "./read-blocks.ts"

// What an item is, told at a glance: its type, whether it is of the usual kinds, whether another API wrote it.

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["user", "user"],
  ["assistant", "assistant"],
  ["system", "system"],
  ["developer", "system"],
])

/**
 * Type of an item; a message may leave it out. The long names that nearly every item has are given as constants:
 * JSON.parse makes a new string of each, and every table would have to hash it anew.
 */
const typeOf = (wire: unknown): string | undefined => {
  if (!isWire(wire)) return undefined
  const type = wire["type"] ?? (wire["role"] === undefined ? undefined : "message")
  if (type === "function_call") return "function_call"
  if (type === "function_call_output") return "function_call_output"
  if (typeof type !== "string" || type.trim() === "" || (type === "message" && !roles.has(wire["role"]))) return undefined
  return type
}

/** Messages, reasoning, and functions with their outputs: nearly every input is made of these alone. */
const isUsual = (wire: unknown): boolean => {
  const type = isWire(wire) ? wire["type"] : undefined
  if (type === "function_call" || type === "function_call_output") return true
  return type === "message" || type === "reasoning" || type === undefined
}

/** Ids of the calls in the input, where outputs may also answer calls that only the server holds; else nothing. */
const callsWithElsewhere = (body: Wire, input: readonly unknown[], usual: boolean): ReadonlySet<unknown> | undefined => {
  const { previous_response_id: previous, conversation } = body
  const isReference = (wire: unknown): boolean => isWire(wire) && wire["type"] === "item_reference"
  const chained = typeof previous === "string" || (conversation !== undefined && conversation !== null)
  if (!chained && (usual || !input.some(isReference))) return undefined
  const calls = input.filter((wire): wire is Wire => isWire(wire) && callKindOf(wire["type"]) !== undefined)
  return new Set(calls.map((wire) => wire["call_id"] ?? wire["id"]))
}

/** Parts of messages, and messages of frameworks that name the speaker by their type. */
const borrowedTypes: ReadonlySet<string> = new Set(
  "text input_text output_text image_url ai human system tool AIMessage HumanMessage SystemMessage ToolMessage".split(" "),
)

/** A call or a result of another API. */
const isForeignTool = (wire: Wire, type: string): boolean =>
  toolKindOf(wire) !== undefined && callKindOf(type) === undefined && !answerTypes.has(type)

/** Whether an item looks like a message with calls or a result, or like a block: a glance, for every item. */
const mayBeBorrowed = (wire: Wire, type: string | undefined): boolean => {
  if (type === "function_call" || type === "function_call_output" || type === "reasoning") return false
  if (type !== "message") return type === undefined || borrowedTypes.has(type) || isForeignTool(wire, type)
  if (wire["tool_calls"] !== undefined || wire["tool_call_id"] !== undefined || saysElsewhere(wire)) return true
  return Array.isArray(wire["content"]) && wire["content"].some(isBorrowedPart)
}

/** Whether an item is read as a message of another API: what is written in its place is an item of this one. */
export const isBorrowedMessage = (wire: Wire): boolean => mayBeBorrowed(wire, typeOf(wire)) && borrowedMessage(wire) !== undefined

// Turns the flat list of items into messages. What the model said between two things the client said is one assistant message, and outputs that are
// side by side are one tool message: both stay open while items that belong to them come. An assistant message keeps the list of its items, so that
// the encoder can tell whether the reasoning an item depends on is still there.

const irregular = {
  severity: "warning",
  why: "The Responses API rejects it.",
  help: "Nothing to do: its meaning is clear, and encoding writes the usual shape.",
} as const

export class ItemReader {
  readonly diagnostics: Diagnostic[] = []
  readonly #messages: Message[] = []
  readonly #ids: ItemIds
  readonly #lines: readonly number[] | undefined
  readonly #stored: boolean
  readonly #calls: ReadonlySet<unknown> | undefined
  /** Type of the latest call of each id, where an answer may be of another kind than its call. */
  readonly #asked: Map<unknown, string> | undefined
  readonly #input: readonly unknown[]
  /** Call ids by the ids of their items: gathered when an output names what looks like an item. */
  #byItem: ReadonlyMap<string, string> | undefined
  /** All call ids: gathered when an output has nothing but an id that may be its own. */
  #callIds: ReadonlySet<string> | undefined
  #index = 0
  #open: "assistant" | "tool" | undefined
  #line: number | undefined
  /** What the open message holds so far. Copied when it ends: a list that grew has room for many more. */
  readonly #blocks: Block[] = []
  readonly #items: Wire[] = []
  #blockCount = 0
  #itemCount = 0
  /** Of the first call of the open message that has one. */
  #firstCallId: unknown
  /** How much of the open message was there when its latest call had been read. */
  #blocksToCall = 0
  #itemsToCall = 0

  constructor(body: Wire, options: DecodeOptions) {
    const input: readonly unknown[] = Array.isArray(body["input"]) ? body["input"] : []
    // Where the items are given one by one, nobody knows what will come.
    const usual = input.length > 0 && input.every(isUsual)
    this.#input = input
    this.#ids = new ItemIds(body["model"])
    this.#lines = options.lines
    this.#stored = body["store"] !== false
    this.#calls = callsWithElsewhere(body, input, usual)
    this.#asked = usual ? undefined : new Map()
  }

  /** A message that is complete by itself. */
  whole(message: Message, line?: number): void {
    this.#end()
    this.#ids.clientSpeaks()
    this.#messages.push(line === undefined ? message : { ...message, line })
  }

  malformed(wire: unknown, path: string, line?: number): void {
    const what = "Expected an item with a type, or a message with a known role"
    this.#end()
    this.diagnostics.push(malformedMessage(this.#place(this.#messages.length, path, line), what))
    this.whole({ role: "user", blocks: [malformedBlock(format, wire)] }, line)
  }

  /** The next item of the list. */
  item(wire: unknown): void {
    const index = this.#index++
    const line = this.#lines?.[index]
    const type = typeOf(wire)
    const strange = isWire(wire) && mayBeBorrowed(wire, type)
    const borrowed = strange ? this.#borrowed(wire, type) : undefined
    if (borrowed) {
      this.#end()
      const place = this.#place(this.#messages.length, `input[${index}]`, line)
      this.diagnostics.push(ofAnotherApi(place, "Expected an item, got a message or block of another API"))
      return this.whole(borrowed, line)
    }
    if (!isWire(wire) || type === undefined || (strange && type !== "message")) {
      return this.malformed(wire, `input[${index}]`, line)
    }
    const plain = this.#inPlainWords(wire, type)
    this.#read(plain ?? wire, type, line)
    if (plain) this.#note(index, "A call or an output has its fields under other names", "wrote them under their own")
    this.#report(plain ?? wire, type, index)
  }

  readonly #isCallId = (id: string): boolean => (this.#callIds ??= callIdsIn(this.#input)).has(id)

  #inPlainWords(wire: Wire, type: string): Wire | undefined {
    if (type === "function_call") {
      return typeof wire["name"] === "string" && wire["arguments"] !== undefined ? undefined : callInPlainWords(wire)
    }
    const usual = typeof wire["call_id"] === "string" && wire["output"] !== undefined
    return usual || !answerTypes.has(type) ? undefined : outputInPlainWords(wire, this.#isCallId)
  }

  /** A chat message with calls or a result, or a block where an item belongs. */
  #borrowed(wire: Wire, type: string | undefined): Message | undefined {
    const message = borrowedMessage(wire)
    if (message || type === "message" || wire["role"] !== undefined) return message
    const blocks = readBorrowed(wire)
    const first = blocks?.[0]?.type
    if (!blocks || !first) return undefined
    return { role: first === "call" ? "assistant" : first === "result" ? "tool" : "user", blocks }
  }

  /** All messages, once no item is left. */
  finish(): readonly Message[] {
    this.#end()
    return this.#messages
  }

  #end(): void {
    const role = this.#open
    if (role === undefined) return
    const line = this.#line
    const blocks = this.#blocks.slice(0, this.#blockCount)
    const message: Message =
      role === "assistant" ? { role, blocks, native: { "openai-responses": this.#items.slice(0, this.#itemCount) } } : { role, blocks }
    this.#messages.push(line === undefined ? message : { ...message, line })
    this.#open = undefined
  }

  #read(wire: Wire, type: string, line: number | undefined): void {
    if (type === "function_call") return this.#spoken(wire, type, line)
    if (answerTypes.has(type)) return this.#answer(wire, type, line)
    const role = type === "message" ? roles.get(wire["role"]) : clientItems.get(type)
    if (role === undefined || role === "assistant") return this.#spoken(wire, type, line)
    if (type !== "message") return this.whole({ role, blocks: [readOpaqueItem(wire, type)] }, line)
    this.whole({ role, blocks: readParts(wire["content"]), native: { "openai-responses": wire } }, line)
  }

  #spoken(wire: Wire, type: string, line: number | undefined): void {
    this.#continue("assistant", line)
    if (type === "function_call") return this.#called(wire, line)
    this.#items[this.#itemCount++] = wire
    if (this.#asked && callKindOf(type)) this.#asked.set(wire["call_id"], type)
    if (type === "message") for (const block of readAssistant(wire)) this.#add(block)
    else this.#add(readModelItem(wire, type, this.#stored))
  }

  #called(wire: Wire, line: number | undefined): void {
    const id = wire["call_id"]
    if (!this.#firstCallId) this.#firstCallId = id
    else if (this.#firstCallId === id) this.#beginAnew(id, line)
    this.#items[this.#itemCount++] = wire
    this.#asked?.set(id, "function_call")
    this.#add(readModelItem(wire, "function_call", this.#stored))
    this.#blocksToCall = this.#blockCount
    this.#itemsToCall = this.#itemCount
  }

  /** One answer of the model uses an id once: where ids begin anew, so does its next answer, after the last call. */
  #beginAnew(id: unknown, line: number | undefined): void {
    const blocks = this.#blocks.slice(this.#blocksToCall, this.#blockCount)
    const items = this.#items.slice(this.#itemsToCall, this.#itemCount)
    this.#blockCount = this.#blocksToCall
    this.#itemCount = this.#itemsToCall
    this.#end()
    this.#continue("assistant", line)
    this.#firstCallId = id
    for (const block of blocks) this.#add(block)
    for (const item of items) this.#items[this.#itemCount++] = item
  }

  #answer(wire: Wire, type: string, line: number | undefined): void {
    const said = readResult(wire)
    const meant = this.#callOfItem(said.callId)
    const result = meant === undefined ? said : { ...said, callId: meant }
    if (this.#calls && !this.#calls.has(result.callId)) {
      const shown = `[result of ${result.callId}] ${resultText(result)}`.trim()
      this.whole({ role: "user", blocks: [{ ...readOpaqueItem(wire, type), text: shown }] }, line)
      return
    }
    this.#ids.clientSpeaks()
    this.#continue("tool", line)
    this.#add(result)
  }

  /** The call that an output means by the id of its item. */
  #callOfItem(id: string): string | undefined {
    if (!looksLikeItemId(id)) return undefined
    this.#byItem ??= callIdsByItem(this.#input)
    return this.#byItem.get(id)
  }

  #continue(role: "assistant" | "tool", line: number | undefined): void {
    if (this.#open === role) return
    this.#end()
    this.#open = role
    this.#line = line
    this.#firstCallId = undefined
    this.#blockCount = 0
    this.#itemCount = 0
  }

  #add(block: Block): void {
    this.#blocks[this.#blockCount++] = block
  }

  /** Shapes that the server refuses: the encoder writes them as it wants them, or as text where they mean nothing. */
  #report(wire: Wire, type: string, index: number): void {
    const id = this.#ids.fault(wire, type)
    if (id !== undefined) this.#note(index, `The item id "${asWord(wire["id"])}" ${id}`, "left the item id out")
    const reasoning = type === "reasoning" ? reasoningFault(wire) : undefined
    if (reasoning !== undefined) this.#note(index, reasoning, "wrote it in the usual shape")
    if (type === "function_call" && isWire(wire["arguments"])) {
      this.#note(index, "The arguments of a call are an object where a text belongs", "wrote them as JSON text")
    }
    const callId = wire["call_id"]
    const isCall = (): boolean => callKindOf(type) !== undefined
    if (typeof callId !== "string") {
      const fault = isCall() || answerTypes.has(type) ? callIdFault(wire, isCall()) : undefined
      if (fault !== undefined) this.#note(index, fault, "wrote it as call_id, in text")
    } else if (looksLikeItemId(callId) && answerTypes.has(type) && this.#callOfItem(callId) !== undefined) {
      this.#note(index, "An output names its call by the id of the item", "wrote the call id")
    }
    const asked = this.#asked && answerTypes.has(type) ? this.#asked.get(wire["call_id"]) : undefined
    if (asked !== undefined && callKindOf(asked)?.answers.includes(type) === false) {
      this.#note(index, `A ${type} answers a ${asked}`, "wrote the type that belongs to the call")
    }
    const fault = partsFault(wire, type)
    if (fault === "foreign") this.#note(index, "A text has a type its speaker does not use", "wrote the right type")
    if (fault === "malformed") this.#note(index, "Expected a text or a list of parts")
  }

  #note(index: number, what: string, repair?: string): void {
    const last = this.#open ? this.#messages.length : this.#messages.length - 1
    const place = this.#place(last, `input[${index}]`, this.#lines?.[index])
    const changed = repair !== undefined && { ...irregular, repair: { kind: "safe", what: repair } as const }
    this.diagnostics.push({ ...malformedMessage(place, what), ...changed })
  }

  #place(message: number, path: string, line: number | undefined): Place {
    return line === undefined ? { message, path } : { message, path, line }
  }
}

const readInstructions = (body: Wire): readonly Message[] => {
  const instructions = body["instructions"]
  if (instructions === undefined || instructions === null || instructions === "") return []
  const blocks = typeof instructions === "string" ? readParts(instructions) : [malformedBlock(format, instructions)]
  return [{ role: "system", blocks, native: { "openai-responses": { instructions } } }]
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const body: Wire = isWire(value) ? value : { input: value }
  const { input, model } = body
  const reader = new ItemReader(body, options)
  for (const message of readInstructions(body)) reader.whole(message)
  if (typeof input === "string") {
    reader.whole({ role: "user", blocks: readParts(input), native: { "openai-responses": input } })
  } else if (Array.isArray(input)) for (const wire of input as readonly unknown[]) reader.item(wire)
  else if (input !== undefined && input !== null) reader.malformed(input, "input")
  const messages = reader.finish()
  const { diagnostics } = reader
  return {
    format,
    messages,
    native: { "openai-responses": isWire(value) ? value : {} },
    origin: { provider: "openai", ...(typeof model === "string" && { model }) },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}
