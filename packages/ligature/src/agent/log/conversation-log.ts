/**
 * The conversation of a run: its path in memory, and the only way by which the run writes. Appends go one after the
 * other, each on the tip the one before has left, under the lease, and with a name, so that one whose acknowledgement
 * was lost can be said again without being written twice.
 *
 * After a write that failed for good nothing more is written: a later entry would follow a gap. What must not be
 * lost then (`ifLost`) is kept for the caller of the run.
 */
import { type Block, type Message, resultText, type Role } from "../../model/index.ts"
import { bodyOf, onPath } from "../../store/entry.ts"
import {
  type Entry,
  type EntryKind,
  type Lease,
  type Loaded,
  type NewEntry,
  type Store,
  StoreError,
  type View,
  viewOf,
} from "../../store/index.ts"
import { asStoreError } from "../../store/store-error.ts"
import type { Surroundings, Unsaved, UnsavedAppend } from "./unsaved.ts"

// A store that fails once is asked again: connections break, disks are full for a moment, a server restarts. How often and
// how long is bounded, so that a run ends while its lease still lasts.

/** Waits between tries, in milliseconds. */
const pausesMs: readonly number[] = [20, 200, 1_000, 3_000]

/** What hardly ever passes is tried again for a moment only. */
const stubborn: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS"])
const stubbornTries = 2

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)

/** Whether the same call may work the next time. A store that refuses does so for a reason; one that failed may not. */
const mayPass = (error: unknown): boolean => {
  if (!(error instanceof StoreError) || error.reason === "unwritable") return true
  return error.reason === "unreadable" && error.cause !== undefined
}

/** How long to wait after so many tries ended in this error; undefined: it is final. */
const pauseAfter = (error: unknown, tries: number): number | undefined => {
  const isStubborn = stubborn.has(codeOf(error instanceof StoreError ? error.cause : error))
  return mayPass(error) && (!isStubborn || tries < stubbornTries) ? pausesMs[tries] : undefined
}

/** What is half-way stored must be stored: no signal ends the waiting. */
const never = new AbortController().signal

const waitAfter = (pauseMs: number, { sleep }: Surroundings): Promise<void> => sleep(pauseMs, never)

/** Asks a store, again if it fails. Whatever a store throws for good is one of its errors. */
export const patiently = async <Result>(
  surroundings: Surroundings,
  reason: "unreadable" | "unwritable",
  work: () => Promise<Result>,
): Promise<Result> => {
  for (let tries = 0; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const pauseMs = pauseAfter(error, tries)
      if (pauseMs === undefined) throw asStoreError(error, reason)
      await waitAfter(pauseMs, surroundings)
    }
  }
}

interface LogOptions {
  readonly store: Store
  readonly loaded: Loaded
  /** The lease at the moment of a write. */
  readonly lease: () => Lease
  readonly surroundings: Surroundings
  readonly onCommit: (ids: readonly string[], entries: readonly NewEntry[], tip: string | null) => void
}

interface WriteOptions {
  /** Must survive a power cut before it is acknowledged. Default: as the store thinks fit. */
  readonly durable?: boolean
  readonly operation?: string
  /**
   * Given, the entries are kept for the caller when they cannot be written, and then these: what happened cannot be
   * made to happen again. Default: they are not kept, because whoever appends them can do it again.
   */
  readonly ifLost?: readonly NewEntry[]
}

/** Others append summaries beside a run; so many times in a row they may have been faster. */
const mostConflicts = 20

export class ConversationLog {
  readonly #options: LogOptions
  #path: Entry[]
  #tip: string | null
  #queue: Promise<unknown> = Promise.resolve()
  #broken: unknown
  #unsaved: { readonly after: string | null; readonly appends: UnsavedAppend[] } | undefined
  #view: View | undefined

  constructor(options: LogOptions) {
    this.#options = options
    this.#path = [...options.loaded.entries]
    this.#tip = options.loaded.tip
  }

  get tip(): string | null {
    return this.#tip
  }

  /** The right to write, at this moment. */
  readonly lease = (): Lease => this.#options.lease()

  get path(): readonly Entry[] {
    return this.#path
  }

  /** What a model would see of it now. */
  get view(): View {
    this.#view ??= viewOf(this.#path)
    return this.#view
  }

