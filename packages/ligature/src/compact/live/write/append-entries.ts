/**
 * Appends what a compaction found, while others go on appending. What is covered is far before the tip, so new
 * entries there do no harm; what must not happen is that the path was rewound or that somebody else compacted it
 * too. So each try expects the tip it knows, and when the tip has moved, looks at what came in between.
 */
import { type Block, callsOf, canonicalJson, type Conversation, type Message } from "../../../model/index.ts"
import { settle } from "../../../rules/index.ts"
import type { Appended, Entry, Lease, Loaded, NewEntry, Store } from "../../../store/index.ts"
import { StoreError } from "../../../store/store-error.ts"
import { viewOf } from "../../../store/view.ts"
import type { Archive } from "../stored/archive.ts"
import type { CompactionRefusal } from "../stored/notes.ts"

/** With the ids the source gave: how settle renames those that were used twice depends on what comes before. */
const asGiven = (block: Block): Block => {
  if (block.type === "call") {
    const { providerId, ...rest } = block
    return { ...rest, id: providerId ?? block.id }
  }
  if (block.type !== "result") return block
  const { providerId, ...rest } = block
  return { ...rest, callId: providerId ?? block.callId }
}

/**
 * The content of a history, block by block, without what belongs to its format, its place in the log or its carrier. Where a
 * message between an exchange and an answer is gone, settle takes the answer for the reply of that exchange: no text is
 * different.
 */
const contentOf = ({ items }: Conversation): readonly string[] => {
  const words: string[] = []
  const say = ({ role, summary, blocks }: Message): void => {
    for (const block of blocks) words.push(plain([role, summary ?? false, asGiven(block)]))
  }
  for (const item of items) {
    say(item.role === "exchange" ? item.message : item)
    if (item.role !== "exchange") continue
    for (const { kind, result } of item.outcomes) words.push(plain([kind, result ? asGiven(result) : null]))
    if (item.reply) say(item.reply)
  }
  return words
}

const plain = (value: unknown): string =>
  canonicalJson(JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === "native" ? undefined : inner))))

/**
 * Every call with what became of it, in order, without ids. Where an id was used twice, covering the call that came
 * first can make settle give its successor another result: valid for every provider, and false.
 */
const pairsOf = ({ items }: Conversation): readonly string[] =>
  items.flatMap((item) => {
    if (item.role !== "exchange") return []
    return callsOf(item).map((call, index) => {
      const { id: _, providerId: __, ...asked } = call
      const { kind, result } = item.outcomes[index] ?? {}
      return plain([asked, kind ?? "", result ? [result.content, result.error ?? false] : null])
    })
  })

const sameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((words, index) => words === b[index])

export interface Shown {
  readonly conversation: Conversation
  readonly same: boolean
  /** At least the calls have the results that the plan gives them, and the end is the same: who spoke last. */
  readonly isFaithful: boolean
}

const endOf = ({ items }: Conversation): string => {
  const last = items.at(-1)
  return last?.role === "exchange" ? `${last.reply ? "reply" : ""} ${last.outcomes.map(({ kind }) => kind).join()}` : `${last?.role}`
}

export const verifyEntries = ({ loaded }: Archive, added: readonly NewEntry[], expected: Conversation): Shown => {
  const path: Entry[] = [...loaded.entries]
  for (const [index, entry] of added.entries()) {
    path.push({ ...entry, id: `new ${index}`, parent: path.at(-1)?.id ?? null, operation: "new", at: 0 })
  }
  const { transcript } = viewOf(path)
  const { conversation } = settle({ ...loaded.transcript, messages: transcript.messages }, { tip: "open" })
  const same = sameTexts(contentOf(conversation), contentOf(expected))
  const isFaithful = same || (endOf(conversation) === endOf(expected) && sameTexts(pairsOf(conversation), pairsOf(expected)))
  return { conversation, same, isFaithful }
}

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
  return added.find((entry) => (entry.kind === "summary" || entry.kind === "hide") && entry.covers.some(({ id }) => !own.has(id)))
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
  for (let conflicts = 0; conflicts < mostConflicts;) {
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
      if (come === undefined) return refuse("path-changed", "What would be covered is no longer on the path: the conversation was rewound")
      const other = coversEarlier(come.added)
      if (other) return refuse("compacted-elsewhere", `Entry ${other.id} was written meanwhile and covers something too`)
      entries = [...terms.entries, ...(terms.beside?.(come.added) ?? [])]
      expectedTip = come.tip
    }
  }
  return refuse("busy", `${mostConflicts} tries met a tip that had moved again`)
}
