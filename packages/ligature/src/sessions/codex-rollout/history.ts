/**
 * The records of a rollout as one path: which of them the agent would send, or all that was said, with what is odd about
 * the file. Looks at every record once and builds no blocks.
 *
 * The items of a history that a compaction put in place are records of their own, before the one of the compaction.
 */
import { asWord, canonicalJson, type Diagnostic, isWire, text, type Wire } from "../../model/index.ts"
import { anomaly, type AnomalyKind } from "../engine/anomaly.ts"
import { listOf } from "../engine/fields.ts"
import { patchList } from "../engine/patch.ts"
import type { FindOptions, FoundPath, RecordReading, WriteChange } from "../engine/session-format.ts"
import { UnknownRecords } from "../engine/unknown-records.ts"
import { readPart } from "../../formats/openai-responses/read-blocks.ts"
import { callIdOf, classOf, format, isPrompt, payloadOf, recordTypes, textField, textOf, titleFrom, typeOf } from "./items.ts"
import { eventsWithoutItem } from "./mirrors.ts"
import { groupItems, itemReader, pairByFamily, readSummary, separated } from "./read-item.ts"
import { effectiveEntries, type Entry, linksTo, Walk, wholeEntries } from "./walk.ts"

/** The history that a compaction put in place; empty for any other record. */
const historyIn = (record: unknown): readonly unknown[] => listOf(payloadOf(record, "compacted")?.["replacement_history"])

const hasHistory = (record: unknown): boolean => isWire(record) && record["type"] === "compacted" && historyIn(record).length > 0

/** The records, with items of histories as records of their own. */
export const flatten = (records: readonly unknown[]): readonly unknown[] => {
  if (!records.some(hasHistory)) return records
  const flat: unknown[] = []
  for (const record of records) {
    if (hasHistory(record)) for (const item of historyIn(record)) flat.push(item)
    flat.push(record)
  }
  return flat
}

/** For each of them the index of the record it lies in. */
export const homesOf = (records: readonly unknown[]): readonly number[] | undefined => {
  if (!records.some(hasHistory)) return undefined
  const homes: number[] = []
  records.forEach((record, index) => {
    for (let count = hasHistory(record) ? historyIn(record).length : 0; count >= 0; count--) homes.push(index)
  })
  return homes
}

/** A compaction with another history, and the list beside it that has one element for each item. */
const withHistory = (record: unknown, kept: readonly { readonly item: unknown; readonly at: number }[]): unknown => {
  const payload = payloadOf(record, "compacted")
  const before = historyIn(record)
  const items = patchList(
    before,
    kept.map(({ item }) => item),
  )
  if (!isWire(record) || !payload || items === before) return record
  const beside = payload["replacement_history_metadata"]
  const notes = Array.isArray(beside) && beside.length === before.length ? (beside as readonly unknown[]) : undefined
  const replaced = { replacement_history: items, ...(notes && { replacement_history_metadata: kept.map(({ at }) => notes[at]) }) }
  return { ...record, payload: { ...payload, ...replaced } }
}

const isWrapped = (record: unknown): boolean => isWire(record) && (recordTypes.has(record["type"]) || isWire(record["payload"]))

/**
 * The other way round. A new item goes into the history that the item before it is in. A compaction stays, whatever became
 * of its message: what it hides would come back.
 */
export const unflatten = (records: readonly unknown[], flat: readonly unknown[], { places }: WriteChange): readonly unknown[] => {
  const homes = homesOf(records)
  const before = new Map<number, number>()
  places.forEach((now, index) => {
    if (now >= 0) before.set(now, index)
  })
  const out: unknown[] = []
  let kept: { readonly item: unknown; readonly at: number }[] = []
  let first = 0
  /** The compactions up to a record, whose messages are gone. */
  const closeUpTo = (home: number): void => {
    for (; next < home; next++) {
      const record = records[next]
      if (payloadOf(record, "compacted") && !repeats(record as Wire, records[next - 1])) out.push(withHistory(record, kept))
      kept = []
      first += historyIn(record).length + 1
    }
  }
  let next = 0
  flat.forEach((record, now) => {
    const index = before.get(now)
    if (index === undefined) {
      const item = isWrapped(record) ? payloadOf(record, "response_item") : record
      if (kept.length === 0) out.push(isWrapped(record) ? record : { type: "response_item", payload: record })
      else if (item !== undefined) kept.push({ item, at: kept.at(-1)?.at ?? 0 })
      return
    }
    const home = homes?.[index] ?? index
    closeUpTo(home)
    const { length } = historyIn(records[home])
    if (index < first + length) {
      kept.push({ item: record, at: index - first })
      return
    }
    out.push(length > 0 ? withHistory(record, kept) : record)
    kept = []
    first += length + 1
    next = home + 1
  })
  closeUpTo(records.length)
  return out
}

