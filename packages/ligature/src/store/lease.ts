/**
 * Leases: the time-limited right of one owner. Pure rules over plain values, so that every store decides alike; a store
 * only has to compare and set.
 *
 *   free --acquire--> held by A, generation 1 --renew--> (later expiry) --release--> free, generation 1
 *                         | ran out, or A again
 *                         +--acquire--> held by B, generation 2      what A holds is stale from here on
 *
 * Two clocks never have to agree for safety: expiry only says from when on another owner may take over. Whether a lease
 * may write is decided by its generation alone, so that an owner who slept through its expiry still may while nobody
 * took over, and never again afterwards.
 *
 * No lease is given for more than a day. One that seems to run longer was written by a clock that is ahead of ours, and
 * would keep everybody out for as long as that clock was wrong: the first one it refuses shortens it to a day.
 */
import { assertOptions } from "../model/index.ts"
import type { Holding } from "./store.ts"
import { StoreError } from "./store-error.ts"

/** What the holder shows with each append. */
export interface Lease {
  /** `write` guards appends. Other slots guard work of their own, such as `summary`. */
  readonly slot: string
  readonly owner: string
  /** Grows with each acquire of the slot. */
  readonly generation: number
  /** Milliseconds since 1970, by the clock of the store. */
  readonly expires: number
}

export interface LeaseRequest {
  /** Who asks: shown in the errors others get. Unique per process; the same owner replaces its own lease. */
  readonly owner: string
  readonly durationMs: number
  /** Default `write`. */
  readonly slot?: string
}

/** What a store keeps per slot. A released slot keeps its generation, with no owner. */
export interface LeaseSlot {
  readonly slot: string
  readonly owner: string | null
  readonly generation: number
  readonly expires: number
}

export type LeaseSlots = readonly LeaseSlot[]

export const writeSlot = "write"

/** Work that takes longer renews its lease. */
export const longestLeaseMs = 24 * 60 * 60 * 1_000

const find = (slots: LeaseSlots, slot: string): LeaseSlot =>
  slots.find((known) => known.slot === slot) ?? { slot, owner: null, generation: 0, expires: 0 }

const replace = (slots: LeaseSlots, next: LeaseSlot): LeaseSlots => [...slots.filter((known) => known.slot !== next.slot), next]

const holds = (slot: LeaseSlot, lease: Lease): boolean => slot.owner === lease.owner && slot.generation === lease.generation

const held = (slot: LeaseSlot, now: number, conversation: string): StoreError => {
  const left = slot.expires - now
  const what = `The ${slot.slot} lease is held by ${slot.owner ?? "nobody"} for another ${left} ms (generation ${slot.generation})`
  const isOverlong = left > longestLeaseMs
  const why = isOverlong ? ". No lease is given for more than a day, so a clock is or was wrong: this one ends in a day" : ""
  return new StoreError("held", `${what}${why}`, { conversation, holder: slot.owner ?? "", expires: slot.expires, isOverlong })
}

const lost = (slot: LeaseSlot, lease: Lease, conversation: string): StoreError =>
  new StoreError(
    "lease-lost",
    `The ${lease.slot} lease of ${lease.owner} (generation ${lease.generation}) is no longer valid: ` +
      (slot.owner === null ? "it was released" : `${slot.owner} holds generation ${slot.generation}`),
    { conversation, ...(slot.owner !== null && { holder: slot.owner }) },
  )

interface LeaseChange {
  readonly slots: LeaseSlots
  readonly lease: Lease
}

/** Nobody else would be let in for too long a time. */
const insistDuration = (durationMs: number): void => {
  if (typeof durationMs === "number" && durationMs > 0 && durationMs <= longestLeaseMs) return
  const message = `Expected a positive durationMs of at most ${longestLeaseMs} (a day), got ${durationMs}; renew the lease instead`
  throw new StoreError("bad-entry", message)
}

