/** What earlier compactions of a path left in their notes. Rewinding leaves the notes behind with what they are about. */
import type { Size } from "../../compact/size.ts"
import { summaryStrategyName } from "../../compact/summary/index.ts"
import type { Entry, Loaded } from "../../store/index.ts"

/** Name of the note that is written beside a compaction. */
export const compactionNote = "compaction"

/** What the notes on the path say about compactions before this one. */
export interface Past {
  /** The view as the last one left it. */
  readonly lastAfter?: Size
  /** Compactions in a row whose summariser failed. */
  readonly failures: number
}

/** What a note of a compaction holds, as far as it is read again. */
interface Noted {
  readonly untold: readonly number[]
  readonly strategy: string
  readonly after: number
  readonly afterBytes: number
  readonly summaryFailed: boolean
}

/** A note of a summariser that failed where nothing was compacted: it says nothing about the view. */
export const isFailureNote = (entry: Entry): boolean =>
  entry.kind === "note" && entry.name === compactionNote && (entry.value as Partial<Noted>).after === undefined

/** What the note that was written with a summary says it does not tell. */
export const untoldBeside = (entries: readonly Entry[], summary: number): ReadonlySet<number> => {
  const { operation } = entries[summary] as Entry
  const isBeside = (entry: Entry): boolean => entry.operation === operation && entry.kind === "note" && entry.name === compactionNote
  const note = entries.slice(summary).find(isBeside)
  return new Set(note?.kind === "note" ? ((note.value as Partial<Noted>).untold ?? []) : [])
}

export const pastOf = ({ entries }: Loaded): Past => {
  let lastAfter: Size | undefined
  let failures = 0
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at]
    if (entry?.kind !== "note" || entry.name !== compactionNote) continue
    const value = entry.value as Partial<Noted>
    if (value.after !== undefined) lastAfter ??= { tokens: value.after, bytes: value.afterBytes ?? 0 }
    if (value.summaryFailed !== true) {
      if (value.strategy === summaryStrategyName) break
      continue
    }
    failures++
  }
  return { failures, ...(lastAfter && { lastAfter }) }
}
