/**
 * A small part of the compaction benchmark on real trajectories: no view of digest may miss a gate, and none of the
 * recorded floors may be undercut. Floors lie a little below what was measured; raise them when digest gets better.
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
} from "../../bench/compaction/index.mjs"
import * as compaction from "../../src/compact/index.ts"
import * as library from "../../src/index.ts"

const corpus = process.env["LIGATURE_CORPUS"]
const reason = corpus === undefined ? "LIGATURE_CORPUS is not set" : hasTokenizer ? undefined : "bench/peers is not installed"
if (reason !== undefined) console.warn(`The compaction benchmark is skipped: ${reason}.`)

const floors = JSON.parse(readFileSync(new URL("../../bench/compaction/floors.json", import.meta.url), "utf8")) as {
  readonly groups: readonly string[]
  readonly limit: number
  readonly digest: Readonly<Record<string, { readonly F: number }>>
}

const title = `the compaction benchmark, in small${reason === undefined ? "" : ` (skipped: ${reason})`}`

describe.skipIf(reason !== undefined)(title, () => {
  it("digest misses no gate and stays above its floors", { timeout: 300_000 }, () => {
    const { groups, limit } = floors
    const code = fileURLToPath(new URL("../../src", import.meta.url))
    const trajectories = loadTrajectories(corpus ?? "", { library, code, groups })
    const cuts = prepareCuts(trajectories, { limit, shadow: false, loose: false })
    const gates = judgeWith(library)
    const whole = { ...library, ...compaction }
    for (const [percent, floor] of Object.entries(floors.digest)) {
      const rho = Number(percent) / 100
      const runs = cuts
        .filter((cut) => budgetOf(cut, rho) >= 150)
        .map((cut) => {
          const answer = (): ReturnType<ReturnType<typeof fromStrategy>["compactMessages"]> =>
            fromStrategy(compaction.digest(), whole).compactMessages(cut.context.messages, budgetOf(cut, rho))
          const [first, second] = [answer(), answer()]
          const isSame = JSON.stringify(first.messages) === JSON.stringify(second.messages)
          return judged(cut, { ...first, isSame, rho }, gates)
        })
      expect(runs.length).toBeGreaterThan(10)
      expect(runs.flatMap(({ id, missed }) => missed.map((gate) => `${id}: ${gate}`))).toEqual([])
      expect(summarise(runs).ALL.F).toBeGreaterThanOrEqual(floor.F)
    }
  })
})
