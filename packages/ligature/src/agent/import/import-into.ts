/**
 * Brings a source into a store, as often as somebody likes: the conversation it became before is found again, and only what
 * is new is written. Nothing that is there changes:
 *
 *   the same again          nothing is written
 *   it grew                 what is new is appended
 *   its past changed        what is new becomes a branch where it leaves what is there, and the tip follows it, unless
 *                           somebody went on in the store: then the tip stays with them
 *
 * Each write is named after what it writes and where, so that one whose acknowledgement was lost, or two imports at once,
 * write it once.
 */
import { isSessionCodec, resolveCodec, type SessionPath } from "../../convert/index.ts"
import { debugFor, LigatureError } from "../../model/index.ts"
import { type Entry, type Loaded, type NewEntry, type ParentLink, type Store, StoreError } from "../../store/index.ts"
import { equalJson, exportFrom, isSameSource, keptIn, keptRequest } from "../resume/exported.ts"
import { type Imported, importFrom, type ImportOptions } from "../resume/imported.ts"
import {
  compareWith,
  type ContentKey,
  continues,
  digestOf,
  entriesAfter,
  findById,
  findBySource,
  type Found,
  importOperation,
  isContent,
  isImported,
  keysOf,
  KnownPaths,
} from "./find-conversation.ts"
import { nameOfSubagent, namesOfSource, parentOfSource, type SourceFacts } from "./source-id.ts"

/**
 * `unchanged`: everything was there. `updated`: only the title or the settings around the messages are new. `grown`:
 * messages were added. `branched`: its past is another than before, so that what is new became a branch.
 */
export type ImportChange = "new" | "unchanged" | "updated" | "grown" | "branched"

interface Written {
  readonly change: ImportChange
  /** How many messages and results were written. */
  readonly added: number
}

class PathWriter {
  tip: string | null
  readonly #store: Store
  readonly #id: string
  readonly #path: readonly Entry[]
  /** Where the source came from; the first entry of every path. */
  readonly #note: NewEntry
  readonly #known = new KnownPaths()
  #hasBranches = false

  constructor(store: Store, loaded: Loaded, note: NewEntry) {
    this.#store = store
    this.#id = loaded.id
    this.#path = loaded.entries
    this.#note = note
    this.tip = loaded.tip
    this.#known.learn(loaded.entries)
  }

