/**
 * The content of a stored conversation as a tree of keys, to find where an import continues it: as deep as the keys of the
 * import are there already, on any branch. Notes, summaries and hides have no keys, so they do not count.
 */
import type { Entry, NewEntry } from "../../store/index.ts"
import { type ContentKey, contentKeys } from "./content-key.ts"

/** As far as something is known. */
export interface Spot {
  /** The entry after which the next one goes; null: nothing of it is there. */
  readonly entry: string | null
  /** How many keys are there. */
  readonly shared: number
}

/** An entry with the id the store gave it. */
export type StoredEntry = NewEntry & { readonly id: string }

interface Node {
  readonly entry: string
  /** More keys of the same entry follow: nothing can be appended in the middle of one. */
  readonly isInside: boolean
  readonly next: Map<ContentKey, Node>
}

const nowhere: Spot = { entry: null, shared: 0 }

export class KnownPaths {
  readonly #root = new Map<ContentKey, Node>()

  /** Learns a path, from its root or after keys that are known. */
  learn(entries: readonly StoredEntry[], after: readonly ContentKey[] = []): void {
    let next = this.#root
    for (const key of after) next = next.get(key)?.next ?? next
    for (const entry of entries) {
      const keys = contentKeys(entry)
      for (const [index, key] of keys.entries()) {
        const isInside = index < keys.length - 1
        const node = next.get(key) ?? { entry: entry.id, isInside, next: new Map<ContentKey, Node>() }
        next.set(key, node)
        next = node.next
      }
    }
  }

  find(keys: readonly ContentKey[]): Spot {
    let next = this.#root
    let spot = nowhere
    for (const [index, key] of keys.entries()) {
      const node = next.get(key)
      if (!node) break
      if (!node.isInside) spot = { entry: node.entry, shared: index + 1 }
      next = node.next
    }
    return spot
  }
}

export interface Divergence extends Spot {
  /** The entries of the path after the last one that the import has too. */
  readonly tail: readonly Entry[]
}

/** How far one path and the keys of an import are the same. */
export const compareWith = (path: readonly Entry[], keys: readonly ContentKey[]): Divergence => {
  let spot = nowhere
  const relevant = path.filter((entry) => contentKeys(entry).length > 0)
  for (const [index, entry] of relevant.entries()) {
    const own = contentKeys(entry)
    if (!own.every((key, offset) => key === keys[spot.shared + offset])) return { ...spot, tail: relevant.slice(index) }
    spot = { entry: entry.id, shared: spot.shared + own.length }
  }
  return { ...spot, tail: [] }
}

const rest = (entry: NewEntry, count: number): readonly NewEntry[] => {
  if (count === 0 || entry.kind !== "message") return [entry]
  return entry.message.blocks.slice(count).flatMap((block): readonly NewEntry[] => (block.type === "result" ? [{ kind: "result", result: block }] : []))
}

/** What is left of an import when its first keys are there; of a message of results, the results that are missing. */
export const entriesAfter = (entries: readonly NewEntry[], shared: number): readonly NewEntry[] => {
  let skipped = 0
  for (const [index, entry] of entries.entries()) {
    const { length } = contentKeys(entry)
    if (length > 0 && skipped + length > shared) return [...rest(entry, shared - skipped), ...entries.slice(index + 1)]
    skipped += length
  }
  return []
}
