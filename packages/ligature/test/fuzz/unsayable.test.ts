/** A value in the place of a text may have a `toString` that is none: nothing of an input may be asked to turn itself into text. */
import { root } from "../../../../scripts/source-files.ts"
import { describe, expect, it } from "vitest"
import { tryValue } from "../../../../scripts/fuzz/areas/value-properties.ts"
import { cloned, setAt, spotsIn, valueAt } from "../../../../scripts/fuzz/json-tree.ts"
import { Random } from "../../../../scripts/fuzz/random.ts"
import { collectSeeds } from "../../../../scripts/fuzz/seeds.ts"

const seeds = collectSeeds(new Random(1), { root })
const unsayable = { toString: [], valueOf: "" }

describe("an object that cannot be turned into text", () => {
  it.each([...seeds.keys()])("is data like any other in %s", (format) => {
    const thrown = new Set<string>()
    for (const seed of (seeds.get(format) ?? []).slice(0, 2)) {
      const texts = [...spotsIn({ root: seed }).entries()].filter(([, spot]) => typeof valueAt(spot) === "string")
      for (const [index] of texts.slice(0, 24)) {
        const copy = { root: cloned(seed) }
        const spot = spotsIn(copy)[index]
        if (spot) setAt(spot, { ...unsayable })
        for (const { property, detail } of tryValue(format, copy.root, { profiles: [], targets: [] })) {
          if (property === "never-throws") thrown.add(detail)
        }
      }
    }
    expect([...thrown]).toEqual([])
  })
})
