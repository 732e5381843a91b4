/** Finds the conversation that a source became before: by the id that follows from the source, and by its content. */
import { createHash } from "node:crypto"
import { type Block, canonicalJson, LigatureError, type Message, type ResultBlock } from "../../model/index.ts"
import { type Entry, type Loaded, type NewEntry, type Store, StoreError } from "../../store/index.ts"
import { beginningOf, placeOfPrefix, placesOf, type SourceName } from "./source-id.ts"

// The content of a path as keys that can be compared: two imports of one source are the same as far as their keys are. A key
// is for a message, or for one result of a message that has only results: agents write results as they land, so that a
// source may have one result today and three in the same message tomorrow.
//
// A key covers text, calls, results and media. How they were written down (`native`, raw spelling, ids of messages, lines)
// is not part of it: a source that was repaired, or is stored in fewer bytes, has the same keys.

/** Fingerprint of the content of one message or result. */
export type ContentKey = string

const comparable = (block: Block): unknown => {
  switch (block.type) {
    case "text":
      return [block.text]
    case "thinking":
      return ["thinking", block.text, block.signature ?? ""]
    case "media":
      return ["media", block.kind, block.source]
    case "call":
      return ["call", block.id, block.name, block.arguments, block.fault === undefined ? "" : (block.raw ?? "")]
    case "result":
      return ["result", block.callId, block.content.map(comparable), block.error ?? false, block.denied ?? false, block.synthetic ?? ""]
    case "opaque":
      return ["opaque", block.kind, block.text, block.native]
    default:
      return block satisfies never
  }
}

const fingerprint = (value: unknown): ContentKey => createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32)

const isResult = (block: Block): block is ResultBlock => block.type === "result"

/** The results of a message that has only results; undefined for any other. */
const resultsOf = ({ blocks }: Message): readonly ResultBlock[] | undefined =>
  blocks.length > 0 && blocks.every(isResult) ? blocks : undefined

const keysOfMessage = (message: Message): readonly ContentKey[] => {
  const results = resultsOf(message)
  if (results) return results.map((result) => fingerprint(comparable(result)))
  return [fingerprint([message.role, message.summary ?? false, message.blocks.map(comparable)])]
}

const made = new WeakMap<NewEntry, readonly ContentKey[]>()

const keysIn = (entry: NewEntry): readonly ContentKey[] => {
  if (entry.kind === "message") return keysOfMessage(entry.message)
  return entry.kind === "result" ? [fingerprint(comparable(entry.result))] : []
}

/** The keys of an entry; none for notes, summaries and hides, which have no content of their own. Made once for each entry. */
export const contentKeys = (entry: NewEntry): readonly ContentKey[] => {
  const known = made.get(entry)
  if (known) return known
  const keys = keysIn(entry)
  made.set(entry, keys)
  return keys
}

export const isContent = ({ kind }: NewEntry): boolean => kind === "message" || kind === "result"

/** Whether a message goes on where another one stopped, as an answer that was read while it was being written does. */
export const continues = (longer: NewEntry | undefined, shorter: NewEntry | undefined): boolean => {
  if (longer?.kind !== "message" || shorter?.kind !== "message") return false
  const [long, short] = [longer.message, shorter.message]
  if (long.role !== "assistant" || short.role !== "assistant" || long.blocks.length <= short.blocks.length) return false
  return short.blocks.every((block, index) => canonicalJson(comparable(block)) === canonicalJson(comparable(long.blocks[index] as Block)))
}

/** One key for a list of texts. */
export const digestOf = (texts: readonly string[]): string => fingerprint(texts)

// The content of a stored conversation as a tree of keys, to find where an import continues it: as deep as the keys of the
// import are there already, on any branch. Notes, summaries and hides have no keys, so they do not count.

/** As far as something is known. */
interface Spot {
  /** The entry after which the next one goes; null: nothing of it is there. */
  readonly entry: string | null
  /** How many keys are there. */
  readonly shared: number
}

/** An entry with the id the store gave it. */
type StoredEntry = NewEntry & { readonly id: string }

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

