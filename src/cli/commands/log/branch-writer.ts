/**
 * Writes further paths of an imported conversation as branches: each goes along with what is there as far as it says
 * the same, and leaves it where it says something else.
 */
import { fingerprintOf, type NewEntry, type Store } from "../../../store/index.ts"

export class BranchWriter {
  /** How many paths had something of their own to say. */
  count = 0
  readonly #store: Store
  readonly #id: string
  /** Parent and fingerprint of every entry that is there, with its id. */
  readonly #known = new Map<string, string>()

  /** `entries` are those of the path that is there already, `ids` what the store called them. */
  constructor(store: Store, id: string, entries: readonly NewEntry[], ids: readonly string[]) {
    this.#store = store
    this.#id = id
    this.#learn(null, entries, ids)
  }

  #learn(from: string | null, entries: readonly NewEntry[], ids: readonly string[]): void {
    let parent = from
    for (const [index, entry] of entries.entries()) {
      const id = ids[index]
      if (id === undefined) return
      this.#known.set(`${parent} ${fingerprintOf(entry)}`, id)
      parent = id
    }
  }

  async add(entries: readonly NewEntry[]): Promise<void> {
    let parent: string | null = null
    let shared = 0
    for (const entry of entries) {
      const id = this.#known.get(`${parent} ${fingerprintOf(entry)}`)
      if (id === undefined) break
      parent = id
      shared++
    }
    const own = entries.slice(shared)
    if (own.length === 0) return
    const { ids } = await this.#store.append(this.#id, [{ kind: "tip", to: parent }, ...own])
    this.#learn(parent, own, ids.slice(1))
    this.count++
  }

  /** Goes back to the path the conversation goes on with. */
  async end(tip: string | null): Promise<void> {
    if (this.count > 0) await this.#store.moveTip(this.#id, tip, { durable: true })
  }
}
