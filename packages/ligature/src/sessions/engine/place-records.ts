/**
 * Puts edited records back among the others. Bookkeeping, other branches and untouched records stay where and what they are,
 * as the very same objects; a record whose messages are all gone goes with them; a new one follows the record of the message
 * before it. A record counts as moved when it breaks the order in which the records were read: the order of the file is kept
 * for all others.
 *
 * Where records hang on each other, the path that was read stays one chain: a record whose predecessor on the path changed
 * gets a new parent, and branches that hung on a record left out hang on the one before it.
 */
import { isWire, type Wire } from "../../model/index.ts"
import type { Links, SessionReading } from "./session-format.ts"

/** A record on its way back, and the index of the record it was. */
export interface WrittenRecord {
  readonly record: Wire
  readonly from: number | undefined
  /** It answers calls: it goes where the message of those calls goes. */
  readonly isResult: boolean
  /** For results: which of the written records has the last of their calls. */
  readonly follows: number | undefined
  /** It has nothing but a call: its results go after the run of calls it is in, and not after what the model said later. */
  readonly isCall?: boolean
}

interface Plan {
  /** What is at the place of a record now, by its index; undefined: it is left out, or somewhere else. */
  readonly places: readonly (Wire | undefined)[]
  readonly after: ReadonlyMap<number, readonly Wire[]>
  /** What comes before the first record that kept its place. */
  readonly leading: readonly Wire[]
  readonly firstKept: number
}

type Positions = readonly (number | undefined)[]

/**
 * Which records keep their places: those in the order in which they were read. Results give way: they keep theirs only after
 * the message of their calls and before the next one. Seen from the end, so that what came late moves forward, and nothing
 * else does.
 */
const findKept = (written: readonly WrittenRecord[], positions: Positions): readonly boolean[] => {
  const kept: boolean[] = Array.from({ length: written.length }, () => false)
  let next = Number.POSITIVE_INFINITY
  for (let index = written.length - 1; index >= 0; index--) {
    const position = positions[index]
    if (written[index]?.isResult === true || position === undefined || position >= next) continue
    kept[index] = true
    next = position
  }
  keepResults(written, positions, kept)
  return kept
}

const keepResults = (written: readonly WrittenRecord[], positions: Positions, kept: boolean[]): void => {
  /** Where the calls are that the results at hand answer; infinite where they moved, so that the results move with them. */
  const leaders: number[] = []
  let last = -1
  written.forEach(({ isResult, follows = last }, index) => {
    if (!isResult) last = index
    const leader = isResult ? follows : index
    leaders.push(leader < 0 ? -1 : kept[leader] === true ? (positions[leader] ?? -1) : Number.POSITIVE_INFINITY)
  })
  let next = Number.POSITIVE_INFINITY
  for (let index = written.length - 1; index >= 0; index--) {
    const position = positions[index]
    const isResult = written[index]?.isResult === true
    if (position === undefined || (isResult && (position >= next || position <= (leaders[index] ?? -1)))) continue
    if (isResult) kept[index] = true
    if (kept[index] === true) next = position
  }
}

/** For each record, its position in a list of indices; -1 where it is not in the list. */
const positionsIn = (list: Iterable<number>, { records }: SessionReading): Int32Array => {
  const positions = new Int32Array(records.length).fill(-1)
  let position = 0
  for (const index of list) positions[index] = position++
  return positions
}

/** The record of the last call in the run that a new result answers, where nothing else answers calls of the run yet. */
const endOfRun = (written: readonly WrittenRecord[], index: number, kept: readonly boolean[]): number | undefined => {
  const { from, isResult, follows } = written[index] as WrittenRecord
  if (!isResult || from !== undefined || follows === undefined || written[follows]?.isCall !== true) return undefined
  let last = follows
  while (written[last + 1]?.isCall === true) last++
  for (let at = last + 1; at < index; at++) if (written[at]?.isResult === true && kept[at] === true) return undefined
  return kept[last] === true ? written[last]?.from : undefined
}

