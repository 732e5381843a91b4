/** Pieces of `tool_calls` → calls that grow, and the entries an answer in one piece would hold. */
import { type Block, isWire, jsonText, limitDepth, parseJson, type Wire } from "../../model/index.ts"
import { cutCall, type Slot } from "../engine/recorder/draft.ts"
import type { Recording } from "../engine/recorder/recording.ts"
import { numberOf, stringOf } from "../engine/wire.ts"
import { Findings, readCall, readLegacyCall } from "./read-blocks.ts"

// What the reader of chat streams remembers about each block.

/** Reasoning fields of the message; `Reasoning` gathers them. */
interface ReasoningState {
  readonly type: "reasoning"
}

/** A part of the content: plain text where content came as text, else a part of the type it names. */
interface PartState {
  readonly type: "content"
  readonly part: Readonly<Record<string, unknown>> | undefined
}

interface RefusalState {
  readonly type: "refusal"
}

interface AudioState {
  readonly type: "audio"
  readonly fields: Record<string, unknown>
}

interface CallState {
  readonly type: "call"
  id: string
  name: string
  /** How many pieces with text came. */
  deltas: number
  /** A free-text tool. */
  custom: boolean
  /** A call in the style of old, which the message holds outside of `tool_calls`. */
  readonly legacy: boolean
  /** Fields of the entry and of its function beside those we know. */
  readonly fields: Record<string, unknown>
  readonly inner: Record<string, unknown>
}

export type ChatState = ReasoningState | PartState | RefusalState | AudioState | CallState

// Which call a piece of `tool_calls` belongs to. OpenAI gives every piece an index and the first one an id and a name;
// compatible servers leave the index out, give every call index 0, repeat the id on each piece or send none, and send
// whole calls at once. The order of belief:
//
//   1. an id that is known      that call (unless the piece opens another index with a name of its own)
//   2. an id that is new        a new call, whatever the index says
//   3. an index that is known   that call, unless the piece begins a call anew
//   4. an index that is new     a new call
//   5. nothing                  the latest call, unless the piece begins a call anew

export type CallSlot = Slot<ChatState> & { readonly state: CallState }

/** What a piece says about its call; "" and absent are the same. */
interface Piece {
  readonly id: string
  readonly index: number | undefined
  readonly name: string
  readonly text: string
}

/** A name after arguments, another name, or a second whole object: a call that begins, not one that goes on. */
const beginsAnew = ({ state, pieces }: CallSlot, { name, text }: Piece): boolean => {
  if (name === "" || pieces.isEmpty) return false
  if (name !== state.name && !name.startsWith(state.name)) return true
  return state.deltas === 1 && text.startsWith("{") && parseJson(pieces.text) !== undefined
}

class CallFinder {
  readonly #byId = new Map<string, CallSlot>()
  readonly #byIndex = new Map<number, CallSlot>()
  #latest: CallSlot | undefined
  /** The index of the latest call: nearly every piece goes there. */
  #latestIndex: number | undefined

  get latest(): CallSlot | undefined {
    return this.#latest
  }

  /** The call at this index, which grows and is now the latest. */
  continue(index: number): CallSlot | undefined {
    if (index === this.#latestIndex) return this.#latest
    const slot = this.#byIndex.get(index)
    if (!slot) return undefined
    this.#latest = slot
    this.#latestIndex = index
    return slot
  }

  /** The call that goes on with this piece; undefined: the piece begins one. */
  find(piece: Piece): CallSlot | undefined {
    const { id, index } = piece
    const at = index === undefined ? undefined : this.#byIndex.get(index)
    if (id !== "") {
      const known = this.#byId.get(id)
      if (known) return index !== undefined && !at && piece.name !== "" ? undefined : known
      return at && this.#isNamedLate(at, piece) ? at : undefined
    }
    const candidate = index === undefined ? this.#latest : at
    return candidate && !beginsAnew(candidate, piece) ? candidate : undefined
  }

  note(slot: CallSlot, { id, index }: Piece): void {
    if (id !== "") this.#byId.set(id, slot)
    if (index !== undefined) this.#byIndex.set(index, slot)
    this.#latest = slot
    this.#latestIndex = index
  }

  /** An id that comes after the call began without one. */
  #isNamedLate(slot: CallSlot, { name }: Piece): boolean {
    return slot.state.id === "" && (name === "" || slot.state.name === "" || name === slot.state.name)
  }
}

/** Fields that are read; everything else on an entry is kept as it is. */
const known: ReadonlySet<string> = new Set(["index", "id", "type", "function", "custom", "name", "arguments", "input"])

const keepOthers = (from: Wire, into: Record<string, unknown>): void => {
  for (const name in from) {
    const value = from[name]
    if (!known.has(name) && value !== null && value !== undefined) into[name] = value
  }
}

/** Some servers say "null" where they mean nothing. */
const nameOf = (target: Wire): string => {
  const name = stringOf(target["name"])
  return name === "null" ? "" : name
}

/** An object is the whole of the arguments: it replaces what came as text. */
const textOf = (value: unknown): { readonly text: string; readonly whole: boolean } => {
  if (typeof value === "string") return { text: value, whole: false }
  if (value === null || value === undefined) return { text: "", whole: false }
  return { text: jsonText(value), whole: true }
}

