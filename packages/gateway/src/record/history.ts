/**
 * The history of conversations, in a store. It is told of every exchange: what was asked is durable before the request
 * leaves, what was answered before the answer ends. Content that comes again is not stored again.
 *
 *   begin      reads what the store has of the conversation, and finds what is new in the request
 *   saved      what is new is written
 *   answered   the answer is written, also one that broke: clients run its finished calls
 *
 * Any number of gateways may share a store. A tip that another one moved is a conflict, and an answer that is not known here
 * was given there: both lead to one look at the store.
 */
import { randomUUID } from "node:crypto"
import { setImmediate as immediate, setTimeout as sleep } from "node:timers/promises"
import { encode, type JsonValue, type Message, settle } from "ligature"
import type { Recorded } from "ligature/record"
import { cover, type Entry, type Loaded, type NewEntry, type Store, StoreError, viewOf } from "ligature/store"
import type { Ended } from "../answer/pass.ts"
import type { Round } from "../compaction/recall-answer.ts"
import type { Conversation } from "../conversation/memory.ts"
import type { RequestBody } from "../conversation/request-body.ts"
import type { Wire } from "../wires/wire.ts"
import { align, type Alignment } from "./align.ts"
import {
  ConversationRecord,
  droppedByClient,
  entryOf,
  hashOf,
  namesIn,
  promptNote,
  storedPath,
  type StoredUnit,
} from "./conversation-record.ts"
import { leanAnswer, leanMessage, redacted } from "./lean.ts"
import type { StoreSettings } from "./open-store.ts"
import { readBody, type ReadBody } from "./read-body.ts"
import { answerUnit, otherUnit, type Unit } from "./units.ts"

export interface Asked {
  readonly conversation: Conversation
  readonly wire: Wire
  readonly body: RequestBody
}

export interface Answered {
  readonly recorded: Recorded
  /** The wire its provider speaks. */
  readonly from: string
  readonly ended: Ended
  readonly upstream: string
  /** What its client calls it. */
  readonly id?: string | undefined
}

/** One exchange, on its way into the store. */
export interface Recording {
  /** Everything that the store has of the conversation is known. Never rejects. */
  readonly ready: Promise<void>
  /** Told before the answer ends: parts of it that its client does not see, and the one after them. */
  inRounds(rounds: readonly Round[], last: Message): void
  /** What is new in the request is stored. Rejects where that is required and failed. */
  readonly saved: Promise<void>
  /** The items that led to a response, its own included, as its client would send them; undefined where it is not stored. */
  chain(response: string): Promise<readonly unknown[] | undefined>
  /** Resolves when the answer is stored. Never rejects. */
  answered(answer: Answered): Promise<void>
}

/** A process that died in the middle of a commit leaves a lock for a moment; a server restarts. */
const pausesMs: readonly number[] = [20, 100, 400, 1_500]

const mayPass = (error: unknown): boolean => isReason(error, "held") || isReason(error, "unwritable")

/**
 * A server that cannot be reached costs seconds to find out. Where requests go on without it, the next ones need not: for so long
 * nothing is asked of it. What was not stored meanwhile is, with the next request of its conversation.
 */
const outageMs = 5_000

const isOutage = (error: unknown): error is StoreError => isReason(error, "unreadable") || isReason(error, "unwritable")

interface InRounds {
  readonly rounds: readonly Round[]
  readonly last: Message
}

export interface HistoryOptions {
  readonly store: Store
  readonly settings: StoreSettings
  /** Told of what could not be stored. */
  readonly onError: (error: unknown) => void
  readonly close: () => Promise<void>
}

/** So many conversations that begin alike can be found again after a restart, where their clients have no name for them. */
const mostAlike = 8
const mostConflicts = 8

/** Entries to append, and what to do with their ids. */
interface Work {
  readonly entries: readonly NewEntry[]
  readonly stored: (ids: readonly string[]) => void
}

const isReason = (error: unknown, reason: StoreError["reason"]): boolean => error instanceof StoreError && error.reason === reason

const unitFrom = (unit: Unit, entries: readonly string[]): StoredUnit => ({
  key: unit.key,
  ...(unit.loose !== undefined && { loose: unit.loose }),
  isAnswer: unit.isAnswer,
  entries,
})

/** The first words of a user that are not a client's own. */
const titleOf = (units: readonly Unit[]): string | undefined => {
  const texts = units.flatMap(({ messages }) =>
    messages.flatMap(({ role, blocks }) => (role === "user" ? blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])) : [])),
  )
  const line = texts
    .map((each) => each.trim())
    .find((each) => each !== "" && !each.startsWith("<"))
    ?.split("\n")[0]
  return line === undefined ? undefined : line.length > 80 ? `${line.slice(0, 79)}…` : line
}

