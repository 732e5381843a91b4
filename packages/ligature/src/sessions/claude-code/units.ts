/**
 * Units: what the API saw as one message. Fragments of one reply are gathered by the id of the message, and every result goes
 * to the reply that made its call, by the call's id; where ids repeat, by the record the result names.
 */
import type { Wire } from "../../model/index.ts"
import { type Dialect, idsIn, isNotice, textIn } from "./records.ts"

export interface Unit {
  readonly lane: string
  readonly assistant: boolean
  /** The fragments, or the one record of the user's side. */
  readonly records: number[]
  /** Records with results of its calls, in file order. */
  readonly results: number[]
}

/** Whether both carry the same id and request, so that no doubt is left. */
const isSameReply = (left: Wire, right: Wire): boolean => {
  const request = textIn(left, "requestId")
  if (request === undefined || request !== right["requestId"]) return false
  return textIn(left["message"], "id") === textIn(right["message"], "id")
}

const none = -1

/** Each agent counts its calls alone: one of another lane may have the same id. */
const callIn = (lane: string, id: string): string => (lane === "" ? id : `${lane}\u0000${id}`)

export class UnitReader {
  readonly units: Unit[] = []
  /** Record → unit; -1 for what is no message. */
  readonly unitOf: Int32Array
  /** Results that come before their calls. */
  readonly early: number[] = []
  private readonly records: readonly unknown[]
  private readonly dialect: Dialect
  private readonly byUuid: ReadonlyMap<string, number>
  private readonly groups = new Map<string, number>()
  /** The reply that made each call, by lane and id. */
  private readonly calls = new Map<string, number>()
  private readonly recycled = new Set<string>()
  /** Results whose calls have not come by, by the ids of the calls. */
  private readonly waiting = new Map<string, number[]>()
  private readonly unplaced: number[] = []
  private prompts = 0
  private lastFragment: Wire | undefined
  private lastReply = none
  private lastLane = ""

  constructor(records: readonly unknown[], dialect: Dialect, byUuid: ReadonlyMap<string, number>) {
    this.records = records
    this.dialect = dialect
    this.byUuid = byUuid
    this.unitOf = new Int32Array(records.length).fill(none)
  }

  finish(collapsed: ReadonlySet<string>): void {
    for (const index of this.unplaced) if (this.unitOf[index] === none) this.placeResults(index, collapsed)
  }

  private unit(lane: string, assistant: boolean, index: number): number {
    this.units.push({ lane, assistant, records: [index], results: [] })
    this.unitOf[index] = this.units.length - 1
    return this.units.length - 1
  }

  user(index: number, record: Wire, lane: string): void {
    this.unit(lane, false, index)
    if (!isNotice(record)) this.prompts++
  }

  /** Fragments share the id of the API's message. Where no request is named, an id counts up to the next prompt. */
  private groupKey(record: Wire, lane: string): string | undefined {
    const id = textIn(record["message"], "id")
    const request = textIn(record, "requestId")
    if (id === undefined && request === undefined) return undefined
    return `${lane}\u0000${id ?? ""}\u0000${request ?? this.prompts}`
  }

  /** The reply a fragment belongs to. Most follow the fragment before: then no key needs to be made. */
  private replyOf(index: number, record: Wire, lane: string): number {
    const before = this.lastFragment
    this.lastFragment = record
    const known = before && this.lastLane === lane && isSameReply(before, record) ? this.lastReply : undefined
    this.lastLane = lane
    const key = known === undefined ? this.groupKey(record, lane) : undefined
    const unit = known ?? (key === undefined ? undefined : this.groups.get(key))
    if (unit === undefined) {
      this.lastReply = this.unit(lane, true, index)
      if (key !== undefined) this.groups.set(key, this.lastReply)
    } else {
      this.units[unit]?.records.push(index)
      this.unitOf[index] = unit
      this.lastReply = unit
    }
    return this.lastReply
  }

