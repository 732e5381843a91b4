/**
 * Puts repaired messages back among the records of their session. Bookkeeping, other branches and untouched messages
 * stay where and what they are, as the very same objects; a message that settle left out takes its record with it; one
 * that it invented or moved stands behind the message it follows. A message counts as moved when it breaks the order in
 * which the messages were read: the order of the file is kept for all others.
 *
 * Where records hang on each other by `id` and `parentId`, the path that was read stays one chain: a record whose
 * predecessor on the path changed gets a new parent, and branches that hung on a record left out hang on what stood
 * before it.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { deriveHex } from "./derived-id.ts"

/** What a decoder remembers for the way back. */
export interface Reading {
  readonly records: readonly unknown[]
  /** Indices of the records on the path that was read, from its root to its leaf. */
  readonly path: readonly number[]
  /** Indices of the records that became messages, in the order of the transcript. */
  readonly said: readonly number[]
  /** Indices of records that stand again further down, word by word: they must not outlive what that one said. */
  readonly repeated?: readonly number[]
  /** For each of these, the record behind which stands what is put behind it; default: the record itself. */
  readonly ends?: readonly number[]
}

/** One message on its way back: the record as it must stand, and the one it came from. */
export interface Spoken {
  readonly record: Wire
  readonly from?: Wire
  /** It answers a call: it goes where the message of that call goes. */
  readonly isResult?: true
}

interface Plan {
  /** What stands at the place of a record; undefined: it is left out, or stands elsewhere. */
  readonly places: ReadonlyMap<number, Wire | undefined>
  readonly behind: ReadonlyMap<number, readonly Wire[]>
  /** What comes in front of the first message that kept its place. */
  readonly leading: readonly Wire[]
  readonly firstKept: number
}

type Positions = readonly (number | undefined)[]

/**
 * Which spoken messages keep their places: those that stand in the order in which they were read. Results give way:
 * they keep theirs only behind the message of their calls and in front of the next one. Seen from the end, so that what
 * came late moves forward, and nothing else.
 */
const findKept = (spoken: readonly Spoken[], positions: Positions): readonly boolean[] => {
  const kept: boolean[] = Array.from({ length: spoken.length }, () => false)
  let next = Number.POSITIVE_INFINITY
  for (let index = spoken.length - 1; index >= 0; index--) {
    const position = positions[index]
    if (spoken[index]?.isResult === true || position === undefined || position >= next) continue
    kept[index] = true
    next = position
  }
  keepResults(spoken, positions, kept)
  return kept
}

const keepResults = (spoken: readonly Spoken[], positions: Positions, kept: boolean[]): void => {
  /** The message that the results at hand follow; infinite where it moved, so that they move with it. */
  const leaders: number[] = []
  let leader = -1
  spoken.forEach(({ isResult }, index) => {
    if (isResult !== true) leader = kept[index] === true ? (positions[index] ?? -1) : Number.POSITIVE_INFINITY
    leaders.push(leader)
  })
  let next = Number.POSITIVE_INFINITY
  for (let index = spoken.length - 1; index >= 0; index--) {
    const position = positions[index]
    const isResult = spoken[index]?.isResult === true
    if (position === undefined || (isResult && (position >= next || position <= (leaders[index] ?? -1)))) continue
    if (isResult) kept[index] = true
    if (kept[index] === true) next = position
  }
}

const arrange = ({ records, said, ends = said }: Reading, spoken: readonly Spoken[]): Plan => {
  const positionOf = new Map<unknown, number>()
  said.forEach((index, position) => positionOf.set(records[index], position))
  const positions = spoken.map(({ from }) => (from === undefined ? undefined : positionOf.get(from)))
  const kept = findKept(spoken, positions)
  const places = new Map<number, Wire | undefined>()
  for (const index of said) places.set(index, undefined)
  const behind = new Map<number, Wire[]>()
  const leading: Wire[] = []
  let firstKept = -1
  let anchor = -1
  spoken.forEach(({ record }, index) => {
    if (kept[index] === true) {
      const place = said[positions[index] ?? -1] ?? -1
      if (firstKept < 0) firstKept = place
      places.set(place, record)
      anchor = ends[positions[index] ?? -1] ?? place
      return
    }
    if (anchor < 0) leading.push(record)
    else if (behind.has(anchor)) behind.get(anchor)?.push(record)
    else behind.set(anchor, [record])
  })
  return { places, behind, leading, firstKept }
}

const isPristine = ({ records }: Reading, { places, behind, leading }: Plan): boolean => {
  if (behind.size > 0 || leading.length > 0) return false
  for (const [index, record] of places) if (records[index] !== record) return false
  return true
}

