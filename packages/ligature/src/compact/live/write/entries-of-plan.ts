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
import { type Block, canonicalJson, type Item, type Message, type ResultBlock } from "../../../model/index.ts"
import { cover } from "../../../store/entry.ts"
import type { Cover, Entry, NewEntry } from "../../../store/index.ts"
import type { Decision, Plan } from "../../plan/plan.ts"
import { type Archive, compactionReason } from "../stored/archive.ts"

// What a plan makes of each message of the archive. A plan is about items, and the log holds messages: one message may
// carry results of several exchanges, and ids and stray results read otherwise in it than settle shows them.

/** What becomes of one message of the archive. */
type Fate =
  | { readonly kind: "keep" }
  | { readonly kind: "replace"; readonly message: Message }
  | { readonly kind: "cover"; readonly summary: number }
  | { readonly kind: "hide" }

const keep: Fate = { kind: "keep" }

const withoutLine = (message: Message): Message => {
  const { line: _, ...rest } = message
  return rest
}

export const sameValue = (a: unknown, b: unknown): boolean => a === b || canonicalJson(a) === canonicalJson(b)

const sameMessage = (a: Message, b: Message): boolean => a === b || sameValue(withoutLine(a), withoutLine(b))

/** The edited result of each original one, by content: settle never copies it. */
const editedResults = (before: Item, after: Item): ReadonlyMap<unknown, ResultBlock> => {
  const edited = new Map<unknown, ResultBlock>()
  if (before.role !== "exchange" || after.role !== "exchange") return edited
  before.outcomes.forEach(({ result }, index) => {
    const now = after.outcomes[index]?.result
    if (result && now && !sameValue(now, result)) edited.set(result.content, now)
  })
  return edited
}

/** As the log has it: with the id the call has there, which settle may have changed. */
const inTheLog = (now: ResultBlock, original: ResultBlock): ResultBlock => {
  const { providerId: _, ...rest } = now
  return {
    ...rest,
    callId: original.callId,
    ...(original.providerId !== undefined && { providerId: original.providerId }),
  }
}

/** Calls of an edited message get the ids the log knows, as long as they are the same calls. */
const withLoggedIds = (now: Message, logged: Message): Message => {
  const calls = logged.blocks.filter((block) => block.type === "call")
  if (now.blocks.filter(({ type }) => type === "call").length !== calls.length) return now
  let next = 0
  const blocks = now.blocks.map((block): Block => {
    if (block.type !== "call") return block
    const call = calls[next++]
    if (call === undefined || call.id === block.id) return block
    const { providerId: _, ...rest } = block
    return { ...rest, id: call.id, ...(call.providerId !== undefined && { providerId: call.providerId }) }
  })
  return { ...now, blocks }
}

/** What becomes of the messages. With `spells`, results that answer no call become the text they read as. */
class Fates {
  readonly #archive: Archive
  readonly #plan: Plan
  readonly #spells: boolean
  readonly #byContent = new Map<unknown, number>()

  constructor(archive: Archive, plan: Plan, spells: boolean) {
    this.#archive = archive
    this.#plan = plan
    this.#spells = spells
    for (const [index, item] of archive.conversation.items.entries()) {
      if (item.role !== "exchange") continue
      for (const { result } of item.outcomes) if (result) this.#byContent.set(result.content, index)
    }
  }

