/**
 * Chat Completions streams: chunks whose delta adds to one message, a finish reason, `[DONE]`. The message has no order
 * among words, reasoning and calls, so that each is gathered by itself; blocks are in the order in which they began.
 */
import { type Block, isWire, limitDepth, type Message, type ThinkingBlock, type Wire } from "../../model/index.ts"
import { type Draft, Pieces, type Slot, wholeCharacters } from "../engine/recorder/draft.ts"
import type { StopReason, Usage } from "../engine/recorder/recorder.ts"
import { type Recording, shown } from "../engine/recorder/recording.ts"
import type { StreamReader } from "../engine/recorder/stream-recorder.ts"
import { asWire, counts, isGiven, listOf, stringOf, wireOf } from "../engine/wire.ts"
import { detailTexts, firstText, isFilled, readReasoning, reasoningFields } from "./fields.ts"
import { Findings, readAudioField, readPart, readRefusalField } from "./read-blocks.ts"
import { buildCall, type CallSlot, ChatCalls, type ChatState } from "./stream-calls.ts"

// Words of a chat message: content as text or as parts, a refusal, audio.

type ChatSlot = Slot<ChatState>

const thoughtOf = (value: unknown): string => {
  if (typeof value === "string") return value
  return listOf(value)
    .map((inner) => (isWire(inner) ? stringOf(inner["text"]) : ""))
    .join("")
}

class Content {
  readonly #draft: Draft<ChatState>
  /** Plain text of the content: one block, however often other things come between. */
  #text: ChatSlot | undefined
  /** The part that grows, where content comes in parts. */
  #part: ChatSlot | undefined
  #refusal: ChatSlot | undefined
  #audio: ChatSlot | undefined
  /** Content was said to be a text, even an empty one. */
  worded = false
  /** The field was mentioned: it goes back as null where nothing was refused. */
  refusalNamed = false
  /** Parts came: the content is a list. */
  inParts = false

  constructor(draft: Draft<ChatState>) {
    this.#draft = draft
  }

  take(delta: Wire): void {
    const { content, refusal, audio } = delta
    if (typeof content === "string") this.#takeText(content)
    else for (const part of listOf(content)) if (isWire(part)) this.#takePart(part)
    if (refusal === null) this.refusalNamed = true
    if (typeof refusal === "string" && refusal !== "") {
      this.#refusal ??= this.#draft.open("text", { type: "refusal" })
      this.#draft.add(this.#refusal, refusal)
    }
    if (isWire(audio)) this.#takeAudio(audio)
  }

  #takeText(text: string): void {
    this.worded = true
    if (text === "") return
    if (this.inParts) return this.#takePart({ type: "text", text })
    this.#text ??= this.#draft.open("text", { type: "content", part: undefined })
    this.#draft.add(this.#text, text)
  }

  #takePart(part: Wire): void {
    this.inParts = true
    const type = part["type"]
    const words = type === "text" ? stringOf(part["text"]) : type === "thinking" ? thoughtOf(part["thinking"]) : ""
    const kind = type === "text" ? "text" : type === "thinking" ? "thinking" : "opaque"
    const last = this.#part
    if (last && kind !== "opaque" && last.kind === kind) return this.#draft.add(last, words)
    if (last) this.#draft.close(last)
    this.#part = this.#draft.open(kind, { type: "content", part })
    this.#draft.add(this.#part, words)
    if (kind === "opaque") this.#draft.close(this.#part)
  }

  #takeAudio(audio: Wire): void {
    this.#audio ??= this.#draft.open("opaque", { type: "audio", fields: {} })
    if (this.#audio.state.type !== "audio") return
    const { fields } = this.#audio.state
    for (const name in audio) {
      const value = audio[name]
      const before = name === "data" || name === "transcript" ? stringOf(fields[name]) : ""
      if (value !== null && value !== undefined) fields[name] = typeof value === "string" ? before + value : value
    }
    this.#draft.touch(this.#audio)
  }

  build({ state, pieces }: ChatSlot): Block | readonly Block[] {
    const { text } = pieces
    if (state.type === "refusal") return readRefusalField(text)
    if (state.type === "audio") return readAudioField(limitDepth({ ...state.fields }))
    const part = state.type === "content" ? state.part : undefined
    if (!part) return { type: "text", text }
    const blocks = readPart(limitDepth(partOf(part, text)), new Findings())
    return blocks.length === 1 ? (blocks[0] as Block) : blocks
  }
}

