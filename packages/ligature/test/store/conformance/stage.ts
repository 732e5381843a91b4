/** What every topic of the suite plays on: a home, a store on it, a clock, and words for what the tests do often. */
import { expect } from "vitest"
import { resultText, user } from "../../../src/model/index.ts"
import { type Entry, type NewEntry, type Store, StoreError, type StoreErrorReason } from "../../../src/store/index.ts"

/** One home; `open` gives another store on it, as another process would have. */
export interface StoreHome {
  readonly open: (now: () => number) => Store
  /** Takes away an entry that an append of its own wrote, as no store would. Stores that were opened before may not notice. */
  readonly lose: (conversation: string, entry: string) => Promise<void>
  /** Whether any file, or table, of the home has these words. */
  readonly holds: (words: string) => Promise<boolean>
  readonly dispose: () => Promise<void>
}

export const say = (words: string, id?: string): NewEntry => ({
  kind: "message",
  message: user(words),
  ...(id !== undefined && { id }),
})

export const wordsOf = (entries: readonly Entry[]): readonly string[] =>
  entries.map((entry) => {
    if (entry.kind === "result") return resultText(entry.result)
    if (entry.kind !== "message" && entry.kind !== "summary") return entry.kind
    return entry.message.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("")
  })

export const refusal = async (action: Promise<unknown>): Promise<StoreError> => {
  try {
    await action
  } catch (error) {
    if (error instanceof StoreError) return error
    throw error
  }
  throw new Error("Expected a refusal, it went through")
}

/** Set up afresh for each test. */
export class Stage {
  clock = 1_000
  readonly #makeHome: () => Promise<StoreHome>
  #home: StoreHome | undefined
  #store: Store | undefined

  constructor(makeHome: () => Promise<StoreHome>) {
    this.#makeHome = makeHome
  }

  async setUp(): Promise<void> {
    this.clock = 1_000
    this.#home = await this.#makeHome()
    this.#store = this.another()
  }

  async tearDown(): Promise<void> {
    await this.#store?.close()
    await this.#home?.dispose()
  }

  get store(): Store {
    if (!this.#store) throw new Error("The stage was not set up")
    return this.#store
  }

  /** Another store on the same home, with the same clock. */
  another(): Store {
    if (!this.#home) throw new Error("The stage was not set up")
    return this.#home.open(() => this.clock)
  }

  async lose(conversation: string, entry: string): Promise<void> {
    await this.#home?.lose(conversation, entry)
  }

  async holds(words: string): Promise<boolean> {
    if (!this.#home) throw new Error("The stage was not set up")
    return this.#home.holds(words)
  }

  async expectRefusal(action: Promise<unknown>, reason: StoreErrorReason): Promise<StoreError> {
    const error = await refusal(action)
    expect(error.reason).toBe(reason)
    return error
  }

  /** What a model would see, a text per message. */
  async shown(id: string): Promise<readonly string[]> {
    const { transcript } = await this.store.load(id)
    return transcript.messages.map(({ blocks }) => blocks.map((block) => (block.type === "text" ? block.text : block.type)).join("|"))
  }
}
