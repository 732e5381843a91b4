/**
 * The tree of a session, read over units instead of records. The agent writes one line per content block and hangs every
 * result on the line of its call, so that parallel calls fork the tree of records although nobody went back. Between units
 * only true branches fork. The tree of records that other sessions share would lose every result but one of parallel calls.
 *
 * Everything is an index into the list of records; all passes are linear. A parent that is not in the file is replaced by the
 * message before it in the file, within the same lane. A uuid may lead to several records: one that says the same again is
 * passed over; different records are all read, and whoever names their uuid means the nearest one before, in the same lane.
 */
import { canonicalJson, isWire, type Wire } from "../../model/index.ts"
import { contentOf, type Dialect, isBoundary, isMessageKind, isSummary, kindOf, kinds, preservedBy, textIn } from "./records.ts"
import { type Unit, UnitReader } from "./units.ts"

export interface SessionTree {
  readonly records: readonly unknown[]
  readonly kinds: Uint8Array
  readonly units: readonly Unit[]
  /** Record → unit; -1 for what is no message. */
  readonly unitOf: Int32Array
  /** Record → the record it hangs on; -1 for a root. */
  readonly parents: Int32Array
  /** Unit → unit; -1 for a root. */
  readonly unitParents: Int32Array
  /** The nearest message above a record; -1 where there is none. */
  readonly messageAbove: (record: number) => number
  /** The lane of the conversation itself. In a subagent's own file that is the subagent's. */
  readonly mainLane: string
  readonly byId: ReadonlyMap<string, number>
  /** Records whose parent is not in the file, or that name none where they must. */
  readonly dangling: ReadonlySet<number>
  /** Records that are in the file a second time, and where each was first. */
  readonly copies: ReadonlyMap<number, number>
  /** Uuids that different records have, as a redactor or a damaged copy leaves them. */
  readonly collapsed: ReadonlySet<string>
  /** Results that come before their calls. */
  readonly early: readonly number[]
  /** Records from which the parents lead back to themselves. */
  readonly circular: readonly number[]
}

const none = -1
const unknown = -2
const open = -3

/** Attachments may come between a compaction and its summary. */
const summaryWithin = 16

const hasSameContent = (left: Wire, right: Wire): boolean =>
  left["type"] === right["type"] && canonicalJson(contentOf(left)) === canonicalJson(contentOf(right))

/** The uuids of records with different content: a retry leaves a record twice, a redactor gives one uuid to all. */
const collapsedUuids = (records: readonly unknown[]): ReadonlySet<string> => {
  const collapsed = new Set<string>()
  const earlier = new Map<string, Wire>()
  for (const record of records) {
    const uuid = textIn(record, "uuid")
    if (uuid === undefined || !isWire(record) || kindOf(record) === kinds.outside) continue
    const before = earlier.get(uuid)
    if (before === undefined) earlier.set(uuid, record)
    else if (!collapsed.has(uuid) && !hasSameContent(before, record)) collapsed.add(uuid)
  }
  return collapsed
}

class TreeReader {
  readonly kinds: Uint8Array
  readonly parents: Int32Array
  readonly byId = new Map<string, number>()
  readonly dangling = new Set<number>()
  readonly copies = new Map<number, number>()
  readonly circular: number[] = []
  private readonly records: readonly unknown[]
  private readonly dialect: Dialect
  /** Known as soon as a uuid comes by again: most files never ask. */
  private shared: ReadonlySet<string> | undefined
  /** The message before each record in its lane. */
  private readonly before: Int32Array
  /** The nearest message at or above each record. */
  private readonly nearest: Int32Array
  private readonly lastOf = new Map<string, number>()
  private readonly reader: UnitReader
  private readonly later: { readonly record: number; readonly uuid: string }[] = []
  private readonly boundaries: number[] = []

  constructor(records: readonly unknown[], dialect: Dialect) {
    this.records = records
    this.dialect = dialect
    this.kinds = new Uint8Array(records.length)
    this.reader = new UnitReader(records, dialect, this.byId)
    this.parents = new Int32Array(records.length).fill(none)
    this.before = new Int32Array(records.length).fill(none)
    this.nearest = new Int32Array(records.length).fill(unknown)
  }

  read(): SessionTree {
    for (let index = 0; index < this.records.length; index++) this.record(index)
    const collapsed = this.shared ?? new Set<string>()
    this.reader.finish(collapsed)
    for (const { record, uuid } of this.later) {
      this.hang(record, collapsed.has(uuid) ? undefined : this.byId.get(uuid))
    }
    this.relinkKept()
    const { units, unitOf, early } = this.reader
    const unitParents = Int32Array.from(units, (unit, index) => this.parentOfUnit(unit, index))
    const { records, parents, byId, dangling, copies, circular } = this
    const mainLane = this.lastOf.has("") || !this.dialect.separate ? "" : (units[0]?.lane ?? "")
    const messageAbove = (record: number): number => {
      const parent = parents[record] ?? none
      return parent < 0 ? none : this.nearestMessage(parent)
    }
    const tree = { records, kinds: this.kinds, units, unitOf, parents, unitParents, messageAbove, mainLane, byId }
    return { ...tree, dangling, copies, collapsed, early, circular }
  }