/** The same record as the one before it: a writer that was not sure its line had arrived wrote it again. */
const repeats = (record: Wire, before: unknown): boolean => {
  if (!isWire(before) || before["type"] !== record["type"]) return false
  if (before["timestamp"] !== record["timestamp"] || before["ordinal"] !== record["ordinal"]) return false
  const { payload } = record
  const other = before["payload"]
  if (!isWire(payload) || !isWire(other) || payload["type"] !== other["type"]) return false
  if (payload["call_id"] !== other["call_id"] || payload["id"] !== other["id"]) return false
  // Equal text alone is no repetition: people say "yes" twice.
  const marked = record["timestamp"] ?? record["ordinal"] ?? payload["call_id"] ?? payload["id"]
  return marked !== undefined && marked !== null && canonicalJson(payload) === canonicalJson(other)
}

/** What a session's first part is and where, as half a sentence: the beginning of a fork may be left in another file. */
export const neededBase = (meta: Wire): string | undefined => {
  const base = meta["history_base"]
  if (!isWire(base)) return undefined
  const thread = textField(base, "thread_id") ?? "an unnamed one"
  const end = base["end_ordinal_exclusive"]
  const count = typeof end === "number" ? `the first ${end} records` : "the beginning"
  return `${count} of thread ${thread} (rollout-…-${thread}.jsonl)`
}

const isText = (value: unknown): value is string => typeof value === "string"

const payloadTypes: ReadonlySet<unknown> = new Set(["response_item", "compacted", "event_msg", "session_meta"])

class HistoryReader {
  readonly walk = new Walk()
  readonly diagnostics: Diagnostic[] = []
  readonly repeated = new Set<number>()
  readonly compactions: NonNullable<FoundPath["compactions"]>[number][] = []
  readonly #placeOf: FindOptions["placeOf"]
  readonly #own: ReadonlySet<number>
  readonly #unknownRecords = new UnknownRecords()
  readonly #unknownItems = new UnknownRecords("items")
  #isNumbered = false
  #isReported = false

  constructor(records: readonly unknown[], placeOf: FindOptions["placeOf"]) {
    this.#placeOf = placeOf
    this.#own = eventsWithoutItem(records)
    let index = 0
    records.forEach((record, position) => {
      const history = historyIn(record)
      this.#record(record, records[position - 1], position, index + history.length)
      index += history.length + 1
    })
    for (const { diagnostics } of [this.#unknownRecords, this.#unknownItems]) for (const found of diagnostics) this.diagnostics.push(found)
  }

  /** `position`: in the file. `index`: among the flattened records, where the items of its history come before it. */
  #record(record: unknown, previous: unknown, position: number, index: number): void {
    // The engine reports what is no object.
    if (!isWire(record)) return
    this.#ordinal(record, index)
    const { type, payload } = record
    if (!recordTypes.has(type)) return this.#unknownRecords.add(asWord(type), this.#placeOf(index))
    if (!payloadTypes.has(type)) return
    if (!isWire(payload)) return this.#find("malformed-record", index, `A ${asWord(type)} record has no payload`)
    if (type === "event_msg") return this.#event(payload, position, index)
    if (type === "session_meta") return this.#base(payload, index)
    if (repeats(record, previous)) return this.#repetition(payload, asWord(payload["type"] ?? type), index)
    if (type === "compacted") return this.#compacted(payload, index)
    const group = classOf(payload)
    if (group === "unknown") this.#unknownItems.add(asWord(typeOf(payload)), this.#placeOf(index))
    else if (group !== "silent") this.walk.say({ item: payload, index })
  }

  #event(payload: Wire, position: number, index: number): void {
    if (payload["type"] === "thread_rolled_back") {
      const turns = payload["num_turns"]
      if (typeof turns === "number" && turns > 0) this.walk.rollBack(turns)
      else if (turns !== 0) this.#find("malformed-record", index, "A roll-back does not say how many turns")
      return
    }
    if (!this.#own.has(position)) return
    const said = textField(payload, "message") ?? ""
    const role = payload["type"] === "user_message" ? "user" : "assistant"
    const images = listOf(payload["images"]).filter(isText)
    this.walk.say({ index, text: { role, text: said, ...(images.length > 0 && { images }) } })
  }

  #compacted(payload: Wire, index: number): void {
    const history = payload["replacement_history"]
    const summary = textField(payload, "message")
    this.compactions.push({ record: index, kind: "summary", ...(summary !== undefined && { summary }) })
    const message = summary?.trim() === "" ? undefined : summary
    const entries: Entry[] = []
    let isSaid = message === undefined
    const items = listOf(history)
    items.forEach((item, at) => {
      const group = isWire(item) ? classOf(item) : "unknown"
      const own = index - items.length + at
      if (!isWire(item)) return
      if (group === "unknown") return this.#unknownItems.add(asWord(typeOf(item)), this.#placeOf(own))
      if (group === "silent") return
      const isSummary = message !== undefined && item["role"] === "user" && textOf(item).endsWith(message)
      if (isSummary) isSaid = true
      entries.push({ item, index: own, ...(isSummary && { summary: true as const }) })
    })
    if (!isSaid && message !== undefined) entries.push({ index, text: { role: "user", text: message }, summary: true })
    this.walk.compact(index, entries, Array.isArray(history))
  }

