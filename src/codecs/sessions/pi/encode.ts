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
} from "../../../model/index.ts"
import type { EncodeOptions } from "../../codec.ts"
import { conversationSeed, deriveHex, deriveUuid } from "../written/derived-id.ts"
import { epoch, isoTimes } from "../written/iso-time.ts"
import { format, messageOf, nativeOf } from "./format.ts"
import { putBack, type Reading, type Spoken } from "./put-back.ts"
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
      this.spoken.push({ record: rewriteResult(result, from), from })
      return
    }
    const asked = this.spoken[call]
    if (asked) this.spoken[call] = { ...asked, record: answered(asked.record) }
    this.spoken.push({ record: newResult(result, name, this.head(`result\n${result.callId}`)) })
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

/** Heads for entries among existing ones: a free id, and the time of the entry before. */
const headsBeside = ({ records }: Reading): NextHead => {
  const taken = new Set<unknown>()
  for (const record of records) if (isWire(record)) taken.add(record["id"])
  return (seed, after) => {
    let id = deriveHex(8, seed)
    for (let attempt = 1; taken.has(id); attempt++) id = deriveHex(8, seed, String(attempt))
    taken.add(id)
    const timestamp = after?.["timestamp"]
    return { id, parentId: null, timestamp: typeof timestamp === "string" ? timestamp : epoch }
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
  const { id = deriveUuid(format, seed), folder = "/", startedAt } = options.session ?? {}
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
    options.session?.title === undefined ? [] : [{ type: "session_info", ...next("title", undefined), name: options.session.title }]
  return { records: [header, ...titled, ...write(conversation, next).map(({ record }) => record)] }
}

/** A compaction names the first entry it kept: where that one was left out, the next one that is still there. */
const keepFirstKept = ({ path, records: before }: Reading, after: readonly unknown[]): readonly unknown[] => {
  const present = new Set<unknown>()
  for (const record of after) if (isWire(record)) present.add(record["id"])
  const heirs = new Map<unknown, unknown>()
  let next: unknown
  for (let position = path.length - 1; position >= 0; position--) {
    const record = before[path[position] ?? -1]
    const id = isWire(record) ? record["id"] : undefined
    if (present.has(id)) next = id
    else if (next !== undefined) heirs.set(id, next)
  }
  if (heirs.size === 0) return after
  return after.map((record) => {
    if (!isWire(record) || record["type"] !== "compaction") return record
    const firstKeptEntryId = heirs.get(record["firstKeptEntryId"])
    return firstKeptEntryId === undefined ? record : { ...record, firstKeptEntryId }
  })
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const reading = readingOf(conversation)
  if (!reading) return newSession(conversation, options)
  const records = putBack(reading, write(conversation, lazily(() => headsBeside(reading))))
  return { records: records === reading.records ? records : keepFirstKept(reading, records) }
}
