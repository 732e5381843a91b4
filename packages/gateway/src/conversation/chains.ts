/**
 * Chains of responses. A client of the Responses wire may send only what is new and name the response it goes on from. A
 * provider of another wire knows nothing of that, so the input that led to a response is kept here with its output; what is
 * not here any more is read from the store. One that is nowhere is refused in the words on which clients send everything
 * again.
 *
 * The id of a response names its conversation, so that it is found on any machine. It is signed with the owner: whoever
 * makes one up finds nothing.
 */
import { createHash, randomBytes } from "node:crypto"

interface Link {
  readonly owner: string
  readonly items: readonly unknown[]
}

/** The oldest go first. */
const mostLinks = 2048

const signatureOf = (named: string, owner: string): string => createHash("sha256").update(`${owner} ${named}`).digest("hex").slice(0, 16)

const named = /_([0-9a-f]{24}[0-9a-f]{12})([0-9a-f]{16})$/

/** The part of a response's id that is nobody else's. */
export const uniqueOf = (conversation: string, owner: string): string => {
  if (!/^[0-9a-f]{24}$/.test(conversation)) return randomBytes(16).toString("hex")
  const unique = conversation + randomBytes(6).toString("hex")
  return unique + signatureOf(unique, owner)
}

/** The conversation that a response is of. Undefined: the id says nothing, or is not this owner's. */
export const conversationOf = (response: string, owner: string): string | undefined => {
  const [, unique = "", signature] = named.exec(response) ?? []
  return signature !== undefined && signature === signatureOf(unique, owner) ? unique.slice(0, 24) : undefined
}

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