interface Divergence extends Spot {
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
  return entry.message.blocks
    .slice(count)
    .flatMap((block): readonly NewEntry[] => (block.type === "result" ? [{ kind: "result", result: block }] : []))
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

const operationMark = "import "

/** The name of a write of an import: it tells entries that were imported from those that were added in the store. */
export const importOperation = (name: string): string => `${operationMark}${name}`

export const isImported = ({ operation }: Entry): boolean => operation.startsWith(operationMark)

export const keysOf = (entries: readonly NewEntry[]): readonly ContentKey[] => entries.flatMap(contentKeys)

const loadIfThere = async (store: Store, id: string): Promise<Loaded | undefined> => {
  try {
    return await store.load(id)
  } catch (error) {
    if (error instanceof StoreError && error.reason === "missing-conversation") return undefined
    throw error
  }
}

/** Whether a path has an earlier import of this source. */
const holds = (path: readonly Entry[], entries: readonly NewEntry[], { isSession, isCompacted }: SourceName): boolean => {
  const content = path.filter(isContent)
  if (content.length === 0) return true
  if (isSession) return isCompacted === true || beginningOf(content) === beginningOf(entries)
  const keys = keysOf(entries)
  const { shared, tail } = compareWith(path, keys)
  return shared > 0 && (shared === keys.length || !tail.some(isImported))
}

/** Whether a conversation is an earlier import of this source: on the path it goes on with, or on one that was left. */
const belongs = async (store: Store, loaded: Loaded, entries: readonly NewEntry[], name: SourceName): Promise<boolean> => {
  if (holds(loaded.entries, entries, name)) return true
  for (const { tip, active } of await store.branches(loaded.id)) {
    if (!active && holds((await store.load(loaded.id, { at: tip })).entries, entries, name)) return true
  }
  return false
}

export interface Found {
  readonly id: string
  readonly name: SourceName
  readonly loaded?: Loaded
  readonly instead?: string
}

interface Looked {
  /** The conversation this source became before. */
  readonly loaded?: Loaded
  readonly id: string
  /** Places that others have. */
  readonly others: readonly string[]
}

/** Looks at the places of a name, up to the first that is free. */
const lookAt = async (store: Store, name: SourceName, entries: readonly NewEntry[]): Promise<Looked | undefined> => {
  const others: string[] = []
  let before = 0
  for (const { id, length } of placesOf(name)) {
    const loaded = await loadIfThere(store, id)
    if (loaded && (await belongs(store, loaded, entries, name))) return { id, loaded, others }
    if (!loaded) {
      // An earlier import of a shorter source had all of its content as its last place.
      for (let shorter = before + 1; others.length > 0 && shorter < length; shorter++) {
        const { id: place } = placeOfPrefix(name, shorter)
        const grown = await loadIfThere(store, place)
        if (grown && (await belongs(store, grown, entries, name))) return { id: place, loaded: grown, others }
      }
      return { id, others }
    }
    others.push(id)
    before = length
  }
  return undefined
}

/** The conversation a source became before, or the id for a new one. */
export const findBySource = async (store: Store, names: readonly SourceName[], entries: readonly NewEntry[]): Promise<Found> => {
  let free: Found | undefined
  for (const name of names) {
    const looked = await lookAt(store, name, entries)
    if (looked?.loaded) return { id: looked.id, name, loaded: looked.loaded }
    const [other] = looked?.others ?? []
    if (looked) free ??= { id: looked.id, name, ...(name.isSession && other !== undefined && { instead: other }) }
  }
  if (free) return free
  throw new LigatureError("cannot-write", "There are a thousand conversations that begin like this one. Name it with an id")
}

/** By the name somebody chose. What is there must be this source, or nothing. */
export const findById = async (store: Store, id: string, entries: readonly NewEntry[]): Promise<Found> => {
  const name: SourceName = { parts: ["id", id], isSession: true }
  const loaded = await loadIfThere(store, id)
  if (!loaded || (await belongs(store, loaded, entries, name))) return { id, name, ...(loaded && { loaded }) }
  const message = `Conversation ${JSON.stringify(id)} exists and does not begin like this source; nothing was written`
  throw new StoreError("exists", message, { conversation: id })
}