  private record(index: number): void {
    const record = this.records[index]
    let kind: number = kindOf(record)
    if (kind === kinds.outside || !isWire(record)) return
    const uuid = textIn(record, "uuid")
    const earlier = uuid === undefined ? undefined : this.byId.get(uuid)
    if (uuid !== undefined && earlier !== undefined && this.isRepetition(earlier, record, uuid)) {
      this.copies.set(index, earlier)
      return
    }
    this.kinds[index] = kind
    const lane = this.dialect.laneOf(record)
    this.before[index] = this.lastOf.get(lane) ?? none
    this.linkParent(index, record, lane)
    if (earlier !== undefined) this.hangOnTwin(index, earlier, lane)
    if (uuid !== undefined) this.byId.set(uuid, index)
    if (kind === kinds.malformed) kind = kinds.aside
    if (kind === kinds.fragment) this.reader.fragment(index, record, lane)
    else if (kind === kinds.results) this.reader.results(index, record, lane)
    else if (kind === kinds.user) this.reader.user(index, record, lane)
    else if (isBoundary(record)) this.boundaries.push(index)
    if (isMessageKind(kind)) this.lastOf.set(lane, index)
  }

  /** Where other records have the uuid as well, nothing but the very same record is a repetition. */
  private isRepetition(earlier: number, record: Wire, uuid: string): boolean {
    this.shared ??= collapsedUuids(this.records)
    const before = this.records[earlier] as Wire
    return this.shared.has(uuid) ? canonicalJson(before) === canonicalJson(record) : hasSameContent(before, record)
  }

  /** Two records of one uuid and one parent are no branch, which would have a uuid of its own: both are said. */
  private hangOnTwin(index: number, earlier: number, lane: string): void {
    const twin = this.records[earlier] as Wire
    const parent = this.dialect.parentOf(this.records[index] as Wire)
    if (parent === undefined || parent !== this.dialect.parentOf(twin) || this.dialect.laneOf(twin) !== lane) return
    this.parents[index] = earlier
  }

  private linkParent(index: number, record: Wire, lane: string): void {
    const parent = this.dialect.parentOf(record)
    if (parent === null) return
    if (parent === undefined) {
      if (this.dialect.linked) this.dangling.add(index)
      this.parents[index] = this.before[index] ?? none
      return
    }
    const found = this.byId.get(parent)
    if (found === undefined) this.later.push({ record: index, uuid: parent })
    else if (this.shared?.has(parent) === true && this.dialect.laneOf(this.records[found] as Wire) !== lane) {
      this.parents[index] = this.before[index] ?? none
    } else this.parents[index] = found
  }

  private hang(index: number, parent: number | undefined): void {
    if (parent === undefined) this.dangling.add(index)
    this.parents[index] = parent ?? this.before[index] ?? none
  }

  /** Messages that hang on the last one a compaction kept come after its summary. */
  private relinkKept(): void {
    const summaries = new Map<number, number>()
    for (const boundary of this.boundaries) {
      const preserved = preservedBy(this.records[boundary] as Wire)
      const tail = this.byId.get(preserved.tail ?? "")
      if (tail === undefined || tail > boundary) continue
      const summary = this.summaryAfter(boundary, this.byId.get(preserved.anchor ?? ""))
      if (summary !== undefined) summaries.set(tail, summary)
    }
    if (summaries.size === 0) return
    for (let index = 0; index < this.parents.length; index++) {
      const summary = summaries.get(this.parents[index] ?? none)
      if (summary !== undefined && index > summary) this.parents[index] = summary
    }
  }

  private summaryAfter(boundary: number, anchor: number | undefined): number | undefined {
    if (anchor !== undefined && anchor > boundary && isMessageKind(this.kinds[anchor] ?? 0)) return anchor
    for (let index = boundary + 1; index <= boundary + summaryWithin; index++) {
      const next = this.records[index]
      if (isWire(next) && isSummary(next) && this.kinds[index] === kinds.user) return index
    }
    return undefined
  }

  private nearestMessage(from: number): number {
    const passed: number[] = []
    let index = from
    while (index >= 0 && this.nearest[index] === unknown && !isMessageKind(this.kinds[index] ?? 0)) {
      this.nearest[index] = open
      passed.push(index)
      index = this.parents[index] ?? none
    }
    let found = index
    if (index >= 0 && this.nearest[index] === open) {
      this.circular.push(index)
      found = this.before[index] ?? none
    } else if (index >= 0 && this.nearest[index] !== unknown) found = this.nearest[index] ?? none
    for (const each of passed) this.nearest[each] = found
    return found
  }

  private parentOfUnit(unit: Unit, own: number): number {
    for (const index of unit.records) {
      const parent = this.parents[index] ?? none
      const message = parent < 0 ? none : this.nearestMessage(parent)
      if (message < 0) return none
      const above = this.reader.unitOf[message] ?? none
      if (above !== own) return this.reader.units[above]?.lane === unit.lane ? above : none
    }
    return this.parentBeyond(unit, own)
  }

  /** Where all fragments hang on the reply itself, over its own results: the first message outside or before it. */
  private parentBeyond(unit: Unit, own: number): number {
    const { unitOf, units } = this.reader
    const first = unit.records[0] ?? 0
    const passed = new Set<number>()
    let index = first
    while (index >= 0 && unitOf[index] === own && !passed.has(index)) {
      passed.add(index)
      const parent = this.parents[index] ?? none
      index = parent < 0 ? none : this.nearestMessage(parent)
    }
    if (index < 0) return none
    const above = unitOf[passed.has(index) ? (this.before[first] ?? none) : index] ?? none
    return above !== own && units[above]?.lane === unit.lane ? above : none
  }
}

export const readTree = (records: readonly unknown[], dialect: Dialect): SessionTree => new TreeReader(records, dialect).read()
