/**
 * Which call a piece of `tool_calls` belongs to. OpenAI gives every piece an index and the first one an id and a name;
 * compatible servers leave the index out, give every call index 0, repeat the id on each piece or send none, and send
 * whole calls at once. The order of belief:
 *
 *   1. an id that is known      that call (unless the piece opens another index with a name of its own)
 *   2. an id that is new        a new call, whatever the index says
 *   3. an index that is known   that call, unless the piece begins a call anew
 *   4. an index that is new     a new call
 *   5. nothing                  the latest call, unless the piece begins a call anew
 */
import { parseJson } from "../../../model/index.ts"
import type { Slot } from "../../engine/recorder/draft.ts"
import type { ChatState, CallState } from "./state.ts"

export type CallSlot = Slot<ChatState> & { readonly state: CallState }

/** What a piece says about its call; "" and absent are the same. */
export interface Piece {
  readonly id: string
  readonly index: number | undefined
  readonly name: string
  readonly text: string
}

/** A name behind arguments, another name, or a second whole object: a call that begins, not one that goes on. */
const beginsAnew = ({ state, pieces }: CallSlot, { name, text }: Piece): boolean => {
  if (name === "" || pieces.isEmpty) return false
  if (name !== state.name && !name.startsWith(state.name)) return true
  return state.deltas === 1 && text.startsWith("{") && parseJson(pieces.text) !== undefined
}

export class CallFinder {
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