/** Whether a stored conversation without a name is the one that a request goes on with. */
const continuesStored = (stored: readonly StoredUnit[], sent: readonly Unit[]): boolean => {
  const { kept } = align(stored, sent)
  const answers = stored.filter(({ isAnswer }) => isAnswer).length
  return answers === 0 ? kept === stored.length : stored.slice(0, kept).some(({ isAnswer }) => isAnswer)
}

const noteOf = ({ recorded, ended, upstream, id }: Answered): NewEntry => {
  const { stop, said, responseId, usage, origin, error } = recorded
  const { native: _, ...counts } = usage ?? { native: {} }
  const value: Record<string, JsonValue> = { stop, upstream }
  if (origin.model !== undefined) value["model"] = origin.model
  if (said !== undefined) value["said"] = said
  if (responseId !== undefined) value["responseId"] = responseId
  if (id !== undefined) value["id"] = id
  if (usage) value["usage"] = { ...counts } as JsonValue
  if (ended !== "complete") value["ended"] = ended
  if (error) value["error"] = error.message.slice(0, 2000)
  return { kind: "note", name: "iteration", value }
}

/** Where an answer goes: notes and compactions may follow the entry that it answers. */
interface After {
  readonly tip: string | null
  readonly entry: string | undefined
}

const lastOf = ({ units }: ConversationRecord): string | undefined => units.at(-1)?.entries.at(-1)

/** So many stored units come before what was read. */
const fromOf = ({ responses, units }: ConversationRecord, { from, previous }: ReadBody): number =>
  previous === undefined ? from : (responses.get(previous) ?? units.length)

export class History {
  readonly store: Store
  readonly #settings: StoreSettings
  readonly #onError: (error: unknown) => void
  /** When it returns, everything is written. */
  readonly close: () => Promise<void>
  #outage: { readonly error: StoreError; readonly until: number } | undefined

  constructor({ store, settings, onError, close }: HistoryOptions) {
    this.store = store
    this.close = close
    this.#settings = settings
    this.#onError = onError
  }

  begin(asked: Asked): Recording {
    const { conversation } = asked
    const record = (conversation.record ??= new ConversationRecord())
    let isReady: () => void = () => undefined
    const ready = new Promise<void>((resolve) => (isReady = resolve)).then(() => {
      if (record.id !== undefined) conversation.id = record.id
    })
    // Unknown while the question is not stored: then its answer is stored with the next request.
    let after: After | undefined
    const saved = record.enqueue(async () => {
      try {
        // Who sends the request does so first, up to its last byte.
        await immediate()
        this.#assertUp()
        const read = await this.#prepared(record, asked)
        isReady()
        if (read) await this.#write(record, asked, read)
        after = { tip: record.tip, entry: lastOf(record) }
      } finally {
        isReady()
      }
    })
    const outcome = saved.catch((error: unknown) => {
      this.#failed(error)
      if (this.#settings.required) throw error
    })
    // Whoever waits for it hears of it; nobody may be waiting yet.
    outcome.catch(() => undefined)
    let own: InRounds | undefined
    return {
      ready,
      saved: outcome,
      inRounds: (rounds, last) => {
        own = { rounds, last }
      },
      chain: (response) => this.#chain(record, response),
      answered: async (answer) => {
        try {
          await record.enqueue(async () => {
            if (after) await this.#writeAnswer(record, conversation, answer, own, after)
          })
        } catch (error) {
          this.#failed(error)
        }
      },
    }
  }

  #failed(error: unknown): void {
    const isServer = /^postgres(?:ql)?:/.test(this.#settings.place)
    if (isServer && !this.#settings.required && isOutage(error) && error !== this.#outage?.error)
      this.#outage = { error, until: performance.now() + outageMs }
    this.#onError(error)
  }

  #assertUp(): void {
    if (this.#outage && performance.now() < this.#outage.until) throw this.#outage.error
    this.#outage = undefined
  }

  /** Reads again what the store has, after something was written beside the requests. */
  async refresh(conversation: Conversation): Promise<void> {
    const { record } = conversation
    await record?.enqueue(async () => {
      const { id, body, starts, units } = record
      if (id === undefined) return
      this.#take(record, conversation, await this.store.load(id))
      // The same units: the body is still the last one of which all is stored.
      if (record.units.length === units.length) Object.assign(record, { body, starts })
    })
  }

  /** What the request says, and the conversation of the store that it belongs to. */
  async #prepared(record: ConversationRecord, { conversation, wire, body }: Asked): Promise<ReadBody | undefined> {
    const found = readBody(record, body, wire)
    if (!found) return undefined
    const read = this.#redacted(found)
    if (record.id === undefined) await this.#locate(record, conversation, read)
    else if (this.#hasForeignAnswer(record, read)) {
      // Another gateway may have gone on with it.
      const loaded = await this.store.load(record.id)
      if (loaded.tip !== record.tip) this.#take(record, conversation, loaded)
      return read.from === 0 ? read : this.#redacted(readBody(record, body, wire) ?? found)
    }
    return read
  }

  async #chain({ id }: ConversationRecord, response: string): Promise<readonly unknown[] | undefined> {
    const loaded = id === undefined ? undefined : await this.#load(id)
    if (!loaded) return undefined
    const paths = [loaded.entries]
    const end = (entries: readonly Entry[]): number => entries.findLastIndex((entry) => namesIn(entry).includes(response))
    if (end(loaded.entries) < 0) {
      // A response that was gone on from in another way.
      for (const { tip, active } of await this.store.branches(loaded.id))
        if (!active) paths.push((await this.store.load(loaded.id, { at: tip })).entries)
    }
    const path = paths.find((entries) => end(entries) >= 0)
    if (!path) return undefined
    const { transcript } = viewOf(path.slice(0, end(path)), { show: "all" })
    const { value } = encode(settle(transcript, { tip: "open" }).conversation, "openai-responses")
    return (value as { readonly input?: readonly unknown[] }).input ?? []
  }

