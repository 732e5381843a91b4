/**
 * Conversation → session of the Gemini CLI. One that came from such a session gives its records back, in their order,
 * untouched ones as the very same objects: a changed message is written where its newest version lies, one that was
 * left out goes with all its versions, and a new one stands where the agent orders the message before it: behind its
 * place in the last checkpoint, else behind its first version. Any other conversation becomes a new file.
 */
import { type Conversation, isWire, pushAll, type Wire } from "../../model/index.ts"
import { type EncodeOptions, sameElements } from "../../formats/engine/codec.ts"
import { listOf, recordsOf, stringOf } from "../engine/fields.ts"
import { conversationSeed, deriveHex, deriveUuid } from "../engine/derived-id.ts"
import { isoTimes } from "../engine/iso-time.ts"
import { readEntries } from "./decode.ts"
import { format, readingKey } from "./fields.ts"
import { type Entry, entriesOf, type History, type Home, readHistory, type Reading } from "./history.ts"
import type { Said } from "./read-message.ts"
import { type Follows, type Saying, sayingsOf } from "./sayings.ts"
import { writeMessage } from "./write-message.ts"

interface Edits {
  /** The new version of a message; undefined: left out. */
  readonly changed: ReadonlyMap<Entry, Wire | undefined>
  /** New messages behind one; under undefined those in front of all. */
  readonly inserted: ReadonlyMap<Entry | undefined, readonly Wire[]>
  /** What the system says now. */
  readonly system: string
}

const editsOf = (history: History, entries: readonly Entry[], conversation: Conversation): Edits => {
  const read = new Map<Wire, { readonly entry: Entry; readonly said: Said; readonly order: number }>()
  const changed = new Map<Entry, Wire | undefined>()
  for (const reading of readEntries(entries, [])) {
    read.set(reading.entry.wire, { ...reading, order: read.size })
    changed.set(reading.entry, undefined)
  }
  const follows: Follows = (wire, carrier) => read.get(carrier)?.order === (read.get(wire)?.order ?? -2) + 1
  const { list, system } = sayingsOf(conversation, follows)
  const inserted = new Map<Entry | undefined, Wire[]>()
  const session = stringOf(history.metadata["sessionId"])
  let last: Entry | undefined
  const envelope = (saying: Saying, ordinal: number) => ({
    id: deriveUuid(session, last?.id ?? "", saying.role, String(ordinal)),
    timestamp: stringOf(last?.wire["timestamp"] ?? history.metadata["startTime"]),
  })
  for (const saying of list) {
    const known = saying.wire && read.get(saying.wire)
    const fresh = inserted.get(last) ?? []
    const written = writeMessage(saying, known?.said, envelope(saying, fresh.length))
    if (known) {
      changed.set(known.entry, written)
      last = known.entry
    } else if (fresh.length === 0) inserted.set(last, [written])
    else fresh.push(written)
  }
  return { changed, inserted, system }
}

/** Which entry lies at a home, and whether that is the place it is ordered by, and its newest version. */
interface Resident {
  readonly entry: Entry
  readonly ordering: boolean
  readonly newest: boolean
}

const orderingHome = ({ homes }: Entry): Home | undefined =>
  homes.findLast(({ position }) => position !== undefined) ?? homes[0]

const residentsOf = (entries: Iterable<Entry>): ReadonlyMap<number, ReadonlyMap<number, Resident>> => {
  const homes = new Map<number, Map<number, Resident>>()
  for (const entry of entries) {
    const ordering = orderingHome(entry)
    const newest = entry.homes.at(-1)
    entry.homes.forEach((home) => {
      const { record, position = -1 } = home
      const resident = { entry, ordering: home === ordering, newest: home === newest }
      const there = homes.get(record)
      if (there) there.set(position, resident)
      else homes.set(record, new Map([[position, resident]]))
    })
  }
  return homes
}

/** What stands at one place of the file afterwards. */
const renew = (value: unknown, resident: Resident | undefined, { changed, inserted }: Edits, out: unknown[]): void => {
  if (!resident) {
    out.push(value)
    return
  }
  const { entry, ordering, newest } = resident
  const next = changed.has(entry) ? changed.get(entry) : entry.wire
  if (next) out.push(newest ? next : value)
  if (ordering) for (const wire of inserted.get(entry) ?? []) out.push(wire)
}

const renewList = (
  holder: Wire,
  residents: ReadonlyMap<number, Resident>,
  edits: Edits,
  front: readonly Wire[],
): Wire => {
  const before = listOf(holder["messages"])
  const after: unknown[] = [...front]
  before.forEach((wire, position) => renew(wire, residents.get(position), edits, after))
  return sameElements(after, before) ? holder : { ...holder, messages: after }
}

