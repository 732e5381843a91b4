/**
 * Random lives of conversations, done alike to the memory store and to another store, which is closed and opened again
 * and shared by two handles on the way. Both must answer alike, refusals included, and show the same in the end.
 */
import { expect, it } from "vitest"
import { assistant, call, result, user } from "../../src/model/index.ts"
import { cover, type Lease, memoryStore, type NewEntry, type Store, StoreError } from "../../src/store/index.ts"
import { Choices } from "../../src/testing/index.ts"
import { numbersFromSeed } from "../../src/testing/damage.ts"

/** Where one life takes place. */
export interface OracleHome {
  readonly open: (now: () => number) => Store
  readonly dispose: () => Promise<void>
}

/** What a call gave or why it was refused, without times that differ between stores. */
const outcomeOf = async (action: Promise<unknown>): Promise<unknown> => {
  try {
    return await action
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return { reason: error.reason, tip: error.tip, holder: error.holder, expires: error.expires }
  }
}

/** One thing to do; what it needs to know of the conversation is asked from the oracle. */
const act = async (choices: Choices, step: number, oracle: Store): Promise<(store: Store) => Promise<unknown>> => {
  const ids = ["c", "d", "e"]
  const id = ids[choices.number(3)] ?? "c"
  const loaded = await oracle.load(id).catch(() => undefined)
  const known = loaded?.entries ?? []
  const some = known[choices.number(Math.max(1, known.length))]?.id ?? null
  const operation = choices.chance(6) ? `op${choices.number(step + 1)}` : `op${step}`
  const leases: Lease[] = [1, 2].map((generation) => ({ slot: "write", owner: `o${choices.number(2)}`, generation, expires: 0 }))
  const lease = choices.chance(4) ? leases[choices.number(2)] : undefined
  const expectedTip = choices.chance(3) ? some : undefined
  const options = { operation, ...(lease && { lease }), ...(expectedTip !== undefined && { expectedTip }) }
  const own = (slot: number): string => `e${choices.chance(12) ? choices.number(step + 1) : step}.${slot}`
  const entry = (slot: number): NewEntry => {
    const base = { id: own(slot) }
    switch (choices.number(8)) {
      case 0:
        return { ...base, kind: "rename", title: `title ${step}` }
      case 1:
        return { ...base, kind: "tip", to: choices.chance(8) ? "nowhere" : some }
      case 2:
        return { ...base, kind: "hide", covers: cover(known.slice(0, choices.number(4))) }
      case 3:
        return { ...base, kind: "summary", message: user(`sum ${step}`), covers: cover(known.slice(0, choices.number(6))) }
      case 4:
        return { ...base, kind: "result", result: result("a", `r ${step}`) }
      case 5:
        return { ...base, kind: "message", message: assistant("x", call("a", "ls", { step })) }
      case 6:
        return { ...base, kind: "note", name: "n", value: { step, lone: "\ud800" } }
      default:
        return { ...base, kind: "message", message: user(`says ${step}`) }
    }
  }
  switch (choices.number(14)) {
    case 0: {
      const options = choices.chance(2) ? { id, operation } : { id }
      return (store) => store.create(options)
    }
    case 1: {
      const options = { ...(some !== null && { at: some }), last: 1 + choices.number(5) }
      return (store) => store.load(id, options)
    }
    case 2: {
      const options = { id: ids[choices.number(3)] ?? "c", ...(some !== null && { at: some }) }
      return (store) => store.fork(id, options)
    }
    case 3: {
      const request = { owner: `o${choices.number(2)}`, durationMs: 5, ...(choices.chance(3) && { slot: "summary" }) }
      return (store) => store.acquire(id, request)
    }
    case 4:
      return (store) => store.release(id, leases[0] as Lease)
    case 5:
      return (store) => store.renew(id, leases[1] as Lease, 5)
    case 6:
      return choices.chance(4) ? (store) => store.remove(id) : (store) => store.list({ limit: 2 })
    case 7: {
      const move: NewEntry = { kind: "tip", id: own(0), to: some }
      return (store) => store.append(id, [move], options)
    }
    default: {
      const entries = Array.from({ length: choices.number(4) }, (_, slot) => entry(slot))
      return (store) => store.append(id, entries, options)
    }
  }
}

export const answersLikeMemory = (lives: number, makeHome: () => Promise<OracleHome>): void => {
  it(`answers like the memory store in ${lives} random lives`, async () => {
    for (let seed = 1; seed <= lives; seed++) {
      const home = await makeHome()
      let clock = 1_000
      const now = (): number => clock
      const oracle = memoryStore({ now })
      let handles = [home.open(now), home.open(now)]
      const choices = new Choices(numbersFromSeed(seed, 4_000))
      for (let step = 0; step < 80; step++) {
        clock += choices.number(4) - 1
        const action = await act(choices, step, oracle)
        const store = handles[choices.number(2)] as Store
        const expected = await outcomeOf(action(oracle))
        expect(await outcomeOf(action(store)), `LIGATURE_LIVES seed ${seed}, step ${step}`).toEqual(expected)
        if (choices.chance(10)) {
          await Promise.all(handles.map((handle) => handle.close()))
          handles = handles.map(() => home.open(now))
        }
      }
      for (const { id } of (await oracle.list()).conversations) {
        for (const handle of handles) {
          expect(await handle.load(id), `seed ${seed}`).toEqual(await oracle.load(id))
          expect(await handle.branches(id), `seed ${seed}`).toEqual(await oracle.branches(id))
        }
      }
      expect(await handles[0]?.list(), `seed ${seed}`).toEqual(await oracle.list())
      await Promise.all(handles.map((handle) => handle.close()))
      await home.dispose()
    }
  })
}
