/**
 * The index of one conversation's log: which entries there are, how they hang together, where the tip is, and which
 * operations have been written. It holds ids and numbers, no contents, so that a long conversation costs little memory
 * while it is open; the store that owns the index knows where line n is kept.
 *
 * Entries are accepted in the order of the log. A parent is always an earlier entry, so that a path cannot have a cycle,
 * whatever a damaged log says: a parent that is missing or comes later is reported, and the entry goes after the one
 * that was written before it, so that what was said earlier is not lost from sight.
 *
 * An index may know only the end of a log, where something else answers for what came before. It says all that an append
 * has to know, and nothing of paths and branches.
 */
import { assertOptions, deepestNesting, type Diagnostic, limitDepth, type OptionNames } from "../model/index.ts"
import { type Cover, type Entry, insistEntries, type NewEntry, onPath, type Operation } from "./entry.ts"
import { guardAppend, type LeaseSlots } from "./lease.ts"
import { missingEntry, StoreError } from "./store-error.ts"
import type { Appended, AppendOptions } from "./store.ts"

// Decides what an append writes: the checks every store makes in the same order, and the entries with ids and parents
// filled in. Changes nothing.
//
// A repeated operation is recognised before anything else is looked at: since its first try the tip has moved, and the
// lease may have gone to somebody else, and still the honest answer is that it was written.

/** What has to be known of a log to judge an append; a `LogIndex` knows it, and so does a few rows of a database. */
export interface KnownLog {
  readonly tip: string | null
  /** When the newest entry was written. */
  readonly updated: number
  /** Asked for ids the request names, and for new ones. */
  readonly has: (id: string) => boolean
  readonly outcomeOf: (operation: string) => { readonly ids: readonly string[]; readonly tip: string | null } | undefined
}

export interface AppendRequest {
  readonly conversation: string
  readonly entries: readonly NewEntry[]
  readonly options: AppendOptions
  /** The operation's id: the caller's, or a new one. */
  readonly operation: string
}

interface AppendSurroundings {
  readonly slots: LeaseSlots
  readonly now: number
  readonly newId: () => string
}

type AppendPlan = { readonly type: "write"; readonly operation: Operation } | { readonly type: "repeated"; readonly outcome: Appended }

/** Entries hold values that came through the door of a decoder, and something around them: those are not cut again. */
const deepestEntry = 2 * deepestNesting

const bad = (conversation: string, message: string): StoreError => new StoreError("bad-entry", message, { conversation })

/** Said of every append before anything else is looked at. */
const appendNames: OptionNames<AppendOptions> = { expectedTip: true, operation: true, lease: true, durable: true }

export const insistAppend = (conversation: string, entries: readonly NewEntry[], options: AppendOptions): void => {
  assertOptions(options, appendNames)
  const { operation } = options
  insistEntries(conversation, entries)
  if (operation !== undefined && (typeof operation !== "string" || operation === "")) {
    throw bad(conversation, "Expected an operation id that is a text and not empty; leave it out where nothing is repeated")
  }
}

const checkCovers = (covers: readonly Cover[], has: (id: string) => boolean, conversation: string): void => {
  for (const { id } of covers) if (!has(id)) throw missingEntry(id, conversation)
}

export const planAppend = (log: KnownLog, request: AppendRequest, surroundings: AppendSurroundings): AppendPlan => {
  const { conversation, entries, options, operation } = request
  const { slots, now, newId } = surroundings
  const before = log.outcomeOf(operation)
  if (before) {
    const same = before.ids.length === entries.length && entries.every(({ id }, at) => id === undefined || id === before.ids[at])
    if (same) return { type: "repeated", outcome: { ...before, operation, repeated: true } }
    const message = `Operation ${JSON.stringify(operation)} was used before for other entries; give each append its own id`
    throw new StoreError("operation-reused", message, { conversation })
  }
  guardAppend(slots, options.lease, now, conversation)
  const { expectedTip } = options
  if (expectedTip !== undefined && expectedTip !== log.tip) {
    const message = `Expected the tip ${JSON.stringify(expectedTip)}, but it is ${JSON.stringify(log.tip)}; load again and retry`
    throw new StoreError("conflict", message, { conversation, tip: log.tip })
  }
  if (entries.length === 0) throw bad(conversation, "Expected at least one entry to append, got none")
  const at = Math.max(now, log.updated)
  const planned: Entry[] = []
  const own = entries.length > 1 ? new Set<string>() : undefined
  const has = (id: string): boolean => own?.has(id) === true || log.has(id)
  let tip = log.tip
  for (const entry of entries) {
    let id = entry.id ?? newId()
    while (entry.id === undefined && has(id)) id = newId()
    if (has(id)) throw bad(conversation, `Entry ${JSON.stringify(id)} exists already; ids are unique in a conversation`)
    if (entry.kind === "tip" && entry.to !== null && !has(entry.to)) throw missingEntry(entry.to, conversation)
    if (entry.kind === "hide" || entry.kind === "summary") checkCovers(entry.covers, has, conversation)
    own?.add(id)
    planned.push({ ...limitDepth(entry, deepestEntry), id, parent: tip, operation, at })
    if (entry.kind === "tip") tip = entry.to
    else if (onPath[entry.kind]) tip = id
  }
  return { type: "write", operation: { operation, at, entries: planned } }
}

