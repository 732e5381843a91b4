/**
 * A plan as entries: what has to be appended so that the view of the store becomes the view of the plan. Nothing is
 * rewritten; each message that the plan wants out of sight is covered by something new, and so is every summary of an
 * earlier compaction that no longer matches the plan. What stays as it is costs nothing.
 *
 *   kept       nothing, or the original once more where an earlier compaction covers it
 *   edited     a summary entry with the shortened message, for the one entry it replaces
 *   covered    part of a summary entry of the plan
 *   hidden     part of one hide entry
 */
import { canonicalJson, type Message } from "../../../model/index.ts"
import type { Cover, Entry, NewEntry } from "../../../store/index.ts"
import { cover } from "../../../store/cover.ts"
import type { Plan } from "../../plan/plan.ts"
import { type Archive, compactionReason } from "../stored/archive.ts"
import { type Fate, Fates, sameMessage, withoutLine } from "./message-fates.ts"

/** What a summary shows itself for. Summaries of before that it covers too are only put away by it. */
const standsFor = (entry: Entry, said: ReadonlySet<string>): readonly string[] =>
  entry.kind === "summary" ? entry.covers.flatMap(({ id }) => (said.has(id) ? [id] : [])) : []

/** One entry to be written: what it shows, and what it covers. */
interface Written {
  readonly message: Message | undefined
  readonly covers: Entry[]
}

const bodyOf = ({ message, covers }: Written): NewEntry => {
  const named: readonly Cover[] = cover(covers)
  return message === undefined ? {
    kind: "hide",
    covers: named,
    reason: compactionReason,
  } : { kind: "summary", message, covers: named }
}

export interface WriteOptions {
  /** Write results that answer no call as the text they read as. Default false: they stay as they were. */
  readonly spellStrays?: boolean
}

/** The entries to append; none when the store shows the plan's view already. */
export const entriesOfPlan = (archive: Archive, plan: Plan, options: WriteOptions = {}): readonly NewEntry[] => {
  const { loaded, entries, messages } = archive
  const fates = new Fates(archive, plan, options.spellStrays ?? false)
  const said = new Set(loaded.entries.flatMap(({ kind, id }) => (kind === "message" || kind === "result" ? [id] : [])))
  const visible = new Set(loaded.sources)
  const standing = loaded.entries.filter((entry) => entry.kind === "summary" && visible.has(entry.id))
  const alone = new Map<string, Entry>()
  const stoodFor = new Set<string>()
  for (const entry of standing) {
    const ids = standsFor(entry, said)
    const [only, ...more] = ids
    if (only !== undefined && more.length === 0) alone.set(only, entry)
    for (const id of ids) stoodFor.add(id)
  }
  const summaries = plan.summaries.map((summary): Written => ({ message: summary.message, covers: [] }))
  const hides: Written = { message: undefined, covers: [] }
  const single: Written[] = []
  /** Where an entry goes; undefined when it is to be seen, or seen as it is seen now. */
  const goesTo = new Map<string, Written>()
  const retained = new Set<string>()
  for (const [index, entry] of entries.entries()) {
    const fate = fates.of(index)
    const place = placeFor(fate, entry, index)
    if (place === undefined) continue
    place.covers.push(entry)
    goesTo.set(entry.id, place)
  }
  /** The new entry for one message, if one is needed. */
  function placeFor(fate: Fate, entry: Entry, index: number): Written | undefined {
    if (fate.kind === "cover") return summaries[fate.summary]
    if (fate.kind === "hide") return visible.has(entry.id) || stoodFor.has(entry.id) ? hides : undefined
    if (fate.kind === "keep" && visible.has(entry.id)) return undefined
    const message = fate.kind === "replace" ? fate.message : withoutLine(messages[index] as Message)
    const before = alone.get(entry.id)
    if (before?.kind === "summary" && sameMessage(before.message, message)) {
      retained.add(before.id)
      return undefined
    }
    const written: Written = { message, covers: [] }
    single.push(written)
    return written
  }
  dropUnchanged(summaries, standing, said, retained, goesTo)
  // An earlier summary goes where the first thing it covers goes, so that its replacement is in its place.
  for (const entry of standing) {
    if (retained.has(entry.id)) continue
    const place = standsFor(entry, said).map((id) => goesTo.get(id)).find((found) => found !== undefined)
    place?.covers.push(entry)
  }
  return [...summaries, ...single, hides].filter(({ covers }) => covers.length > 0).map(bodyOf)
}

/** Equal for summaries that cover the same entries with the same text. */
const keyOf = (message: Message, ids: readonly string[]): string =>
  canonicalJson([withoutLine(message), [...new Set(ids)].sort()])

/** A summary that covers the same entries with the same text is not written again. */
const dropUnchanged = (
  summaries: readonly Written[],
  standing: readonly Entry[],
  said: ReadonlySet<string>,
  retained: Set<string>,
  goesTo: Map<string, Written>,
): void => {
  if (summaries.length === 0) return
  const known = new Map<string, string>()
  for (const entry of standing) {
    if (entry.kind === "summary") known.set(keyOf(entry.message, standsFor(entry, said)), entry.id)
  }
  for (const written of summaries) {
    const same = written.message && known.get(keyOf(written.message, written.covers.map(({ id }) => id)))
    if (same === undefined) continue
    retained.add(same)
    for (const { id } of written.covers) goesTo.delete(id)
    written.covers.length = 0
  }
}
