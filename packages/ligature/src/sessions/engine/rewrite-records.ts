/**
 * A session's records after its conversation was settled: every record that still says the same is the very same
 * object in its old place, changed ones are rewritten in place, new ones stand behind what they follow, and those
 * whose message is gone are left out. Records without a message (bookkeeping) always stay.
 *
 * The comparison is between two readings of the records: `before`, the transcript as decoded, and `after`, the settled
 * conversation in wire order. File order is kept as long as both tell their records in the same order, even where the
 * reading groups records that lie apart; only where the order itself was the damage the records follow the
 * conversation, and bookkeeping stays behind the record that it stood behind.
 */
import type { Block, Message, Role } from "../../model/index.ts"
import { sameElements } from "../../formats/engine/codec.ts"
import { sameBlocks } from "./same-blocks.ts"

/** What one record says: a whole message, one of several calls of a message, or one result. */
export interface Unit {
  readonly role: Role
  readonly blocks: readonly Block[]
  /** The record it came from. */
  readonly origin?: unknown
}

const originOf = (value: Message | Block, format: string): unknown => value.native?.[format]

/**
 * Blocks of an assistant message, record by record. Blocks that name no record belong to the one before them; thinking
 * to the one that follows, since it led there.
 */
const splitByRecord = (message: Message, format: string, units: Unit[]): void => {
  let blocks: Block[] = []
  let waiting: Block[] = []
  let origin: unknown = undefined
  for (const block of message.blocks) {
    const own = originOf(block, format)
    if (own === undefined && block.type === "thinking") {
      waiting.push(block)
      continue
    }
    if (own !== undefined && origin !== undefined && own !== origin) {
      units.push({ role: message.role, blocks, origin })
      blocks = []
    }
    origin = own ?? origin
    blocks = [...blocks, ...waiting, block]
    waiting = []
  }
  blocks = [...blocks, ...waiting]
  origin ??= originOf(message, format)
  units.push(origin === undefined ? { role: message.role, blocks } : { role: message.role, blocks, origin })
}

/**
 * Summaries are left out: they are no record of their own but a part of the one that compacted. `splits`: the blocks
 * of an assistant message may come from several records, and each names its own.
 */
export const unitsOf = (messages: readonly Message[], format: string, splits = false): readonly Unit[] => {
  const units: Unit[] = []
  for (const message of messages) {
    if (message.summary === true) continue
    if (splits && message.role === "assistant") {
      splitByRecord(message, format, units)
      continue
    }
    const carrier = originOf(message, format)
    if (message.role !== "tool") {
      if (carrier === undefined) units.push({ role: message.role, blocks: message.blocks })
      else units.push({ role: message.role, blocks: message.blocks, origin: carrier })
      continue
    }
    for (const block of message.blocks) {
      const origin = originOf(block, format)
      units.push(origin === undefined ? { role: "tool", blocks: [block] } : { role: "tool", blocks: [block], origin })
    }
  }
  return units
}

export interface Rewriting {
  readonly records: readonly unknown[]
  readonly before: readonly Unit[]
  readonly after: readonly Unit[]
  /** The record for a unit that is new, or that no longer says what its record does. */
  readonly write: (unit: Unit, record: unknown) => unknown
  /** Records that a compaction hides: not being in the conversation is no reason to go. */
  readonly hidden?: ReadonlySet<unknown>
}