  /** As `load` would give it. */
  get loaded(): Loaded {
    const { loaded } = this.#options
    const { transcript, sources, stale } = this.view
    const said = { ...loaded.transcript, messages: transcript.messages }
    return { ...loaded, tip: this.#tip, entries: [...this.#path], transcript: said, sources, stale }
  }

  /** Sees what was appended by others. */
  async refresh(): Promise<void> {
    const { tip } = await this.#options.store.load(this.#options.loaded.id, { last: 1 })
    if (tip === this.#tip) return
    const whole = await this.#options.store.load(this.#options.loaded.id)
    this.#take(whole.entries, whole.tip)
  }

  /** What could not be written and must not be lost. */
  get unsaved(): Unsaved | undefined {
    return this.#unsaved && { conversation: this.#options.loaded.id, ...this.#unsaved }
  }

  #keep(operation: string, entries: readonly NewEntry[], { ifLost }: WriteOptions): void {
    if (ifLost === undefined) return
    this.#unsaved ??= { after: this.#tip, appends: [] }
    this.#unsaved.appends.push({ operation, entries })
    if (ifLost.length > 0) this.#unsaved.appends.push({ operation: `${operation} rest`, entries: ifLost })
  }

  /** From here on every write is refused with this error. */
  close(error: unknown): void {
    this.#broken ??= error
  }

  append(entries: readonly NewEntry[], options: WriteOptions = {}): Promise<readonly string[]> {
    const written = this.#queue.then(() => this.#append(entries, options))
    this.#queue = written.catch(() => {})
    return written
  }

  /** Says an entry of the path differently. The path as it was stays as a branch; what was after is said again. */
  replace(entryId: string, message: Message, options: WriteOptions = {}): Promise<readonly string[]> {
    const at = this.#path.findLastIndex(({ id }) => id === entryId)
    const entry = this.#path[at]
    if (!entry) return Promise.resolve([])
    const after = this.#path.slice(at + 1).map(bodyOf)
    return this.append([{ kind: "tip", to: entry.parent }, { kind: "message", message }, ...after], options)
  }

  async #append(entries: readonly NewEntry[], options: WriteOptions): Promise<readonly string[]> {
    const { durable, operation } = options
    const { store, loaded, surroundings } = this.#options
    const name = operation ?? surroundings.newId()
    const flush = durable !== undefined && { durable }
    let conflicts = 0
    for (let tries = 0; ; tries++) {
      if (this.#broken !== undefined) {
        this.#keep(name, entries, options)
        throw this.#broken
      }
      try {
        const terms = { operation: name, expectedTip: this.#tip, lease: this.lease(), ...flush }
        const { ids, repeated } = await store.append(loaded.id, entries, terms)
        // Written by an earlier run: then it is on the path that was loaded.
        if (repeated && tries === 0) return ids
        this.#accept(entries, ids, name)
        return ids
      } catch (thrown) {
        let error: unknown = thrown
        try {
          if (conflicts++ < mostConflicts && (await this.#catchUp(thrown))) {
            tries--
            continue
          }
        } catch (unreadable) {
          error = unreadable
        }
        const pauseMs = pauseAfter(error, tries)
        if (pauseMs === undefined) {
          this.#keep(name, entries, options)
          this.close(asStoreError(error, "unwritable", loaded.id))
          throw this.#broken
        }
        await waitAfter(pauseMs, surroundings)
      }
    }
  }

  /** Takes over what others have appended after our tip. False: that was not what happened. */
  async #catchUp(error: unknown): Promise<boolean> {
    if (!(error instanceof StoreError) || error.reason !== "conflict") return false
    const { store, loaded } = this.#options
    const { entries, tip } = await store.load(loaded.id)
    if (this.#tip !== null && !entries.some(({ id }) => id === this.#tip)) return false
    this.#take(entries, tip)
    return true
  }

  #take(entries: readonly Entry[], tip: string | null): void {
    this.#path = [...entries]
    this.#tip = tip
    this.#view = undefined
  }

  #accept(entries: readonly NewEntry[], ids: readonly string[], operation: string): void {
    const at = this.#options.surroundings.now()
    for (const [index, entry] of entries.entries()) {
      const id = ids[index] ?? ""
      if (entry.kind === "tip") {
        this.#path.length = this.#path.findLastIndex((known) => known.id === entry.to) + 1
        this.#tip = entry.to
      } else if (onPath[entry.kind]) {
        this.#path.push({ ...entry, id, parent: this.#tip, operation, at })
        this.#tip = id
      }
    }
    this.#view = undefined
    this.#options.onCommit(ids, entries, this.#tip)
  }
}

/** What a log may tell of entries that were stored: who spoke, how much, which calls; nothing of what was said. */
export interface EntryFacts {
  readonly kind: EntryKind
  /** Of a message. */
  readonly role?: Role
  readonly hasText?: boolean
  readonly toolCalls?: number
  readonly callIds?: readonly string[]
  /** Of a result: the call it answers. */
  readonly callId?: string
  /** Characters of the text of a message or a result. */
  readonly contentLength?: number
}

const lengthOf = (block: Block): number => (block.type === "text" ? block.text.length : 0)

const ofMessage = ({ role, blocks }: Message): Omit<EntryFacts, "kind"> => {
  const contentLength = blocks.reduce((sum, block) => sum + lengthOf(block), 0)
  const callIds = blocks.flatMap((block) => (block.type === "call" ? [block.id] : []))
  return { role, hasText: contentLength > 0, toolCalls: callIds.length, callIds, contentLength }
}

export const factsOf = (entry: NewEntry): EntryFacts => {
  if (entry.kind === "message") return { kind: entry.kind, ...ofMessage(entry.message) }
  if (entry.kind !== "result") return { kind: entry.kind }
  const { callId } = entry.result
  return { kind: entry.kind, callId, contentLength: resultText(entry.result).length }
}
