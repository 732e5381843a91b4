/**
 * The records of a session → who said what, in which order. A record with an id is put in place of the one it repeats;
 * `$rewindTo` takes a message and all behind it away; `$set.messages` is a checkpoint that replaces the list. A `.json`
 * file is read as one such checkpoint. What was taken away stays reachable: every message knows the one before it.
 *
 * A rewind to a message that is not there makes the agent forget everything. Here it deletes nothing: it is reported,
 * and the encoder leaves the record out, so that the file says to the agent what was read from it.
 */
import { type Diagnostic, isWire, type Place, type Wire } from "../../model/index.ts"
import { sameElements } from "../../formats/engine/codec.ts"
import { anomaly } from "../engine/anomaly.ts"
import { stringOf } from "../engine/fields.ts"
import { UnknownRecords } from "../engine/unknown-records.ts"
import { deriveUuid } from "../engine/derived-id.ts"
import { isMetadata, isSpoken, noticeTypes, partsOf } from "./fields.ts"

/** Where a version of a message lies: a record, or a position in the list a record holds. */
export interface Home {
  readonly record: number
  readonly position?: number
}

export interface Entry {
  readonly id: string
  /** The newest version. */
  wire: Wire
  /** All versions, oldest first; each has taken the place of the one before. */
  readonly homes: Home[]
  readonly before: Entry | undefined
  /** Came with a checkpoint that took messages away. */
  readonly summary: boolean
}

export interface Abandoned {
  readonly leaf: Entry
  readonly removed: readonly Entry[]
  readonly fork: Entry | undefined
}

export interface Checkpoint {
  readonly record: number
  readonly removed: number
  readonly summary: string | undefined
}

export interface History {
  /** Metadata as the last record has it. */
  readonly metadata: Wire
  /** What the agent would go on with. */
  readonly effective: readonly Entry[]
  /** The same without what checkpoints took away. */
  readonly whole: readonly Entry[]
  readonly abandoned: readonly Abandoned[]
  readonly checkpoints: readonly Checkpoint[]
  /** Records that the encoder leaves out: rewinds to nowhere. */
  readonly ignored: ReadonlySet<number>
  readonly findings: readonly Diagnostic[]
}

/** A list that is only cut and grown at its end, and finds a member's place without searching. */
class Timeline {
  readonly entries: Entry[] = []
  private readonly places = new Map<Entry, number>()

  push(entry: Entry): void {
    this.places.set(entry, this.entries.length)
    this.entries.push(entry)
  }

  has(entry: Entry): boolean {
    return this.places.has(entry)
  }

  cutFrom(entry: Entry): readonly Entry[] {
    const from = this.places.get(entry)
    if (from === undefined) return []
    const removed = this.entries.splice(from)
    for (const gone of removed) this.places.delete(gone)
    return removed
  }
}

const shownText = (wire: Wire): string => {
  const [first] = partsOf(wire["content"])
  return typeof first === "string" ? first : isWire(first) ? stringOf(first["text"]) : ""
}

/** What a redactor writes in place of an id. */
const redacted = "REDACTED"

/** What versions of one message share: its id; where that is gone, when it was begun and by whom. */
const keyOf = (wire: Wire): string => {
  const id = stringOf(wire["id"])
  return id === redacted ? `${id} ${stringOf(wire["type"])} ${stringOf(wire["timestamp"])}` : id
}

class HistoryReader {
  metadata: Wire = {}
  effective = new Timeline()
  readonly whole = new Timeline()
  readonly abandoned: Abandoned[] = []
  readonly checkpoints: Checkpoint[] = []
  readonly ignored = new Set<number>()
  readonly findings: Diagnostic[] = []
  readonly unknown = new UnknownRecords()
  private readonly live = new Map<string, Entry>()
  private readonly lines: readonly number[] | undefined

  constructor(lines: readonly number[] | undefined) {
    this.lines = lines
  }

  private place(record: number): Place {
    const line = this.lines?.[record]
    return line === undefined ? { path: `records[${record}]` } : { line }
  }

  record(value: unknown, index: number): void {
    if (!isWire(value)) {
      this.findings.push(anomaly("malformed-record", this.place(index), `Record ${index + 1} is not an object`))
    } else if (typeof value["$rewindTo"] === "string") this.rewind(value["$rewindTo"], index)
    else if (typeof value["id"] === "string") this.message(value, { record: index })
    else if (isWire(value["$set"])) this.update(value["$set"], index)
    else if (isMetadata(value) || Array.isArray(value["messages"])) this.update(value, index)
    else {
      this.unknown.add(value["type"], this.place(index))
    }
  }

  private update(fields: Wire, index: number): void {
    const { messages, ...rest } = fields
    this.metadata = { ...this.metadata, ...rest }
    if (Array.isArray(messages) && messages.length > 0) this.checkpoint(messages, index)
  }

  private message(wire: Wire, home: Home): void {
    const known = this.live.get(keyOf(wire))
    if (known) this.renew(known, wire, home)
    else this.begin(wire, home, false, this.effective.entries.at(-1))
  }

  private renew(entry: Entry, wire: Wire, home: Home): void {
    entry.wire = wire
    entry.homes.push(home)
  }