  /** The path the source goes on with. `renaming`: a new title. */
  async writeActive(entries: readonly NewEntry[], renaming: readonly NewEntry[]): Promise<Written> {
    const keys = keysOf(entries)
    const path = compareWith(this.#path, keys)
    const isNew = this.#path.length === 0
    if (path.shared < keys.length && path.tail.length > 0) await this.#learnBranches()
    const spot = this.#known.find(keys)
    const own = entriesAfter(entries, spot.shared)
    const isOnPath = path.shared === spot.shared
    if (own.length === 0) {
      // The settings of an older state of the source must not replace those of a newer one.
      const isLatest = isOnPath && path.tail.length === 0
      const around = [...(isLatest ? this.#changedNote(this.#path) : []), ...renaming]
      if (around.length > 0) await this.#append(around, keys, spot.shared)
      return { change: isNew ? "new" : around.length > 0 ? "updated" : "unchanged", added: 0 }
    }
    const added = own.filter(isContent).length
    if (path.tail.length === 0 && isOnPath) {
      await this.#append([...this.#changedNote(this.#path), ...renaming, ...own], keys, spot.shared)
      return { change: isNew ? "new" : "grown", added }
    }
    const before = isOnPath ? this.#path : (await this.#store.load(this.#id, { at: spot.entry })).entries
    const around = spot.entry === null ? [this.#note] : this.#changedNote(before)
    const branch: readonly NewEntry[] = [{ kind: "tip", to: spot.entry }, ...around, ...renaming, ...own]
    const back: readonly NewEntry[] = path.tail.every(isImported) ? [] : [{ kind: "tip", to: this.tip }]
    await this.#append([...branch, ...back], keys, spot.shared)
    const [last, ...more] = path.tail
    const isLonger = last === undefined || (more.length === 0 && isImported(last) && continues(own[0], last))
    return { change: isLonger ? "grown" : "branched", added }
  }

  /** A path beside it; whether there was anything to write. The tip stays where it is. */
  async writeBeside(entries: readonly NewEntry[]): Promise<boolean> {
    await this.#learnBranches()
    const keys = keysOf(entries)
    const { entry, shared } = this.#known.find(keys)
    const own = entriesAfter(entries, shared)
    if (own.length === 0) return false
    const branch = [...(entry === null ? [this.#note] : []), ...own]
    await this.#append([{ kind: "tip", to: entry }, ...branch, { kind: "tip", to: this.tip }], keys, shared)
    return true
  }

  /** The note about the source, where a path has none, or another one. */
  #changedNote(path: readonly Entry[]): readonly NewEntry[] {
    const before = keptRequest(path)
    const now = keptIn(this.#note)
    return before && now && isSameSource(before, now) ? [] : [this.#note]
  }

  /** Everything that was ever said, for paths that leave the active one. */
  async #learnBranches(): Promise<void> {
    if (this.#hasBranches) return
    this.#hasBranches = true
    for (const { tip, active } of await this.#store.branches(this.#id)) {
      if (!active) this.#known.learn((await this.#store.load(this.#id, { at: tip })).entries)
    }
  }

  async #append(entries: readonly NewEntry[], keys: readonly ContentKey[], shared: number): Promise<void> {
    const beside = entries.filter((entry) => !isContent(entry)).map((entry) => JSON.stringify(entry))
    const operation = importOperation(digestOf([String(this.tip), String(shared), ...keys, ...beside]))
    const options = { expectedTip: this.tip, operation, durable: true }
    const { ids, tip } = await this.#store.append(this.#id, entries, options)
    this.tip = tip
    this.#known.learn(
      entries.map((entry, index) => ({ ...entry, id: ids[index] ?? "" })),
      keys.slice(0, shared),
    )
  }
}

export interface ImportIntoOptions extends ImportOptions {
  /** The conversation it becomes, or became before. Default: an id that follows from the source. */
  readonly id?: string
  /** Its title when it is made. Default: that of the source. */
  readonly title?: string
  /** Its title where neither `title` nor the source has one. */
  readonly name?: string
  /** Of a session, also abandoned branches, and sub-agents. Default false. */
  readonly all?: boolean
}

export interface ImportedInto {
  readonly conversation: string
  readonly title: string | undefined
  readonly change: ImportChange
  /** How many messages and results were written on the path of the source. */
  readonly added: number
  readonly tip: string | null
  /** Another conversation already has the id of this session; this one got an id of its own. */
  readonly instead?: string
  /** How many branches beside the path were written. */
  readonly branches: number
  readonly subagents: readonly ImportedInto[]
  /** What was read, and what had to be repaired. `exact` is about the conversation as it is in the store now. */
  readonly imported: Imported
}

/** A title that somebody chose, or that the source changed since the last import gave it. */
const renamingOf = (loaded: Loaded, imported: Imported, chosen: string | undefined): readonly NewEntry[] => {
  const before = keptRequest(loaded.entries)?.title
  const title = chosen ?? (before !== undefined && before === loaded.title ? imported.title : undefined)
  return title === undefined || title === loaded.title ? [] : [{ kind: "rename", title }]
}

/** Somebody else may write meanwhile; then what is there is looked at again. */
const mostConflicts = 5

const isConflict = (error: unknown): boolean => error instanceof StoreError && error.reason === "conflict"

interface Target {
  readonly found: Found
  readonly title: string | undefined
  /** Only a title that somebody chose replaces the one that is there. */
  readonly chosen: string | undefined
  readonly parent: ParentLink | undefined
  readonly imported: Imported
}

/** Writes the active path of what was read into its conversation, which is made where there is none. */
const writeInto = async (store: Store, target: Target): Promise<Written & { readonly writer: PathWriter }> => {
  const { found, title, chosen, parent, imported } = target
  const { id } = found
  const [note, ...entries] = imported.entries
  if (note === undefined) throw new LigatureError("cannot-read", "There is nothing to import")
  let { loaded } = found
  if (!loaded) {
    const named = { ...(title !== undefined && { title }), ...(parent && { parent }) }
    await store.create({ id, operation: importOperation(id), ...named })
  }
  for (let conflicts = 0; ; conflicts++) {
    loaded ??= await store.load(id)
    const writer = new PathWriter(store, loaded, note)
    try {
      const written = await writer.writeActive(entries, renamingOf(loaded, imported, found.loaded && chosen))
      return { ...written, writer }
    } catch (error) {
      if (!isConflict(error) || conflicts >= mostConflicts) throw error
      loaded = undefined
    }
  }
}

/** Whether the conversation as it is in the store would come back as this value. */
const isExactNow = async (store: Store, id: string, value: unknown, imported: Imported, change: ImportChange): Promise<boolean> => {
  if (change === "new" || !imported.exact) return imported.exact
  const { value: written, list } = exportFrom(await store.load(id), { format: imported.format })
  return equalJson(list ?? written, value)
}

const importSubagent = async (
  store: Store,
  value: unknown,
  reading: ImportOptions,
  path: SessionPath,
  main: Found & { readonly title: string | undefined; readonly calls: ReadonlySet<string> },
): Promise<ImportedInto> => {
  const imported = importFrom(value, { ...reading, branch: path.id })
  const title = `${main.title ?? main.id} (subagent: ${(path.title ?? path.id).slice(0, 80)})`
  const found = await findBySource(store, [nameOfSubagent(main.name, imported.entries)], imported.entries)
  const parent = { conversation: main.id, ...(main.calls.has(path.id) && { call: path.id }) }
  const { change, added, writer } = await writeInto(store, { found, title, chosen: undefined, parent, imported })
  const { instead } = found
  const written = { conversation: found.id, title, change, added, tip: writer.tip, ...(instead !== undefined && { instead }) }
  return { ...written, branches: 0, subagents: [], imported }
}

const callsIn = ({ entries }: Imported): ReadonlySet<string> => {
  const calls = new Set<string>()
  for (const entry of entries) {
    if (entry.kind !== "message") continue
    for (const block of entry.message.blocks) if (block.type === "call") calls.add(block.id)
  }
  return calls
}

const factsOf = ({ format, outline }: Imported, { view }: ImportOptions): SourceFacts => {
  const codec = resolveCodec(format)
  const isUsual = view === undefined || !isSessionCodec(codec) || codec.session.view === view
  return { format, outline, ...(!isUsual && { view }) }
}

/**
 * Imports a value into a store; importing it again, or what became of it, goes on in the same conversation.
 *
 *     const { conversation, change } = await importInto(store, request, { format: "openai-chat" })
 */
export const importInto = async (store: Store, value: unknown, options: ImportIntoOptions): Promise<ImportedInto> => {
  const { id, title: chosen, name, all = false, ...reading } = options
  const imported = importFrom(value, reading)
  const facts = factsOf(imported, reading)
  const { entries } = imported
  const found = await (id === undefined ? findBySource(store, namesOfSource(facts, entries), entries) : findById(store, id, entries))
  const title = found.loaded?.title ?? chosen ?? imported.title ?? name
  const above = parentOfSource(facts)
  const call = imported.outline?.subagent?.call
  const parent = above === undefined || above === found.id ? undefined : { conversation: above, ...(call !== undefined && { call }) }
  const { writer, ...written } = await writeInto(store, { found, title, chosen, parent, imported })
  let branches = 0
  const subagents: ImportedInto[] = []
  for (const path of all ? imported.otherPaths : []) {
    if (path.kind === "subagent") {
      const main = { ...found, title, calls: callsIn(imported) }
      subagents.push(await importSubagent(store, value, reading, path, main))
    } else if (await writer.writeBeside(importFrom(value, { ...reading, branch: path.id }).entries.slice(1))) branches++
  }
  debugFor("import")?.(
    `[importInto] ${imported.format} -> ${found.id}: ${written.change}, ${written.added} entries, ${branches} branches, ` +
      `${subagents.length} sub-agents`,
  )
  const exact = await isExactNow(store, found.id, value, imported, written.change)
  const { instead } = found
  return {
    conversation: found.id,
    title,
    ...written,
    tip: writer.tip,
    ...(instead !== undefined && { instead }),
    branches,
    subagents,
    imported: exact === imported.exact ? imported : { ...imported, exact },
  }
}
