/**
 * What a model sees of a path: hidden entries are left out, and a summary is where the first entry it covers stood.
 *
 *   path   u1  a1  r1  u2  a2  S(covers u1 a1 r1)  u3        view   S  u2  a2  u3
 *
 * A summary or hide counts only while all it covers is before it on this path and says what it said then. On
 * another branch, or after damage, it does not count and the originals are back. A summary may cover an earlier one:
 * then the earlier one is out of sight together with what it covers, and both count or neither. Hiding all that a summary
 * stands for hides the summary: whoever hides an entry means its words, also where they were shortened before.
 */
import { assertOptions, type Diagnostic, type Message, type Transcript } from "../model/index.ts"
import { type Cover, type Entry, fingerprintOf, type Operation } from "./entry.ts"
import type { ConversationRecord, Loaded } from "./store.ts"

export interface View {
  readonly transcript: Transcript
  /** The entry of each message. */
  readonly sources: readonly string[]
  /** Summaries and hides that do not count on this path. */
  readonly stale: readonly string[]
}

export interface ViewOptions {
  /** `all` shows the path as if nothing had been hidden or summarised. Default `compacted`. */
  readonly show?: "compacted" | "all"
  /** The beginning of the path is not among the entries: what is covered there is taken on trust. */
  readonly partial?: boolean
}

/** What an entry says; undefined where it only does something. */
export const messageOf = (entry: Entry): Message | undefined => {
  switch (entry.kind) {
    case "message":
    case "summary":
      return entry.message
    case "result":
      return { role: "tool", blocks: [entry.result], ...(entry.native && { native: entry.native }) }
    default:
      return undefined
  }
}

const coversOf = (entry: Entry): readonly Cover[] | undefined =>
  entry.kind === "summary" || entry.kind === "hide" ? entry.covers : undefined

/** Where the view shows what counts, by position on the path. */
interface Standing {
  /** The summary or hide at this position counts. */
  readonly counts: ReadonlySet<number>
  /** Where a summary that counts is shown. */
  readonly shownAt: ReadonlyMap<number, number>
}

const findStanding = (entries: readonly Entry[], partial: boolean): Standing => {
  const positions = new Map<string, number>()
  const counts = new Set<number>()
  const shownAt = new Map<number, number>()
  for (const [position, entry] of entries.entries()) {
    const covers = coversOf(entry)
    if (covers) {
      let first = covers.length === 0 ? position : Number.POSITIVE_INFINITY
      const whole = covers.every(({ id, fingerprint }) => {
        const covered = positions.get(id)
        const target = covered === undefined ? undefined : entries[covered]
        if (covered === undefined || target === undefined) {
          first = 0
          return partial
        }
        first = Math.min(first, shownAt.get(covered) ?? covered)
        return fingerprintOf(target) === fingerprint && (coversOf(target) === undefined || counts.has(covered))
      })
      if (whole) {
        counts.add(position)
        if (entry.kind === "summary") shownAt.set(position, first)
      }
    }
    positions.set(entry.id, position)
  }
  return { counts, shownAt }
}

/** Positions that are out of sight. From the newest back, so that a covered summary hides what it covers, but itself too. */
const findGone = (entries: readonly Entry[], counts: ReadonlySet<number>): ReadonlySet<string> => {
  const gone = new Set<string>()
  const hidden = new Set<string>()
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  /** Whether all it stands for is hidden. Summaries of before that it covers too are only put away by it. */
  const isHidden = (covers: readonly Cover[]): boolean => {
    const said = covers.filter(({ id }) => byId.get(id)?.kind !== "summary")
    if (said.length > 0) return said.every(({ id }) => hidden.has(id))
    return covers.length > 0 && covers.every(({ id }) => hidden.has(id) || isHidden(coversOf(byId.get(id) as Entry) ?? []))
  }
  for (let position = entries.length - 1; position >= 0; position--) {
    const entry = entries[position] as Entry
    const covers = coversOf(entry)
    if (!covers) continue
    if (entry.kind === "summary" && (!counts.has(position) || isHidden(covers))) gone.add(entry.id)
    if (!counts.has(position)) continue
    for (const { id } of covers) {
      gone.add(id)
      if (entry.kind === "hide" || hidden.has(entry.id)) hidden.add(id)
    }
  }
  return gone
}

/** Where the calls of a message are in it, when it has several. */
const ordinalsOf = ({ role, blocks }: Message): ReadonlyMap<string, number> | undefined => {
  if (role !== "assistant") return undefined
  const calls = blocks.flatMap((block) => (block.type === "call" ? [block.id] : []))
  return calls.length > 1 ? new Map(calls.map((id, ordinal) => [id, ordinal])) : undefined
}

/**
 * Puts results that were stored as they landed into the order of their calls (L4). The log keeps when each landed; no
 * model ever saw them in that order, so a view that showed it would make every request look like an edited history.
 */
const inCallOrder = (messages: Message[], sources: string[], isStored: (source: string) => boolean): void => {
  for (let index = 0; index < messages.length; index++) {
    const ordinals = ordinalsOf(messages[index] as Message)
    if (!ordinals) continue
    const start = index + 1
    let end = start
    while (end < messages.length && isStored(sources[end] as string)) end++
    const landed = messages.slice(start, end).map((message, offset) => {
      const [block] = message.blocks
      const ordinal = (block?.type === "result" ? ordinals.get(block.callId) : undefined) ?? ordinals.size
      return { message, source: sources[start + offset] as string, ordinal }
    })
    for (const [offset, { message, source }] of landed.toSorted((a, b) => a.ordinal - b.ordinal).entries()) {
      messages[start + offset] = message
      sources[start + offset] = source
    }
    index = end - 1
  }
}

/** The view of a path, oldest entry first. */
export const viewOf = (entries: readonly Entry[], options: ViewOptions = {}): View => {
  assertOptions(options, { show: ["compacted", "all"], partial: [true, false] })
  const { show = "compacted", partial = false } = options
  const messages: Message[] = []
  const sources: string[] = []
  const put = (entry: Entry): void => {
    const message = messageOf(entry)
    if (!message) return
    messages.push(message)
    sources.push(entry.id)
  }
  const results = new Set(entries.flatMap(({ kind, id }) => (kind === "result" ? [id] : [])))
  const isResult = (source: string): boolean => results.has(source)
  if (show === "all") {
    for (const entry of entries) if (entry.kind !== "summary") put(entry)
    inCallOrder(messages, sources, isResult)
    return { transcript: { format: "ligature", messages }, sources, stale: [] }
  }
  const { counts, shownAt } = findStanding(entries, partial)
  const gone = findGone(entries, counts)
  const moved = new Map<number, Entry[]>()
  for (const [position, target] of shownAt) {
    const summary = entries[position] as Entry
    if (gone.has(summary.id)) continue
    const others = moved.get(target)
    if (others) others.push(summary)
    else moved.set(target, [summary])
  }
  for (const [position, entry] of entries.entries()) {
    for (const summary of moved.get(position) ?? []) put(summary)
    if (entry.kind !== "summary" && !gone.has(entry.id)) put(entry)
  }
  inCallOrder(messages, sources, isResult)
  const stale = entries.flatMap((entry, position) => (coversOf(entry) && !counts.has(position) ? [entry.id] : []))
  return { transcript: { format: "ligature", messages }, sources, stale }
}

/** Puts together what `load` gives, alike for every store. */
interface LoadedParts {
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

/** The entries of a path, each after the one it is read after: where a parent is missing, that is another one. */
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
