/**
 * Simulated lives of a folder that several processes share, on one machine, in containers, on several machines: every
 * interleaving of their calls to the system, pauses, kills, power cuts, failing disks, wrong clocks. What clients were told
 * must be true; see history.ts. The store's own code runs; the world around it is simulated.
 *
 *   npm run simulate -- --seeds 1000000      more lives than the tests have time for
 *   npm run simulate -- --seed 4711          one of them again
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { memoryStore, type Store, StoreError } from "../../../src/store/index.ts"
import { buildToSimulate } from "./code.ts"
import { firstWrong, keepsPromisesInterleaved } from "./interleaved.ts"
import { shrink } from "./shrink.ts"
import { numbersOf, simulate, type SimulationOptions } from "./simulate.ts"
import { Thread } from "./thread.ts"

const first = Number(process.env["LIGATURE_SIMULATE_FROM"] ?? 1)
const wanted = process.env["LIGATURE_SIMULATE_SEEDS"]
const seeds = Number(wanted ?? 4_000)
/** The tests end in time also where the machine is slow; a command goes on until it is done. */
const mostMs = wanted === undefined ? 20_000 : Number.POSITIVE_INFINITY
const tellEveryMs = 15_000

let threads: readonly Thread[] = []
let dispose = (): void => {}
beforeAll(async () => {
  const build = buildToSimulate()
  dispose = build.dispose
  threads = await Promise.all([1, 2, 3].map(() => Thread.start(build.code)))
}, 120_000)
afterAll(async () => {
  for (const thread of threads) await thread.stop()
  dispose()
})

/** What a person needs to understand a failure: the seed, the shortest way there, and what happens on it. */
const explain = (seed: number, decisions: readonly number[], options: SimulationOptions): string => {
  const smallest = shrink(decisions, (tried) => simulate(threads, tried, options).wrong !== undefined)
  const { wrong, trace } = simulate(threads, smallest, { ...options, tracing: true })
  return [`seed ${seed}: ${wrong}`, `decisions: ${JSON.stringify(smallest)}`, ...trace].join("\n")
}

describe.runIf(wanted === undefined)("the memory store", () => {
  keepsPromisesInterleaved(600, async () => {
    const home = new Map<string, unknown>()
    return { open: (now) => memoryStore({ home, now }), dispose: async () => {} }
  })
})

describe.runIf(wanted === undefined)("the judge", () => {
  /** A memory store with another `append`. */
  const spoilt =
    (append: (store: Store, count: number, ...given: Parameters<Store["append"]>) => ReturnType<Store["append"]>) => async () => {
      const home = new Map<string, unknown>()
      let count = 0
      const open = (now: () => number): Store => {
        const store = memoryStore({ home, now })
        return new Proxy(store, {
          // What the judge itself appends at the end is a note.
          get: (_, name: keyof Store) =>
            name === "append"
              ? (...given: Parameters<Store["append"]>) =>
                  given[1][0]?.kind === "note" ? store.append(...given) : append(store, count++, ...given)
              : store[name].bind(store),
        })
      }
      return { open, dispose: async () => {} }
    }

  it("finds an acknowledged append that was never written", async () => {
    const forgetful = spoilt(async (store, count, id, entries, options = {}) => {
      if (count % 5 < 4 || options.lease) return store.append(id, entries, options)
      const ids = entries.map((entry) => entry.id ?? "")
      return { tip: ids.at(-1) ?? null, ids, operation: options.operation ?? "", repeated: false }
    })
    expect(await firstWrong(20, forgetful)).toMatch(/was told that \w+ is written|loaded after \w+ was acknowledged/)
  })

  it("finds an append under a lease that somebody else has taken over", async () => {
    const careless = spoilt(async (store, _, id, entries, { lease, ...rest } = {}) => {
      if (!lease) return store.append(id, entries, rest)
      const [current] = (await store.unlock(id)).filter(({ slot }) => slot === "write")
      const { holder: owner = "", generation = 0, expires = 0 } = current ?? {}
      return store.append(id, entries, current ? { ...rest, lease: { slot: "write", owner, generation, expires } } : rest)
    })
    expect(await firstWrong(200, careless)).toMatch(/under generation \d+, which \w+ had taken over/)
  })

  it("finds an append that was denied and is there all the same", async () => {
    const lying = spoilt(async (store, count, ...given) => {
      const appended = await store.append(...given)
      if (count % 5 === 4) throw new StoreError("conflict", "not written")
      return appended
    })
    expect(await firstWrong(20, lying)).toMatch(/was told that \w+ was not written, and it is on the path/)
  })
})

describe("a folder that processes share", () => {
  it(`keeps its promises in ${seeds} simulated lives`, { timeout: Number.POSITIVE_INFINITY }, () => {
    const start = performance.now()
    let told = start
    let seed = first
    for (; seed < first + seeds && performance.now() - start < mostMs; seed++) {
      const { wrong, decisions } = simulate(threads, numbersOf(seed))
      if (wrong !== undefined) expect.fail(explain(seed, decisions, {}))
      if (wanted === undefined || performance.now() - told < tellEveryMs) continue
      told = performance.now()
      console.log(`${seed - first + 1} of ${seeds} lives, nothing wrong`)
    }
    expect(seed - first).toBeGreaterThan(0)
  })

  it.runIf(wanted === undefined)("does not where the system takes the living for dead, and the shortest way there is found", () => {
    const options = { wrongAboutDeath: true }
    let seed = 1
    let verdict = simulate(threads, numbersOf(seed), options)
    while (verdict.wrong === undefined && seed < 2_000) verdict = simulate(threads, numbersOf(++seed), options)
    expect(verdict.wrong).toBeDefined()
    const fails = (tried: readonly number[]): boolean => simulate(threads, tried, options).wrong !== undefined
    const smallest = shrink(verdict.decisions, fails, 300)
    expect(smallest.length).toBeLessThan(verdict.decisions.length)
    const [once, twice] = [1, 2].map(() => simulate(threads, smallest, options))
    expect([once?.wrong, once?.steps]).toEqual([twice?.wrong, twice?.steps])
    expect(once?.wrong).toBeDefined()
  })
})