/** Where an entry is: its line in the log, and its place among the entries of that line. */
export interface EntryPlace {
  readonly line: number
  readonly slot: number
}

/** Where the entries of a path are, oldest first, and the one that is before them; null when they are the whole path. */
interface IndexedPath {
  readonly places: readonly EntryPlace[]
  readonly before: string | null
}

/** A state of the index to come back to. */
interface IndexMark {
  readonly entries: number
  readonly lines: number
  readonly tip: number
  readonly earlierTip: string | null
  readonly title: string | undefined
  readonly updated: number
  readonly damage: number
}

const noEntry = -1
/** Stands for any entry that something else answers for. */
const earlierEntry = -2

export class LogIndex {
  readonly damage: Diagnostic[] = []
  title: string | undefined
  updated: number
  #tip = noEntry
  readonly #earlier: KnownLog | undefined
  /** The tip, while it is an earlier entry. */
  #earlierTip: string | null = null
  readonly #ids: string[] = []
  readonly #positions = new Map<string, number>()
  readonly #parents: number[] = []
  readonly #lines: number[] = []
  readonly #slots: number[] = []
  /** Entries that are on no path. */
  readonly #beside = new Set<number>()
  /** Per line: its operation, the first of its entries, and the tip after it. */
  readonly #operations: string[] = []
  readonly #written = new Map<string, number>()
  readonly #firsts: number[] = []
  readonly #tips: number[] = []
  readonly #earlierTips = new Map<number, string>()
  readonly #times: number[] = []

