/**
 * What a store has of one conversation, as far as it is needed to tell what is new in the next request: its units, each with
 * its entries, and the tip. It is read from the store once, and again where another gateway went on with it.
 */
import { createHash } from "node:crypto"
import type { Message } from "ligature"
import { type Entry, type Loaded, type NewEntry, viewOf } from "ligature/store"
import type { RequestBody } from "../conversation/request-body.ts"
import { answerUnit, otherUnit, type Unit } from "./units.ts"

/** Why an entry is hidden: its client sends it no more. */
export const droppedByClient = "dropped by the client"

/** The note with the system prompt, written when it changes. */
export const promptNote = "prompt"

/** The mark of a result that the gateway gave itself, in a place no wire has. */
export const ownResult = { ligature: { answeredBy: "gateway" } } as const

export interface StoredUnit extends Pick<Unit, "key" | "loose" | "isAnswer"> {
  /** Its entries, in order. */
  readonly entries: readonly string[]
}

/** Where an answer begins in the list of the last body: there it can be read on from. */
export interface Start {
  readonly element: number
  readonly unit: number
}

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 24)

const isOwnResult = (entry: Entry): boolean => entry.kind === "result" && Object.hasOwn(entry.result.native ?? {}, "ligature")

const messageIn = (entry: Entry): Message | undefined => {
  if (entry.kind === "message") return entry.message
  return entry.kind === "result" ? { role: "tool", blocks: [entry.result] } : undefined
}

/** An answer as its client saw it: without the calls that the gateway answered. */
export const visibleTo = (messages: readonly Message[], own: ReadonlySet<string>): readonly Message[] =>
  own.size === 0
    ? messages
    : messages.map((message) => ({ ...message, blocks: message.blocks.filter((block) => block.type !== "call" || !own.has(block.id)) }))

/** The names of a response in the note about an answer: the provider's, and ours. */
export const namesIn = (entry: Entry): readonly string[] => {
  const value = entry.kind === "note" && entry.name === "iteration" ? entry.value : undefined
  if (typeof value !== "object" || value === null || Array.isArray(value)) return []
  const { responseId, id } = value as Readonly<Record<string, unknown>>
  return [responseId, id].filter((each) => typeof each === "string")
}

export interface StoredPath {
  readonly units: readonly StoredUnit[]
  /** By the name of a response: so many units are up to its end. */
  readonly responses: ReadonlyMap<string, number>
}

/** The units of a stored path. What the client dropped is not among them; what we compacted is. */
export const storedPath = (entries: readonly Entry[]): StoredPath => {
  const responses = new Map<string, number>()
  const gone = new Set(
    entries.flatMap((entry) => (entry.kind === "hide" && entry.reason === droppedByClient ? entry.covers.map(({ id }) => id) : [])),
  )
  const own = new Set(entries.flatMap((entry) => (entry.kind === "result" && isOwnResult(entry) ? [entry.result.callId] : [])))
  const units: StoredUnit[] = []
  let run: { readonly messages: Message[]; readonly ids: string[] } | undefined
  const close = (): void => {
    if (run) {
      const { key, loose, isAnswer } = answerUnit(visibleTo(run.messages, own))
      units.push({ key, ...(loose !== undefined && { loose }), isAnswer, entries: run.ids })
    }
    run = undefined
  }
  for (const entry of entries) {
    for (const name of namesIn(entry)) responses.set(name, units.length + (run ? 1 : 0))
    const message = messageIn(entry)
    if (!message || gone.has(entry.id)) continue
    if (message.role === "assistant") {
      run ??= { messages: [], ids: [] }
      run.messages.push(message)
      run.ids.push(entry.id)
    } else if (run && isOwnResult(entry)) run.ids.push(entry.id)
    else {
      close()
      units.push({ key: otherUnit(message).key, isAnswer: false, entries: [entry.id] })
    }
  }
  close()
  return { units, responses }
}

const textOfNote = (entry: Entry): string | undefined =>
  entry.kind === "note" && entry.name === promptNote && typeof entry.value === "object" && entry.value !== null && "hash" in entry.value
    ? String(entry.value["hash"])
    : undefined

/** What a model is shown of a path, where that is not what its client sends. */
export interface StoredView {
  /** In this order: entries of units, and messages that stand for others or that the client never saw. */
  readonly order: readonly { readonly entry: string; readonly message?: Message }[]
  /** Units from here on were added since, and are shown. */
  readonly upTo: number
}

const viewIn = (entries: readonly Entry[], units: readonly StoredUnit[]): StoredView | undefined => {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const own = entries.filter(isOwnResult).map(({ id }) => id)
  const isCompacted = entries.some((entry) => entry.kind === "summary" || (entry.kind === "hide" && entry.reason !== droppedByClient))
  if (!isCompacted && own.length === 0) return undefined
  // An answer with calls that the gateway answered is shown as it was stored.
  const whole = new Set(units.flatMap(({ entries: ids }) => (ids.some((id) => own.includes(id)) ? ids : [])))
  const { transcript, sources } = viewOf(entries)
  const order = sources.map((entry, at) =>
    whole.has(entry) || byId.get(entry)?.kind === "summary" ? { entry, message: transcript.messages[at] as Message } : { entry },
  )
  return { order, upTo: units.length }
}

export class ConversationRecord {
  /** Of the store; undefined until it is known whether it has the conversation. */
  id: string | undefined
  units: readonly StoredUnit[] = []
  /** By the name of a response: so many units are up to its end. */
  responses = new Map<string, number>()
  tip: string | null = null
  view: StoredView | undefined
  /** Of the system prompt that was stored last. */
  prompt: string | undefined
  /** The last body of which all is stored, and where its answers begin. */
  body: RequestBody | undefined
  starts: readonly Start[] = []
  #queue: Promise<unknown> = Promise.resolve()

  get bytes(): number {
    return 160 * this.units.length + 16 * this.starts.length + 48 * (this.body?.slices?.elements.length ?? 0)
  }

  /** One at a time: each sees what the one before has written. */
  enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#queue.then(work)
    this.#queue = done.catch(() => undefined)
    return done
  }

  take({ id, entries, tip }: Pick<Loaded, "id" | "entries" | "tip">): void {
    this.id = id
    const { units, responses } = storedPath(entries)
    this.units = units
    this.responses = new Map(responses)
    this.tip = tip
    this.view = viewIn(entries, units)
    this.prompt = entries.reduce<string | undefined>((found, entry) => textOfNote(entry) ?? found, undefined)
    this.body = undefined
    this.starts = []
  }
}

export const entryOf = (message: Message): NewEntry => {
  const [only, ...more] = message.blocks
  if (message.role === "tool" && only?.type === "result" && more.length === 0) return { kind: "result", result: only }
  return { kind: "message", message }
}