const renewRecord = (
  record: unknown,
  there: ReadonlyMap<number, Resident>,
  edits: Edits,
  front: readonly Wire[],
): unknown => {
  if (!isWire(record)) return record
  const set = record["$set"]
  if (!isWire(set)) return renewList(record, there, edits, front)
  const next = renewList(set, there, edits, front)
  return next === set ? record : { ...record, $set: next }
}

const withSystem = (holder: Wire, before: unknown, system: string): Wire =>
  "systemInstruction" in holder && holder["systemInstruction"] === before ? { ...holder, systemInstruction: system } : holder

/** The system prompt stands in the metadata, and in every update of it that says it again. */
const renewSystem = (records: readonly unknown[], before: unknown, system: string): readonly unknown[] => {
  if (typeof before !== "string" || before === "" || system === "" || before === system) return records
  return records.map((record) => {
    if (!isWire(record)) return record
    const set = record["$set"]
    if (!isWire(set)) return withSystem(record, before, system)
    const next = withSystem(set, before, system)
    return next === set ? record : { ...record, $set: next }
  })
}

const writeBack = (
  records: readonly unknown[],
  history: History,
  entries: readonly Entry[],
  edits: Edits,
): readonly unknown[] => {
  const residents = residentsOf(new Set([...entries, ...history.whole, ...history.effective]))
  const front = edits.inserted.get(undefined) ?? []
  const firstHome = entries[0] && orderingHome(entries[0])
  const out: unknown[] = []
  records.forEach((record, index) => {
    if (history.ignored.has(index)) return
    const there = residents.get(index)
    const single = there?.get(-1)
    const leads = firstHome?.record === index || (!firstHome && index === records.length - 1)
    if (there && !single) out.push(renewRecord(record, there, edits, leads ? front : []))
    else {
      if (leads && firstHome) pushAll(out, front)
      renew(record, single, edits, out)
      if (leads && !firstHome) pushAll(out, front)
    }
  })
  return sameElements(out, records) ? records : out
}

/** All that was said on the path, as the other file shape lists it. */
const messagesOf = (entries: readonly Entry[], { changed, inserted }: Edits): readonly Wire[] => {
  const list: Wire[] = [...(inserted.get(undefined) ?? [])]
  for (const entry of entries) {
    const wire = changed.has(entry) ? changed.get(entry) : entry.wire
    if (wire) list.push(wire)
    for (const fresh of inserted.get(entry) ?? []) list.push(fresh)
  }
  return list
}

const writeNew = (conversation: Conversation, { session }: EncodeOptions) => {
  const sayings = sayingsOf(conversation, () => false)
  const seed = session?.id ?? conversationSeed(conversation)
  const time = isoTimes(session?.startedAt)
  const startTime = time()
  const messages = sayings.list.map((saying, index) => {
    const envelope = { id: deriveUuid(seed, "message", String(index)), timestamp: time() }
    return writeMessage({ ...saying, wire: undefined }, undefined, envelope)
  })
  const metadata: Wire = {
    sessionId: session?.id ?? deriveUuid(seed, "session"),
    projectHash: deriveHex(64, session?.folder ?? seed),
    startTime,
    lastUpdated: stringOf(messages.at(-1)?.["timestamp"] ?? startTime),
    kind: "main",
    ...(session?.title !== undefined && { summary: session.title }),
    ...(session?.folder !== undefined && { directories: [session.folder] }),
    ...(sayings.system !== "" && { systemInstruction: sayings.system }),
  }
  return { metadata, messages }
}

/** A session goes back into the shape of file it came in; a new one is written as the agent does today: in lines. */
export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const { native } = conversation
  const source = native?.[format]
  if (source === undefined) {
    const { metadata, messages } = writeNew(conversation, options)
    return { records: [metadata, ...messages] }
  }
  const records = recordsOf(source)
  const history = readHistory(records)
  const reading = isWire(native?.[readingKey]) ? (native[readingKey] as Reading) : {}
  const entries = entriesOf(history, reading) ?? history.effective
  const edits = editsOf(history, entries, conversation)
  const written = renewSystem(writeBack(records, history, entries, edits), history.metadata["systemInstruction"], edits.system)
  if (Array.isArray(source) || (isWire(source) && Array.isArray(source["records"]))) return { records: written }
  const [value] = written
  return isWire(value) ? value : { messages: messagesOf(entries, edits) }
}
