/** Finds the conversation that a source became before: by the id that follows from the source, and by its content. */
import { LigatureError } from "../../model/index.ts"
import { type Entry, type Loaded, type NewEntry, type Store, StoreError } from "../../store/index.ts"
import { compareWith } from "./known-paths.ts"
import { type ContentKey, contentKeys, isContent } from "./content-key.ts"
import { beginningOf, placeOfPrefix, placesOf, type SourceName } from "./source-id.ts"

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