/** The part as it would have come in one piece. */
const partOf = (part: Wire, text: string): Wire => {
  if (part["type"] === "text") return { ...part, text }
  if (part["type"] !== "thinking") return part
  return { ...part, thinking: typeof part["thinking"] === "string" ? text : [{ type: "text", text }] }
}

// The chat message an answer in one piece would have held, made of finished blocks.

const nativeOf = (block: Block): Wire | undefined => asWire(block.native?.["openai-chat"])

/** A part of the content keeps the part itself; fields beside the content keep an object without a type. */
const isPart = (native: Wire | undefined): native is Wire => native !== undefined && "type" in native

const contentOf = (blocks: readonly Block[], content: Content): unknown => {
  const words = blocks.filter((block) => block.type !== "call")
  if (!content.inParts) {
    const plain = words.find((block) => block.type === "text" && block.native === undefined)
    return plain?.type === "text" ? plain.text : content.worded ? "" : null
  }
  return words.flatMap((block): readonly unknown[] => {
    const native = nativeOf(block)
    if (isPart(native)) return [native]
    return block.type === "text" && !native ? [{ type: "text", text: block.text }] : []
  })
}

const composeMessage = (blocks: readonly Block[], others: Wire, content: Content): Message => {
  const wire: Record<string, unknown> = { role: "assistant", content: contentOf(blocks, content) }
  if (content.refusalNamed) wire["refusal"] = null
  const calls: Wire[] = []
  for (const block of blocks) {
    const native = nativeOf(block)
    if (block.type !== "call") {
      if (native && !isPart(native)) Object.assign(wire, native)
    } else if (native && "type" in native) calls.push(native)
    else if (native) wire["function_call"] = native
  }
  if (calls.length > 0) wire["tool_calls"] = calls
  return { role: "assistant", blocks, native: { "openai-chat": { ...others, ...wire } } }
}

// The chunk that a long stream consists of: one choice, whose delta is one piece of a call and nothing else. It is told apart here, at a glance,
// because asking every reader of a chunk what it thinks of it costs several times the piece.

/** The piece of a call, where the chunk says nothing else but who sent it. */
const onlyPiece = (chunk: Wire): Wire | undefined => {
  const { choices, usage, error } = chunk
  if (!Array.isArray(choices) || choices.length !== 1 || isGiven(usage) || isGiven(error)) return undefined
  const choice: unknown = choices[0]
  if (!isWire(choice) || choice["index"] !== 0 || isGiven(choice["finish_reason"]) || isGiven(choice["usage"])) return undefined
  const { delta } = choice
  if (!isWire(delta)) return undefined
  const { tool_calls: pieces } = delta
  if (!Array.isArray(pieces) || pieces.length !== 1) return undefined
  const piece: unknown = pieces[0]
  // Names are looked at last: after such a look, an engine asks of every object anew what it is.
  for (const name in delta) if (name !== "tool_calls") return undefined
  return asWire(piece)
}

// Reasoning in chat streams: fields beside the content, under several names, often under two at once. Each field is gathered by itself and goes back
// under its name; a screen hears the first that a chunk carries.

const textFields = ["reasoning_content", "reasoning"] as const
const listFields = ["reasoning_details", "thinking_blocks"] as const

/** An entry of a list that grows: its texts in pieces, everything else as last said. */
interface Detail {
  readonly fields: Record<string, unknown>
  readonly texts: Map<string, Pieces>
}

const isSameDetail = (detail: Detail, wire: Wire): boolean => {
  const { index, id, type } = detail.fields
  const sameIndex = index === undefined || wire["index"] === undefined || index === wire["index"]
  const sameId = !id || !wire["id"] || id === wire["id"]
  return sameIndex && sameId && (type === undefined || wire["type"] === undefined || type === wire["type"])
}

class Reasoning {
  readonly #texts = new Map<string, Pieces>()
  readonly #lists = new Map<string, Detail[]>()