  #redacted(read: ReadBody): ReadBody {
    const { redact } = this.#settings
    if (redact.length === 0) return read
    const units = read.units.map((unit): Unit => {
      const messages = redacted(unit.messages, redact)
      return unit.isAnswer || !messages[0] ? answerUnit(messages) : otherUnit(messages[0])
    })
    return { ...read, units, prompt: redacted(read.prompt, redact) }
  }

  #hasForeignAnswer(record: ConversationRecord, { units, from, previous }: ReadBody): boolean {
    if (previous !== undefined) return !record.responses.has(previous)
    const { fresh } = align(record.units, units, from)
    return fresh.some(({ isAnswer }) => isAnswer)
  }

  #take(record: ConversationRecord, conversation: Conversation, loaded: Loaded): void {
    record.take(loaded)
    conversation.carrier.clear()
    for (const entry of loaded.entries) {
      if (entry.kind === "message" && entry.message.role === "assistant") conversation.carrier.keep(entry.message)
    }
  }

  async #load(id: string): Promise<Loaded | undefined> {
    try {
      return await this.store.load(id)
    } catch (error) {
      if (isReason(error, "missing-conversation")) return undefined
      throw error
    }
  }

  /** Finds the conversation in the store, or makes it. */
  async #locate(record: ConversationRecord, conversation: Conversation, read: ReadBody): Promise<void> {
    const { opening } = conversation
    const places =
      opening === undefined
        ? [conversation.id]
        : [...Array.from({ length: mostAlike }, (_, at) => hashOf(`${opening} ${at}`)), hashOf(`${opening} ${randomUUID()}`)]
    for (const id of places) {
      const loaded = (await this.#load(id)) ?? (await this.#create(id, conversation, read))
      if (loaded === "taken") continue
      if (loaded && opening !== undefined && !continuesStored(storedPath(loaded.entries).units, read.units)) continue
      if (loaded) this.#take(record, conversation, loaded)
      record.id = id
      return
    }
  }

  /** Undefined: it was made. */
  async #create(id: string, { parent, opening }: Conversation, { units }: ReadBody): Promise<Loaded | "taken" | undefined> {
    const title = titleOf(units)
    try {
      await this.store.create({
        id,
        ...(title !== undefined && { title }),
        ...(parent !== undefined && { parent: { conversation: parent } }),
      })
      return undefined
    } catch (error) {
      if (!isReason(error, "exists")) throw error
      return opening === undefined ? this.store.load(id) : "taken"
    }
  }

  /** Appends on the tip that is known; where another one moved it, what is there now is read, and the work is done again. */
  async #append(record: ConversationRecord, conversation: Conversation, work: () => Promise<Work | undefined>): Promise<void> {
    const { id } = record
    if (id === undefined) return
    for (let tries = 0; ; tries++) {
      const made = await work()
      if (!made) return
      try {
        const { ids, tip } = await this.store.append(id, made.entries, { expectedTip: record.tip })
        record.tip = tip
        made.stored(ids)
        return
      } catch (error) {
        if (tries >= mostConflicts) throw error
        const pauseMs = mayPass(error) ? pausesMs[tries] : undefined
        if (pauseMs !== undefined) {
          await sleep(pauseMs)
          continue
        }
        if (isReason(error, "conflict")) this.#take(record, conversation, await this.store.load(id))
        else if (isReason(error, "missing-conversation")) {
          // Somebody removed it, and its client goes on.
          await this.store.create({ id })
          record.take({ id, entries: [], tip: null })
        } else throw error
      }
    }
  }

  async #write(record: ConversationRecord, { conversation, body, wire }: Asked, given: ReadBody): Promise<void> {
    let read = given
    let isDropping = false
    let isRewound = false
    await this.#append(record, conversation, async () => {
      // Where the record was read again, the body has to be, too.
      if (read.from > 0 && record.body === undefined) read = this.#redacted(readBody(record, body, wire) ?? given)
      const alignment = align(record.units, read.units, fromOf(record, read))
      isDropping = alignment.dropped.length > 0
      isRewound = alignment.kept < record.units.length
      return this.#news(record, read, alignment)
    })
    // A compaction after the place where the path goes on now does not count any more.
    if (isRewound && record.view) this.#take(record, conversation, await this.store.load(record.id as string))
    record.body = isDropping || read.previous !== undefined ? undefined : body
    record.starts = read.starts
  }

  /** The entries that say what is new. */
  async #news(record: ConversationRecord, read: ReadBody, { kept, dropped, fresh }: Alignment): Promise<Work | undefined> {
    const entries: NewEntry[] = []
    // After the last unit that stays there may be notes, which stay, too.
    if (kept < record.units.length) entries.push({ kind: "tip", to: record.units[kept - 1]?.entries.at(-1) ?? null })
    const prompt = read.isWhole && read.prompt !== "" ? hashOf(read.prompt) : record.prompt
    if (prompt !== record.prompt) entries.push({ kind: "note", name: promptNote, value: { hash: prompt ?? "", text: read.prompt } })
    if (dropped.length > 0) entries.push(await this.#hide(record, dropped))
    const places: (readonly [from: number, to: number])[] = []
    for (const { messages } of fresh) {
      const from = entries.length
      entries.push(...messages.map((message) => entryOf(leanMessage(message))))
      places.push([from, entries.length])
    }
    if (entries.length === 0) return undefined
    return {
      entries,
      stored: (ids) => {
        const gone = new Set(dropped)
        const stored = record.units.slice(0, kept).filter((_, at) => !gone.has(at))
        record.units = [...stored, ...fresh.map((unit, at) => unitFrom(unit, ids.slice(...(places[at] ?? []))))]
        record.prompt = prompt
      },
    }
  }

  /** Names entries by what they say, which is not kept in memory. */
  async #hide({ id, units }: ConversationRecord, dropped: readonly number[]): Promise<NewEntry> {
    const ids = new Set(dropped.flatMap((at) => units[at]?.entries ?? []))
    const { entries } = await this.store.load(id as string)
    return { kind: "hide", covers: cover(entries.filter((entry: Entry) => ids.has(entry.id))), reason: droppedByClient }
  }

  /** An answer as it is stored: one message, or several with what the gateway answered between them. */
  #told({ recorded, from }: Answered, own: InRounds | undefined): readonly NewEntry[] {
    const { redact } = this.#settings
    const stored = (message: Message): readonly NewEntry[] =>
      message.blocks.length === 0 ? [] : [{ kind: "message", message: leanAnswer(redacted(message, redact), from) }]
    if (!own || own.rounds.length === 0) return stored(recorded.message)
    const rounds = own.rounds.flatMap(({ message, results }) => [
      ...stored(message),
      ...results.map((result): NewEntry => ({ kind: "result", result: redacted(result, redact) })),
    ])
    return [...rounds, ...stored(own.last)]
  }

  async #writeAnswer(
    record: ConversationRecord,
    conversation: Conversation,
    answer: Answered,
    own: InRounds | undefined,
    after: After,
  ): Promise<void> {
    const told = this.#told(answer, own)
    const messages = told.flatMap((entry) => (entry.kind === "message" ? [entry.message] : []))
    for (const message of messages) conversation.carrier.keep(message)
    let isBeside = false
    await this.#append(record, conversation, async () => {
      // Another request came in between: then this answer ends a branch of its own.
      isBeside = lastOf(record) !== after.entry
      const entries: readonly NewEntry[] = [...(isBeside ? [{ kind: "tip" as const, to: after.tip }] : []), ...told, noteOf(answer)]
      return {
        entries,
        stored: (ids) => {
          if (isBeside) return
          if (told.length > 0) record.units = [...record.units, unitFrom(answerUnit(messages), ids.slice(0, told.length))]
          for (const name of [answer.id, answer.recorded.responseId])
            if (name !== undefined) record.responses.set(name, record.units.length)
        },
      }
    })
    if (isBeside || messages.length < told.length) this.#take(record, conversation, await this.store.load(record.id as string))
  }
}
