/**
 * Ids as the target wants them: a pure function of the ids in order, the same on call and result, and collision-free.
 * An id that fits stays as it is. What is derived depends only on ids before it, so appending renames nothing.
 */
import { callsOf, type Conversation, shortHash } from "../../model/index.ts"
import type { IdDemand } from "../profiles/profile.ts"

const fits = (id: string, demand: IdDemand): boolean => id.length > 0 && id.length <= demand.maxLength && demand.pattern.test(id)

const candidate = (id: string, attempt: number, demand: IdDemand): string => {
  const salted = attempt === 0 ? id : `${id}\u0000${attempt}`
  if (demand.exactLength !== undefined) return shortHash(salted, demand.exactLength)
  const clean = id.replace(/[^a-zA-Z0-9_-]/g, "_")
  if (attempt === 0 && clean.length <= demand.maxLength && clean !== "") return clean
  const room = demand.maxLength - 11
  return `${clean.slice(0, Math.max(0, Math.min(room, 24)))}_${shortHash(salted, 10)}`
}

/** Gathered only when an id has to be derived: a list kept up along the way cost a third of what fitting allocated. */
const firstIds = ({ items }: Conversation, count: number): readonly string[] => {
  const ids: string[] = []
  for (let index = 0; ids.length < count && index < items.length; index++) {
    const item = items[index]
    if (item?.role === "exchange") for (const call of callsOf(item)) ids.push(call.id)
  }
  return ids.slice(0, count)
}

export class WireIds {
  private readonly conversation: Conversation
  private readonly demand: IdDemand
  /** How many ids in front stayed as they are. Unique by invariant, so only derived ids can collide with one. */
  private kept = 0
  private used: Set<string> | undefined

  constructor(conversation: Conversation, demand: IdDemand) {
    this.conversation = conversation
    this.demand = demand
  }

  /** The wire id of the next call of the conversation. Call it once per call, in order. */
  next(id: string): string {
    if (!this.used && fits(id, this.demand)) {
      this.kept++
      return id
    }
    this.used ??= new Set(firstIds(this.conversation, this.kept))
    let wire = id
    for (let attempt = 0; !fits(wire, this.demand) || this.used.has(wire); attempt++) {
      wire = candidate(id, attempt, this.demand)
    }
    this.used.add(wire)
    return wire
  }
}
