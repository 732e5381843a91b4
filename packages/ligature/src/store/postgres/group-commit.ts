/**
 * Appends that wait at the same time, to whatever conversations, go to the server together: one trip and one commit for all
 * whose states are known. The others, and those that somebody else was quicker with, take the way that reads the state first,
 * each on its own, so that nobody waits for them.
 *
 *   waiting --(a writer is free)--> known --> one call --> written, answered
 *                                     |          +-- left alone -+
 *                                     +-- not known, or more than an append at the tip --> read, judged, written, answered
 *
 * Of one conversation only one commit is under way; what comes meanwhile is in its next one.
 */
import { storedText } from "../entry-rows.ts"
import { appendAll, type Claim, claimOf, type CommitTerms, readAndAppend, type Waiting } from "./append.ts"
import { isConnectionError, postgresError, type Server, type Session } from "./server.ts"

export interface GroupLimits {
  /** How many calls are under way at most. With few, more wait for the next and go together. */
  readonly writers: number
  /** How many conversations one call is for, at most. */
  readonly conversations: number
}

/** Enough to make calls worth while; a longer statement would keep other conversations waiting. */
const mostBytes = 4_000_000

export class GroupCommit {
  readonly #server: Server
  readonly #terms: CommitTerms
  readonly #limits: GroupLimits
  readonly #waiting = new Map<string, Waiting[]>()
  /** Conversations with appends waiting and no commit under way, in the order they came. */
  readonly #ready = new Set<string>()
  readonly #running = new Set<Promise<void>>()
  #writers = 0
  #isScheduled = false
  /** Conversations whose last appends may not be on the server's disk, as stored. */
  readonly unflushed = new Set<string>()

  constructor(server: Server, terms: CommitTerms, limits: GroupLimits) {
    this.#server = server
    this.#terms = terms
    this.#limits = limits
  }

  add(one: Waiting): void {
    const { conversation } = one.request
    const others = this.#waiting.get(conversation)
    if (others) {
      others.push(one)
      return
    }
    this.#waiting.set(conversation, [one])
    this.#makeReady(conversation)
  }

  /** Until everything that was added is answered. */
  async idle(): Promise<void> {
    while (this.#running.size > 0 || this.#ready.size > 0) {
      await Promise.all(this.#running)
      // What was asked for in this very moment is not on its way yet.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  #makeReady(conversation: string): void {
    this.#ready.add(conversation)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    // What is asked for in the same moment goes out together.
    setImmediate(() => {
      this.#isScheduled = false
      while (this.#ready.size > 0 && this.#writers < this.#limits.writers) this.#write()
    })
  }

  /** Takes what is ready, as much as one call should have. */
  #write(): void {
    const claims: Claim[] = []
    let bytes = 0
    for (const conversation of this.#ready) {
      if (claims.length >= this.#limits.conversations || bytes > mostBytes) break
      this.#ready.delete(conversation)
      const waiting = this.#waiting.get(conversation) ?? []
      this.#waiting.set(conversation, [])
      const claim = claimOf(conversation, waiting, this.#terms.states.get(conversation))
      if (claim) {
        claims.push(claim)
        bytes += claim.bytes
      } else this.#run(this.#alone(conversation, waiting))
    }
    if (claims.length === 0) return
    this.#writers++
    this.#run(
      this.#together(claims).finally(() => {
        this.#writers--
        this.#schedule()
      }),
    )
  }

  #run(work: Promise<void>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  async #together(claims: readonly Claim[]): Promise<void> {
    const durable = claims.some(({ waiting }) => waiting.some((one) => one.durable))
    const taken = await this.#send(claims, durable)
    for (const claim of claims) {
      const { conversation, waiting, known, judged } = claim
      if (!taken.has(claim)) {
        this.#run(this.#alone(conversation, waiting))
        continue
      }
      this.#terms.states.left(conversation, claim.leaves, known.revision)
      this.#noteFlush(conversation, durable)
      this.#release(conversation)
      for (const { answer } of judged) answer()
    }
  }

  /** The claims that were written. None when it is not known, or when one of them kept the others from it. */
  async #send(claims: readonly Claim[], durable: boolean): Promise<ReadonlySet<Claim>> {
    const { statements, time } = this.#terms
    const first = claims.map(({ judged }) => judged.filter(({ one, outcome }) => outcome === "written" && !one.sent))
    for (const { one } of first.flat()) one.sent = true
    const nothing: ReadonlySet<Claim> = new Set()
    /** Undefined: a connection broke, and nobody knows what was written. Whoever reads the state finds it. */
    const send = async (session: Session, again: boolean): Promise<ReadonlySet<Claim> | undefined> => {
      if (again) return undefined
      try {
        return await appendAll(session, statements, claims, time(), durable)
      } catch (error) {
        if (isConnectionError(error)) throw error
        return nothing
      }
    }
    const taken = await this.#server.use(send).catch(() => undefined)
    if (!taken) return nothing
    for (const [index, claim] of claims.entries()) if (!taken.has(claim)) for (const { one } of first[index] ?? []) one.sent = false
    return taken
  }

  /** Reads the state of the conversation first. */
  async #alone(conversation: string, waiting: readonly Waiting[]): Promise<void> {
    const durable = waiting.some((one) => one.durable)
    try {
      const answers = await this.#server.use((session) => readAndAppend(session, conversation, waiting, this.#terms, durable))
      this.#noteFlush(conversation, durable)
      this.#release(conversation)
      for (const answer of answers) answer()
    } catch (error) {
      this.#release(conversation)
      const failure = postgresError(error, this.#server.schema, "unwritable", conversation)
      for (const { reject } of waiting) reject(failure)
    }
  }

  #release(conversation: string): void {
    if (this.#waiting.get(conversation)?.length === 0) this.#waiting.delete(conversation)
    else this.#makeReady(conversation)
  }

  #noteFlush(conversation: string, durable: boolean): void {
    const key = storedText(conversation)
    if (durable) this.unflushed.delete(key)
    else this.unflushed.add(key)
  }
}
