/** Pieces of `tool_calls` → calls that grow, and the entries an answer in one piece would hold. */
import { type Block, isWire, jsonText, limitDepth, parseJson, type Wire } from "../../../model/index.ts"
import { cutArguments } from "../../engine/recorder/arguments.ts"
import { numberOf, stringOf } from "../../engine/recorder/fields.ts"
import type { Recording } from "../../engine/recorder/recording.ts"
import { Findings } from "../findings.ts"
import { readCall, readLegacyCall } from "../read-call.ts"
import { CallFinder, type CallSlot, type Piece } from "./call-finder.ts"
import type { CallState, ChatState } from "./state.ts"

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

/** A call that came whole is sent a second time: text behind a whole object could never be read. */
const isRepeated = ({ state, pieces }: CallSlot, { id, name, text }: Piece): boolean =>
  state.deltas === 1 && id !== "" && id === state.id && name === state.name && text === pieces.text && isWire(parseJson(text))

export class ChatCalls {
  readonly #recording: Recording<ChatState>
  readonly #finder = new CallFinder()
  #legacy: CallSlot | undefined

  constructor(recording: Recording<ChatState>) {
    this.#recording = recording
  }

  /** A call behind which another has begun and whose text is an object; `{}` may stand for what was still to come. */
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
  const entry = limitDepth(entryOf(state, raw))
  const block = state.legacy ? readLegacyCall(entry, new Findings()) : readCall(entry, new Findings())
  if (whole || block.type !== "call") return block
  return state.custom ? { ...block, fault: "unparsable" } : { ...block, ...cutArguments(raw) }
}