const arrange = (reading: SessionReading, written: readonly WrittenRecord[], links: Links | undefined): Plan => {
  const { records, said, path } = reading
  const positionOf = positionsIn(said.keys(), reading)
  const positions = written.map(({ from }) => (from === undefined ? undefined : positionOf[from]))
  const kept = findKept(written, positions)
  const places: (Wire | undefined)[] = Array.from({ length: records.length })
  const after = new Map<number, Wire[]>()
  const leading: Wire[] = []
  const ranks = positionsIn(path, reading)
  const isLater = (one: number, other: number): boolean => (ranks[one] ?? -1) > (ranks[other] ?? -1)
  const order = [...said.keys()]
  const taken = new Set(written.map(({ from }) => from))
  let firstKept = -1
  let anchor = -1
  let afterResult = false
  /** In a list, what is new goes where something was left out, if that was here: it says the same in another way. */
  const vacancy = (): number => {
    const next = order[anchor < 0 ? 0 : (positionOf[anchor] ?? -2) + 1]
    return next === undefined || taken.has(next) ? -1 : next
  }
  written.forEach(({ record, from, isResult }, index) => {
    if (kept[index] === true && from !== undefined) {
      if (firstKept < 0) firstKept = from
      places[from] = record
      // Results may come between the records of their message, and before what is read before them: what is new goes after all.
      if (isLater(from, anchor) || (!isResult && !afterResult)) [anchor, afterResult] = [from, isResult]
      return
    }
    const run = endOfRun(written, index, kept)
    const free = !links && from === undefined && run === undefined ? vacancy() : -1
    if (free >= 0) anchor = free
    const place = run ?? anchor
    if (place < 0) leading.push(record)
    else if (after.has(place)) after.get(place)?.push(record)
    else after.set(place, [record])
  })
  return { places, after, leading, firstKept }
}

const isPristine = ({ records, said, dropped }: SessionReading, { places, after, leading }: Plan): boolean => {
  if (after.size > 0 || leading.length > 0 || (dropped?.size ?? 0) > 0) return false
  for (const index of said.keys()) if (records[index] !== places[index]) return false
  return true
}

/** The path as one chain again: what is now in the place of each of its records, with what was put before and after it. */
class Chain {
  /** By the index of the record; null: it is left out. undefined: it is not on the path. */
  readonly written: (Wire | null | undefined)[]
  /** What is put before and after a record. */
  readonly before = new Map<number, readonly Wire[]>()
  readonly after = new Map<number, readonly Wire[]>()
  /** The parent that children of a record left out get. */
  readonly replacements = new Map<string, string | null>()
  /** The ids of records that are left out. */
  readonly #gone: ReadonlySet<string | undefined>
  readonly #links: Links | undefined
  /** The last record of the path. */
  tip: Wire | undefined
  readonly #records = new Set<unknown>()
  #last: string | undefined
  /** The record that was written last, where it is in its old place; -1 after anything new. */
  #lastIndex = -1
  #started = false

  constructor({ records, path }: SessionReading, links: Links | undefined, isGone: (index: number) => boolean) {
    this.#links = links
    this.#gone = new Set(path.flatMap((index) => (isGone(index) ? [this.idOf(records[index])] : [])))
    this.written = Array.from({ length: records.length })
  }

  has(record: unknown): boolean {
    return this.#records.has(record)
  }

  idOf(record: unknown): string | undefined {
    const id = this.#links && isWire(record) ? record[this.#links.id] : undefined
    return typeof id === "string" ? id : undefined
  }

  /** A record that names others beside its parent names none that is gone. */
  referring(record: Wire): Wire {
    let out = record
    for (const field of this.replacements.size > 0 ? (this.#links?.references ?? []) : []) {
      const named = record[field]
      const replacement = typeof named === "string" ? this.replacements.get(named) : undefined
      if (replacement !== undefined) out = { ...out, [field]: replacement }
    }
    return out
  }

  #hang(record: Wire, parent: string | null): Wire {
    const field = this.#links?.parent
    // What a summary on a new root replaces must not come back.
    if (field !== undefined && record[field] === null && this.#links?.restarts?.(record)) return record
    return field !== undefined && field in record && record[field] !== parent ? { ...record, [field]: parent } : record
  }

  added(record: Wire): Wire {
    const hung = this.#hang(record, this.#last ?? null)
    this.#advance(hung, -1)
    return hung
  }

  kept(record: Wire, index: number, predecessor: number): Wire {
    const hung = this.#named(this.#follows(predecessor) ? this.child(record) : this.#hang(record, this.#last ?? null), index)
    this.#advance(hung, index)
    return hung
  }

  /** Nothing was put between a record and the one before it on the path. */
  #follows(predecessor: number): boolean {
    return !this.#started || (this.#lastIndex === predecessor && predecessor >= 0)
  }

  /** The record, which hangs on no other that is gone. */
  child(record: Wire): Wire {
    const parent = this.replacements.get(this.#parentOf(record) ?? "")
    return parent === undefined ? record : this.#hang(record, parent)
  }

  #parentOf(record: unknown): string | undefined {
    const parent = this.#links && isWire(record) ? record[this.#links.parent] : undefined
    return typeof parent === "string" ? parent : undefined
  }

  /** What hung on it hangs on its parent, which need not be the record before it on the path, or on what was put there. */
  leftOut(record: unknown, index: number, predecessor: number): void {
    const id = this.idOf(record)
    const isWhole = this.#follows(predecessor)
    const parent = isWhole ? this.#parentOf(record) : undefined
    const above = parent === undefined || this.#gone.has(parent) ? this.replacements.get(parent ?? "") : parent
    if (id !== undefined) this.replacements.set(id, above ?? this.#last ?? null)
    this.#lastIndex = isWhole ? index : -1
    this.#started = true
  }

  #advance(record: Wire, index: number): void {
    this.tip = record
    this.#records.add(record)
    this.#last = this.idOf(record) ?? this.#last
    this.#lastIndex = index
    this.#started = true
  }

