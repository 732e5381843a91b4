/**
 * Gemini streams: chunks of generateContent responses whose parts add up. Text that is side by side is joined, as
 * an answer in one piece has it; a part that carries a signature stays a part of its own. Calls come whole, or, on
 * Vertex, field by field.
 */
import { type Block, isWire, jsonText, limitDepth, type Message, type Wire } from "../../model/index.ts"
import { cutArguments, Pieces, type Slot, type SlotKind } from "../engine/recorder/draft.ts"
import type { StopReason } from "../engine/recorder/recorder.ts"
import { type Recording, shown } from "../engine/recorder/recording.ts"
import type { StreamReader } from "../engine/recorder/stream-recorder.ts"
import { asWire, counts, listOf, numberOf, stringOf, wireOf } from "../engine/wire.ts"
import { either, partKinds, partMarks, signatureOf } from "./fields.ts"
import { newReading, type Reading, readPart as readWirePart } from "./read-blocks.ts"

// Arguments that Vertex streams field by field: each piece names a place (`$.items[0].name`) and brings a value, or a part of a text that the next
// piece goes on with.

/** `$.a[0]["b c"]` → a, 0, b c. */
const stepsOf = (path: string): readonly (string | number)[] => {
  const steps: (string | number)[] = []
  for (const match of path.matchAll(/\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]|([^.[\]$]+)/g)) {
    const [, index, quoted, single, name] = match
    steps.push(index === undefined ? (quoted ?? single ?? name ?? "") : Number(index))
  }
  return steps
}

/** A list grows by what comes, never by what a number claims. */
const farthest = 10_000

type Holder = Record<string | number, unknown>

/** Own fields only, so that a path through `__proto__` reaches nothing but a field of that name. */
const put = (holder: Holder, step: string | number, value: unknown): void => {
  Object.defineProperty(holder, step, { value, writable: true, enumerable: true, configurable: true })
}

const own = (holder: Holder, step: string | number): unknown => (Object.hasOwn(holder, step) ? holder[step] : undefined)

const pathOf = (piece: Wire): string => stringOf(piece["jsonPath"] ?? piece["json_path"])

const valueOf = (piece: Wire): unknown => {
  const text = piece["stringValue"] ?? piece["string_value"]
  if (text !== undefined && text !== null) return text
  const rest = either(piece, "numberValue", "number_value") ?? either(piece, "boolValue", "bool_value")
  return rest === undefined ? null : rest
}

/** A place that a path leads to: a field of an object, or of a list. */
interface PathEnd {
  readonly holder: Holder
  readonly step: string | number
}

/** Walks to a place, and makes the objects and lists on the way. Undefined for a path that leads nowhere. */
const walk = (root: Holder, path: string): PathEnd | undefined => {
  const steps = stepsOf(path)
  let holder = root
  for (const [index, step] of steps.entries()) {
    if (typeof step === "number" && step > farthest) return undefined
    if (index === steps.length - 1) return { holder, step }
    const known = own(holder, step)
    if (typeof known === "object" && known !== null) holder = known as Holder
    else {
      const next = (typeof steps[index + 1] === "number" ? [] : {}) as Holder
      put(holder, step, next)
      holder = next
    }
  }
  return undefined
}

/**
 * The arguments of one call as they grow. A long text comes in many pieces for one place: walking there, and writing
 * there, each costs more than a piece, so that both are done once per place and the pieces are kept beside it.
 */
class PartialArguments {
  readonly #fields: Record<string, unknown>
  /** Where the latest piece went. */
  #end: PathEnd | undefined
  #path: string | undefined
  /** The text at that place; undefined where it holds anything else. */
  #text: Pieces | undefined

  constructor(fields: Wire) {
    this.#fields = { ...fields }
  }

  /** The arguments with everything that has come. */
  get fields(): Record<string, unknown> {
    this.#write()
    return this.#fields
  }