  private begin(wire: Wire, home: Home, summary: boolean, before: Entry | undefined): void {
    const id = stringOf(wire["id"])
    const entry: Entry = { id, wire, homes: [home], before, summary }
    if (!isSpoken(wire) && !noticeTypes.has(wire["type"])) {
      this.unknown.add(wire["type"], this.place(home.record))
    }
    if (id !== "") this.live.set(keyOf(wire), entry)
    this.effective.push(entry)
    this.whole.push(entry)
  }

  private forget(entry: Entry): void {
    const key = keyOf(entry.wire)
    if (this.live.get(key) === entry) this.live.delete(key)
  }

  private checkpoint(list: readonly unknown[], record: number): void {
    const previous = this.effective
    const kept = new Set<Entry>()
    const known: (Entry | undefined)[] = []
    for (const wire of list) {
      const entry = isWire(wire) ? this.live.get(keyOf(wire)) : undefined
      const fresh = entry && !kept.has(entry) && previous.has(entry) ? entry : undefined
      if (fresh) kept.add(fresh)
      known.push(fresh)
    }
    const removed = previous.entries.filter((entry) => !kept.has(entry) && isSpoken(entry.wire))
    this.effective = new Timeline()
    let summary: string | undefined
    for (let position = 0; position < list.length; position++) {
      const wire = list[position]
      const home = { record, position }
      const entry = known[position]
      if (!isWire(wire)) {
        const what = `Message ${position + 1} of record ${record + 1} is not an object`
        this.findings.push(anomaly("malformed-record", this.place(record), what))
      } else if (entry) {
        this.renew(entry, wire, home)
        this.effective.push(entry)
      } else {
        const summarises = removed.length > 0 && wire["type"] === "user" && summary === undefined
        if (summarises) summary = shownText(wire)
        this.begin(wire, home, summarises, this.effective.entries.at(-1))
      }
    }
    for (const entry of removed) this.forget(entry)
    if (removed.length > 0) this.checkpoints.push({ record, removed: removed.length, summary })
  }

  private rewind(id: string, index: number): void {
    const entry = this.live.get(id)
    if (!entry) {
      this.ignored.add(index)
      const what = `Record ${index + 1} rewinds to ${id}, which is not in the file`
      const repair = { kind: "drop", what: "left out the rewind" } as const
      this.findings.push({ ...anomaly("unknown-rewind", this.place(index), what, [id]), repair })
      return
    }
    const removed = this.effective.cutFrom(entry)
    this.whole.cutFrom(entry)
    for (const gone of removed) this.forget(gone)
    const leaf = removed.at(-1)
    if (leaf && removed.some((gone) => isSpoken(gone.wire))) {
      this.abandoned.push({ leaf, removed, fork: this.effective.entries.at(-1) })
    }
  }
}

interface Named {
  readonly records: readonly unknown[]
  readonly diagnostics: readonly Diagnostic[]
}

const isNameless = (wire: unknown): wire is Wire => isWire(wire) && wire["id"] === redacted

const named = (wire: unknown): unknown => (isNameless(wire) ? { ...wire, id: deriveUuid(keyOf(wire)) } : wire)

const withNames = (holder: Wire): Wire => {
  const { messages } = holder
  return Array.isArray(messages) && messages.some(isNameless) ? { ...holder, messages: messages.map(named) } : holder
}

const namedIn = (record: unknown): unknown => {
  if (!isWire(record)) return record
  if (typeof record["id"] === "string") return named(record)
  const set = record["$set"]
  if (!isWire(set)) return withNames(record)
  const next = withNames(set)
  return next === set ? record : { ...record, $set: next }
}

/** Messages whose ids were redacted get ids: the agent would take each of them for a new version of the one before. */
export const withOwnIds = (records: readonly unknown[]): Named => {
  const own = records.map(namedIn)
  if (sameElements(own, records)) return { records, diagnostics: [] }
  const what = "Ids of messages were redacted: the agent would take each for a new version of the one before"
  return { records: own, diagnostics: [anomaly("duplicate-record-id", {}, what, [redacted])] }
}

export const readHistory = (records: readonly unknown[], lines?: readonly number[]): History => {
  const reader = new HistoryReader(lines)
  for (let index = 0; index < records.length; index++) reader.record(records[index], index)
  const { metadata, effective, whole, abandoned, checkpoints, ignored } = reader
  return {
    metadata,
    effective: effective.entries,
    whole: whole.entries,
    abandoned,
    checkpoints,
    ignored,
    findings: [...reader.findings, ...reader.unknown.diagnostics],
  }
}

/** The messages that lead to one, oldest first. */
export const pathTo = (leaf: Entry): readonly Entry[] => {
  const path: Entry[] = []
  for (let entry: Entry | undefined = leaf; entry; entry = entry.before) path.push(entry)
  return path.reverse()
}

/** What was asked for: a path, or the active one in a view. */
export interface Reading {
  readonly branch?: string
  readonly view?: "effective" | "whole"
}

/** Undefined entries: no such path. */
export const entriesOf = (history: History, { branch, view }: Reading): readonly Entry[] | undefined => {
  const active = view === "whole" ? history.whole : history.effective
  if (branch === undefined || branch === activeId(history)) return active
  const found = history.abandoned.find(({ leaf }) => leaf.id === branch)
  return found && pathTo(found.leaf)
}

export const activeId = (history: History): string => history.effective.at(-1)?.id ?? ""
