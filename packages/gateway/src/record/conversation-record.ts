/**
 * What a store has of one conversation, as far as it is needed to tell what is new in the next request: its units, each with
 * its entries, and the tip. It is read from the store once, and again where another gateway went on with it.
 */
import { createHash } from "node:crypto"
import type { Message } from "ligature"
import type { Entry, Loaded, NewEntry } from "ligature/store"
import type { Slices } from "../conversation/slices.ts"
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

/** The units of a stored path. What the client dropped is not among them; what we compacted is. */
export const storedUnits = (entries: readonly Entry[]): readonly StoredUnit[] => {
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
  return units
}

const textOfNote = (entry: Entry): string | undefined =>
  entry.kind === "note" && entry.name === promptNote && typeof entry.value === "object" && entry.value !== null && "hash" in entry.value
    ? String(entry.value["hash"])
    : undefined

export class ConversationRecord {
  /** Of the store; undefined until it is known whether it has the conversation. */
  id: string | undefined
  units: readonly StoredUnit[] = []
  tip: string | null = null
  /** Of the system prompt that was stored last. */
  prompt: string | undefined
  /** The last body of which all is stored, and where its parts lie. */
  body: Buffer | undefined
  slices: Slices | undefined
  starts: readonly Start[] = []
  #queue: Promise<unknown> = Promise.resolve()

  get bytes(): number {
    return 160 * this.units.length + 16 * this.starts.length + 48 * (this.slices?.elements.length ?? 0)
  }

  /** One at a time: each sees what the one before has written. */
  enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#queue.then(work)
    this.#queue = done.catch(() => undefined)
    return done
  }

  take({ id, entries, tip }: Pick<Loaded, "id" | "entries" | "tip">): void {
    this.id = id
    this.units = storedUnits(entries)
    this.tip = tip
    this.prompt = entries.reduce<string | undefined>((found, entry) => textOfNote(entry) ?? found, undefined)
    this.body = undefined
    this.slices = undefined
    this.starts = []
  }
}

export const entryOf = (message: Message): NewEntry => {
  const [only, ...more] = message.blocks
  if (message.role === "tool" && only?.type === "result" && more.length === 0) return { kind: "result", result: only }
  return { kind: "message", message }
}
