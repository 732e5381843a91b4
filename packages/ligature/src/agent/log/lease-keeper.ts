/**
 * The lease of a run: taken before the conversation is read, renewed while the run goes on, given back at the end.
 *
 *   take ──> held ──renew──> held ──release──> free
 *              └── somebody else took it: `onLost`, and the run stops without another word
 */
import { type Lease, type Store, StoreError } from "../../store/index.ts"
import type { Surroundings } from "./unsaved.ts"
import { isDeadOwner, timerMs } from "../../compact/internal.ts"

interface LeaseTerms {
  readonly store: Store
  readonly conversation: string
  readonly owner: string
  readonly leaseMs: number
  readonly waitMs: number
  readonly signal: AbortSignal
  readonly surroundings: Surroundings
  readonly onLost: (error: StoreError) => void
}

const longestPauseMs = 250

/** The lease of a dead process is given back in its name; whoever is fastest then takes it. */
const bury = async ({ store, conversation, leaseMs }: LeaseTerms, holder: string): Promise<void> => {
  const lease = await store.acquire(conversation, { owner: holder, durationMs: leaseMs })
  await store.release(conversation, lease)
}

const acquire = async (terms: LeaseTerms): Promise<Lease> => {
  const { store, conversation, owner, leaseMs, waitMs, signal, surroundings } = terms
  const end = surroundings.now() + waitMs
  let buried = ""
  for (;;) {
    try {
      return await store.acquire(conversation, { owner, durationMs: leaseMs })
    } catch (error) {
      if (!(error instanceof StoreError) || error.reason !== "held") throw error
      const { holder = "" } = error
      if (holder !== buried && isDeadOwner(holder)) {
        buried = holder
        await bury(terms, holder)
        continue
      }
      const left = end - surroundings.now()
      if (left <= 0 || signal.aborted) throw error
      await surroundings.sleep(Math.min(left, longestPauseMs), signal)
    }
  }
}

export class LeaseKeeper {
  readonly #terms: LeaseTerms
  readonly #timer: NodeJS.Timeout
  #lease: Lease
  #renewing: Promise<void> = Promise.resolve()

  constructor(terms: LeaseTerms, lease: Lease) {
    this.#terms = terms
    this.#lease = lease
    this.#timer = setInterval(() => (this.#renewing = this.#renew()), Math.max(1, timerMs(terms.leaseMs / 3)))
    this.#timer.unref()
  }

  static async take(terms: LeaseTerms): Promise<LeaseKeeper> {
    return new LeaseKeeper(terms, await acquire(terms))
  }

  get lease(): Lease {
    return this.#lease
  }

  async #renew(): Promise<void> {
    const { store, conversation, leaseMs, onLost } = this.#terms
    try {
      this.#lease = await store.renew(conversation, this.#lease, leaseMs)
    } catch (error) {
      // A store that cannot be written now may be the next time; whether the lease still counts, an append will say.
      if (!(error instanceof StoreError) || error.reason !== "lease-lost") return
      clearInterval(this.#timer)
      onLost(error)
    }
  }

  /** Never fails: a lease that cannot be given back runs out. */
  async release(): Promise<void> {
    clearInterval(this.#timer)
    await this.#renewing
    try {
      await this.#terms.store.release(this.#terms.conversation, this.#lease)
    } catch {
      return
    }
  }
}
