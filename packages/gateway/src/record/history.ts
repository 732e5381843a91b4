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
import type { JsonValue, Message } from "ligature"
import type { Recorded } from "ligature/record"
import { cover, type Entry, type Loaded, type NewEntry, type Store, StoreError } from "ligature/store"
import type { Ended } from "../answer/pass.ts"
import type { Conversation } from "../conversation/memory.ts"
import type { Wire } from "../wires/wire.ts"
import { align, type Alignment } from "./align.ts"
import { ConversationRecord, droppedByClient, entryOf, hashOf, promptNote, storedUnits, type StoredUnit } from "./conversation-record.ts"
import { leanAnswer, leanMessage, redacted } from "./lean.ts"
import type { StoreSettings } from "./open-store.ts"
import { readBody, type ReadBody } from "./read-body.ts"
import { answerUnit, otherUnit, type Unit } from "./units.ts"

export interface Asked {
  readonly conversation: Conversation
  readonly wire: Wire
  readonly body: Buffer
}

export interface Answered {
  readonly recorded: Recorded
  /** The wire its provider speaks. */
  readonly from: string
  readonly ended: Ended
  readonly upstream: string
}

/** One exchange, on its way into the store. */
export interface Recording {
  /** What is new in the request is stored. Rejects where that is required and failed. */
  readonly saved: Promise<void>
  /** Resolves when the answer is stored. Never rejects. */
  answered(answer: Answered): Promise<void>
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

const noteOf = ({ recorded, ended, upstream }: Answered): NewEntry => {
  const { stop, said, responseId, usage, origin, error } = recorded
  const { native: _, ...counts } = usage ?? { native: {} }
  const value: Record<string, JsonValue> = { stop, upstream }
  if (origin.model !== undefined) value["model"] = origin.model
  if (said !== undefined) value["said"] = said
  if (responseId !== undefined) value["responseId"] = responseId
  if (usage) value["usage"] = { ...counts } as JsonValue
  if (ended !== "complete") value["ended"] = ended
  if (error) value["error"] = error.message.slice(0, 2000)
  return { kind: "note", name: "iteration", value }
}

export class History {
  readonly store: Store
  readonly #settings: StoreSettings
  readonly #onError: (error: unknown) => void
  /** When it returns, everything is written. */
  readonly close: () => Promise<void>

  constructor({ store, settings, onError, close }: HistoryOptions) {
    this.store = store
    this.close = close
    this.#settings = settings
    this.#onError = onError
  }

  /** Resolves when everything that the store has of the conversation is known; writing goes on. */
  async begin(asked: Asked): Promise<Recording> {
    const { conversation } = asked
    const record = (conversation.record ??= new ConversationRecord())
    let isReady: () => void = () => undefined
    const ready = new Promise<void>((resolve) => (isReady = resolve))
    let after: string | null = null
    const saved = record.enqueue(async () => {
      try {
        const read = await this.#prepared(record, asked)
        isReady()
        if (read) await this.#write(record, asked, read)
        after = record.tip
      } finally {
        isReady()
      }
    })
    const outcome = saved.catch((error: unknown) => {
      this.#onError(error)
      if (this.#settings.required) throw error
    })
    // Whoever waits for it hears of it; nobody may be waiting yet.
    outcome.catch(() => undefined)
    await ready
    if (record.id !== undefined) conversation.id = record.id
    const isKnown = (): boolean => record.id !== undefined
    return {
      saved: outcome,
      answered: async (answer) => {
        try {
          await record.enqueue(async () => {
            if (isKnown()) await this.#writeAnswer(record, conversation, answer, after)
          })
        } catch (error) {
          this.#onError(error)
        }
      },
    }
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

  #redacted(read: ReadBody): ReadBody {
    const { redact } = this.#settings
    if (redact.length === 0) return read
    const units = read.units.map((unit): Unit => {
      const messages = redacted(unit.messages, redact)
      return unit.isAnswer || !messages[0] ? answerUnit(messages) : otherUnit(messages[0])
    })
    return { ...read, units, prompt: redacted(read.prompt, redact) }
  }

  #hasForeignAnswer(record: ConversationRecord, { units, from }: ReadBody): boolean {
    const { fresh } = align(record.units, units, from)
    return fresh.some(({ isAnswer }) => isAnswer)
  }

  #take(record: ConversationRecord, conversation: Conversation, loaded: Loaded): void {
    record.take(loaded)
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
      if (loaded && opening !== undefined && !continuesStored(storedUnits(loaded.entries), read.units)) continue
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
    await this.#append(record, conversation, async () => {
      // Where the record was read again, the body has to be, too.
      if (read.from > 0 && record.body === undefined) read = this.#redacted(readBody(record, body, wire) ?? given)
      const alignment = align(record.units, read.units, read.from)
      isDropping = alignment.dropped.length > 0
      return this.#news(record, read, alignment)
    })
    record.body = isDropping ? undefined : body
    record.slices = read.slices
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

  async #writeAnswer(record: ConversationRecord, conversation: Conversation, answer: Answered, after: string | null): Promise<void> {
    const said = redacted(answer.recorded.message, this.#settings.redact)
    const message: Message = leanAnswer(said, answer.from)
    if (message.blocks.length > 0) conversation.carrier.keep(message)
    let isBeside = false
    await this.#append(record, conversation, async () => {
      // Another request came in between: then this answer ends a branch of its own.
      isBeside = record.tip !== after
      const told: readonly NewEntry[] = message.blocks.length === 0 ? [] : [{ kind: "message", message }]
      const entries: readonly NewEntry[] = [...(isBeside ? [{ kind: "tip" as const, to: after }] : []), ...told, noteOf(answer)]
      return {
        entries,
        stored: (ids) => {
          if (!isBeside && told.length > 0) record.units = [...record.units, unitFrom(answerUnit([message]), ids.slice(0, 1))]
        },
      }
    })
    if (isBeside) this.#take(record, conversation, await this.store.load(record.id as string))
  }
}
