/** Records → a walk through the session, with what is odd about them. Looks at every record once; builds no blocks. */
import { asWord, canonicalJson, isWire, type Wire } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { callIdOf, classOf, recordTypes, textField, textOf, typeOf } from "./items.ts"
import { eventsWithoutItem } from "./mirrors.ts"
import { type Entry, type Finding, type Link, linksTo, type Point, type Reading, type Replacement, Walk } from "./walk.ts"

export interface Session {
  readonly walk: Walk
  readonly findings: readonly Finding[]
  readonly repeated: ReadonlySet<number>
}

/** The same record as the one in front of it: a writer that was not sure its line had arrived wrote it again. */
const repeats = (record: Wire, before: unknown): boolean => {
  if (!isWire(before) || before["type"] !== record["type"]) return false
  if (before["timestamp"] !== record["timestamp"] || before["ordinal"] !== record["ordinal"]) return false
  const { payload } = record
  const other = before["payload"]
  if (!isWire(payload) || !isWire(other) || payload["type"] !== other["type"]) return false
  if (payload["call_id"] !== other["call_id"] || payload["id"] !== other["id"]) return false
  // Equal words alone are no repetition: people say "yes" twice.
  const marked = record["timestamp"] ?? record["ordinal"] ?? payload["call_id"] ?? payload["id"]
  return marked !== undefined && marked !== null && canonicalJson(payload) === canonicalJson(other)
}

const isText = (value: unknown): value is string => typeof value === "string"

class SessionReader {
  readonly walk = new Walk()
  readonly findings: Finding[] = []
  readonly repeated = new Set<number>()
  readonly #records: readonly unknown[]
  readonly #own: ReadonlySet<number>
  readonly #strangers = new Map<string, { readonly record: number; count: number }>()
  #ordinals = false
  #isUnnumbered = false

  constructor(records: readonly unknown[]) {
    this.#records = records
    this.#own = eventsWithoutItem(records)
  }

  read(): Session {
    for (let index = 0; index < this.#records.length; index++) this.#record(this.#records[index], index)
    for (const [key, { record, count }] of this.#strangers) {
      const what = count === 1 ? `1 ${key} is not known` : `${count} ${key.replace(/^\w+/, "$&s")} are not known`
      this.#find("unknown-record", record, what)
    }
    return this
  }

  #record(record: unknown, index: number): void {
    if (!isWire(record)) return this.#find("malformed-record", index, "A line holds no record")
    this.#ordinal(record, index)
    const { type, payload } = record
    if (!recordTypes.has(type)) return this.#strange(`record of type ${asWord(type).slice(0, 80)}`, index)
    if (type !== "response_item" && type !== "compacted" && type !== "event_msg" && type !== "session_meta") return
    if (!isWire(payload)) return this.#find("malformed-record", index, `A ${type} record has no payload`)
    if (type === "event_msg") return this.#event(record, payload, index)
    if (type === "session_meta") return this.#base(payload, index)
    if (repeats(record, this.#records[index - 1])) {
      this.repeated.add(index)
      const id = callIdOf(payload)
      const what = `A ${asWord(payload["type"] ?? type)} stands in the file twice`
      this.findings.push({
        kind: "repeated-record",
        record: index,
        what,
        ids: id === undefined ? [] : [id],
        why: "Codex sends a repeated record twice, and the provider rejects the second one of a call or an output.",
        help: "Repair leaves out the copy.",
        repair: { kind: "drop", what: "left out the copy" },
      })
      return
    }
    if (type === "response_item") this.#item(payload, index)
    else this.#compacted(record, payload, index)
  }

  #item(item: Wire, index: number): void {
    const group = classOf(item)
    const name = asWord(typeOf(item))
    if (group === "unknown") return this.#strange(`item of type ${name.slice(0, 80)}`, index)
    if (group !== "unspoken") this.walk.say({ source: item, record: index })
  }

  #event(record: Wire, payload: Wire, index: number): void {
    if (payload["type"] === "thread_rolled_back") {
      const turns = payload["num_turns"]
      if (typeof turns === "number" && turns > 0) this.walk.rollBack(turns)
      else if (turns !== 0) this.#find("malformed-record", index, "A roll-back does not say how many turns")
      return
    }
    if (!this.#own.has(index)) return
    const text = textField(payload, "message") ?? ""
    const role = payload["type"] === "user_message" ? "user" : "assistant"
    const images = Array.isArray(payload["images"]) ? payload["images"].filter(isText) : []
    this.walk.say({ source: record, record: index, words: { role, text, ...(images.length > 0 && { images }) } })
  }

