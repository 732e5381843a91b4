/**
 * Puts what was written back into the records. A record nobody changed is the very same object at the very same place;
 * records that are no part of the path (bookkeeping, other branches, what a compaction hides) are never looked at.
 *
 * File order is kept. Only an answer that stands where it may not is moved, and new items stand behind the one they
 * follow in the conversation, or where one was left out. An item that the conversation no longer holds is left out.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { sameElements } from "../../formats/engine/codec.ts"
import { recordTypes } from "./items.ts"
import type { Written } from "./rewrite.ts"
import type { Entry, Reading } from "./walk.ts"

/** How a format holds items in its records. */
export interface Dialect {
  readonly replace: (record: Wire, item: Wire) => Wire
  readonly replaceWords: (record: Wire, words: string) => Wire
  /** A new record; `like` is the record whose time it takes. */
  readonly wrap: (item: Wire, like: Wire | undefined) => Wire
}

/** What stands at and behind each entry. */
interface Layout {
  readonly stays: ReadonlyMap<number, Written>
  /** Behind an entry; -1: in front of the first. */
  readonly behind: ReadonlyMap<number, readonly Written[]>
}

const layOut = (written: readonly Written[], entries: readonly Entry[]): Layout => {
  const known = new Map(entries.map((entry, index) => [entry.source, index]))
  const places = written.map(({ source }) => (source ? (known.get(source) ?? -1) : -1))
  const taken = new Set(places)
  const limits: number[] = []
  for (let index = written.length - 1, limit = Infinity; index >= 0; index--) {
    limits[index] = limit
    const place = places[index] ?? -1
    if (place >= 0 && written[index]?.result !== true) limit = place
  }
  const stays = new Map<number, Written>()
  const behind = new Map<number, Written[]>()
  let last = -1
  for (let index = 0; index < written.length; index++) {
    const one = written[index] as Written
    const place = places[index] ?? -1
    if (place > last && (one.result !== true || place < (limits[index] ?? Infinity))) {
      stays.set(place, one)
      last = place
      continue
    }
    // What is new stands where something was left out, if that was here: it says the same in another way.
    if (place < 0 && !one.behind && last + 1 < entries.length && !taken.has(last + 1)) last++
    const anchor = (one.behind && known.get(one.behind)) ?? last
    const list = behind.get(anchor)
    if (list) list.push(one)
    else behind.set(anchor, [one])
  }
  return { stays, behind }
}

const numbered = (record: Wire, ordinal: number): Wire => {
  if ("ordinal" in record) return { ...record, ordinal }
  const { timestamp, ...rest } = record
  return timestamp === undefined ? { ordinal, ...rest } : { timestamp, ordinal, ...rest }
}

/**
 * Takes records in their new order and keeps their numbers rising. A record that was put in gets the next number; the
 * ones behind it keep theirs while there is room, and move up by as little as it takes. A record without number among
 * numbered ones gets one, because the agent refuses the file otherwise.
 */
class RecordSink {
  readonly records: unknown[] = []
  /** The number of the latest record that has one. */
  #last: number | undefined
  /** A number was given out: the following ones may have to move up. */
  #shifted = false

