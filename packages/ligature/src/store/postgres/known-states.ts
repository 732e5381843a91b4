/**
 * What the last commits left of their conversations, so that the next append need not ask: it claims the revision it
 * remembers, and if the conversation is still there, nothing else has changed either, the leases included. Where it is not,
 * nothing is written, and the state is read. A conversation that others write to is not guessed at again until a reading
 * finds it as it was left.
 *
 * A server that lost its last commits, or a replica that took its place, may come to the same revision in another way.
 * So the claim names the tip by its id as well, and the number of entries.
 */
import type { LeaseSlots } from "../lease.ts"

export interface KnownState {
  readonly revision: string
  readonly tip: string | null
  readonly tipNumber: number | null
  readonly last: number
  readonly slots: LeaseSlots
}

const mostConversations = 10_000

export const nextRevision = (revision: string): string => String(BigInt(revision) + 1n)

export class KnownStates {
  /** In the order of their last use. A text is the revision of a state that others have changed. */
  readonly #states = new Map<string, KnownState | string>()

  /** The state a commit may count on. */
  get(conversation: string): KnownState | undefined {
    const state = this.#states.get(conversation)
    return typeof state === "string" ? undefined : state
  }

  /** A commit that is through has left this state. `before`: the revision it found. */
  left(conversation: string, state: KnownState, before: string): void {
    const known = this.#states.get(conversation)
    const found = typeof known === "string" ? known : known?.revision
    this.#states.delete(conversation)
    this.#states.set(conversation, found === undefined || found === before ? state : state.revision)
    if (this.#states.size <= mostConversations) return
    for (const oldest of this.#states.keys()) {
      this.#states.delete(oldest)
      return
    }
  }

  /** Made by this store: whatever was known under its name was another conversation. */
  begin(conversation: string, state: KnownState): void {
    this.forget(conversation)
    this.left(conversation, state, state.revision)
  }

  /** Changed by this store in another way than by an append. */
  forget(conversation: string): void {
    this.#states.delete(conversation)
  }
}