  constructor(title: string | undefined, created: number, earlier?: KnownLog) {
    this.title = title
    this.updated = earlier?.updated ?? created
    this.#earlier = earlier
    this.#earlierTip = earlier?.tip ?? null
    if (this.#earlierTip !== null) this.#tip = earlierEntry
  }

  get tip(): string | null {
    return this.#idAt(this.#tip)
  }

  get lineCount(): number {
    return this.#operations.length
  }

  has(id: string): boolean {
    return this.#positions.has(id) || this.#earlier?.has(id) === true
  }

  /** What an operation wrote, if it was written. */
  outcomeOf(operation: string): { readonly ids: readonly string[]; readonly tip: string | null } | undefined {
    const line = this.#written.get(operation)
    if (line === undefined) return this.#earlier?.outcomeOf(operation)
    const last = this.#tips[line] ?? noEntry
    return { ids: this.#idsOf(line), tip: last === earlierEntry ? (this.#earlierTips.get(line) ?? null) : this.#idAt(last) }
  }

  #idsOf(line: number): readonly string[] {
    return this.#ids.slice(this.#firsts[line], this.#firsts[line + 1] ?? this.#ids.length)
  }

  operationOf(line: number): string {
    return this.#operations[line] ?? ""
  }

  eachIdOf(line: number, take: (id: string) => void): void {
    const until = this.#firsts[line + 1] ?? this.#ids.length
    for (let position = this.#firsts[line] ?? until; position < until; position++) take(this.#ids[position] ?? "")
  }

  /** Takes in the next line of the log. `lineNumber` is for reports only. */
  accept({ operation, at, entries }: Operation, lineNumber?: number): void {
    const line = this.#operations.length
    this.#operations.push(operation)
    if (!this.#written.has(operation)) this.#written.set(operation, line)
    this.#firsts.push(this.#ids.length)
    for (const [slot, entry] of entries.entries()) this.#acceptEntry(entry, line, slot, lineNumber)
    if (this.#tip === earlierEntry && this.#earlierTip !== null) this.#earlierTips.set(this.#tips.length, this.#earlierTip)
    this.#tips.push(this.#tip)
    this.#times.push(at)
    if (at > this.updated) this.updated = at
  }

  #acceptEntry(entry: Entry, line: number, slot: number, lineNumber: number | undefined): void {
    const place = lineNumber === undefined ? {} : { line: lineNumber }
    if (this.has(entry.id)) {
      this.damage.push(damageOf("duplicate-entry", place, `Entry ${entry.id} was written before; this copy does not count`, [entry.id]))
      return
    }
    const known = this.#positionOf(entry.parent)
    if (known === undefined) {
      const before = this.#idAt(this.#tip)
      const what = `The parent of entry ${entry.id} is missing (${entry.parent}); it is read after ${before ?? "the root"}`
      this.damage.push(damageOf("missing-parent", place, what, [entry.id]))
    }
    const position = this.#ids.length
    this.#ids.push(entry.id)
    this.#positions.set(entry.id, position)
    this.#parents.push(known ?? this.#tip)
    this.#lines.push(line)
    this.#slots.push(slot)
    if (!onPath[entry.kind]) this.#beside.add(position)
    if (entry.kind === "rename") this.title = entry.title
    if (entry.kind === "tip") {
      const target = this.#positionOf(entry.to)
      if (target === undefined) {
        this.damage.push(damageOf("missing-target", place, `The tip cannot move to ${entry.to}: no such entry`, [entry.id]))
      } else {
        this.#tip = target
        if (target === earlierEntry) this.#earlierTip = entry.to
      }
    } else if (onPath[entry.kind]) this.#tip = position
  }

  /** Undefined: there is no such entry. */
  #positionOf(id: string | null): number | undefined {
    if (id === null) return noEntry
    const known = this.#positions.get(id)
    if (known !== undefined || !this.#earlier) return known
    return id === this.#earlierTip || this.#earlier.has(id) ? earlierEntry : undefined
  }

  mark(): IndexMark {
    const { title, updated } = this
    const [entries, lines, damage] = [this.#ids.length, this.#operations.length, this.damage.length]
    return { entries, lines, tip: this.#tip, earlierTip: this.#earlierTip, title, updated, damage }
  }

  /** Forgets what was accepted since the mark: it was never written. Costs as much as is forgotten. */
  rewind(mark: IndexMark): void {
    for (let position = mark.entries; position < this.#ids.length; position++) {
      this.#positions.delete(this.#ids[position] as string)
      this.#beside.delete(position)
    }
    for (let line = mark.lines; line < this.#operations.length; line++) {
      const operation = this.#operations[line] as string
      if (this.#written.get(operation) === line) this.#written.delete(operation)
      this.#earlierTips.delete(line)
    }
    for (const list of [this.#ids, this.#parents, this.#lines, this.#slots]) list.length = mark.entries
    for (const list of [this.#operations, this.#firsts, this.#tips, this.#times]) list.length = mark.lines
    this.damage.length = mark.damage
    this.#earlierTip = mark.earlierTip
    this.#tip = mark.tip
    this.title = mark.title
    this.updated = mark.updated
  }

  /** The path that ends at an entry, and at most `last` entries of it. Undefined: no such entry. */
  path(at: string | null | undefined, last = Number.POSITIVE_INFINITY): IndexedPath | undefined {
    let position = at === undefined ? this.#tip : at === null ? noEntry : this.#positions.get(at)
    if (position === undefined) return undefined
    const places: EntryPlace[] = []
    while (position !== noEntry && places.length < last) {
      places.push({ line: this.#lines[position] as number, slot: this.#slots[position] as number })
      position = this.#parents[position] ?? noEntry
    }
    return { places: places.reverse(), before: this.#idAt(position) }
  }

  /** The ends of the branches: entries without an entry after them, and the tip wherever it is. */
  branches(): readonly { readonly tip: string; readonly at: number; readonly active: boolean }[] {
    const inner = new Set<number>()
    for (const [position, parent] of this.#parents.entries()) if (!this.#beside.has(position)) inner.add(parent)
    return this.#ids.flatMap((tip, position) => {
      if (this.#beside.has(position) || (inner.has(position) && position !== this.#tip)) return []
      return [{ tip, at: this.#times[this.#lines[position] ?? 0] ?? 0, active: position === this.#tip }]
    })
  }

  #idAt(position: number): string | null {
    if (position === earlierEntry) return this.#earlierTip
    return position === noEntry ? null : (this.#ids[position] ?? null)
  }
}

const reasons: Readonly<Record<string, string>> = {
  "duplicate-entry": "An id names one entry; with two, links between entries could mean either.",
  "missing-parent": "Something that was written between the two entries cannot be read.",
  "missing-tip": "What was written last cannot be read.",
  "missing-target": "The log says that the conversation went on from an entry that cannot be read.",
}

/** A finding about the log itself. `torn-line` and the like come from the store that reads it. */
export const damageOf = (
  rule: string,
  place: Diagnostic["place"],
  what: string,
  ids: readonly string[] = [],
  severity: Diagnostic["severity"] = "warning",
): Diagnostic => ({
  rule,
  severity,
  place,
  what,
  why: reasons[rule] ?? "The log was cut or changed while it was written or afterwards.",
  help: "Nothing to do: the bytes are kept, and everything that can be read is used.",
  ids,
})
