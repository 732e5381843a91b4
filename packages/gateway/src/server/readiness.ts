/**
 * Whether the store can be reached, for `/readyz`: a balancer takes a gateway out while it cannot. It is asked for a conversation
 * that does not exist, which every store answers at once, and once a second at most, however many ask.
 */
import { type Store, StoreError } from "ligature/store"

const validMs = 1_000
const patienceMs = 2_000

const late = Symbol("late")

export class Readiness {
  readonly #store: Store
  #asked = Number.NEGATIVE_INFINITY
  #answer: Promise<string | undefined> = Promise.resolve(undefined)

  constructor(store: Store) {
    this.#store = store
  }

  /** Undefined: it is ready. Says nothing about the server that only its operator should know. */
  problem(): Promise<string | undefined> {
    if (performance.now() - this.#asked > validMs) {
      this.#asked = performance.now()
      this.#answer = this.#ask()
    }
    return this.#answer
  }

  async #ask(): Promise<string | undefined> {
    let timer: NodeJS.Timeout | undefined
    try {
      const patience = new Promise<typeof late>((resolve) => (timer = setTimeout(() => resolve(late), patienceMs).unref()))
      const found = await Promise.race([this.#store.load("readyz"), patience])
      return found === late ? "the store does not answer" : undefined
    } catch (error) {
      return error instanceof StoreError && error.reason === "missing-conversation" ? undefined : "the store cannot be reached"
    } finally {
      clearTimeout(timer)
    }
  }
}
