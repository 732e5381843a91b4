/**
 * Chains of responses. A client of the Responses wire may send only what is new and name the response it goes on from. A
 * provider of another wire knows nothing of that, so the input that led to a response is kept here with its output. One that
 * is not here any more is refused in the words on which clients send everything again.
 */
interface Link {
  readonly owner: string
  readonly items: readonly unknown[]
}

/** The oldest go first. */
const mostLinks = 2048

export class Chains {
  readonly #links = new Map<string, Link>()

  /** All items up to the end of a response; undefined where it is not known, or belongs to somebody else. */
  find(id: string, owner: string): readonly unknown[] | undefined {
    const link = this.#links.get(id)
    return link?.owner === owner ? link.items : undefined
  }

  keep(id: string, owner: string, items: readonly unknown[]): void {
    this.#links.set(id, { owner, items })
    const [oldest] = this.#links.keys()
    if (this.#links.size > mostLinks && oldest !== undefined) this.#links.delete(oldest)
  }
}