export const acquireLease = (slots: LeaseSlots, request: LeaseRequest, now: number, conversation: string): LeaseChange => {
  assertOptions(request, { owner: true, durationMs: true, slot: true })
  const { owner, durationMs, slot = writeSlot } = request
  if (typeof owner !== "string" || owner === "") {
    throw new StoreError("bad-entry", `Expected an owner that is a text and not empty, got ${JSON.stringify(owner)}`)
  }
  // Callers without types: what is no text could not be read again, and nobody could write any more.
  if (typeof slot !== "string") throw new StoreError("bad-entry", `Expected a slot that is a text, got ${JSON.stringify(slot)}`)
  insistDuration(durationMs)
  const current = find(slots, slot)
  if (current.owner !== null && current.owner !== owner && now < current.expires) throw held(current, now, conversation)
  const lease: Lease = { slot, owner, generation: current.generation + 1, expires: now + Math.ceil(durationMs) }
  return { slots: replace(slots, lease), lease }
}

export const renewLease = (slots: LeaseSlots, lease: Lease, durationMs: number, now: number, conversation: string): LeaseChange => {
  insistDuration(durationMs)
  const current = find(slots, lease.slot)
  if (!holds(current, lease)) throw lost(current, lease, conversation)
  const renewed: Lease = { ...lease, expires: now + Math.ceil(durationMs) }
  return { slots: replace(slots, renewed), lease: renewed }
}

/** The slots after a release; the same object when the lease was lost before. */
export const releaseLease = (slots: LeaseSlots, lease: Lease): LeaseSlots => {
  const current = find(slots, lease.slot)
  return holds(current, lease) ? replace(slots, { ...current, owner: null, expires: 0 }) : slots
}

/** Throws unless the conversation may be removed: as for an append, and nobody else works on it in any slot. */
export const guardRemoval = (slots: LeaseSlots, lease: Lease | undefined, now: number, conversation: string): void => {
  guardAppend(slots, lease, now, conversation)
  for (const slot of slots) {
    if (slot.owner !== null && slot.owner !== lease?.owner && now < slot.expires) throw held(slot, now, conversation)
  }
}

/** Throws unless an append under this lease, or under none, may go through. */
export const guardAppend = (slots: LeaseSlots, lease: Lease | undefined, now: number, conversation: string): void => {
  const current = find(slots, writeSlot)
  if (lease === undefined) {
    if (current.owner !== null && now < current.expires) throw held(current, now, conversation)
    return
  }
  if (lease.slot !== writeSlot || !holds(current, lease)) throw lost(current, lease, conversation)
}

/** Leases that seem to run longer than any may end a day from now. Their holders keep them. The same object: there are none. */
export const shortenLeases = (slots: LeaseSlots, now: number): LeaseSlots => {
  const latest = now + longestLeaseMs
  if (slots.every(({ expires }) => expires <= latest)) return slots
  return slots.map((slot) => (slot.expires <= latest ? slot : { ...slot, expires: latest }))
}

/** Takes every lease from its holder, who never writes under it again. The same object: nobody holds one. */
export const breakLeases = (slots: LeaseSlots): LeaseSlots => {
  if (slots.every(({ owner }) => owner === null)) return slots
  return slots.map((slot) => (slot.owner === null ? slot : { ...slot, owner: null, generation: slot.generation + 1, expires: 0 }))
}

/** Who holds the leases of a conversation. */
export const holdingsOf = (slots: LeaseSlots): readonly Holding[] =>
  slots.flatMap(({ slot, owner, generation, expires }) =>
    owner === null ? [] : [{ type: "lease", holder: owner, slot, generation, expires }],
  )

const isOverlong = (error: unknown): boolean => error instanceof StoreError && error.isOverlong

/** Tells a refusal, after the lease that is too long was shortened. */
export const refusing =
  (reject: (error: unknown) => void, shorten: () => Promise<unknown>): ((error: unknown) => void) =>
  (error) => {
    if (!isOverlong(error)) return reject(error)
    const tell = (): void => reject(error)
    return void shorten().then(tell, tell)
  }

/** The same for a call that may be refused. */
export const orShorten = async <Result>(attempt: Promise<Result>, shorten: () => Promise<unknown>): Promise<Result> => {
  try {
    return await attempt
  } catch (error) {
    if (isOverlong(error)) await shorten().catch(() => undefined)
    throw error
  }
}
