/** The exchanges of a gateway as they happen, kept for all screens of the page. A connection that breaks is opened again. */
import { EventReader, isOver, type LiveExchange } from "./events.ts"

export type Connection = "connecting" | "open" | "lost" | "refused"

/** More than anybody scrolls through; older ones are forgotten. */
const most = 500

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

export class LiveFeed {
  readonly #connect: () => Promise<Response>
  readonly #listeners = new Set<() => void>()
  /** Oldest first. */
  readonly #exchanges = new Map<string, LiveExchange>()
  connection: Connection = "connecting"
  missed = 0
  sees: "all" | "own" = "all"
  #started = false

  /** `connect`: asks for the events. */
  constructor(connect: () => Promise<Response>) {
    this.#connect = connect
  }

  get exchanges(): readonly LiveExchange[] {
    return [...this.#exchanges.values()]
  }

  of(conversation: string): readonly LiveExchange[] {
    return this.exchanges.filter((each) => each.conversation === conversation)
  }

  /** Calls back whenever something changed. Returns how to stop that. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (!this.#started) {
      this.#started = true
      void this.#run()
    }
    return () => this.#listeners.delete(listener)
  }

  /** Tries again at once, after a key was given. */
  restart(): void {
    if (this.connection === "refused") void this.#run()
  }

  #tell(connection = this.connection): void {
    this.connection = connection
    for (const listener of this.#listeners) listener()
  }

  async #run(): Promise<void> {
    for (let wait = 500; ; wait = Math.min(wait * 2, 10_000)) {
      try {
        const answer = await this.#connect()
        if (answer.status === 401 || answer.status === 403) return this.#tell("refused")
        if (answer.ok && answer.body) {
          wait = 500
          this.#tell("open")
          await this.#read(answer.body)
        }
      } catch {
        // The gateway went away: asked again below.
      }
      this.#tell("lost")
      await pause(wait)
    }
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const events = new EventReader()
    const decoder = new TextDecoder()
    for (const reader = body.getReader(); ;) {
      const { done, value } = await reader.read()
      if (done) return
      let any = false
      for (const { event, data } of events.take(decoder.decode(value, { stream: true }))) {
        any = true
        if (event === "begin" || event === "end") this.#put(data as LiveExchange)
        else if (event === "missed") this.missed += (data as { readonly events: number }).events
        else if (event === "hello") this.sees = (data as { readonly sees: "all" | "own" }).sees
      }
      if (any) this.#tell()
    }
  }

  #put(exchange: LiveExchange): void {
    const known = this.#exchanges.get(exchange.id)
    // The end of one that was told again after a broken connection changes nothing.
    if (known && isOver(known)) return
    this.#exchanges.set(exchange.id, exchange)
    if (this.#exchanges.size <= most) return
    const [oldest] = this.#exchanges.keys()
    if (oldest !== undefined) this.#exchanges.delete(oldest)
  }
}
