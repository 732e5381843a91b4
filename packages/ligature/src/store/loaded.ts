/** Puts together what `load` gives, alike for every store. */
import type { Diagnostic } from "../model/index.ts"
import type { Entry, Operation } from "./entry.ts"
import type { ConversationRecord, Loaded } from "./store.ts"
import { viewOf } from "./view.ts"

export interface LoadedParts {
  readonly record: ConversationRecord
  readonly tip: string | null
  readonly entries: readonly Entry[]
  readonly whole: boolean
  readonly damage: readonly Diagnostic[]
}

export const loadedFrom = ({ record, tip, entries, whole, damage }: LoadedParts): Loaded => {
  const { transcript: said, sources, stale } = viewOf(entries, { partial: !whole })
  const transcript = { ...said, source: record.id, ...(damage.length > 0 && { diagnostics: damage }) }
  return { ...record, tip, entries, whole, transcript, sources, stale, damage }
}

/** The entries of a path, each behind the one it is read behind: where a parent is missing, that is another one. */
export const linked = (entries: readonly Entry[], before: string | null): readonly Entry[] => {
  const parentAt = (index: number): string | null => (index === 0 ? before : (entries[index - 1]?.id ?? null))
  if (entries.every((entry, index) => entry.parent === parentAt(index))) return entries
  return entries.map((entry, index) => (entry.parent === parentAt(index) ? entry : { ...entry, parent: parentAt(index) }))
}

/** The operations that write a copy of a path: as it was, but for what happened beside it. */
export const copyOfPath = (entries: readonly Entry[]): readonly Operation[] => {
  const copies: { operation: string; at: number; entries: Entry[] }[] = []
  let parent: string | null = null
  for (const original of entries) {
    const entry: Entry = { ...original, parent }
    const last = copies.at(-1)
    if (last?.operation === entry.operation) last.entries.push(entry)
    else copies.push({ operation: entry.operation, at: entry.at, entries: [entry] })
    parent = entry.id
  }
  return copies
}
