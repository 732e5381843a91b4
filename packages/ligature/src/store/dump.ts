/**
 * A conversation as a whole: every operation of every branch in the order they were written, and nothing that is derived from
 * them. This is what a backup keeps and what moves between stores. Leases are not part of it: they are about who writes now.
 *
 * Two dumps of a conversation are compared by what they say, operation by operation. A store only ever adds operations, so of
 * two that differ one is usually the beginning of the other.
 */
import { canonicalJson, type Diagnostic, hexHash } from "../model/index.ts"
import { type Entry, onPath, type Operation } from "./entry.ts"
import type { ConversationRecord } from "./store.ts"
import { StoreError } from "./store-error.ts"

export interface Dump extends Omit<ConversationRecord, "updated"> {
  /** The create that made it. */
  readonly operation?: string
  readonly operations: readonly Operation[]
  /** What could not be read of it, or only in another way than it was written; the operations are without it. */
  readonly damage: readonly Diagnostic[]
}

export interface RestoreOptions {
  /** A conversation that is the beginning of this one is continued. Default false: it is refused as another one. */
  readonly extend?: boolean
}

/** `same`: it was there already, equal in everything. */
export type Restored = "made" | "same" | "extended"

/**
 * Operations as every store reads them: an id counts once, and an entry whose parent is missing goes after the entry that was
 * the tip when it was written.
 */
export const asRead = (operations: readonly Operation[]): readonly Operation[] => {
  const known = new Set<string>()
  let tip: string | null = null
  const placed = (entry: Entry): readonly Entry[] => {
    if (known.has(entry.id)) return []
    const parent = entry.parent === null || known.has(entry.parent) ? entry.parent : tip
    known.add(entry.id)
    if (entry.kind !== "tip") tip = onPath[entry.kind] ? entry.id : tip
    else if (entry.to === null || known.has(entry.to)) tip = entry.to
    return [parent === entry.parent ? entry : { ...entry, parent }]
  }
  return operations.flatMap((operation) => {
    const entries = operation.entries.flatMap(placed)
    return entries.length === 0 ? [] : [{ ...operation, entries }]
  })
}

/** Operations of rows that come in their order; those of one operation lie together. */
export const operationsOf = (entries: readonly Entry[]): readonly Operation[] => {
  const operations: { operation: string; at: number; entries: Entry[] }[] = []
  for (const entry of entries) {
    const last = operations.at(-1)
    if (last?.operation === entry.operation) last.entries.push(entry)
    else operations.push({ operation: entry.operation, at: entry.at, entries: [entry] })
  }
  return operations
}

/** An operation is compared several times while it is copied. */
const fingerprints = new WeakMap<Operation, string>()

const fingerprintOfOperation = (whole: Operation): string => {
  const known = fingerprints.get(whole)
  if (known !== undefined) return known
  const { operation, at, entries } = whole
  const fingerprint = hexHash(canonicalJson([operation, at, entries]), 16)
  fingerprints.set(whole, fingerprint)
  return fingerprint
}

/** The title after all operations. */
const titleOf = ({ title, operations }: Dump): string | undefined => {
  const renames = operations.flatMap(({ entries }) => entries.flatMap((entry) => (entry.kind === "rename" ? [entry.title] : [])))
  return renames.at(-1) ?? title
}

const origin = ({ id, created, forkedFrom, parent }: Dump): string => canonicalJson([id, created, forkedFrom ?? null, parent ?? null])

/** Equal for equal conversations, in whatever store: made of every operation, entry, link, time and title. */
export const fingerprintOfDump = (dump: Dump): string =>
  hexHash([origin(dump), titleOf(dump) ?? "", ...dump.operations.map(fingerprintOfOperation)].join("\n"), 16)

/** The operations that `given` has beyond `there`; undefined where the one is not the beginning of the other. */
const beyond = (there: Dump, given: Dump): readonly Operation[] | undefined => {
  if (origin(there) !== origin(given) || there.operations.length > given.operations.length) return undefined
  const isSame = (operation: Operation, index: number): boolean => {
    const other = given.operations[index]
    return other !== undefined && fingerprintOfOperation(operation) === fingerprintOfOperation(other)
  }
  if (!there.operations.every(isSame)) return undefined
  const rest = given.operations.slice(there.operations.length)
  return rest.length === 0 && titleOf(there) !== titleOf(given) ? undefined : rest
}

/** Whether everything of `given` is in `there`, which may have gone on since. */
export const isWithin = (given: Dump, there: Dump): boolean => beyond(given, there) !== undefined

/** What has to be added to a conversation that is there. Throws where that would change or mix what it says. */
export const operationsToAdd = (there: Dump, given: Dump, { extend = false }: RestoreOptions): readonly Operation[] => {
  const rest = beyond(there, given)
  if (rest !== undefined && (extend || rest.length === 0)) return rest
  const differs = (): string => {
    if (rest !== undefined) return `it has ${rest.length} operations less`
    const more = beyond(given, there)
    return more === undefined ? "it says something else" : `it has ${more.length} operations more`
  }
  const message = `Conversation ${JSON.stringify(given.id)} already exists and is not the same: ${differs()}. It was left as it is`
  throw new StoreError("exists", message, { conversation: given.id })
}