  /** Takes what a delta says; gives the words a screen should show. */
  take(delta: Wire): string {
    let shown = ""
    for (const field of textFields) {
      const value = stringOf(delta[field])
      if (value === "") continue
      const pieces = this.#texts.get(field) ?? new Pieces()
      this.#texts.set(field, pieces)
      pieces.add(value)
      if (shown === "") shown = value
    }
    for (const field of listFields) {
      const list = this.#lists.get(field) ?? []
      let said = ""
      for (const wire of listOf(delta[field])) if (isWire(wire)) said += this.#takeDetail(list, wire)
      if (list.length > 0) this.#lists.set(field, list)
      if (shown === "") shown = said
    }
    return shown
  }

  #takeDetail(list: Detail[], wire: Wire): string {
    const last = list.at(-1)
    const detail = last && isSameDetail(last, wire) ? last : { fields: {}, texts: new Map<string, Pieces>() }
    if (detail !== last) list.push(detail)
    for (const name in wire) {
      const value = wire[name]
      if (typeof value !== "string" || !(detailTexts as readonly string[]).includes(name)) {
        if (value !== null || !(name in detail.fields)) detail.fields[name] = value
        continue
      }
      const pieces = detail.texts.get(name) ?? new Pieces()
      detail.texts.set(name, pieces)
      pieces.add(value)
      detail.fields[name] = ""
    }
    return firstText(wire, detailTexts)
  }

  /** Nothing but blanks so far. */
  get isBlank(): boolean {
    return Object.keys(this.#fields(true)).length === 0
  }

  #fields(whole: boolean): Wire {
    const textOf = (pieces: Pieces): string => (whole ? pieces.text : wholeCharacters(pieces.text))
    const fields: Record<string, unknown> = {}
    for (const field of reasoningFields) {
      const list = this.#lists.get(field)
      const pieces = this.#texts.get(field)
      const value = list ? list.map((detail) => wireOfDetail(detail, textOf)) : pieces && textOf(pieces)
      if (isFilled(value)) fields[field] = value
    }
    return fields
  }

  /** One block for all fields. */
  build(whole: boolean): ThinkingBlock {
    const fields = limitDepth(this.#fields(whole))
    return readReasoning(fields) ?? { type: "thinking", text: "", native: { "openai-chat": fields } }
  }
}

const wireOfDetail = ({ fields, texts }: Detail, textOf: (pieces: Pieces) => string): Wire => {
  const wire: Record<string, unknown> = { ...fields }
  for (const [name, pieces] of texts) wire[name] = textOf(pieces)
  return wire
}

/** Tokens of a completion. They come at the end, in every chunk, or inside a choice; the latest count stands. */
const readUsage = (usage: unknown, before: Usage | undefined): Usage | undefined => {
  if (!isWire(usage)) return before
  return {
    ...counts({
      inputTokens: usage["prompt_tokens"],
      outputTokens: usage["completion_tokens"],
      cacheReadTokens: wireOf(usage["prompt_tokens_details"])["cached_tokens"],
      thinkingTokens: wireOf(usage["completion_tokens_details"])["reasoning_tokens"],
    }),
    native: { "openai-chat": usage },
  }
}

const meanings: Readonly<Record<string, StopReason>> = {
  stop: "end",
  eos: "end",
  end_turn: "end",
  tool_calls: "calls",
  function_call: "calls",
  length: "length",
  model_length: "length",
  max_tokens: "length",
  max_output_tokens: "length",
  content_filter: "refused",
  refusal: "refused",
}