  keep(record: unknown): void {
    if (!isWire(record) || !recordTypes.has(record["type"])) {
      this.records.push(record)
      return
    }
    const { ordinal } = record
    if (typeof ordinal !== "number") {
      if (this.#last === undefined) this.records.push(record)
      else this.insert(record)
      return
    }
    if (this.#shifted && this.#last !== undefined && ordinal <= this.#last) return this.insert(record)
    this.#shifted = false
    this.#last = ordinal
    this.records.push(record)
  }

  insert(record: Wire): void {
    if (this.#last === undefined) {
      this.records.push(record)
      return
    }
    this.#last++
    this.#shifted = true
    this.records.push(numbered(record, this.#last))
  }
}

class Weaver {
  readonly #records: readonly unknown[]
  readonly #entries: readonly Entry[]
  readonly #dialect: Dialect
  readonly #sink = new RecordSink()
  readonly #layout: Layout
  readonly #recordOf: ReadonlyMap<Wire, Entry>

  constructor(
    records: readonly unknown[],
    entries: readonly Entry[],
    written: readonly Written[],
    dialect: Dialect,
  ) {
    this.#records = records
    this.#entries = entries
    this.#dialect = dialect
    this.#layout = layOut(written, entries)
    this.#recordOf = new Map(entries.map((entry) => [entry.source, entry]))
  }

  weave(repeated: Reading["repeated"]): readonly unknown[] {
    let next = 0
    for (let index = 0; index < this.#records.length; index++) {
      const from = next
      while (this.#entries[next]?.record === index) next++
      if (from === 0 && next > 0) this.#insert(-1)
      if (next > from) this.#spoken(this.#records[index] as Wire, from, next)
      else if (!repeated.has(index)) this.#sink.keep(this.#records[index])
    }
    if (this.#entries.length === 0) this.#insert(-1)
    return this.#sink.records
  }

  /** A record with entries: an item, words, or a compaction with a history of its own. */
  #spoken(record: Wire, from: number, to: number): void {
    const inside: number[] = []
    let last = from
    for (let index = from; index < to; index++) {
      if (this.#entries[index]?.at !== undefined) inside.push(index)
      else last = index
    }
    const compacted = inside.length > 0 ? this.#history(record, inside) : record
    const own = inside.length === to - from ? undefined : last
    const kept = own === undefined ? compacted : this.#own(compacted, own)
    if (kept) this.#sink.keep(kept)
    if (own !== undefined) this.#insert(own)
  }

  /** The record of one entry; nothing when it was left out or stands elsewhere now. */
  #own(record: Wire, index: number): Wire | undefined {
    const written = this.#layout.stays.get(index)
    const entry = this.#entries[index] as Entry
    if (!written) return entry.summary === true ? record : undefined
    return this.#renewed(record, entry, written)
  }

  #renewed(record: Wire, entry: Entry, { item, words }: Written): Wire {
    if (!entry.words) return item === undefined || item === entry.source ? record : this.#dialect.replace(record, item)
    return words === undefined || words === entry.words.text ? record : this.#dialect.replaceWords(record, words)
  }

  #insert(index: number): void {
    for (const written of this.#layout.behind.get(index) ?? []) {
      const moved = written.source && this.#recordOf.get(written.source)
      const record = moved && moved.at === undefined ? (this.#records[moved.record] as Wire) : undefined
      if (moved && record) this.#sink.insert(this.#renewed(record, moved, written))
      else if (written.item) this.#sink.insert(this.#dialect.wrap(written.item, this.#likeOf(written, index)))
    }
  }

  /** An invented answer bears the time of its call; anything else the time of what it stands behind. */
  #likeOf({ call }: Written, index: number): Wire | undefined {
    const entry = (call && this.#recordOf.get(call)) ?? this.#entries[Math.max(index, 0)]
    return entry ? (this.#records[entry.record] as Wire) : undefined
  }

  /** The history a compaction put in place, and the list beside it that has one element for each item. */
  #history(record: Wire, inside: readonly number[]): Wire {
    const payload = record["payload"] as Wire
    const history = payload["replacement_history"] as readonly unknown[]
    const beside = payload["replacement_history_metadata"]
    const notes = Array.isArray(beside) && beside.length === history.length ? (beside as readonly unknown[]) : undefined
    const items: unknown[] = []
    const kept: unknown[] = []
    const push = (item: unknown, at: number): void => {
      items.push(item)
      kept.push(notes?.[at])
    }
    const entryAt = new Map(inside.map((index) => [this.#entries[index]?.at, index]))
    for (let at = 0; at < history.length; at++) {
      const index = entryAt.get(at)
      if (index === undefined) {
        push(history[at], at)
        continue
      }
      const written = this.#layout.stays.get(index)
      if (written) push(written.item ?? history[at], at)
      for (const { item } of this.#layout.behind.get(index) ?? []) if (item) push(item, at)
    }
    if (items.length === history.length && items.every((item, at) => item === history[at])) return record
    const renewed = { ...payload, replacement_history: items, ...(notes && { replacement_history_metadata: kept }) }
    return this.#dialect.replace(record, renewed)
  }
}

/** The very same list when nothing had to change. */
export const weave = (
  records: readonly unknown[],
  { entries, repeated }: Pick<Reading, "entries" | "repeated">,
  written: readonly Written[],
  dialect: Dialect,
): readonly unknown[] => {
  const woven = new Weaver(records, entries, written, dialect).weave(repeated)
  return sameElements(woven, records) ? records : woven
}
