/**
 * Who watches the exchanges of this process, and what they are sent: server-sent events, each a whole exchange that begins or
 * ends. The newest ends are kept for those who come later. Watching never slows a request down: whoever reads too slowly
 * misses events and is told how many, and where nobody watches, hardly anything is done.
 *
 *   hello     once: the version of this contract, and what may be seen
 *   end …     the newest exchanges, oldest first
 *   begin, end, missed   as they happen
 */
import { randomBytes } from "node:crypto"
import type { ServerResponse } from "node:http"
import type { Outcome } from "../exchange/turn.ts"
import { type Begun, beginOf, endOf, type LiveEnd } from "./event.ts"
import type { Scope } from "./scope.ts"

export const liveVersion = 1
const mostWatchers = 64
const mostRecent = 100
/** Longer ones leave out the blocks that were changed. */
const mostEvent = 1 << 16
/** What a watcher has not read yet. */
const mostUnread = 1 << 20
const beatMs = 15_000

interface Watcher {
  readonly response: ServerResponse
  readonly scope: Scope
  missed: number
}

interface Recent {
  readonly owner: string
  readonly conversation: string
  readonly text: string
}

/** One exchange that is being answered. */
export interface Shown {
  end(outcome: Outcome, ms: number): void
  /** The gateway itself refused it, or failed. */
  failed(status: number, message: string, ms: number): void
}

const withoutBlocks = (value: LiveEnd): unknown => ({
  ...value,
  repaired: value.repaired.map((change) => ({ ...change, original: undefined, replacement: undefined })),
})

const eventText = (name: string, value: unknown): string => `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`

const maySee = (scope: Scope, owner: string): boolean => scope.sees === "all" || scope.owner === owner

export class Feed {
  readonly #watchers = new Set<Watcher>()
  readonly #recent: Recent[] = []
  /** Of this process: ids of exchanges differ between the gateways of one store. */
  readonly #name = randomBytes(4).toString("hex")
  #count = 0
  #beat: NodeJS.Timeout | undefined

  /** Undefined: there are too many. */
  watch(response: ServerResponse, scope: Scope): boolean {
    if (this.#watchers.size >= mostWatchers) return false
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store", "x-accel-buffering": "no" })
    response.write(eventText("hello", { version: liveVersion, sees: scope.sees }))
    for (const { owner, text } of this.#recent) if (maySee(scope, owner)) response.write(text)
    const watcher = { response, scope, missed: 0 }
    this.#watchers.add(watcher)
    response.once("close", () => this.#watchers.delete(watcher))
    this.#beat ??= setInterval(() => this.#beatOnce(), beatMs).unref()
    return true
  }

  begin(begun: Omit<Begun, "id">, owner: string): Shown {
    const { conversation, redact } = begun
    const begin = beginOf({ ...begun, id: `${this.#name}-${++this.#count}` }, this.#watchers.size > 0)
    if (this.#watchers.size > 0) this.#tell(eventText("begin", begin), owner)
    const end = (value: LiveEnd): void => {
      const whole = eventText("end", value)
      const text = whole.length > mostEvent ? eventText("end", withoutBlocks(value)) : whole
      this.#recent.push({ owner, conversation: value.conversation, text })
      if (this.#recent.length > mostRecent) this.#recent.shift()
      this.#tell(text, owner)
    }
    return {
      end: (outcome, ms) => end(endOf(begin, outcome, conversation, ms, redact)),
      failed: (status, error, ms) =>
        end({ ...begin, conversation: conversation.id, status, ended: "complete", look: "none", ms: Math.round(ms), repaired: [], error }),
    }
  }

  /** Those who come later are not told of it any more. */
  forget(conversation: string): void {
    const kept = this.#recent.filter((each) => each.conversation !== conversation)
    this.#recent.splice(0, this.#recent.length, ...kept)
  }

  close(): void {
    clearInterval(this.#beat)
    for (const { response } of this.#watchers) response.end()
  }

  #tell(text: string, owner: string): void {
    for (const watcher of this.#watchers) {
      const { response, scope } = watcher
      if (!maySee(scope, owner)) continue
      if (response.writableLength > mostUnread) {
        watcher.missed++
        continue
      }
      if (watcher.missed > 0) response.write(eventText("missed", { events: watcher.missed }))
      watcher.missed = 0
      response.write(text)
    }
  }

  /** Connections that nothing is sent over are closed by what is between. */
  #beatOnce(): void {
    for (const { response } of this.#watchers) if (response.writableLength < mostUnread) response.write(": \n\n")
    if (this.#watchers.size > 0) return
    clearInterval(this.#beat)
    this.#beat = undefined
  }
}
