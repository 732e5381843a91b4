/**
 * The records of a session → which message follows which. A record with an id takes the place of the one it repeats;
 * `$rewindTo` takes a message and everything after it away; `$set.messages` is a checkpoint that replaces the list. A `.json`
 * file is read as one such checkpoint. What was taken away stays reachable: every message knows the one before it.
 *
 * Messages of a list are read as records of their own, after the record that holds the list. A rewind to a message that is
 * not there makes the agent forget everything: it is ignored, reported, and left out when the session is written.
 */
import { type Diagnostic, isWire, type Place, type Wire } from "../../model/index.ts"
import { anomaly } from "../engine/anomaly.ts"
import { deriveUuid } from "../engine/derived-id.ts"
import { listOf, stringOf } from "../engine/fields.ts"
import { patch, patchList } from "../engine/patch.ts"
import type { FoundPath, WriteChange } from "../engine/session-format.ts"
import { UnknownRecords } from "../engine/unknown-records.ts"

export const isMetadata = (record: Wire): boolean => typeof record["sessionId"] === "string" && typeof record["projectHash"] === "string"

/** Messages of the model and the user; the other types are notices on the screen. */
export const isSpoken = (record: Wire): boolean => record["type"] === "user" || record["type"] === "gemini"

const noticeTypes: ReadonlySet<unknown> = new Set(["info", "error", "warning"])

/** Content is a string, a part, or a list of either. */
export const partsOf = (content: unknown): readonly unknown[] => {
  if (Array.isArray(content)) return content
  return content === undefined || content === null || content === "" ? [] : [content]
}

/** The metadata in a record, or an update of it; both may have a list of messages. */
export const metadataIn = (record: unknown): Wire | undefined => {
  if (!isWire(record) || typeof record["$rewindTo"] === "string" || typeof record["id"] === "string") return undefined
  if (isWire(record["$set"])) return record["$set"]
  return isMetadata(record) || Array.isArray(record["messages"]) ? record : undefined
}

/** The record with other metadata in it. */
export const withMetadata = (record: Wire, fields: Wire): Wire => (isWire(record["$set"]) ? patch(record, { $set: fields }) : fields)

const messagesIn = (record: unknown): readonly unknown[] => listOf(metadataIn(record)?.["messages"])

export const metadataOf = (records: readonly unknown[]): Wire => {
  const metadata: Record<string, unknown> = {}
  for (const record of records) Object.assign(metadata, metadataIn(record))
  return metadata
}

/** The records, with messages of lists as records of their own. */
export const flatten = (records: readonly unknown[]): readonly unknown[] => records.flatMap((record) => [record, ...messagesIn(record)])

/** For each of them the index of the record it lies in. */
export const homesOf = (records: readonly unknown[]): readonly number[] =>
  records.flatMap((record, index) => [index, ...messagesIn(record).map(() => index)])

const withMessages = (record: unknown, messages: readonly unknown[]): unknown => {
  const fields = metadataIn(record)
  if (!isWire(record) || !fields) return record
  const list = patchList(fields["messages"], messages)
  return list === fields["messages"] || (list.length === 0 && fields["messages"] === undefined)
    ? record
    : withMetadata(record, { ...fields, messages: list })
}

/** The other way round. A new message goes into the list that the message before it is in. */
export const unflatten = (
  records: readonly unknown[],
  flat: readonly unknown[],
  { places }: WriteChange,
  isWhole: boolean,
): readonly unknown[] => {
  const homes = homesOf(records)
  const before = new Map<number, number>()
  places.forEach((now, index) => {
    if (now >= 0) before.set(now, index)
  })
  const groups: { readonly record: unknown; readonly messages: unknown[] }[] = []
  flat.forEach((record, now) => {
    const index = before.get(now)
    const last = groups.at(-1)
    const isMember = index === undefined ? isWhole || messagesIn(last?.record).length > 0 : index > 0 && homes[index] === homes[index - 1]
    if (last && isMember) last.messages.push(record)
    else groups.push({ record, messages: [] })
  })
  return groups.map(({ record, messages }) => withMessages(record, messages))
}

/** What a redactor writes in place of an id. */
const redacted = "REDACTED"

/** What versions of one message share: its id; where that is gone, when it was begun and by whom. */
const keyOf = (wire: Wire): string => {
  const id = stringOf(wire["id"])
  return id === redacted ? `${id} ${stringOf(wire["type"])} ${stringOf(wire["timestamp"])}` : id
}

