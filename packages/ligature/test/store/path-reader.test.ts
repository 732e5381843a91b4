import { describe, expect, it } from "vitest"
import { Outline, PathReader } from "../../src/store/entry-rows.ts"

const row = (number: number) => ({ number, parent: null, kind: "message", id: `e${number}`, at: 0, target: null })

describe("the way over rows that are gone", () => {
  it("leads further back each time, also where a table names rows that it does not give", () => {
    const reader = new PathReader("c")
    const outline = new Outline([row(1), row(5)])
    expect([7, 5, 5].map((missing) => reader.bridge(missing, outline))).toEqual([5, null, null])
    expect(reader.damage.map(({ rule }) => rule)).toEqual(["missing-tip", "missing-tip", "missing-tip"])
  })

  it("never leads to a later row", () => {
    const reader = new PathReader("c")
    reader.take({ ...row(2), version: 1, sum: 0, operation: "o", body: "{}" })
    // The rows come in another order than their numbers say.
    expect(reader.bridge(1, new Outline([row(5), row(2)]))).toBeNull()
  })
})