  /** Nothing can hang on a record without an id: where the chain is rewritten, it gets one. */
  #named(record: Wire, index: number): Wire {
    const links = this.#links
    if (!links || !(links.parent in record) || this.idOf(record) !== undefined) return record
    return { ...record, [links.id]: links.newId(String(index), JSON.stringify(record[links.parent]) ?? "") }
  }
}

const writeChain = (reading: SessionReading, plan: Plan, links: Links | undefined): Chain => {
  const { records, path, said, versions } = reading
  const { places, after, leading, firstKept } = plan
  const recordAt = (index: number): unknown => (said.has(index) ? places[index] : records[index])
  const chain = new Chain(reading, links, (index) => !isWire(recordAt(index)))
  const moved = new Set<unknown>()
  for (const list of after.values()) for (const record of list) moved.add(chain.idOf(record))
  for (const record of leading) moved.add(chain.idOf(record))
  path.forEach((index, position) => {
    const at = versions?.get(index)?.at ?? index
    if (index === firstKept)
      chain.before.set(
        at,
        leading.map((added) => chain.added(added)),
      )
    const record = recordAt(index)
    const predecessor = path[position - 1] ?? -1
    chain.written[index] = isWire(record) ? chain.kept(record, index, predecessor) : null
    if (!isWire(record) && !moved.has(chain.idOf(records[index]) ?? "")) chain.leftOut(records[index], index, predecessor)
    const added = after.get(index)
    if (added)
      chain.after.set(
        at,
        added.map((each) => chain.added(each)),
      )
  })
  return chain
}

/** Where the agent goes on from the last record of the file, the index of that one. */
const lastEntry = (records: readonly unknown[], links: Links | undefined): number =>
  links && !links.tip ? records.findLastIndex((record) => isWire(record) && (links.isEntry?.(record) ?? true)) : -1

/** Whether the file ends with another record of the path than its last. */
const endsEarly = ({ records, path }: SessionReading, links: Links | undefined): boolean => {
  const last = lastEntry(records, links)
  return last >= 0 && path.at(-1) !== last && path.includes(last)
}

interface PlacedRecords {
  /** All records in file order; the list of the reading itself when nothing changed. */
  readonly records: readonly unknown[]
  /** For each record that was read, its index now; -1 where it is gone or was moved. */
  readonly places: readonly number[]
}

const moveToEnd = (records: unknown[], places: number[], from: number): void => {
  if (from < 0) return
  const [moved] = records.splice(from, 1)
  records.push(moved)
  places.forEach((at, index) => {
    if (at >= from) places[index] = at === from ? records.length - 1 : at - 1
  })
}

export const placeRecords = (reading: SessionReading, written: readonly WrittenRecord[], links: Links | undefined): PlacedRecords => {
  const { records } = reading
  const plan = arrange(reading, written, links)
  if (isPristine(reading, plan) && !endsEarly(reading, links)) return { records, places: Array.from(records.keys()) }
  const chain = writeChain(reading, plan, links)
  const out: unknown[] = []
  const places: number[] = Array.from({ length: records.length }, () => -1)
  const changed = new Set<string | undefined>()
  const copies = new Set(reading.repeated)
  const gone = new Set(reading.dropped)
  for (const index of reading.said.keys()) {
    const record = plan.places[index]
    if (records[index] !== record) changed.add(chain.idOf(records[index]))
    if (!record) for (const older of reading.versions?.get(index)?.older ?? []) gone.add(older)
  }
  const put = (record: unknown, index: number): void => {
    const written = chain.written[index]
    if (written === null) return
    if (written) {
      places[index] = out.length
      out.push(chain.referring(written))
      return
    }
    if (gone.has(index)) return
    // Another copy of a record that was left out or changed would say again what it said.
    if (chain.replacements.has(chain.idOf(record) ?? "") || (copies.has(index) && changed.has(chain.idOf(record)))) return
    places[index] = out.length
    out.push(isWire(record) ? chain.referring(chain.child(record)) : record)
  }
  records.forEach((record, index) => {
    for (const added of chain.before.get(index) ?? []) out.push(added)
    put(record, index)
    for (const added of chain.after.get(index) ?? []) out.push(added)
  })
  if (plan.firstKept < 0) for (const record of plan.leading) out.push(chain.added(record))
  const last = lastEntry(out, links)
  if (last >= 0 && out[last] !== chain.tip && chain.has(out[last])) moveToEnd(out, places, out.indexOf(chain.tip))
  return { records: out, places }
}
