/** Writes the paths of a source into its conversation: what is there stays, what is new is appended or becomes a branch. */
import type { Entry, Loaded, NewEntry, Store } from "../../store/index.ts"
import { isSameSource, keptIn, keptRequest } from "../resume/kept-request.ts"
import { importOperation, isImported, keysOf } from "./find-conversation.ts"
import { compareWith, entriesAfter, KnownPaths } from "./known-paths.ts"
import { continues, digestOf, isContent, type ContentKey } from "./content-key.ts"

/**
 * `unchanged`: everything was there. `updated`: only the title or the settings around the messages are new. `grown`:
 * messages were added. `branched`: its past is another than before, so that what is new became a branch.
 */
export type ImportChange = "new" | "unchanged" | "updated" | "grown" | "branched"

export interface Written {
  readonly change: ImportChange
  /** How many messages and results were written. */
  readonly added: number
}

export class PathWriter {
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
    this.#known.learn(entries.map((entry, index) => ({ ...entry, id: ids[index] ?? "" })), keys.slice(0, shared))
  }
}
