/**
 * What a run could not store because its store stayed down: answers of the model, and results of tools that had run. They
 * come back with the `LoopError` of the run, as plain JSON that can be kept anywhere, and go into the conversation later: with the next run
 * or `resume` (`unsaved`), or by `saveUnsaved`.
 *
 * They fit only where they belong: a result while its call is open, an answer while nothing was added since. An append that
 * was written after all, and only its acknowledgement was lost, is recognised by its name.
 */
import { assertOptions } from "../../model/index.ts"
import { platform as clock, type Surroundings as Clock } from "../../compact/internal.ts"
import { type Lease, type Loaded, type NewEntry, type Store, StoreError } from "../../store/index.ts"
import { recoveryPlan } from "../../store/recovery.ts"

/** Clock, randomness and network of a run, in one place, so that a test can replace each of them. */
export type Fetch = typeof globalThis.fetch

export interface Surroundings extends Clock {
  /** Default: the `fetch` of the platform. */
  readonly fetch: Fetch
  /** From 0 to 1, for the jitter of back-off. */
  readonly random: () => number
}

export const platform: Surroundings = {
  ...clock,
  fetch: (input, init) => globalThis.fetch(input, init),
  random: () => Math.random(),
}

/** One append that was never acknowledged. */
export interface UnsavedAppend {
  /** Its name: repeating it has no second effect. */
  readonly operation: string
  readonly entries: readonly NewEntry[]
}

export interface Unsaved {
  readonly conversation: string
  /** The newest entry when the first of them could not be written. */
  readonly after: string | null
  /** In their order. */
  readonly appends: readonly UnsavedAppend[]
}

interface Placement {
  /** Can be appended at the tip, in this order. */
  readonly fits: readonly UnsavedAppend[]
  /** Have no place any more: their calls have other results by now, or the conversation went on. */
  readonly left: readonly UnsavedAppend[]
}

const isSpeech = ({ kind }: NewEntry): boolean => kind === "message" || kind === "result"

/** Where unsaved appends go in a conversation as it is now. */
export const placeUnsaved = (loaded: Loaded, { after, appends }: Unsaved): Placement => {
  const names = new Set(appends.map(({ operation }) => operation))
  const written = new Set(loaded.entries.map(({ operation }) => operation))
  const at = loaded.entries.findLastIndex(({ id }) => id === after)
  const isKnown = after === null || at >= 0
  const since = loaded.entries.slice(at + 1).filter((entry) => isSpeech(entry) && !names.has(entry.operation))
  const open = new Set(recoveryPlan(loaded).openCalls.flatMap(({ id, becomes }) => (becomes === "waits" ? [] : [id])))
  let goesOn = isKnown && since.length === 0
  const fits: UnsavedAppend[] = []
  const left: UnsavedAppend[] = []
  for (const append of appends) {
    if (written.has(append.operation)) continue
    const calls = append.entries.flatMap((entry) =>
      entry.kind === "message" ? entry.message.blocks.flatMap((block) => (block.type === "call" ? [block.id] : [])) : [],
    )
    const answered = append.entries.flatMap((entry) => (entry.kind === "result" ? [entry.result.callId] : []))
    const isAnswerable = answered.every((id) => open.has(id) || calls.includes(id))
    const speaks = append.entries.some(({ kind }) => kind === "message")
    if (!isAnswerable || (speaks && !goesOn)) {
      left.push(append)
      goesOn = false
      continue
    }
    fits.push(append)
    for (const id of calls) open.add(id)
    for (const id of answered) open.delete(id)
  }
  return { fits, left }
}

const unsavedOf = (unsaved: Unsaved, left: readonly UnsavedAppend[]): Unsaved | undefined =>
  left.length === 0 ? undefined : { ...unsaved, appends: left }

/** What two runs of a conversation could not store. */
export const joinUnsaved = (earlier: Unsaved | undefined, later: Unsaved | undefined): Unsaved | undefined =>
  earlier && later ? { ...earlier, appends: [...earlier.appends, ...later.appends] } : (earlier ?? later)

/** Entries that no store takes: trying again would end every later run as well. */
const isRefused = (error: unknown): boolean => error instanceof StoreError && error.reason === "bad-entry"

/**
 * Stores what a run could not store, as far as it still has a place. Gives what has none; undefined: all is stored.
 *
 *     await run({ … }).catch(async (error) => {
 *       if (error instanceof LoopError && error.unsaved) await saveUnsaved(store, error.unsaved)
 *       throw error
 *     })
 */
export const saveUnsaved = async (store: Store, unsaved: Unsaved, given: { readonly lease?: Lease } = {}): Promise<Unsaved | undefined> => {
  assertOptions(given, { lease: true })
  const { lease } = given
  const loaded = await store.load(unsaved.conversation)
  const { fits, left } = placeUnsaved(loaded, unsaved)
  let { tip } = loaded
  for (const [index, { operation, entries }] of fits.entries()) {
    try {
      const options = { operation, expectedTip: tip, durable: true, ...(lease && { lease }) }
      tip = (await store.append(unsaved.conversation, entries, options)).tip
    } catch (error) {
      if (!isRefused(error)) throw error
      return unsavedOf(unsaved, [...fits.slice(index), ...left])
    }
  }
  return unsavedOf(unsaved, left)
}
