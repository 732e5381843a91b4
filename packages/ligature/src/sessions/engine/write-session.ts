/** Conversation → records: edits of the session it came from, or a new session. */
import { type Conversation, isWire, type Item, LigatureError, type Origin, resultText, type Wire } from "../../model/index.ts"
import type { EncodeOptions } from "../../formats/engine/codec.ts"
import { idText } from "../../formats/engine/wire.ts"
import { conversationSeed, deriveUuid } from "./derived-id.ts"
import { epoch, isoTimes } from "./iso-time.ts"
import { withOriginals } from "./originals.ts"
import { placeRecords, type WrittenRecord } from "./place-records.ts"
import { readSession } from "./read-session.ts"
import { editsOf, isUntouched, type RecordEdit } from "./record-edits.ts"
import {
  type Links,
  readingOf,
  type RecordMessage,
  type SessionFormat,
  type SessionReading,
  type WritePlace,
  type WrittenCall,
} from "./session-format.ts"

/** What an id is made from: the beginning of what the record says. */
const seedOf = ({ messages }: RecordEdit): string =>
  messages
    .flatMap(({ role, blocks }) => [
      role,
      ...blocks.map((block) => {
        if (block.type === "text" || block.type === "thinking") return block.text.slice(0, 200)
        if (block.type === "call") return `${block.id} ${block.name}`
        return block.type === "result" ? `${block.callId} ${resultText(block).slice(0, 200)}` : block.type
      }),
    ])
    .join("\n")

/** Free ids, the same for the same seeds. */
class Ids {
  /** Made when the first id is asked for: most sessions are written back with the ids they have. */
  #taken: Set<unknown> | undefined
  readonly #newId: (...seed: readonly string[]) => string
  readonly #inUse: () => Iterable<unknown>

  constructor(newId: (...seed: readonly string[]) => string, inUse: () => Iterable<unknown> = () => []) {
    this.#newId = newId
    this.#inUse = inUse
  }

