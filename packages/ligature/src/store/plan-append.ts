/**
 * Decides what an append writes: the checks every store makes in the same order, and the entries with ids and parents
 * filled in. Changes nothing.
 *
 * A repeated operation is recognised before anything else is looked at: since its first try the tip has moved, and the
 * lease may have gone to somebody else, and still the honest answer is that it was written.
 */
import { deepestNesting, limitDepth } from "../model/index.ts"
import { type Cover, type Entry, type NewEntry, onPath, type Operation } from "./entry.ts"
import { insistEntries } from "./entry-shape.ts"
import { guardAppend, type LeaseSlots } from "./lease.ts"
import type { AppendOptions, Appended } from "./store.ts"
import { missingEntry, StoreError } from "./store-error.ts"

/** What has to be known of a log to judge an append; a `LogIndex` knows it, and so does a few rows of a database. */
export interface KnownLog {
  readonly tip: string | null
  /** When the newest entry was written. */
  readonly updated: number
  /** Asked for ids the request names, and for new ones. */
  readonly has: (id: string) => boolean
  readonly outcomeOf: (operation: string) => { readonly ids: readonly string[]; readonly tip: string | null } | undefined
}

export interface AppendRequest {
  readonly conversation: string
  readonly entries: readonly NewEntry[]
  readonly options: AppendOptions
  /** The operation's id: the caller's, or a new one. */
  readonly operation: string
}

export interface AppendSurroundings {
  readonly slots: LeaseSlots
  readonly now: number
  readonly newId: () => string
}

export type AppendPlan =
  | { readonly type: "write"; readonly operation: Operation }
  | { readonly type: "repeated"; readonly outcome: Appended }

/** Entries hold values that came through the door of a decoder, and something around them: those are not cut again. */
const deepestEntry = 2 * deepestNesting

const bad = (conversation: string, message: string): StoreError => new StoreError("bad-entry", message, { conversation })

/** Said of every append before anything else is looked at. */
export const insistAppend = (conversation: string, entries: readonly NewEntry[], { operation }: AppendOptions): void => {
  insistEntries(conversation, entries)
  if (operation !== undefined && (typeof operation !== "string" || operation === "")) {
    throw bad(conversation, "Expected an operation id that is a text and not empty; leave it out where nothing is repeated")
  }
}

const checkCovers = (covers: readonly Cover[], has: (id: string) => boolean, conversation: string): void => {
  for (const { id } of covers) if (!has(id)) throw missingEntry(id, conversation)
}

export const planAppend = (log: KnownLog, request: AppendRequest, surroundings: AppendSurroundings): AppendPlan => {
  const { conversation, entries, options, operation } = request
  const { slots, now, newId } = surroundings
  const before = log.outcomeOf(operation)
  if (before) {
    const same = before.ids.length === entries.length && entries.every(({ id }, at) => id === undefined || id === before.ids[at])
    if (same) return { type: "repeated", outcome: { ...before, operation, repeated: true } }
    const message = `Operation ${JSON.stringify(operation)} was used before for other entries; give each append its own id`
    throw new StoreError("operation-reused", message, { conversation })
  }
  guardAppend(slots, options.lease, now, conversation)
  const { expectedTip } = options
  if (expectedTip !== undefined && expectedTip !== log.tip) {
    const message = `Expected the tip ${JSON.stringify(expectedTip)}, but it is ${JSON.stringify(log.tip)}; load again and retry`
    throw new StoreError("conflict", message, { conversation, tip: log.tip })
  }
  if (entries.length === 0) throw bad(conversation, "Expected at least one entry to append, got none")
  const at = Math.max(now, log.updated)
  const planned: Entry[] = []
  const own = entries.length > 1 ? new Set<string>() : undefined
  const has = (id: string): boolean => own?.has(id) === true || log.has(id)
  let tip = log.tip
  for (const entry of entries) {
    let id = entry.id ?? newId()
    while (entry.id === undefined && has(id)) id = newId()
    if (has(id)) throw bad(conversation, `Entry ${JSON.stringify(id)} exists already; ids are unique in a conversation`)
    if (entry.kind === "tip" && entry.to !== null && !has(entry.to)) throw missingEntry(entry.to, conversation)
    if (entry.kind === "hide" || entry.kind === "summary") checkCovers(entry.covers, has, conversation)
    own?.add(id)
    planned.push({ ...limitDepth(entry, deepestEntry), id, parent: tip, operation, at })
    if (entry.kind === "tip") tip = entry.to
    else if (onPath[entry.kind]) tip = id
  }
  return { type: "write", operation: { operation, at, entries: planned } }
}