  #compacted(record: Wire, payload: Wire, index: number): void {
    const history = payload["replacement_history"]
    const summary = textField(payload, "message")
    const message = summary?.trim() === "" ? undefined : summary
    const entries: Entry[] = []
    let said = message === undefined
    if (Array.isArray(history)) {
      for (let at = 0; at < history.length; at++) {
        const item = (history as readonly unknown[])[at]
        const group = isWire(item) ? classOf(item) : "unknown"
        if (!isWire(item) || group === "unknown") {
          this.#strange("item of a history that a compaction put in place", index)
          continue
        }
        if (group === "unspoken") continue
        const isSummary = message !== undefined && item["role"] === "user" && textOf(item).endsWith(message)
        if (isSummary) said = true
        entries.push({ source: item, record: index, at, ...(isSummary && { summary: true as const }) })
      }
    }
    if (!said && message !== undefined) {
      entries.push({ source: record, record: index, words: { role: "user", text: message }, summary: true })
    }
    const replacement: Replacement = { record: index, entries }
    this.walk.compact(replacement, Array.isArray(history))
  }

  /** The beginning of a fork may be left in the file it was forked from. */
  #base(meta: Wire, index: number): void {
    const needed = neededBase(meta)
    if (needed === undefined) return
    const thread = isWire(meta["history_base"]) ? textField(meta["history_base"], "thread_id") : undefined
    this.#find("missing-history", index, `This session begins with ${needed}`, thread === undefined ? [] : [thread])
  }

  /** Once records are numbered, the agent wants a number on each of them. */
  #ordinal(record: Wire, index: number): void {
    if (typeof record["ordinal"] === "number") {
      this.#ordinals = true
      return
    }
    if (!this.#ordinals || !recordTypes.has(record["type"]) || this.#isUnnumbered) return
    this.#isUnnumbered = true
    this.findings.push({
      kind: "malformed-record",
      record: index,
      what: "A record has no ordinal behind records that have one",
      why: "Codex refuses to open a numbered session in which a number is missing.",
      help: "Repair gives it a number.",
      repair: { kind: "safe", what: "numbered the records that follow" },
    })
  }

  /** Each kind of strangeness is named once, with how many there are: a newer version may write thousands of them. */
  #strange(key: string, record: number): void {
    const known = this.#strangers.get(key)
    if (known) known.count++
    else this.#strangers.set(key, { record, count: 1 })
  }

  #find(kind: Finding["kind"], record: number, what: string, ids: readonly string[] = []): void {
    this.findings.push({ kind, record, what, ids })
  }
}

/** What a session's first part is and where, as half a sentence. */
export const neededBase = (meta: Wire): string | undefined => {
  const base = meta["history_base"]
  if (!isWire(base)) return undefined
  const thread = textField(base, "thread_id") ?? "an unnamed one"
  const end = base["end_ordinal_exclusive"]
  const count = typeof end === "number" ? `the first ${end} records` : "the beginning"
  return `${count} of thread ${thread} (rollout-…-${thread}.jsonl)`
}

export const readSession = (records: readonly unknown[]): Session => new SessionReader(records).read()

/** Two items with one key say the same; ids and bookkeeping of the item aside. */
const keyOf = ({ source: item, words: own }: Entry): string => {
  if (own) return `${own.role}\u0000${own.text}`
  const type = typeOf(item)
  if (type === "message") {
    const words = textOf(item)
    return `${asWord(item["role"])}\u0000${words === "" ? canonicalJson(item["content"]) : words}`
  }
  const id = callIdOf(item) ?? item["encrypted_content"] ?? item["id"]
  return `${asWord(type)}\u0000${typeof id === "string" ? id : canonicalJson(item)}`
}

const wholeEntries = (links: readonly Link[]): readonly Entry[] => {
  const compacted = links.some((link) => link.replacement)
  const entries: Entry[] = []
  const said = new Set<string>()
  for (const { entry, replacement } of links) {
    if (entry) entries.push(entry)
    if (entry && compacted) said.add(keyOf(entry))
    const anew = replacement?.entries.filter((other) => !said.has(keyOf(other))) ?? []
    for (const other of anew) {
      entries.push(other)
      said.add(keyOf(other))
    }
  }
  return entries
}

const effectiveEntries = (links: readonly Link[]): readonly Entry[] =>
  links.flatMap((link) => (link.entry ? [link.entry] : []))

/** The name of an abandoned path: records have no ids of their own. */
export const abandonedId = (ordinal: number): string => `rolled-back-${ordinal + 1}`

export const activeId = "active"

const pointOf = (session: Session, branch: string | undefined): Point | undefined => {
  if (branch === undefined || branch === activeId) return session.walk.tip
  return session.walk.abandoned.find((_, ordinal) => abandonedId(ordinal) === branch)?.tip
}

export type PathOptions = Pick<DecodeOptions, "branch" | "view">

/**
 * One path through a session as a list of entries.
 *
 * The effective view is what the agent would send next. The whole view is all that was said, in order: where a
 * compaction put a history in place of the old one, only the part of it that was not said before is shown (the summary,
 * surroundings said anew), so that no word stands there twice.
 */
export const readPath = (records: readonly unknown[], { branch, view }: PathOptions): Reading => {
  const session = readSession(records)
  const { repeated, walk } = session
  const point = pointOf(session, branch)
  const { whole, effective } = point ?? walk.tip
  const entries = view === "whole" ? wholeEntries(linksTo(whole)) : effectiveEntries(linksTo(effective))
  const unknown: Finding = {
    kind: "unknown-record",
    record: 0,
    what: `There is no path ${String(branch)} in this session`,
    why: "Only paths that the outline names can be read.",
    help: "The active path is read instead.",
  }
  return { entries, repeated, findings: point ? session.findings : [unknown, ...session.findings] }
}