  fragment(index: number, record: Wire, lane: string): void {
    const unit = this.replyOf(index, record, lane)
    for (const called of idsIn(record, "tool_use")) {
      const id = callIn(lane, called)
      const known = this.calls.get(id)
      if (known !== undefined && known !== unit) this.recycled.add(id)
      this.calls.set(id, unit)
      const waiting = this.waiting.get(id)
      if (!waiting) continue
      this.waiting.delete(id)
      for (const result of waiting) {
        if (this.unitOf[result] === none && this.attach(result, unit)) this.early.push(result)
      }
    }
  }

  results(index: number, record: Wire, lane: string): void {
    const ids = idsIn(record, "tool_result").map((id) => callIn(lane, id))
    for (const id of ids) {
      const source = this.recycled.has(id) ? this.sourceUnit(record) : undefined
      const unit = source ?? this.calls.get(id)
      if (unit !== undefined && this.units[unit]?.lane === lane && this.attach(index, unit)) return
    }
    this.unplaced.push(index)
    for (const id of ids) {
      const waiting = this.waiting.get(id)
      if (waiting) waiting.push(index)
      else this.waiting.set(id, [index])
    }
  }

  private attach(index: number, unit: number): boolean {
    const target = this.units[unit]
    if (!target) return false
    target.results.push(index)
    this.unitOf[index] = unit
    return true
  }

  /** The unit that made the call, as the record names it. */
  private sourceUnit(record: Wire): number | undefined {
    const source = this.byUuid.get(textIn(record, "sourceToolAssistantUUID") ?? "")
    const unit = source === undefined ? undefined : this.unitOf[source]
    return unit !== undefined && this.units[unit]?.assistant === true ? unit : undefined
  }

  /** A result whose call is not in the file stays beside the record that made it, or stands alone. */
  private placeResults(index: number, collapsed: ReadonlySet<string>): void {
    const record = this.records[index] as Wire
    const named = textIn(record, "sourceToolAssistantUUID")
    const unit = named !== undefined && collapsed.has(named) ? undefined : this.sourceUnit(record)
    if (unit === undefined || !this.attach(index, unit)) this.unit(this.dialect.laneOf(record), false, index)
  }
}

/** File order, unless a fragment hangs on a later one of the same reply: then each after the one it hangs on. */
export const orderedFragments = ({ records }: Unit, parents: Int32Array): readonly number[] => {
  if (records.length === 1) return records
  const own = new Set(records)
  let isInverted = false
  const below = new Map<number, number[]>()
  const roots: number[] = []
  for (const index of records) {
    const parent = parents[index] ?? none
    if (!own.has(parent)) {
      roots.push(index)
      continue
    }
    if (parent > index) isInverted = true
    const list = below.get(parent)
    if (list) list.push(index)
    else below.set(parent, [index])
  }
  if (!isInverted) return records
  const ordered: number[] = []
  const stack = roots.reverse()
  for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
    ordered.push(index)
    for (const child of (below.get(index) ?? []).reverse()) stack.push(child)
  }
  return ordered.length === records.length ? ordered : records
}

/** Results in the order of their calls; after them those of no call, and repeated ones. */
export const orderedResults = (unit: Unit, records: readonly unknown[], parents: Int32Array): readonly number[] => {
  const { results } = unit
  if (results.length < 2) return results
  const ordinals = new Map<string, number>()
  for (const index of orderedFragments(unit, parents)) {
    for (const id of idsIn(records[index], "tool_use")) if (!ordinals.has(id)) ordinals.set(id, ordinals.size)
  }
  const answered = new Set<string>()
  const ranks = new Map<number, number>()
  for (const index of results) {
    const [id] = idsIn(records[index], "tool_result")
    const ordinal = id === undefined || answered.has(id) ? undefined : ordinals.get(id)
    if (id !== undefined) answered.add(id)
    ranks.set(index, ordinal ?? ordinals.size)
  }
  return [...results].sort((left, right) => (ranks.get(left) ?? 0) - (ranks.get(right) ?? 0) || left - right)
}
