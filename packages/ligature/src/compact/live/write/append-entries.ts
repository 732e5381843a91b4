/**
 * Appends what a compaction found, while others go on appending. What is covered is far before the tip, so new
 * entries there do no harm; what must not happen is that the path was rewound or that somebody else compacted it
 * too. So each try expects the tip it knows, and when the tip has moved, looks at what came in between.
 */
import type { Appended, Entry, Lease, Loaded, NewEntry, Store } from "../../../store/index.ts"
import { StoreError } from "../../../store/store-error.ts"
import type { CompactionRefusal } from "../stored/events.ts"

interface AppendTerms {
  readonly store: Store
  readonly loaded: Loaded
  readonly entries: readonly NewEntry[]
  /** What is written with them about entries that came in meanwhile. */
  readonly beside?: (added: readonly Entry[]) => readonly NewEntry[]
  readonly operation: string
  /** The write lease, where the caller holds it. */
  readonly lease?: () => Lease | undefined
  readonly signal: AbortSignal
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Asked before each try; throws when the right to compact is gone. */
  readonly assertLease?: () => Promise<void>
  /** How long to wait while somebody else holds the write lease. */
  readonly heldWaitMs: number
  readonly now: () => number
}

export type AppendOutcome =
  | { readonly ok: true; readonly appended: Appended }
  | { readonly ok: false; readonly reason: CompactionRefusal; readonly detail: string }

const mostConflicts = 200
const longestPauseMs = 250
/** What came in since is rarely more than this. */
const recentEntries = 64

const refuse = (reason: CompactionRefusal, detail: string): AppendOutcome => ({ ok: false, reason, detail })

/** The entries after one that was the tip; undefined when it is no longer on the path. */
const since = (entries: readonly Entry[], tip: string | null, whole: boolean): readonly Entry[] | undefined => {
  if (tip === null) return whole ? entries : undefined
  const at = entries.findLastIndex(({ id }) => id === tip)
  return at < 0 ? undefined : entries.slice(at + 1)
}

interface Come {
  readonly added: readonly Entry[]
  readonly tip: string | null
}

/** What was appended meanwhile; undefined when the path is another one. */
const comeSince = async ({ store, loaded }: Pick<AppendTerms, "store" | "loaded">): Promise<Come | undefined> => {
  const recent = await store.load(loaded.id, { last: recentEntries })
  const added = since(recent.entries, loaded.tip, recent.whole)
  if (added !== undefined) return { added, tip: recent.tip }
  if (recent.whole) return undefined
  const all = await store.load(loaded.id)
  const found = since(all.entries, loaded.tip, true)
  return found && { added: found, tip: all.tip }
}

/** An entry that takes something earlier out of sight; what is shortened as it comes does no harm. */
export const coversEarlier = (added: readonly Entry[]): Entry | undefined => {
  const own = new Set(added.map(({ id }) => id))
  return added.find(
    (entry) => (entry.kind === "summary" || entry.kind === "hide") && entry.covers.some(({ id }) => !own.has(id)),
  )
}

/** Whether what was prepared for a path can still be written: it is unchanged, and was not compacted meanwhile. */
export const isStillOnPath = async (store: Store, loaded: Loaded): Promise<boolean> => {
  const come = await comeSince({ store, loaded })
  return come !== undefined && coversEarlier(come.added) === undefined
}

export const appendCompaction = async (terms: AppendTerms): Promise<AppendOutcome> => {
  const { store, loaded, operation, lease, signal, sleep, now } = terms
  const heldUntil = now() + terms.heldWaitMs
  let { entries } = terms
  let expectedTip = loaded.tip
  for (let conflicts = 0; conflicts < mostConflicts; ) {
    if (signal.aborted) return refuse("cancelled", "The compaction was cancelled")
    await terms.assertLease?.()
    try {
      const held = lease?.()
      return {
        ok: true,
        appended: await store.append(loaded.id, entries, { expectedTip, operation, ...(held && { lease: held }) }),
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      if (error.reason === "held") {
        if (now() >= heldUntil) return refuse("held", error.message)
        await sleep(Math.min(longestPauseMs, Math.max(1, heldUntil - now())), signal)
        continue
      }
      if (error.reason !== "conflict") throw error
      conflicts++
      const come = await comeSince(terms)
      if (come === undefined) return refuse(
        "path-changed",
        "What would be covered is no longer on the path: the conversation was rewound",
      )
      const other = coversEarlier(come.added)
      if (other) return refuse(
        "compacted-elsewhere",
        `Entry ${other.id} was written meanwhile and covers something too`,
      )
      entries = [...terms.entries, ...(terms.beside?.(come.added) ?? [])]
      expectedTip = come.tip
    }
  }
  return refuse("busy", `${mostConflicts} tries met a tip that had moved again`)
}