  next(...seed: readonly string[]): string {
    const taken = (this.#taken ??= new Set(this.#inUse()))
    let id = this.#newId(...seed)
    for (let attempt = 1; taken.has(id); attempt++) id = this.#newId(...seed, String(attempt))
    taken.add(id)
    return id
  }
}

const timeAfter = (record: Wire | undefined): string => {
  const time = record?.["timestamp"]
  return typeof time === "string" ? time : epoch
}

interface Writing {
  readonly format: SessionFormat
  readonly ids: Ids
  readonly hasIds: boolean
  readonly session: WritePlace["session"]
  readonly origin: Origin | undefined
  readonly time: (previous: Wire | undefined) => string
  /** With the index of the record that has the call. */
  readonly calls: Map<string, WrittenCall & { readonly index: number }>
  readonly seed: string
  readonly system: string
}

const writerOf = (format: SessionFormat): NonNullable<SessionFormat["write"]> => {
  if (format.write) return format.write
  throw new LigatureError("cannot-write", `${format.title} files are only read: convert to another format`)
}

/** `records`: one for each block, or one that has them all and comes last. `index`: that of the first. */
const noteCalls = ({ calls }: Writing, { messages }: RecordEdit, records: readonly Wire[], index: number): void => {
  let count = 0
  for (const { blocks } of messages) count += blocks.length
  let position = 0
  for (const { blocks } of messages) {
    for (const block of blocks) {
      const at = records.length === count ? position : records.length - 1
      const record = records[at]
      if (block.type === "call" && record) calls.set(block.id, { call: block, record, index: index + at })
      position++
    }
  }
}

const listed = (written: Wire | readonly Wire[]): readonly Wire[] => (Array.isArray(written) ? written : [written as Wire])

/** The record of the last of the calls that these results answer. */
const followedBy = ({ calls }: Writing, { messages }: RecordEdit): number | undefined => {
  let follows = -1
  for (const { blocks } of messages) {
    for (const block of blocks) if (block.type === "result") follows = Math.max(follows, calls.get(block.callId)?.index ?? -1)
  }
  return follows < 0 ? undefined : follows
}

const placeAt = (
  writing: Writing,
  seed: string,
  previous: Wire | undefined,
  index: number,
  before: readonly RecordMessage[] = [],
): WritePlace => {
  const { ids, hasIds, session, origin, time, calls, seed: from, system } = writing
  let at: string | undefined
  return {
    // Asked for by new records only.
    get id() {
      return ids.next(seed, idText(previous?.["id"] ?? previous?.["uuid"]))
    },
    hasIds,
    index,
    next: (record) => placeAt(writing, seed, record, index + 1),
    // A header that asks for no time must not use up that of the first message.
    get time() {
      return (at ??= time(previous))
    },
    previous,
    before,
    callOf: (id) => calls.get(id),
    origin,
    session,
    seed: from,
    system,
  }
}

/** The system text at the start, for formats that keep it beside the messages, and the rest: only text can go there. */
const systemApart = (
  conversation: Conversation,
  { format, system }: SessionFormat,
  reading: SessionReading | undefined,
): { readonly text: string; readonly rest: Conversation } => {
  if (!system) return { text: "", rest: conversation }
  const { items } = conversation
  const isOwn = (item: Item | undefined): boolean =>
    item?.role === "system" &&
    item.blocks.every(({ type }) => type === "text") &&
    reading?.origins.ofRecord(item.native?.[format]) === undefined
  let count = 0
  while (isOwn(items[count])) count++
  const texts = items.slice(0, count).flatMap((item) => (item.role === "system" ? item.blocks : []))
  const text = texts.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n")
  return { text, rest: count === 0 ? conversation : { ...conversation, items: items.slice(count) } }
}

const writeBack = (conversation: Conversation, format: SessionFormat, reading: SessionReading, options: EncodeOptions): Wire => {
  const { records, path, said, irregular } = reading
  const { links, write } = format
  if (!write) return format.wrap?.(reading.value, records) ?? { records }
  const idsInUse = (): readonly unknown[] => records.map((record) => (links && isWire(record) ? record[links.id] : undefined))
  const writing: Writing = {
    format,
    ids: new Ids(links?.newId ?? deriveUuid, idsInUse),
    hasIds: !links || path.length === 0 || path.some((index) => typeof (records[index] as Wire)[links.id] === "string"),
    session: { id: "", ...options.session },
    origin: conversation.origin,
    time: timeAfter,
    calls: new Map(),
    seed: "",
    system: "",
  }
  const { text, rest } = systemApart(conversation, format, reading)
  const written: WrittenRecord[] = []
  for (const edit of editsOf(rest, format, reading)) {
    const { record: from, messages, isResult } = edit
    const before = from !== undefined && isWire(records[from]) ? records[from] : undefined
    // What an irregular record said is no reason to keep any of it.
    const then = from === undefined || irregular.has(from) ? undefined : said.get(from)
    const same = format.writesAll !== true && before !== undefined && then !== undefined && isUntouched(messages, then)
    const place = (): WritePlace => placeAt(writing, seedOf(edit), written.at(-1)?.record, written.length, then)
    const list = same ? [before] : listed(write(messages, before, place()))
    noteCalls(writing, edit, list, written.length)
    const follows = isResult ? followedBy(writing, edit) : undefined
    const isCall = format.alone !== undefined && messages.every(({ blocks }) => blocks.every(({ type }) => type === "call"))
    list.forEach((record, position) => written.push({ record, isResult, follows, from: position === 0 ? from : undefined, isCall }))
  }
  const placed = placeRecords(reading, written, links)
  const isSame = placed.records === records
  const change = { before: records, path, places: placed.places }
  const out = isSame ? records : (format.afterWrite?.(placed.records, change) ?? placed.records)
  const value = format.wrap?.(reading.value, out, isSame ? undefined : change) ?? { records: out }
  const { system = "" } = reading
  return format.system && system !== "" && text !== "" && text !== system ? format.system.write(value, text, system) : value
}

const linkedTo = (previous: Wire | undefined, record: Wire, { id, parent, isEntry, restarts }: Links): Wire => {
  const above = previous && (isEntry?.(previous) ?? true) ? previous[id] : null
  return { ...record, [parent]: restarts?.(record) ? null : (above ?? null) }
}

const newSession = (conversation: Conversation, format: SessionFormat, options: EncodeOptions): Wire => {
  const write = writerOf(format)
  if (!format.header)
    throw new LigatureError(
      "not-expressible",
      `Expected a conversation read from ${format.format}: no agent opens new files of this format`,
    )
  const seed = conversationSeed(conversation)
  const id = options.session?.id ?? format.sessionId?.(seed, options.session?.startedAt ?? epoch) ?? deriveUuid(format.format, seed)
  const session = { ...options.session, id }
  const clock = isoTimes(session.startedAt)
  const newId = format.links?.newId ?? deriveUuid
  const { text: system, rest } = systemApart(conversation, format, undefined)
  const ids = new Ids((...parts) => newId(session.id, ...parts))
  const { origin } = conversation
  const writing: Writing = {
    format,
    ids,
    hasIds: true,
    session,
    origin,
    time: clock,
    calls: new Map(),
    seed: options.session?.id ?? seed,
    system,
  }
  const records: Wire[] = [...format.header(placeAt(writing, "header", undefined, 0))]
  const { links } = format
  const headers = records.length
  for (const edit of editsOf(rest, format, undefined)) {
    const place = placeAt(writing, seedOf(edit), records.at(-1), records.length - headers)
    const list = listed(write(edit.messages, undefined, place))
    const linked = links ? list.map((record, position) => linkedTo(list[position - 1] ?? records.at(-1), record, links)) : list
    noteCalls(writing, edit, linked, records.length)
    for (const record of linked) records.push(record)
  }
  const place = placeAt(writing, "trailer", records.at(-1), records.length - headers)
  for (const record of format.trailer?.(place) ?? []) records.push(record)
  return format.wrap?.(undefined, records) ?? { records }
}

/** The conversation with the session it was read from, also where it went through JSON. */
export const inSession = (format: SessionFormat, given: Conversation): Conversation => {
  const isCopied = given.native?.[format.format] !== undefined && !readingOf(given.native, format.format)
  return isCopied ? withOriginals(given, format, (value) => readSession(format, value)) : given
}

export const writeSession = (format: SessionFormat, given: Conversation, options: EncodeOptions = {}): Wire => {
  const conversation = inSession(format, given)
  const reading = readingOf(conversation.native, format.format)
  return reading ? writeBack(conversation, format, reading, options) : newSession(conversation, format, options)
}