/** Some servers count in texts. */
const indexOf = (value: unknown): number | undefined =>
  typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : numberOf(value)

/** A call that came whole is sent a second time: text after a whole object could never be read. */
const isRepeated = ({ state, pieces }: CallSlot, { id, name, text }: Piece): boolean =>
  state.deltas === 1 && id !== "" && id === state.id && name === state.name && text === pieces.text && isWire(parseJson(text))

export class ChatCalls {
  readonly #recording: Recording<ChatState>
  readonly #finder = new CallFinder()
  #legacy: CallSlot | undefined

  constructor(recording: Recording<ChatState>) {
    this.#recording = recording
  }

  /** A call after which another has begun and whose text is an object; `{}` may stand for what was still to come. */
  isWhole(slot: CallSlot): boolean {
    if (slot === this.#finder.latest || slot.state.legacy) return false
    const value = parseJson(slot.pieces.text)
    return isWire(value) && Object.keys(value).length > 0
  }

  take(entry: Wire): void {
    if (!this.goesOn(entry)) this.#takeAny(entry)
  }

  /** Takes what nearly every piece is: an index and more of the arguments. False: nothing was taken, look closer. */
  goesOn(entry: Wire): boolean {
    const { index, function: target } = entry
    if (typeof index !== "number" || !isWire(target)) return false
    const text = target["arguments"]
    if (typeof text !== "string") return false
    for (const name in entry) if (name !== "index" && name !== "function") return false
    for (const name in target) if (name !== "arguments") return false
    const slot = this.#finder.continue(index)
    if (!slot || !slot.told) return false
    slot.state.deltas++
    this.#recording.draft.add(slot, text)
    return true
  }

  #takeAny(entry: Wire): void {
    const custom = isWire(entry["custom"])
    const inside = custom ? entry["custom"] : entry["function"]
    const target = isWire(inside) ? inside : entry
    const { text, whole } = textOf(custom ? target["input"] : target["arguments"])
    const piece = { id: stringOf(entry["id"]), index: indexOf(entry["index"]), name: nameOf(target), text }
    const slot = this.#finder.find(piece) ?? this.#begin(piece.id, piece.name, false)
    this.#finder.note(slot, piece)
    if (isRepeated(slot, piece)) return
    slot.state.custom ||= custom || entry["type"] === "custom"
    keepOthers(entry, slot.state.fields)
    if (target !== entry) keepOthers(target, slot.state.inner)
    this.#grow(slot, piece.id, piece.name, text, whole)
  }

  /** The `function_call` of old: one per message, without id. */
  takeLegacy(entry: Wire): void {
    const { text, whole } = textOf(entry["arguments"])
    const name = nameOf(entry)
    this.#legacy ??= this.#begin("", name, true)
    this.#grow(this.#legacy, "", name, text, whole)
  }

  #begin(id: string, name: string, legacy: boolean): CallSlot {
    const state: CallState = { type: "call", id, name: "", deltas: 0, custom: false, legacy, fields: {}, inner: {} }
    return this.#recording.openCall(state, id, name) as CallSlot
  }

  #grow(slot: CallSlot, id: string, name: string, text: string, whole: boolean): void {
    const { state } = slot
    const identified = this.#identify(state, id, name, slot.pieces.isEmpty)
    const waiting = this.#recording.names === "pieces" && text === "" && slot.pieces.isEmpty
    if (state.name !== "" && !waiting && (identified || !slot.told)) {
      this.#recording.draft.tell(slot, state.id, state.name)
    }
    if (text === "") return
    state.deltas++
    if (whole) this.#recording.draft.set(slot, "")
    this.#recording.draft.add(slot, text)
  }

  /** True where the call is now known by another id or name. */
  #identify(state: CallState, id: string, name: string, empty: boolean): boolean {
    const [idBefore, nameBefore] = [state.id, state.name]
    if (id !== "" && state.id === "") state.id = id
    if (this.#recording.names === "pieces") {
      if (empty) state.name += name
    } else if (name.startsWith(state.name) && name !== "") state.name = name
    return state.id !== idBefore || state.name !== nameBefore
  }
}

/** The entry as it would have come in one piece. */
const entryOf = ({ id, name, fields, inner, custom, legacy }: CallState, raw: string): Wire => {
  if (custom) return { ...fields, id, type: "custom", custom: { ...inner, name, input: raw } }
  const target = { ...inner, name, arguments: raw }
  return legacy ? target : { ...fields, id, type: "function", function: target }
}

export const buildCall = (state: CallState, raw: string, whole: boolean): Block => {
  const wire = limitDepth(entryOf(state, raw))
  const read = (entry: Wire): Block => (state.legacy ? readLegacyCall(entry, new Findings()) : readCall(entry, new Findings()))
  if (whole || state.custom) {
    const block = read(wire)
    return whole || block.type !== "call" ? block : { ...block, fault: "unparsable" }
  }
  const bare = limitDepth(entryOf(state, "{}"))
  const block = read(bare)
  return block.type === "call" ? cutCall(block, "openai-chat", { bare, wire, raw }) : read(wire)
}
