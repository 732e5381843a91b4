/**
 * Which block of a conversation goes back into which record. Most blocks are known by their wire value: it is the very
 * object the record holds. A block that a repair replaced takes the place of the one that is gone, between the
 * neighbours that stayed. What finds no place is new. Inside its record a block stands where the conversation has it.
 *
 * A record is read in one go, so it takes blocks of parts that follow each other: what the conversation has further
 * down, behind blocks of other records, is new as well.
 */
import { type Block, isWire, type Wire } from "../../model/index.ts"
import { anthropic as inner } from "../../formats/anthropic/index.ts"
import { contentOf } from "./tree/record.ts"
import type { Part } from "./parts.ts"

interface Slot {
  readonly content: Content
  readonly record: number
  readonly position: number
  /** Whether the record is the assistant's: results have no place there, and calls nowhere else. */
  readonly reply: boolean
}

/** The new content of a record: which of its old places are taken, and its blocks in the order of the conversation. */
interface Content {
  readonly size: number
  readonly taken: boolean[]
  readonly blocks: Wire[]
}

const wireKey = (block: Block): unknown => block.native?.[inner.format] ?? block

const lengthOf = (content: unknown): number => {
  if (Array.isArray(content)) return content.length
  return typeof content === "string" ? 1 : 0
}

/** For each part the records that may take its blocks: not those that parts before it left behind. */
const ownRecords = (parts: readonly Part[], count: number): readonly (readonly number[])[] => {
  const left = new Uint8Array(count)
  const isOpen = (record: number): boolean => left[record] === 0
  let before: readonly number[] = []
  return parts.map(({ records }) => {
    for (const record of before) if (!records.includes(record)) left[record] = 1
    before = records
    return records.every(isOpen) ? records : records.filter(isOpen)
  })
}

export class Homes {
  private readonly contents = new Map<number, Content>()
  /** Parts without a home, by their index: the blocks to be written as new records. */
  readonly homeless = new Map<number, { readonly blocks: Block[]; readonly wires: Wire[] }>()
  /** For each part the records that took blocks of it, in order. */
  readonly placed: readonly (readonly number[])[]
  private readonly records: readonly unknown[]
  private readonly slots = new Map<unknown, Slot>()

  constructor(records: readonly unknown[], read: readonly number[], parts: readonly Part[]) {
    this.records = records
    for (const record of read) this.open(record)
    const own = ownRecords(parts, records.length)
    const found = parts.map((part, index) => this.claim(part, own[index] ?? part.records))
    this.placed = parts.map((part, index) => this.fill(part, index, own[index] ?? part.records, found[index] ?? []))
  }

  /** What stands in a record now; undefined for one that was not read. */
  blocksIn(record: number): readonly Wire[] | undefined {
    return this.contents.get(record)?.blocks
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
    const home: Content = { size: lengthOf(content), taken: [], blocks: [] }
    this.contents.set(record, home)
    if (!Array.isArray(content)) return
    for (let position = 0; position < content.length; position++) {
      const wire: unknown = content[position]
      if (isWire(wire)) this.slots.set(wire, { content: home, record, position, reply })
    }
  }

  private take({ content, position }: Slot): boolean {
    if (content.taken[position] === true) return false
    content.taken[position] = true
    return true
  }

  /** First round: blocks whose wire value is in a record of the part. */
  private claim(part: Part, records: readonly number[]): readonly (Slot | undefined)[] {
    const reply = part.kind === "reply"
    const [only] = records
    const own = records.length > 1 ? new Set(records) : undefined
    return part.blocks.map((block, index) => {
      const slot = this.slots.get(wireKey(block))
      if (!slot || !part.wires[index] || slot.reply !== reply) return undefined
      if (own ? !own.has(slot.record) : slot.record !== only) return undefined
      return this.take(slot) ? slot : undefined
    })
  }

  private freeSlots(part: Part, records: readonly number[]): readonly Slot[] {
    const reply = part.kind === "reply"
    const slots: Slot[] = []
    for (const record of records) {
      const content = this.isReply(record) === reply ? this.contents.get(record) : undefined
      if (!content) continue
      for (let position = 0; position < content.size; position++) slots.push({ content, record, position, reply })
    }
    return slots
  }

  /** Second round: what is left takes free places of the same message, in order, never across a block that stayed. */
  private fill(
    part: Part,
    index: number,
    records: readonly number[],
    found: readonly (Slot | undefined)[],
  ): readonly number[] {
    const placed: number[] = []
    const write = (wire: Wire, { content, record }: Slot): void => {
      content.blocks.push(wire)
      if (placed[placed.length - 1] !== record) placed.push(record)
    }
    if (!found.includes(undefined)) {
      for (let position = 0; position < found.length; position++) write(part.wires[position] as Wire, found[position] as Slot)
      return placed
    }
    const slots = this.freeSlots(part, records)
    const starts = new Map<number, number>()
    slots.forEach(({ record, position }, at) => {
      if (position === 0) starts.set(record, at)
    })
    const indexOf = (slot: Slot): number => (starts.get(slot.record) ?? -1 - slot.position) + slot.position
    const walls = this.wallsAhead(found, indexOf, slots.length)
    let last: Slot | undefined = slots[0]
    let cursor = 0
    part.blocks.forEach((block, position) => {
      const wire = part.wires[position]
      if (!wire) return
      const known = found[position]
      if (known) {
        last = known
        cursor = Math.max(cursor, indexOf(known) + 1)
        write(wire, known)
        return
      }
      const wall = walls[position] ?? slots.length
      while (cursor < wall && this.isTaken(slots[cursor] as Slot)) cursor++
      const free = cursor < wall ? slots[cursor] : undefined
      if (free && this.take(free)) last = free
      else if (!last || part.kind === "result") {
        this.unhoused(block, wire, index)
        return
      }
      write(wire, last)
    })
    return placed
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

  private isTaken({ content, position }: Slot): boolean {
    return content.taken[position] === true
  }

  private unhoused(block: Block, wire: Wire, part: number): void {
    const homeless = this.homeless.get(part) ?? { blocks: [], wires: [] }
    homeless.blocks.push(block)
    homeless.wires.push(wire)
    this.homeless.set(part, homeless)
  }
}
