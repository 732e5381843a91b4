/**
 * The unfinished message: its blocks in the order in which they began, each with the text that has come so far. A
 * recorder decides what an event means; the draft keeps the text, tells the screen, and remembers finished blocks.
 *
 *            open()            add()*             close()
 *   (nothing) ────> growing ───────────> growing ─────────> finished
 *                   text readable         …                 block built once, never changes
 */
import type { Arguments, Block, CallBlock, Wire } from "../../../model/index.ts"
import type { RecordEvent } from "./recorder.ts"

/**
 * A text that arrives in pieces. Adding a piece costs the piece, whatever has come before: JavaScript engines keep a
 * concatenation as a tree of its pieces (a rope) and copy the characters only when somebody looks at them. Measured
 * beside a list that is joined at the end: a third of the time.
 */
/** A text that broke off may end in half of a surrogate pair: that is no character, and no provider takes it back. */
export const wholeCharacters = (text: string): string => {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text
}

/** So many pieces are put together at a time: fewer leave more small objects to the collector, more gain nothing. */
const batch = 256

export class Pieces {
  #head = ""
  #tail = ""
  #count = 0
  /** The character last looked at: kept, because an optimizer leaves out a look of which nothing is kept. */
  seen = 0

  add(piece: string): void {
    this.#tail += piece
    if (++this.#count < batch) return
    // Looking at a character puts the pieces together.
    this.seen = this.#tail.charCodeAt(0)
    this.#head += this.#tail
    this.#tail = ""
    this.#count = 0
  }

  get isEmpty(): boolean {
    return this.#head === "" && this.#tail === ""
  }

  get text(): string {
    return this.#tail === "" ? this.#head : this.#head + this.#tail
  }

  set text(text: string) {
    this.#head = text
    this.#tail = ""
    this.#count = 0
  }
}

export type SlotKind = "text" | "thinking" | "call" | "media" | "opaque"

/** One block in the making. `State` is what its format has to remember about it. */
export interface Slot<State> {
  /** Its place in the message; below zero for one that is in no message. */
  readonly index: number
  readonly kind: SlotKind
  /** What more of its text is told as; undefined: nothing is. */
  readonly deltas: "text-delta" | "thinking-delta" | "call-delta" | undefined
  readonly state: State
  readonly pieces: Pieces
  /** Its start was told: a call waits for its name. */
  told: boolean
  finished: boolean
  /** Several where the decoder reads one wire value as several blocks: a call that brings its result along. */
  built: Block | readonly Block[] | undefined
}

const nothing: readonly RecordEvent[] = []

const newSlot = <State>(index: number, kind: SlotKind, state: State): Slot<State> => ({
  index,
  kind,
  deltas: kind === "media" || kind === "opaque" ? undefined : `${kind}-delta`,
  state,
  pieces: new Pieces(),
  told: kind !== "call",
  finished: false,
  built: undefined,
})

export class Draft<State> {
  readonly slots: Slot<State>[] = []
  #told: RecordEvent[] | undefined
  /** Somebody wants the events. */
  readonly isTelling: boolean

  constructor(telling: boolean) {
    this.isTelling = telling
  }

  /** Begins a block. The start of a call is told by `tell`, when its name is known. */
  open(kind: SlotKind, state: State): Slot<State> {
    const slot = newSlot(this.slots.length, kind, state)
    this.slots.push(slot)
    if (kind !== "call") this.#tell({ type: `${kind}-start`, block: slot.index })
    return slot
  }

  /** A block that is in no message: whatever is done to it, nothing of it is kept or told. */
  refuse(kind: SlotKind, state: State): Slot<State> {
    return newSlot(-1, kind, state)
  }

  /** Says who is called, and what has come of the arguments before anybody knew. */
  tell(slot: Slot<State>, id: string, name: string): void {
    this.#tell({ type: "call-start", block: slot.index, id, name })
    if (!slot.told && !slot.pieces.isEmpty) this.#delta(slot, slot.pieces.text)
    slot.told = true
  }

  add(slot: Slot<State>, delta: string): void {
    if (delta.length === 0 || slot.index < 0) return
    slot.pieces.add(delta)
    slot.built = undefined
    if (this.isTelling && slot.told) this.#delta(slot, delta)
  }

  /** A value of the arguments, where they come field by field. The reader keeps it. */
  addField(slot: Slot<State>, path: string, value: unknown): void {
    slot.built = undefined
    if (this.isTelling) this.#tell({ type: "call-field", block: slot.index, path, value })
  }

  /** What came was another way of saying the whole: nothing is told, a screen reads the draft. */
  set(slot: Slot<State>, text: string): void {
    slot.pieces.text = text
    slot.built = undefined
  }

  /** Something else about the block has changed. */
  touch(slot: Slot<State>): void {
    slot.built = undefined
  }

  close(slot: Slot<State>): void {
    if (slot.finished) return
    slot.finished = true
    slot.built = undefined
    this.#tell({ type: `${slot.kind}-end`, block: slot.index })
  }

  /** The events since the last time. */
  take(): readonly RecordEvent[] {
    const told = this.#told
    if (told === undefined) return nothing
    this.#told = undefined
    return told
  }

  #tell(event: RecordEvent): void {
    if (!this.isTelling || event.block < 0) return
    // Nearly every push tells one thing: a list of one is made at its size, not grown.
    if (this.#told === undefined) this.#told = [event]
    else this.#told.push(event)
  }

  #delta({ deltas, index }: Slot<State>, delta: string): void {
    if (deltas !== undefined) this.#tell({ type: deltas, block: index, delta })
  }
}

// The arguments of a call whose end never came, and which calls may be executed (L7).

/** Arguments whose end never came. Text that parses is no proof: a server may send `{}` first and the rest later. */
export const cutArguments = (raw: string): Arguments => ({ arguments: {}, raw, fault: "unparsable" })

/**
 * A call whose end never came, from the block that `bare` was read as: the wire value without what has come of its arguments. Who
 * looks at a draft again and again would otherwise have all of them parsed each time.
 */
export const cutCall = (block: CallBlock, format: string, { bare, wire, raw }: { bare: Wire; wire: Wire; raw: string }): CallBlock => {
  const native = block.native?.[format] === bare ? { native: { ...block.native, [format]: wire } } : {}
  return { ...block, ...cutArguments(raw), ...native }
}

/**
 * May this call be executed? Not when its arguments were cut or are no object. Empty arguments mean `{}`, and an object
 * inside a text was parsed: both say plainly what the model meant.
 */
export const isExecutable = (call: CallBlock): boolean => call.name !== "" && call.fault !== "unparsable" && call.fault !== "not-object"