  /** Takes a value for a place. False: the path leads nowhere. */
  put(path: string, value: unknown): boolean {
    if (path !== this.#path) this.#go(path)
    if (!this.#end) return false
    if (typeof value === "string" && this.#text) {
      this.#text.add(value)
      return true
    }
    // At once, although a text may grow: fields are in the order in which they began.
    put(this.#end.holder, this.#end.step, value)
    this.#text = undefined
    if (typeof value === "string") this.#begin(value)
    return true
  }

  #begin(text: string): void {
    this.#text = new Pieces()
    this.#text.text = text
  }

  #go(path: string): void {
    this.#write()
    this.#text = undefined
    this.#path = path
    this.#end = walk(this.#fields, path)
    if (!this.#end) return
    const known = own(this.#end.holder, this.#end.step)
    if (typeof known === "string") this.#begin(known)
  }

  #write(): void {
    if (this.#end && this.#text) put(this.#end.holder, this.#end.step, this.#text.text)
  }
}

const piecesOf = (call: Wire): readonly unknown[] => listOf(call["partialArgs"] ?? call["partial_args"])

const isPartial = (call: Wire): boolean => {
  const { willContinue = call["will_continue"] } = call
  return willContinue === true || either(call, "partialArgs", "partial_args") !== undefined
}

// What a part of a stream is, at a glance, before the decoder reads it.

const callOf = (part: Wire): Wire | undefined => {
  const held = part["functionCall"] ?? part["function_call"]
  return asWire(held)
}

const heldKey = (part: Wire): string | undefined =>
  Object.keys(part).find((key) => !partMarks.has(key) && part[key] !== null && part[key] !== undefined)

const isSigned = (part: Wire): boolean => signatureOf(part) !== ""

const kindOfPart = (part: Wire): SlotKind => {
  if (callOf(part)) return "call"
  const key = heldKey(part)
  if (key === undefined) return isSigned(part) ? "thinking" : "text"
  if (key === "text" && typeof part["text"] === "string") {
    return part["thought"] === true || (isSigned(part) && part["text"].trim() === "") ? "thinking" : "text"
  }
  const kind = partKinds.get(key)
  return kind === "inline" || kind === "file" ? "media" : "opaque"
}

/** Text that may be joined with text of the same kind next to it: nothing about it is signed or marked. */
export const isPlain = (part: Wire): boolean => {
  for (const key in part) if (key !== "text" && !(key === "thought" && part[key] === true)) return false
  return typeof part["text"] === "string"
}

interface GeminiState {
  readonly part: Wire
  /** Grows with the parts beside it. */
  readonly plain: boolean
  /** Arguments that come field by field. */
  readonly partial: PartialArguments | undefined
  /** What the parts before this one said about code; see `Reading`. */
  readonly reading: Reading
  /** The part in one piece, as it was read last. */
  wire?: Wire
}

type PartSlot = Slot<GeminiState>

const meanings: Readonly<Record<string, StopReason>> = {
  STOP: "end",
  MAX_TOKENS: "length",
  SAFETY: "refused",
  RECITATION: "refused",
  BLOCKLIST: "refused",
  PROHIBITED_CONTENT: "refused",
  SPII: "refused",
  LANGUAGE: "refused",
  IMAGE_SAFETY: "refused",
}

/** The model's call could not be read by its own server: what came is no answer, and asking again helps. */
const withoutCall: ReadonlySet<string> = new Set(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"])

export const geminiReader = (recording: Recording<GeminiState>): StreamReader<GeminiState> => {
  const { draft } = recording
  let last: PartSlot | undefined
  let growing: PartSlot | undefined
  /** Runs along with the parts as they begin; each part is read with a copy, since it may be read more than once. */
  const reading = newReading()
  let role: unknown

  const readingAt = (part: Wire): Reading => {
    // Spans are told apart within a conversation, and every answer begins to count anew.
    if (recording.responseId !== undefined) reading.codePrefix = `code-${recording.responseId}-`
    const before = { ...reading, diagnostics: [] }
    if (kindOfPart(part) === "opaque") readWirePart(limitDepth(part), reading, {})
    return before
  }

  const open = (part: Wire, partial?: PartialArguments): PartSlot => {
    if (last && last !== growing) draft.close(last)
    const kind = kindOfPart(part)
    const state: GeminiState = { part, plain: isPlain(part), partial, reading: readingAt(part) }
    const call = callOf(part) ?? {}
    const [id, name] = [stringOf(call["id"]), stringOf(call["name"])]
    const slot = kind === "call" ? recording.openCall(state, id, name) : draft.open(kind, state)
    if (kind === "call") draft.tell(slot, id, name)
    last = slot
    return slot
  }

  const begin = (part: Wire, args: Wire): PartSlot => {
    const slot = open(part, new PartialArguments(args))
    if (Object.keys(args).length > 0) draft.addField(slot, "$", args)
    return slot
  }

  const takePiece = (slot: PartSlot, piece: unknown): void => {
    if (!isWire(piece)) return recording.malformed(piece)
    const path = pathOf(piece)
    const value = valueOf(piece)
    if (slot.state.partial?.put(path, value)) draft.addField(slot, path, value)
    else recording.malformed(piece)
  }

  const readCall = (part: Wire, call: Wire): void => {
    const begun = stringOf(call["name"]) === "" ? growing : undefined
    if (!begun && !isPartial(call)) {
      const slot = open(part)
      draft.add(slot, call["args"] === undefined ? "" : jsonText(call["args"]))
      return draft.close(slot)
    }
    const slot = begun ?? begin(part, wireOf(call["args"]))
    const pieces = piecesOf(call)
    for (let index = 0; index < pieces.length; index++) takePiece(slot, pieces[index])
    growing = (call["willContinue"] ?? call["will_continue"]) === true ? slot : undefined
    if (!growing) draft.close(slot)
  }

  const readPart = (part: unknown): void => {
    if (!isWire(part)) return recording.malformed(part)
    const call = callOf(part)
    if (call) return readCall(part, call)
    const kind = kindOfPart(part)
    const text = stringOf(part["text"])
    if (last && last.state.plain && last.kind === kind && isPlain(part)) return draft.add(last, text)
    if (isPlain(part) && text === "") return
    const slot = open(part)
    if (kind === "text" || kind === "thinking") draft.add(slot, text)
    else draft.close(slot)
  }

  const readUsage = (usage: unknown): void => {
    if (!isWire(usage)) return
    const said = numberOf(usage["candidatesTokenCount"])
    const thought = numberOf(usage["thoughtsTokenCount"])
    recording.usage = {
      ...counts({
        inputTokens: usage["promptTokenCount"],
        outputTokens: said === undefined ? thought : said + (thought ?? 0),
        cacheReadTokens: usage["cachedContentTokenCount"],
        thinkingTokens: thought,
      }),
      native: { gemini: usage },
    }
  }

  const finish = (reason: string, meant: StopReason): void => {
    recording.stop(reason, meant)
    for (const slot of draft.slots) if (slot !== growing) draft.close(slot)
  }

  const readCandidate = (candidate: Wire): void => {
    const content = candidate["content"]
    if (isWire(content)) {
      role ??= content["role"]
      const parts = listOf(content["parts"])
      for (let index = 0; index < parts.length; index++) readPart(parts[index])
    }
    const reason = candidate["finishReason"] ?? candidate["finish_reason"]
    if (typeof reason !== "string" || reason === "" || reason === "FINISH_REASON_UNSPECIFIED") return
    if (withoutCall.has(reason)) {
      const said = candidate["finishMessage"] ?? candidate["finish_message"]
      return recording.fail([reason, stringOf(said)].filter((word) => word !== "").join(": "), candidate)
    }
    finish(reason, Object.hasOwn(meanings, reason) ? (meanings[reason] ?? "other") : "other")
  }

  const read = (chunk: Wire): void => {
    recording.identify(chunk["responseId"] ?? chunk["response_id"], chunk["modelVersion"] ?? chunk["model_version"])
    readUsage(chunk["usageMetadata"] ?? chunk["usage_metadata"])
    const { error, candidates } = chunk
    if (error !== undefined && error !== null) {
      return recording.fail(stringOf(wireOf(error)["message"]) || shown(error), error)
    }
    const feedback = chunk["promptFeedback"] ?? chunk["prompt_feedback"]
    const blocked = isWire(feedback) ? (feedback["blockReason"] ?? feedback["block_reason"]) : undefined
    if (typeof blocked === "string") finish(blocked, "refused")
    const list = listOf(candidates)
    for (let index = 0; index < list.length; index++) {
      const candidate = list[index]
      if (!isWire(candidate)) recording.malformed(candidate)
      else if ((numberOf(candidate["index"]) ?? 0) === 0) readCandidate(candidate)
      else recording.problems.add("other-answer", "Another candidate was not recorded", recording.place())
    }
  }

  const readBlocks = (part: Wire, { reading: at }: GeminiState): Block | readonly Block[] => {
    const blocks = readWirePart(part, { ...at, diagnostics: [] }, {})
    return blocks.length === 1 ? (blocks[0] as Block) : blocks
  }

  const cut = (block: Block, raw: string): Block => (block.type === "call" ? { ...block, ...cutArguments(raw) } : block)

  /** The part as it would have come in one piece. */
  const partOf = ({ kind, state: { part, partial, plain }, pieces }: PartSlot): Wire => {
    if (kind !== "call") return plain ? { ...part, text: pieces.text } : part
    if (!partial) return part
    const key = "function_call" in part ? "function_call" : "functionCall"
    const { partialArgs: _, partial_args: __, willContinue: ___, will_continue: ____, ...call } = callOf(part) ?? {}
    return { ...part, [key]: { ...call, args: partial.fields } }
  }

  const build = (slot: PartSlot, whole: boolean): Block | readonly Block[] => {
    const part = limitDepth(partOf(slot))
    slot.state.wire = part
    const blocks = readBlocks(part, slot.state)
    if (whole || slot.kind !== "call") return blocks
    const { partial } = slot.state
    const raw = partial ? jsonText(partial.fields) : slot.pieces.text
    return "type" in blocks ? cut(blocks, raw) : blocks.map((block) => cut(block, raw))
  }

  const compose = (blocks: readonly Block[], slots: readonly PartSlot[]): Message => {
    const parts = slots.map(({ state }) => state.wire)
    const wire = { role: typeof role === "string" && role !== "" ? role : "model", parts }
    return { role: "assistant", blocks, native: { gemini: wire } }
  }

  const isWhole = (slot: PartSlot, complete: boolean): boolean => slot !== growing && (complete || slot.finished)
  return { format: "gemini", ids: "optional", wholeCalls: true, read, build, isWhole, compose }
}
