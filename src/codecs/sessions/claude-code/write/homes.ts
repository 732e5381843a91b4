/**
 * Which block of a conversation goes back to which place in which record. Most blocks are known by their wire value: it
 * is the very object the record holds. A block that a repair replaced takes the place of the one that is gone, between
 * the neighbours that stayed. What finds no place is new.
 */
import { type Block, isWire, type Wire } from "../../../../model/index.ts"
import { anthropic as inner } from "../../../anthropic/index.ts"
import { contentOf } from "../tree/record.ts"
import type { Part } from "./parts.ts"

interface Slot {
  readonly record: number
  readonly position: number
  /** Whether the record is the assistant's: results have no place there, and calls nowhere else. */
  readonly reply: boolean
}

/** The new content of a record: by position what stands there now, and what was put behind. */
export interface Content {
  readonly blocks: (Wire | undefined)[]
  added: Map<number, Wire[]> | undefined
}

const wireKey = (block: Block): unknown => block.native?.[inner.format] ?? block

const lengthOf = (content: unknown): number => {
  if (Array.isArray(content)) return content.length
  return typeof content === "string" ? 1 : 0
}

export class Homes {
  readonly contents = new Map<number, Content>()
  /** Parts without a home, by their index: the blocks to be written as new records. */
  readonly homeless = new Map<number, { readonly blocks: Block[]; readonly wires: Wire[] }>()
  private readonly records: readonly unknown[]
  private readonly slots = new Map<unknown, Slot>()
  private readonly parts: readonly Part[]

  constructor(records: readonly unknown[], read: readonly number[], parts: readonly Part[]) {
    this.records = records
    this.parts = parts
    for (const record of read) this.open(record)
    const found = parts.map((part) => this.claim(part))
    parts.forEach((part, index) => this.fill(part, index, found[index] ?? []))
  }

  private isReply(record: number): boolean {
    const value = this.records[record]
    return isWire(value) && value["type"] === "assistant"
  }

  private open(record: number): void {
    const value = this.records[record]
    if (!isWire(value)) return
    const content = contentOf(value)
    const reply = this.isReply(record)
    const blocks: (Wire | undefined)[] = []
    for (let length = lengthOf(content); length > 0; length--) blocks.push(undefined)
    this.contents.set(record, { blocks, added: undefined })
    if (!Array.isArray(content)) return
    content.forEach((wire, position) => {
      if (isWire(wire)) this.slots.set(wire, { record, position, reply })
    })
  }

  private take(slot: Slot, wire: Wire): boolean {
    const content = this.contents.get(slot.record)
    if (!content || content.blocks[slot.position] !== undefined) return false
    content.blocks[slot.position] = wire
    return true
  }

  /** First round: blocks whose wire value is in a record of the part. */
  private claim(part: Part): readonly (Slot | undefined)[] {
    const reply = part.kind === "reply"
    const [only] = part.records
    const own = part.records.length > 1 ? new Set(part.records) : undefined
    return part.blocks.map((block, index) => {
      const slot = this.slots.get(wireKey(block))
      const wire = part.wires[index]
      if (!slot || !wire || slot.reply !== reply) return undefined
      if (own ? !own.has(slot.record) : slot.record !== only) return undefined
      return this.take(slot, wire) ? slot : undefined
    })
  }

  private freeSlots(part: Part): readonly Slot[] {
    const reply = part.kind === "reply"
    const slots: Slot[] = []
    for (const record of part.records) {
      const length = this.isReply(record) === reply ? (this.contents.get(record)?.blocks.length ?? 0) : 0
      for (let position = 0; position < length; position++) slots.push({ record, position, reply })
    }
    return slots
  }

  /** Second round: what is left takes free places of the same message, in order, never across a block that stayed. */
  private fill(part: Part, index: number, found: readonly (Slot | undefined)[]): void {
    if (found.every((slot) => slot !== undefined)) return
    const slots = this.freeSlots(part)
    const starts = new Map<number, number>()
    slots.forEach(({ record, position }, at) => {
      if (position === 0) starts.set(record, at)
    })
    const indexOf = (slot: Slot): number => (starts.get(slot.record) ?? -1 - slot.position) + slot.position
    const walls = this.wallsAhead(found, indexOf, slots.length)
    const [start] = slots
    let last = start && { ...start, position: -1 }
    let cursor = 0
    part.blocks.forEach((block, position) => {
      const wire = part.wires[position]
      const known = found[position]
      if (known) {
        last = known
        cursor = Math.max(cursor, indexOf(known) + 1)
      }
      if (known || !wire) return
      const wall = walls[position] ?? slots.length
      while (cursor < wall && this.isTaken(slots[cursor] as Slot)) cursor++
      const free = cursor < wall ? slots[cursor] : undefined
      if (free && this.take(free, wire)) last = free
      else this.putBehind(last, wire, block, index)
    })
  }

  /** For each block the place of the next one that stayed. */
  private wallsAhead(
    found: readonly (Slot | undefined)[],
    indexOf: (slot: Slot) => number,
    end: number,
  ): readonly number[] {
    const walls: number[] = Array.from({ length: found.length }, () => end)
    let wall = end
    for (let position = found.length - 1; position >= 0; position--) {
      const slot = found[position]
      const at = slot ? indexOf(slot) : -1
      if (at >= 0) wall = at
      walls[position] = wall
    }
    return walls
  }

  private isTaken({ record, position }: Slot): boolean {
    return this.contents.get(record)?.blocks[position] !== undefined
  }

  private putBehind(slot: Slot | undefined, wire: Wire, block: Block, part: number): void {
    const content = slot && this.contents.get(slot.record)
    if (!slot || !content || this.parts[part]?.kind === "result") {
      const homeless = this.homeless.get(part) ?? { blocks: [], wires: [] }
      homeless.blocks.push(block)
      homeless.wires.push(wire)
      this.homeless.set(part, homeless)
      return
    }
    content.added ??= new Map()
    const added = content.added.get(slot.position)
    if (added) added.push(wire)
    else content.added.set(slot.position, [wire])
  }
}