export const chatReader = (recording: Recording<ChatState>): StreamReader<ChatState> => {
  const { draft } = recording
  const calls = new ChatCalls(recording)
  const reasoning = new Reasoning()
  const content = new Content(draft)
  const others: Record<string, unknown> = {}
  let thinking: Slot<ChatState> | undefined

  const readReasoning = (delta: Wire): void => {
    const words = reasoning.take(delta)
    if (!thinking && reasoning.isBlank) return
    thinking ??= draft.open("thinking", { type: "reasoning" })
    draft.add(thinking, words)
    draft.touch(thinking)
  }

  const readCalls = (pieces: unknown): void => {
    if (Array.isArray(pieces)) {
      for (let index = 0; index < pieces.length; index++) if (isWire(pieces[index])) calls.take(pieces[index])
    } else if (isWire(pieces)) calls.take(pieces)
  }

  const keep = (name: string, value: unknown): void => {
    const before = others[name]
    if (value !== null && value !== undefined) {
      others[name] = Array.isArray(value) && Array.isArray(before) ? before.concat(value) : value
    }
  }

  /** Each kind of field has one reader, in whatever order fields are; reasoning is said before words and calls. */
  const readDelta = (delta: Wire): void => {
    let reasons = false
    let speaks = false
    for (const name in delta) {
      if (name === "tool_calls" || name === "role" || name === "function_call") continue
      if (name === "content" || name === "refusal" || name === "audio") speaks = true
      else if ((reasoningFields as readonly string[]).includes(name)) reasons = true
      else keep(name, delta[name])
    }
    if (reasons) readReasoning(delta)
    if (speaks) content.take(delta)
    readCalls(delta["tool_calls"])
    if (isWire(delta["function_call"])) calls.takeLegacy(delta["function_call"])
  }

  const finish = (): void => {
    for (const slot of draft.slots) draft.close(slot)
  }

  const end = (reason: string): void => {
    // Gateways hand on what the server behind them said, in capitals too.
    const meant = reason.toLowerCase()
    recording.stop(reason, Object.hasOwn(meanings, meant) ? (meanings[meant] ?? "other") : "other")
    finish()
  }

  const readChoice = (choice: Wire): void => {
    const delta = choice["delta"] ?? choice["message"]
    if (isWire(delta)) readDelta(delta)
    if (isWire(choice["usage"])) recording.usage = readUsage(choice["usage"], recording.usage)
    const reason = choice["finish_reason"]
    if (typeof reason !== "string" || reason === "") return
    if (reason === "error") return recording.fail(`finish_reason ${reason}`, choice)
    end(reason)
  }

  const readError = (error: unknown): void => {
    const message = isWire(error) ? stringOf(error["message"]) : stringOf(error)
    recording.fail(message || shown(error), error)
  }

  /** Lines of a local server: the message is at the top, thinking under its own name, `done` at the end. */
  const readLine = (line: Wire, { thinking: thought, ...message }: Wire): void => {
    readDelta(typeof thought === "string" && thought !== "" ? { ...message, reasoning: thought } : message)
    if (line["done"] !== true) return
    const usage = { prompt_tokens: line["prompt_eval_count"], completion_tokens: line["eval_count"] }
    if (usage.completion_tokens !== undefined) recording.usage = readUsage(usage, recording.usage)
    end(stringOf(line["done_reason"]) || "stop")
  }

  const read = (chunk: Wire): void => {
    const piece = onlyPiece(chunk)
    if (piece && calls.goesOn(piece)) return
    // After the pieces that go on: whoever sends them has said who it is with the first.
    recording.identify(chunk["id"], chunk["model"])
    const { choices, usage, error } = chunk
    if (choices === undefined && isWire(chunk["message"])) return readLine(chunk, chunk["message"])
    if (isWire(usage)) recording.usage = readUsage(usage, recording.usage)
    if (error !== undefined && error !== null) readError(error)
    if (choices === undefined && error === undefined && !isWire(usage)) return recording.unknown(chunk)
    const list = listOf(choices)
    for (let index = 0; index < list.length; index++) {
      const choice = list[index]
      if (!isWire(choice)) recording.malformed(choice)
      else if (choice["index"] === undefined || choice["index"] === null || choice["index"] === 0) readChoice(choice)
      else recording.problems.add("other-answer", "Another choice was not recorded", recording.place())
    }
  }

  const readMarker = (event: unknown): boolean => {
    if (typeof event !== "string" || event.trim() !== "[DONE]") return false
    recording.marked = true
    finish()
    return true
  }

  return {
    format: "openai-chat",
    read,
    readMarker,
    isWhole: (slot, complete) => complete || (slot.state.type === "call" ? calls.isWhole(slot as CallSlot) : slot.finished),
    build: (slot, whole) => {
      const { state } = slot
      if (state.type === "call") return buildCall(state, slot.pieces.text, whole)
      return state.type === "reasoning" ? reasoning.build(whole) : content.build(slot)
    },
    compose: (blocks) => composeMessage(blocks, wireOf(others), content),
  }
}
