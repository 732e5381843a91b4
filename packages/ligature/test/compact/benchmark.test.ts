/**
 * A small part of the compaction benchmark on real trajectories: no view may miss a gate, none of the recorded
 * floors may be undercut, and a larger budget may not keep less. Floors lie a little below what was measured; raise them when a strategy gets better.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import {
  budgetOf,
  fromStrategy,
  hasTokenizer,
  judged,
  judgeWith,
  loadTrajectories,
  prepareCuts,
  summarise,
} from "../../../../bench/compaction/index.mjs"
import * as compaction from "../../src/compact/index.ts"
import * as library from "../../src/index.ts"

const corpus = process.env["LIGATURE_CORPUS"]
const reason = corpus === undefined ? "LIGATURE_CORPUS is not set" : hasTokenizer ? undefined : "bench/peers is not installed"
if (reason !== undefined) console.warn(`The compaction benchmark is skipped: ${reason}.`)

const names = ["digest", "generations"] as const

/** A part of the corpus, with what is demanded on it. */
interface Part {
  readonly groups: readonly string[]
  readonly limit: number
  /** F by strategy and percent. */
  readonly F: Readonly<Record<(typeof names)[number], Readonly<Record<string, number>>>>
  /** How much less of a cut may survive at the next larger budget: a choice of lines is greedy. */
  readonly fall: number
}
const read = (): readonly Part[] => JSON.parse(readFileSync(new URL("../../../../bench/compaction/floors.json", import.meta.url), "utf8"))

const title = `the compaction benchmark, in small${reason === undefined ? "" : ` (skipped: ${reason})`}`

describe.skipIf(reason !== undefined)(title, () => {
  const gates = judgeWith(library)
  const whole = { ...library, ...compaction }
  const code = fileURLToPath(new URL("../../src", import.meta.url))

  describe.each(read())("of $groups", ({ groups, limit, F, fall }) => {
    const prepare = (): ReturnType<typeof prepareCuts> =>
      prepareCuts(loadTrajectories(corpus ?? "", { library, code, groups }), { limit, shadow: false, loose: false })
    let cuts: ReturnType<typeof prepareCuts> | undefined
    const judge = (name: (typeof names)[number], rho: number): ReturnType<typeof judged>[] =>
      (cuts ??= prepare())
        .filter((cut) => budgetOf(cut, rho) >= 150)
        .map((cut) => {
          const answer = (): ReturnType<ReturnType<typeof fromStrategy>["compactMessages"]> =>
            fromStrategy(compaction[name](), whole).compactMessages(cut.context.messages, budgetOf(cut, rho))
          const [first, second] = [answer(), answer()]
          const isSame = JSON.stringify(first.messages) === JSON.stringify(second.messages)
          return judged(cut, { ...first, isSame, rho }, gates)
        })

    it.each(names)("%s misses no gate, stays above its floors, and keeps no less with a larger budget", { timeout: 300_000 }, (name) => {
      const before = new Map<string, number>()
      for (const [percent, floor] of Object.entries(F[name])) {
        const runs = judge(name, Number(percent) / 100)
        expect(runs.length).toBeGreaterThan(10)
        expect(runs.flatMap(({ id, missed }) => missed.map((gate) => `${id}: ${gate}`))).toEqual([])
        expect(summarise(runs).ALL.F).toBeGreaterThanOrEqual(floor)
        for (const { id, R } of runs) {
          expect(R, `${id} at ${percent} %`).toBeGreaterThanOrEqual((before.get(id) ?? 0) - fall)
          before.set(id, R)
        }
      }
    })
  })
})