const named = (wire: unknown): unknown => (isWire(wire) && wire["id"] === redacted ? { ...wire, id: deriveUuid(keyOf(wire)) } : wire)

/** Messages whose ids were redacted get ids: the agent would take each of them for a new version of the one before. */
export const withOwnIds = (
  records: readonly unknown[],
): { readonly records: readonly unknown[]; readonly diagnostics: readonly Diagnostic[] } => {
  const own = patchList(
    records,
    records.map((record) => withMessages(named(record), messagesIn(record).map(named))),
  )
  if (own === records) return { records, diagnostics: [] }
  const what = "Ids of messages were redacted: the agent would take each for a new version of the one before"
  return { records: own, diagnostics: [anomaly("duplicate-record-id", {}, what, [redacted])] }
}

interface Entry {
  readonly id: string
  /** The newest version, and where it lies. */
  wire: Wire
  index: number
  /** The version that gives the message its place: the one in the last checkpoint, else the first. */
  at: number
  readonly versions: number[]
  readonly before: Entry | undefined
}

/** A list that is only cut and grown at its end, and finds a member's place without searching. */
class Timeline {
  readonly entries: Entry[] = []
  readonly #places = new Map<Entry, number>()

  push(entry: Entry): void {
    this.#places.set(entry, this.entries.length)
    this.entries.push(entry)
  }

  has(entry: Entry): boolean {
    return this.#places.has(entry)
  }

  cutFrom(entry: Entry): readonly Entry[] {
    const from = this.#places.get(entry)
    if (from === undefined) return []
    const removed = this.entries.splice(from)
    for (const gone of removed) this.#places.delete(gone)
    return removed
  }
}

const firstText = (wire: Wire): string => {
  const [first] = partsOf(wire["content"])
  return typeof first === "string" ? first : isWire(first) ? stringOf(first["text"]) : ""
}

class HistoryReader {
  effective = new Timeline()
  readonly whole = new Timeline()
  readonly abandoned: { readonly leaf: Entry; readonly removed: readonly Entry[]; readonly fork: Entry | undefined }[] = []
  readonly compactions: NonNullable<FoundPath["compactions"]>[number][] = []
  readonly dropped = new Set<number>()
  readonly diagnostics: Diagnostic[] = []
  readonly unknown = new UnknownRecords()
  /** Messages that came first in a checkpoint that took others away. */
  readonly summaries = new Set<Entry>()
  readonly #live = new Map<string, Entry>()
  readonly #records: readonly unknown[]
  readonly #placeOf: (index: number) => Place

  constructor(records: readonly unknown[], placeOf: (index: number) => Place) {
    this.#records = records
    this.#placeOf = placeOf
    for (let index = 0; index < records.length; index++) {
      const record = records[index]
      if (!isWire(record)) continue
      const { length } = messagesIn(record)
      if (typeof record["$rewindTo"] === "string") this.#rewind(record["$rewindTo"], index)
      else if (typeof record["id"] === "string") this.#message(record, index)
      else if (!metadataIn(record)) this.unknown.add(record["type"], placeOf(index))
      else if (length > 0) this.#checkpoint(index, length)
      index += length
    }
  }

