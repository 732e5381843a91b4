/**
 * Conversation → session. One that came from this format gives its records back with as little changed as possible; any
 * other one becomes a new session: a header and a chain of entries. Ids and times follow from the conversation, so that
 * the same one gives the same file.
 */
import {
  callsOf,
  type Conversation,
  type Exchange,
  isWire,
  type Message,
  type ResultBlock,
  type Wire,
} from "../../model/index.ts"
import type { EncodeOptions } from "../../formats/engine/codec.ts"
import { conversationSeed, deriveHex, deriveUuid } from "../engine/derived-id.ts"
import { epoch, isoTimes } from "../engine/iso-time.ts"
import { type PutBack, putBackTraced, type Reading, type Spoken } from "../engine/put-back.ts"
import { format, messageOf, nativeOf } from "./format.ts"
import { answered, type EntryHead, newEntry, newResult, rewriteEntry, rewriteResult } from "./write-entry.ts"

const readingOf = (conversation: Conversation): Reading | undefined => {
  const native = conversation.native?.[format]
  return isWire(native) && Array.isArray(native["records"]) ? (native as unknown as Reading) : undefined
}

/** Id and time of a new entry, from what it says and the entry it follows. */
type NextHead = (seed: string, after: Wire | undefined) => EntryHead

/** Turns the items into entries, old ones where there are some. */
class EntryWriter {
  readonly spoken: Spoken[] = []
  private readonly conversation: Conversation
  private readonly next: NextHead

  constructor(conversation: Conversation, next: NextHead) {
    this.conversation = conversation
    this.next = next
  }

  message(message: Message): void {
    const from = nativeOf(message)
    if (from) this.spoken.push({ record: rewriteEntry(message, from), from })
    else {
      const seed = message.blocks.map((block) => (block.type === "text" ? block.text : block.type)).join("\n")
      this.spoken.push({ record: newEntry(message, this.head(`${message.role}\n${seed}`), this.conversation.origin) })
    }
  }

  exchange(exchange: Exchange): void {
    const at = this.spoken.length
    this.message(exchange.message)
    const calls = callsOf(exchange)
    exchange.outcomes.forEach(({ result, carrier }, index) => {
      if (result) this.result(result, carrier && nativeOf({ native: carrier }), calls[index]?.name ?? "", at)
    })
    if (exchange.reply) this.message(exchange.reply)
  }

  private head(seed: string): EntryHead {
    return this.next(seed, this.spoken.at(-1)?.record)
  }

  private result(result: ResultBlock, from: Wire | undefined, name: string, call: number): void {
    if (from && messageOf(from)?.["role"] === "toolResult") {
      this.spoken.push({ record: rewriteResult(result, from), from, isResult: true })
      return
    }
    const asked = this.spoken[call]
    if (asked) this.spoken[call] = { ...asked, record: answered(asked.record) }
    this.spoken.push({ record: newResult(result, name, this.head(`result\n${result.callId}`)), isResult: true })
  }
}

const write = (conversation: Conversation, next: NextHead): readonly Spoken[] => {
  const writer = new EntryWriter(conversation, next)
  for (const item of conversation.items) {
    if (item.role === "exchange") writer.exchange(item)
    else writer.message(item)
  }
  return writer.spoken
}

const timeOf = (record: Wire | undefined): string =>
  typeof record?.["timestamp"] === "string" ? record["timestamp"] : epoch

/** Heads for entries among existing ones: a free id where they have ids, and the time of the entry before. */
const headsBeside = ({ records, path }: Reading): NextHead => {
  const taken = new Set<unknown>()
  for (const record of records) if (isWire(record)) taken.add(record["id"])
  const hasIds = path.length === 0 || path.some((index) => typeof (records[index] as Wire)["id"] === "string")
  return (seed, after) => {
    const timestamp = timeOf(after)
    if (!hasIds) return { timestamp }
    let id = deriveHex(8, seed)
    for (let attempt = 1; taken.has(id); attempt++) id = deriveHex(8, seed, String(attempt))
    taken.add(id)
    return { id, parentId: null, timestamp }
  }
}

const lazily = (make: () => NextHead): NextHead => {
  let made: NextHead | undefined
  return (seed, after) => {
    made ??= make()
    return made(seed, after)
  }
}

const newSession = (conversation: Conversation, options: EncodeOptions): Wire => {
  const seed = conversationSeed(conversation)
  const { id = deriveUuid(format, seed), folder = "/", startedAt, title } = options.session ?? {}
  const time = isoTimes(startedAt)
  const header = { type: "session", version: 3, id, timestamp: time(), cwd: folder }
  const taken = new Set<string>()
  let parentId: string | null = null
  const next: NextHead = (words) => {
    let own = deriveHex(8, id, words, String(taken.size))
    for (let attempt = 1; taken.has(own); attempt++) own = deriveHex(8, id, words, String(taken.size), String(attempt))
    taken.add(own)
    const head = { id: own, parentId, timestamp: time() }
    parentId = own
    return head
  }
  const titled =
    title === undefined ? [] : [{ type: "session_info", ...next("title", undefined), name: title }]
  return { records: [header, ...titled, ...write(conversation, next).map(({ record }) => record)] }
}

/** What stands now for each record: itself, or the next one on the path that is still in its place. */
const successors = ({ path, records }: Reading, places: readonly number[]): ReadonlyMap<number, number> => {
  const found = new Map<number, number>()
  let next = records.length
  for (let position = path.length - 1; position >= 0; position--) {
    const index = path[position] ?? -1
    if ((places[index] ?? -1) >= 0) next = index
    if (next < records.length) found.set(index, next)
  }
  return found
}

/** A compaction names the first entry it kept, or counts up to it: it must go on to mean the same one. */
const keepFirstKept = (reading: Reading, { records, places }: PutBack): readonly unknown[] => {
  const { records: before } = reading
  const next = successors(reading, places)
  const byId = new Map<unknown, number>()
  for (const index of reading.path) byId.set((before[index] as Wire)["id"], index)
  return records.map((record) => {
    if (!isWire(record) || record["type"] !== "compaction") return record
    const { firstKeptEntryId: id, firstKeptEntryIndex: count } = record
    const index = typeof id === "string" ? byId.get(id) : typeof count === "number" ? count : undefined
    const heir = index === undefined ? undefined : next.get(index)
    if (heir === undefined) return record
    const place = places[heir]
    if (typeof id !== "string") return count === place ? record : { ...record, firstKeptEntryIndex: place }
    return heir === index ? record : { ...record, firstKeptEntryId: (before[heir] as Wire)["id"] }
  })
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const reading = readingOf(conversation)
  if (!reading) return newSession(conversation, options)
  const put = putBackTraced(reading, write(conversation, lazily(() => headsBeside(reading))))
  return { records: put.records === reading.records ? put.records : keepFirstKept(reading, put) }
}