  #decision(item: number): Decision {
    return this.#plan.decisions[item] ?? { kind: "keep" }
  }

  /** Of the message with this index. */
  of(index: number): Fate {
    const owners = this.#archive.owners[index] ?? []
    const decisions = owners.map((item) => this.#decision(item))
    const spelled = this.#spells ? this.#spelled(index, owners) : undefined
    if (spelled) return spelled
    if (decisions.every(({ kind }) => kind === "keep")) return keep
    const [first] = decisions
    if (first?.kind === "hide" && decisions.every(({ kind }) => kind === "hide")) return { kind: "hide" }
    if (first?.kind === "cover" && decisions.every((each) => each.kind === "cover" && each.summary === first.summary)) {
      return { kind: "cover", summary: first.summary }
    }
    return this.#mixed(index, owners)
  }

  /**
   * A message with results that answer no call, as settle reads it: they are text, which no call can take for its own, or
   * second copies, which are nothing. Undefined for any other message, and where nothing of it stays.
   */
  #spelled(index: number, owners: readonly number[]): Fate | undefined {
    const message = this.#archive.messages[index] as Message
    const isStray = (block: Block): boolean => block.type === "result" && !this.#byContent.has(block.content)
    // The agent's text around a result would have to become text of another role.
    if (message.role === "assistant" || !message.blocks.some(isStray)) return undefined
    const blocks = owners.flatMap((owner) => this.#blocksOf(message, owner))
    if (blocks.length === 0) return undefined
    const role = blocks.every(({ type }) => type === "result") ? message.role : "user"
    return { kind: "replace", message: withoutLine(withoutNative({ ...message, role, blocks })) }
  }

  /** What an item shows of a message: its results, or its own text. */
  #blocksOf(message: Message, owner: number): readonly Block[] {
    const decision = this.#decision(owner)
    if (decision.kind === "cover" || decision.kind === "hide") return []
    const item = this.#archive.conversation.items[owner] as Item
    const shown = decision.kind === "edit" ? decision.item : item
    if (shown.role !== "exchange") return (item as Message).line === message.line ? shown.blocks : []
    const edited = editedResults(item, shown)
    return message.blocks.flatMap((block) => {
      if (block.type !== "result" || this.#byContent.get(block.content) !== owner) return []
      const now = edited.get(block.content)
      return [now === undefined ? block : inTheLog(now, block)]
    })
  }

  /** A message of which something stays: edited, or shared by items with different fates. */
  #mixed(index: number, owners: readonly number[]): Fate {
    const message = this.#archive.messages[index] as Message
    let now: Message = message
    for (const owner of owners) now = this.#without(now, message, owner)
    if (now.blocks.length > 0) return now === message ? keep : { kind: "replace", message: withoutLine(now) }
    const cover = owners.map((owner) => this.#decision(owner)).find((decision) => decision.kind === "cover")
    return cover?.kind === "cover" ? { kind: "cover", summary: cover.summary } : { kind: "hide" }
  }

  /** The message as one of its items wants it. */
  #without(now: Message, message: Message, owner: number): Message {
    const decision = this.#decision(owner)
    if (decision.kind === "keep") return now
    const item = this.#archive.conversation.items[owner] as Item
    if (decision.kind === "edit") return this.#edited(now, message, item, decision.item)
    const isOwn = (block: Block): boolean =>
      block.type === "result"
        ? this.#byContent.get(block.content) === owner
        : item.role !== "exchange" || item.message.line === message.line
    return { ...now, blocks: now.blocks.filter((block) => !isOwn(block)) }
  }

  #edited(now: Message, message: Message, before: Item, after: Item): Message {
    const results = editedResults(before, after)
    const blocks = now.blocks.map((block) => {
      const edited = block.type === "result" ? results.get(block.content) : undefined
      return edited === undefined ? block : inTheLog(edited, block as ResultBlock)
    })
    const same = blocks.every((block, at) => block === now.blocks[at])
    const changed: Message = same ? now : withoutNative({ ...now, blocks })
    if (before.role !== "exchange" || after.role !== "exchange") {
      if (before.role === "exchange" || after.role === "exchange" || after === before) return changed
      // Results that came in the same message belong to the exchange before.
      return withoutNative({
        ...now,
        blocks: [...changed.blocks.filter(({ type }) => type === "result"), ...after.blocks],
      })
    }
    if (before.message.line === message.line && !sameMessage(after.message, before.message)) {
      return withLoggedIds(after.message, message)
    }
    if (before.reply && before.reply.line === message.line) {
      if (after.reply === undefined) return { ...now, blocks: [] }
      if (!sameMessage(after.reply, before.reply)) return after.reply
    }
    return changed
  }
}

/** The native value of a carrier no longer matches it. */
const withoutNative = (message: Message): Message => {
  const { native: _, ...rest } = message
  return rest
}

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
  return message === undefined
    ? {
        kind: "hide",
        covers: named,
        reason: compactionReason,
      }
    : { kind: "summary", message, covers: named }
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
    const place = standsFor(entry, said)
      .map((id) => goesTo.get(id))
      .find((found) => found !== undefined)
    place?.covers.push(entry)
  }
  return [...summaries, ...single, hides].filter(({ covers }) => covers.length > 0).map(bodyOf)
}

/** Equal for summaries that cover the same entries with the same text. */
const keyOf = (message: Message, ids: readonly string[]): string => canonicalJson([withoutLine(message), [...new Set(ids)].sort()])

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
    const same =
      written.message &&
      known.get(
        keyOf(
          written.message,
          written.covers.map(({ id }) => id),
        ),
      )
    if (same === undefined) continue
    retained.add(same)
    for (const { id } of written.covers) goesTo.delete(id)
    written.covers.length = 0
  }
}
