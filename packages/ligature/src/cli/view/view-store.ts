/** Conversations of a store of ours, for the page: everything that was said, and what compactions took out of sight. */
import { check } from "../../convert/index.ts"
import type { Message } from "../../model/index.ts"
import { viewOf, type ConversationRecord, type Loaded, type Store } from "../../store/index.ts"
import { openPlace, type StoreLocation } from "../store/store-location.ts"
import type { State } from "../sessions/examine.ts"

/** A record of the log, as far as a list shows it. */
export interface StoredEntry {
  readonly conversation: string
  readonly modified: number
  readonly title?: string
  readonly messages?: number
  readonly state?: State
}

/** Examining more would take long, and nobody looks that far back. */
const mostExamined = 300

const entryOf = ({ id, title, updated }: ConversationRecord): StoredEntry => ({
  conversation: id,
  modified: updated,
  ...(title !== undefined && { title }),
})

/** The first thing that a user said. */
const firstWords = ({ transcript }: Loaded): string | undefined => {
  const text = transcript.messages.find(({ role }) => role === "user")?.blocks.find((block) => block.type === "text")
  return text?.type === "text" ? text.text.trim().slice(0, 120) : undefined
}

const examined = (loaded: Loaded): StoredEntry => {
  const findings = check(loaded.transcript, { tip: "open" })
  const title = loaded.title ?? firstWords(loaded)
  const has = (severity: string): boolean => findings.some((finding) => finding.severity === severity)
  return {
    ...entryOf(loaded),
    ...(title !== undefined && { title }),
    messages: loaded.transcript.messages.length,
    state: has("error") ? "errors" : has("warning") ? "warnings" : "healthy",
  }
}

export class ViewStore {
  readonly #location: StoreLocation
  #store: Promise<Store> | undefined

  constructor(location: StoreLocation) {
    this.#location = location
  }

  get name(): string {
    return this.#location.name
  }

  #opened(): Promise<Store> {
    return (this.#store ??= openPlace(this.#location))
  }

  async close(): Promise<void> {
    if (this.#store) await (await this.#store).close()
  }

  async #records(): Promise<readonly ConversationRecord[]> {
    const store = await this.#opened()
    const all: ConversationRecord[] = []
    for (let after: string | undefined; ;) {
      const { conversations, next } = await store.list({ limit: 500, ...(after !== undefined && { after }) })
      for (const each of conversations) all.push(each)
      after = next
      if (after === undefined) return all
    }
  }

  async list(): Promise<readonly StoredEntry[]> {
    return (await this.#records()).map(entryOf)
  }

  /** The newest again, with what is in them. */
  async *examined(): AsyncGenerator<StoredEntry> {
    const store = await this.#opened()
    for (const { id } of (await this.#records()).slice(0, mostExamined)) yield examined(await store.load(id))
  }

  async open(id: string): Promise<object> {
    const store = await this.#opened()
    const { entries, transcript: _, sources: __, ...record } = await store.load(id)
    const { transcript, sources } = viewOf(entries, { show: "all" })
    return { ...record, transcript, sources, beside: entries.filter(({ kind }) => kind !== "message" && kind !== "result") }
  }

  /** Everything that was said. */
  async messages(id: string): Promise<readonly Message[]> {
    const store = await this.#opened()
    return viewOf((await store.load(id)).entries, { show: "all" }).transcript.messages
  }
}