  #repetition(payload: Wire, name: string, index: number): void {
    const length = listOf(payload["replacement_history"]).length
    for (let own = index - length; own <= index; own++) this.repeated.add(own)
    const id = callIdOf(payload)
    this.diagnostics.push({
      ...anomaly("repeated-record", this.#placeOf(index), `A ${name} is in the file twice`, id === undefined ? [] : [id]),
      severity: id === undefined ? "warning" : "error",
      why: "Codex sends a repeated record twice, and the provider rejects the second one of a call or an output.",
      help: "Repair leaves out the copy.",
      repair: { kind: "drop", what: "left out the copy" },
    })
  }

  #base(meta: Wire, index: number): void {
    const needed = neededBase(meta)
    if (needed === undefined) return
    const thread = isWire(meta["history_base"]) ? textField(meta["history_base"], "thread_id") : undefined
    this.#find("missing-history", index, `This session begins with ${needed}`, thread === undefined ? [] : [thread])
  }

  /** Once records are numbered, the agent wants a number on each of them. */
  #ordinal(record: Wire, index: number): void {
    if (typeof record["ordinal"] === "number") {
      this.#isNumbered = true
      return
    }
    if (!this.#isNumbered || !recordTypes.has(record["type"]) || this.#isReported) return
    this.#isReported = true
    this.diagnostics.push({
      ...anomaly("malformed-record", this.#placeOf(index), "A record has no ordinal after records that have one"),
      severity: "warning",
      why: "Codex refuses to open a numbered session in which a number is missing.",
      help: "Repair gives it a number.",
      repair: { kind: "safe", what: "numbered the records that follow" },
    })
  }

  #find(kind: AnomalyKind, index: number, what: string, ids: readonly string[] = []): void {
    this.diagnostics.push(anomaly(kind, this.#placeOf(index), what, ids))
  }
}

const activeId = "active"

/** The name of an abandoned path: records have no ids of their own. */
const abandonedId = (ordinal: number): string => `rolled-back-${ordinal + 1}`

const readText = ({ text: said, summary }: Entry): RecordReading => {
  if (!said) return {}
  const media = (said.images ?? []).map((url) => readPart({ type: "input_image", image_url: url }))
  const blocks = said.text === "" ? media : [text(said.text), ...media]
  return { messages: [{ role: said.role, blocks, ...(summary && { summary }) }], title: summary ? false : titleFrom(said.text) }
}

type Read = NonNullable<FoundPath["read"]>

/** Reads the records of a path: items that are one message name it. Made when first asked: most outlines read one record. */
export const pathReader = (format: string, entries: readonly Entry[]): Read => {
  let read: Read | undefined
  return (record, index) => (read ??= entryReader(format, entries))(record, index)
}

/** What the user typed, and that all else is none of it: enough for the title of a path. */
export const entryGlance = (entries: readonly Entry[]): NonNullable<FoundPath["glance"]> => {
  let at: ReadonlyMap<number, Entry> | undefined
  return (_, index) => {
    at ??= new Map(entries.map((entry) => [entry.index, entry]))
    const entry = at.get(index)
    if (!entry) return undefined
    const { item, text: said, summary } = entry
    const typed = summary ? undefined : item ? (isPrompt(item) ? textOf(item) : undefined) : said?.role === "user" ? said.text : undefined
    const title = typed === undefined ? false : titleFrom(typed)
    return { roles: [typed === undefined && !summary ? "assistant" : "user"], ...(title !== undefined && { title }) }
  }
}

const entryReader = (format: string, entries: readonly Entry[]): Read => {
  const groups = groupItems(entries.map(({ item, summary }) => (summary ? undefined : item)))
  const at = new Map<number, number>()
  entries.forEach(({ index }, position) => at.set(index, position))
  const pairing = pairByFamily(entries)
  const read = itemReader(format)
  return (_, index) => {
    const position = at.get(index) ?? -1
    const entry = entries[position]
    if (!entry?.item) return entry ? readText(entry) : {}
    if (entry.summary) return readSummary(entry.item)
    const group = groups[position]
    return separated(read(entry.item, group === undefined ? undefined : String(group)), index, entry.item, pairing)
  }
}

export const findHistory = (records: readonly unknown[], { branch, view, placeOf }: FindOptions): FoundPath => {
  const { walk, diagnostics, repeated, compactions } = new HistoryReader(records, placeOf)
  const asked = branch === undefined || branch === activeId ? walk : walk.abandoned.find((_, ordinal) => abandonedId(ordinal) === branch)
  const { whole, effective } = (asked ?? walk).tip
  const entries = view === "whole" ? wholeEntries(linksTo(whole)) : effectiveEntries(linksTo(effective))
  return {
    path: entries.map(({ index }) => index),
    id: activeId,
    others: walk.abandoned.map(({ tip, fork }, ordinal) => ({
      id: abandonedId(ordinal),
      own: linksTo(tip.whole, fork.whole).flatMap(({ entry }) => entry?.index ?? []),
      leaves: fork.whole?.index,
    })),
    isKnown: asked !== undefined,
    dropped: repeated,
    compactions,
    diagnostics,
    read: pathReader(format, entries),
    glance: entryGlance(entries),
  }
}