  #message(wire: Wire, index: number): void {
    const known = this.#live.get(keyOf(wire))
    if (known) this.#renew(known, wire, index)
    else this.#begin(wire, index)
  }

  #renew(entry: Entry, wire: Wire, index: number): void {
    entry.wire = wire
    entry.index = index
    entry.versions.push(index)
  }

  #begin(wire: Wire, index: number): Entry {
    const id = stringOf(wire["id"])
    const entry: Entry = { id, wire, index, at: index, versions: [index], before: this.effective.entries.at(-1) }
    if (!isSpoken(wire) && !noticeTypes.has(wire["type"])) this.unknown.add(wire["type"], this.#placeOf(index))
    if (id !== "") this.#live.set(keyOf(wire), entry)
    this.effective.push(entry)
    this.whole.push(entry)
    return entry
  }

  #forget(entry: Entry): void {
    const key = keyOf(entry.wire)
    if (this.#live.get(key) === entry) this.#live.delete(key)
  }

  #checkpoint(holder: number, length: number): void {
    const previous = this.effective
    const list = this.#records.slice(holder + 1, holder + 1 + length)
    const kept = new Set<Entry>()
    const known = list.map((wire) => {
      const entry = isWire(wire) ? this.#live.get(keyOf(wire)) : undefined
      if (!entry || kept.has(entry) || !previous.has(entry)) return undefined
      kept.add(entry)
      return entry
    })
    const removed = previous.entries.filter((entry) => !kept.has(entry) && isSpoken(entry.wire))
    this.effective = new Timeline()
    let summary: string | undefined
    list.forEach((wire, position) => {
      const entry = known[position]
      const index = holder + 1 + position
      if (!isWire(wire)) return
      if (entry) {
        this.#renew(entry, wire, index)
        entry.at = index
        this.effective.push(entry)
        return
      }
      const begun = this.#begin(wire, index)
      if (removed.length === 0 || wire["type"] !== "user" || summary !== undefined) return
      summary = firstText(wire)
      this.summaries.add(begun)
    })
    for (const entry of removed) this.#forget(entry)
    if (removed.length === 0) return
    this.compactions.push(summary === undefined ? { record: holder, kind: "truncation" } : { record: holder, kind: "summary", summary })
  }

  #rewind(id: string, index: number): void {
    const entry = this.#live.get(id)
    if (!entry) {
      this.dropped.add(index)
      const repair = { kind: "drop", what: "left out the rewind" } as const
      const what = `A rewind names ${id}, which is not in the file`
      this.diagnostics.push({ ...anomaly("unknown-rewind", this.#placeOf(index), what, [id]), repair })
      return
    }
    const removed = this.effective.cutFrom(entry)
    this.whole.cutFrom(entry)
    for (const gone of removed) this.#forget(gone)
    const leaf = removed.at(-1)
    if (leaf && removed.some((gone) => isSpoken(gone.wire))) {
      this.abandoned.push({ leaf, removed, fork: this.effective.entries.at(-1) })
    }
  }
}

/** Ids of the calls that a record of the model has with their results. */
const answeredIn = (wire: Wire): ReadonlySet<unknown> =>
  new Set(
    listOf(wire["toolCalls"]).flatMap((call) =>
      isWire(call) && call["result"] !== undefined && call["result"] !== null ? [call["id"]] : [],
    ),
  )

/** Records of the user that have nothing but results which the calls before them have already. */
const repeatsOf = (entries: readonly Entry[]): readonly Entry[] => {
  let answered: ReadonlySet<unknown> = new Set()
  return entries.filter(({ wire }) => {
    if (wire["type"] === "gemini") answered = answeredIn(wire)
    if (wire["type"] !== "user") return false
    const parts = partsOf(wire["content"])
    return (
      parts.length > 0 &&
      parts.every((part) => isWire(part) && isWire(part["functionResponse"]) && answered.has(part["functionResponse"]["id"]))
    )
  })
}

/** The messages that lead to one, oldest first. */
const pathTo = (leaf: Entry): readonly Entry[] => {
  const path: Entry[] = []
  for (let entry: Entry | undefined = leaf; entry; entry = entry.before) path.push(entry)
  return path.reverse()
}

interface FoundHistory extends Omit<FoundPath, "read"> {
  /** Indices of the messages that summarise others. */
  readonly summaries: ReadonlySet<number>
}

export const findHistory = (
  records: readonly unknown[],
  {
    branch,
    view,
    placeOf,
  }: { readonly branch?: string | undefined; readonly view: "whole" | "effective"; readonly placeOf: (index: number) => Place },
): FoundHistory => {
  const { effective, whole, abandoned, compactions, dropped, diagnostics, unknown, summaries } = new HistoryReader(records, placeOf)
  const id = effective.entries.at(-1)?.id ?? ""
  const asked = branch === undefined || branch === id ? undefined : abandoned.find(({ leaf }) => leaf.id === branch)
  const all = asked ? pathTo(asked.leaf) : view === "whole" ? whole.entries : effective.entries
  const repeats = new Set(repeatsOf(all))
  const entries = all.filter((entry) => !repeats.has(entry))
  for (const { versions } of repeats) for (const version of versions) dropped.add(version)
  const [first] = repeats
  if (first)
    diagnostics.push(
      anomaly("repeated-results", placeOf(first.index), `Results of ${repeats.size} records are in the session twice`, [first.id]),
    )
  return {
    path: entries.map(({ index }) => index),
    id,
    others: abandoned.map(({ leaf, removed, fork }) => ({ id: leaf.id, own: removed.map(({ index }) => index), leaves: fork?.at })),
    isKnown: branch === undefined || branch === id || asked !== undefined,
    versions: new Map(entries.map(({ index, at, versions }) => [index, { at, older: versions.filter((version) => version !== index) }])),
    dropped,
    compactions,
    diagnostics: [...diagnostics, ...unknown.diagnostics],
    summaries: new Set([...summaries].map(({ index }) => index)),
  }
}