/** Stands for a record that is no object: equal ones could not be told apart. */
class Stray {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null

const valueOf = (record: unknown): unknown => (record instanceof Stray ? record.value : record)

/** A record of no known shape, which could only be shown as text: as text it goes back, or it would stay damaged. */
const isUnreadable = ({ blocks, origin }: Unit): boolean => {
  const [only] = blocks
  if (blocks.length !== 1 || only?.type !== "opaque" || only.kind !== "malformed") return false
  return Object.values(only.native).includes(valueOf(origin))
}

interface Placed {
  readonly record: unknown
  readonly origin: unknown
}

/** Conversation order; bookkeeping stays behind the record that it stood behind, as far as that one is left. */
const reordered = (
  records: readonly unknown[],
  placed: readonly Placed[],
  stays: (record: unknown) => boolean,
): unknown[] => {
  const left = new Set(placed.map(({ origin }) => origin))
  const behind = new Map<unknown, unknown[]>()
  let anchor: unknown = undefined
  for (const record of records) {
    if (left.has(record)) anchor = record
    else if (stays(record)) {
      const list = behind.get(anchor)
      if (list) list.push(record)
      else behind.set(anchor, [record])
    }
  }
  const out: unknown[] = [...(behind.get(undefined) ?? [])]
  for (const { record, origin } of placed) {
    out.push(record)
    if (origin !== undefined) for (const follower of behind.get(origin) ?? []) out.push(follower)
  }
  return out
}

/** Gives the first of equal values the first stray, the second the second: the same ones for every list. */
class Strays {
  readonly #made = new Map<unknown, Stray[]>()

  list(values: readonly unknown[]): readonly unknown[] {
    const seen = new Map<unknown, number>()
    return values.map((value) => {
      if (value === undefined || isObject(value)) return value
      const made = this.#made.get(value) ?? []
      const count = seen.get(value) ?? 0
      seen.set(value, count + 1)
      this.#made.set(value, made)
      return (made[count] ??= new Stray(value))
    })
  }

  units(units: readonly Unit[]): readonly Unit[] {
    const origins = this.list(units.map(({ origin }) => origin))
    return units.map((unit, index) => (unit.origin === origins[index] ? unit : { ...unit, origin: origins[index] }))
  }
}

/** The very same list where nothing changed. */
export const rewriteRecords = (rewriting: Rewriting): readonly unknown[] => {
  const { records, before, after, write } = rewriting
  if (records.every(isObject)) return rewritten(rewriting)
  const strays = new Strays()
  const out = rewritten({
    ...rewriting,
    records: strays.list(records),
    before: strays.units(before),
    after: strays.units(after),
    write: (unit, record) => write(unit, valueOf(record)),
  }).map(valueOf)
  return sameElements(out, records) ? records : out
}

const rewritten = ({ records, before, after, write, hidden }: Rewriting): readonly unknown[] => {
  const position = new Map<unknown, number>()
  for (let index = 0; index < records.length; index++) position.set(records[index], index)
  const rank = new Map<unknown, number>()
  for (let index = 0; index < before.length; index++) {
    const origin = before[index]?.origin
    if (origin !== undefined && !rank.has(origin)) rank.set(origin, index)
  }
  const stays = (record: unknown): boolean => !rank.has(record) || hidden?.has(valueOf(record)) === true
  const written = new Map<unknown, unknown>()
  const inserted = new Map<number, unknown[]>()
  const placed: Placed[] = []
  let furthest = -1
  let lastRank = -1
  let isOrdered = true
  for (const unit of after) {
    const { origin } = unit
    const own = origin === undefined ? undefined : rank.get(origin)
    if (own === undefined && origin !== undefined && position.has(origin)) continue
    if (own === undefined || written.has(origin)) {
      const record = write(unit, undefined)
      placed.push({ record, origin: undefined })
      const list = inserted.get(furthest)
      if (list) list.push(record)
      else inserted.set(furthest, [record])
      continue
    }
    const previous = before[own] as Unit
    const same = previous.role === unit.role && !isUnreadable(unit) && sameBlocks(previous.blocks, unit.blocks)
    const record = same ? origin : write(unit, origin)
    written.set(origin, record)
    placed.push({ record, origin })
    if (own < lastRank) isOrdered = false
    lastRank = own
    furthest = Math.max(furthest, position.get(origin) ?? -1)
  }
  if (!isOrdered) return reordered(records, placed, (record) => stays(record) && !written.has(record))
  const out: unknown[] = [...(inserted.get(-1) ?? [])]
  for (let index = 0; index < records.length; index++) {
    const record = records[index]
    if (written.has(record)) out.push(written.get(record))
    else if (stays(record)) out.push(record)
    for (const fresh of inserted.get(index) ?? []) out.push(fresh)
  }
  return sameElements(out, records) ? records : out
}