const idOf = (record: unknown): string | undefined =>
  isWire(record) && typeof record["id"] === "string" ? record["id"] : undefined

const hang = (record: Wire, parentId: string | null): Wire =>
  "parentId" in record && record["parentId"] !== parentId ? { ...record, parentId } : record

/** Nothing can hang on a record without an id: where the chain is written anew, it gets one. */
const named = (record: Wire, index: number): Wire => {
  if (!("parentId" in record) || idOf(record) !== undefined) return record
  return { ...record, id: deriveHex(8, String(index), JSON.stringify(record["parentId"]) ?? "") }
}

interface Placed {
  readonly record: Wire
  /** It stands where it stood. */
  readonly isKept: boolean
}

/** The path as one chain again. Gives what stands for each of its records, with what was put before and behind it. */
class ChainWriter {
  readonly written = new Map<number, readonly Placed[]>()
  /** The parent that children of a record left out get. */
  readonly heirs = new Map<string, string | null>()
  private last: string | undefined
  /** Index of the record that stands last and is in its old place; -1 behind anything new. */
  private lastIndex = -1
  private started = false

  added(record: Wire): Placed {
    const hung = hang(record, this.last ?? null)
    this.last = idOf(hung) ?? this.last
    this.lastIndex = -1
    this.started = true
    return { record: hung, isKept: false }
  }

  kept(record: Wire, index: number, predecessor: number): Placed {
    const untouched = this.started ? this.lastIndex === predecessor && predecessor >= 0 : true
    const hung = named(untouched ? record : hang(record, this.last ?? null), index)
    this.last = idOf(hung) ?? this.last
    this.lastIndex = index
    this.started = true
    return { record: hung, isKept: true }
  }

  leftOut(record: unknown): void {
    const id = idOf(record)
    if (id !== undefined) this.heirs.set(id, this.last ?? null)
    this.lastIndex = -1
    this.started = true
  }
}

const writeChain = ({ records, path }: Reading, { places, behind, leading, firstKept }: Plan): ChainWriter => {
  const chain = new ChainWriter()
  const moved = new Set<unknown>()
  for (const list of behind.values()) for (const record of list) moved.add(idOf(record))
  for (const record of leading) moved.add(idOf(record))
  path.forEach((index, position) => {
    const written: Placed[] = []
    if (index === firstKept) for (const record of leading) written.push(chain.added(record))
    const record = places.has(index) ? places.get(index) : records[index]
    if (isWire(record)) written.push(chain.kept(record, index, path[position - 1] ?? -1))
    else if (!moved.has(idOf(records[index]) ?? "")) chain.leftOut(records[index])
    for (const added of behind.get(index) ?? []) written.push(chain.added(added))
    chain.written.set(index, written)
  })
  return chain
}

export interface PutBack {
  /** All records in file order; the list of the reading itself when nothing changed. */
  readonly records: readonly unknown[]
  /** For each record that was read, where it stands now; -1 where it is gone or was moved. */
  readonly places: readonly number[]
}

/** As `putBack`, for formats whose records count each other. */
export const putBackTraced = (reading: Reading, spoken: readonly Spoken[]): PutBack => {
  const { records } = reading
  const plan = arrange(reading, spoken)
  if (isPristine(reading, plan)) return { records, places: Array.from(records.keys()) }
  const chain = writeChain(reading, plan)
  const out: unknown[] = []
  const places: number[] = Array.from({ length: records.length }, () => -1)
  const changed = new Set<string | undefined>()
  for (const [index, record] of plan.places) if (records[index] !== record) changed.add(idOf(records[index]))
  const copies = new Set(reading.repeated)
  records.forEach((record, index) => {
    const written = chain.written.get(index)
    if (written) {
      for (const each of written) {
        if (each.isKept) places[index] = out.length
        out.push(each.record)
      }
      return
    }
    // Another copy of a record that was left out or changed would say again what it said.
    if (chain.heirs.has(idOf(record) ?? "") || (copies.has(index) && changed.has(idOf(record)))) return
    const parent = isWire(record) ? record["parentId"] : undefined
    const heir = typeof parent === "string" ? chain.heirs.get(parent) : undefined
    places[index] = out.length
    out.push(isWire(record) && heir !== undefined ? hang(record, heir) : record)
  })
  if (plan.firstKept < 0) for (const record of plan.leading) out.push(chain.added(record).record)
  return { records: out, places }
}

/** All records in file order. The list of the reading itself when nothing changed. */
export const putBack = (reading: Reading, spoken: readonly Spoken[]): readonly unknown[] =>
  putBackTraced(reading, spoken).records
