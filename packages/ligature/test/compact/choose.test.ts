import { describe, expect, it } from "vitest"
import { CandidatePool, candidatesOf } from "../../src/compact/strategies/digest/candidates.ts"
import { Chooser } from "../../src/compact/strategies/digest/choose-lines.ts"
import type { Passage } from "../../src/compact/strategies/digest/relevance/lines.ts"
import { eachNameInside } from "../../src/compact/text/terms.ts"
import { usageOf } from "../../src/compact/strategies/digest/relevance/usage.ts"

const passage = (item: number, ...lines: readonly string[]): Passage => ({ item, group: item * 256, source: "result", lines })

/** Chooses among lines whose tokens are their words; every term is worth one unless `worths` says otherwise. */
const choosing = (passages: readonly Passage[], worths: Readonly<Record<string, number>> = {}) => {
  const usage = usageOf(passages, { first: -1, latest: -1, goal: "" })
  const values = Float64Array.from(usage.records, ({ text, kind }) => worths[text] ?? (kind === "word" ? 0 : 1))
  const counted: string[] = []
  const count = (text: string): number => {
    counted.push(text)
    return text.split(" ").length
  }
  const candidates = candidatesOf(passages, usage, values)
  const choosable = { candidates, usage, worths: values, count, headingTokens: () => 2 }
  const chooser = Chooser.from(new CandidatePool(choosable))
  const pick = (tokens: number): readonly string[] => chooser.pick(tokens).map(({ text }) => text)
  return { pick, counted }
}

describe("choosing lines", () => {
  it("takes what shows most worth per token first, and stops where the budget is full", () => {
    const { pick } = choosing([passage(0, "alphaOne and some more words", "betaTwo gammaThree", "deltaFour of it")])
    expect(pick(6)).toEqual(["betaTwo gammaThree"])
  })

  it("goes on where it stopped, and ends as if it had been asked once", () => {
    const lines = Array.from({ length: 40 }, (_, line) => `name${line}Of ${"x ".repeat(line % 7)}otherName${line}`)
    const once = choosing([passage(0, ...lines)]).pick(90)
    const { pick } = choosing([passage(0, ...lines)])
    const steps = [...pick(30), ...pick(30), ...pick(30)]
    expect(new Set(steps).size).toBe(steps.length)
    expect(steps.slice(0, 5)).toEqual(once.slice(0, 5))
  })

  it("prints words that were said twice once", () => {
    const { pick } = choosing([passage(0, "alphaOne betaTwo"), passage(1, "  alphaOne   betaTwo")])
    expect(pick(100)).toEqual(["alphaOne betaTwo"])
  })

  it("prefers a line in a group that is open already", () => {
    const passages = [passage(0, "alphaOne"), passage(1, "betaTwo gammaThree", "deltaFour")]
    expect(choosing(passages).pick(8)).toEqual(["betaTwo gammaThree", "deltaFour"])
  })

  it("counts a name by half that was shown as part of another", () => {
    const passages = [passage(0, "src/deep/parse.ts", "parse.ts", "alphaOne")]
    const worths = { "src/deep/parse.ts": 3, "parse.ts": 1, alphaOne: 0.8, "deep/parse.ts": 0 }
    expect(choosing(passages, worths).pick(7)).toEqual(["src/deep/parse.ts", "alphaOne"])
  })

  it("does not count a name that is right beside the cut of a long line", () => {
    const filler = "and so it goes on for a while ".repeat(6)
    // The window around `rightName` begins with `leftName`: it is there, and yet has to be shown in its own line.
    const long = `${filler}leftName ${"w ".repeat(20)}rightName which ends here ${filler}`
    const passages = [passage(0, long), passage(1, "leftName is here", "otherName is there")]
    const [first, second] = choosing(passages, { leftName: 1, rightName: 90, otherName: 0.5 }).pick(1000)
    expect(first).toMatch(/^…leftName .*rightName/)
    expect(second).toBe("leftName is here")
  })

  it("counts the tokens of lines that come up, not of all", () => {
    const lines = Array.from({ length: 500 }, (_, line) => `name${line}Of ${"word ".repeat(20)}`)
    const { pick, counted } = choosing([passage(0, "alphaOne betaTwo gammaThree", ...lines)])
    expect(pick(8)).toEqual(["alphaOne betaTwo gammaThree"])
    expect(counted.length).toBeLessThan(100)
  })
})

describe("what is picked", () => {
  it("never costs more than it may, whatever its length promised", () => {
    for (let tokens = 1; tokens < 60; tokens++) {
      const lines = Array.from({ length: 30 }, (_, line) => `name${line}Of ${"a ".repeat((line * 7) % 40)}`.trim())
      const { pick } = choosing([passage(0, ...lines)])
      const cost = pick(tokens).reduce((sum, text) => sum + text.split(" ").length + 1, 0)
      expect(cost === 0 ? 0 : cost + 2).toBeLessThanOrEqual(tokens)
    }
  })
})

describe("names inside a term", () => {
  const inside = (text: string, kind: "path" | "identifier" | "word"): readonly string[] => {
    const names: string[] = []
    eachNameInside(text, kind, (name) => names.push(name))
    return names
  }

  it("are its beginnings and ends", () => {
    expect(inside("a/b/c", "path")).toEqual(["a", "b/c", "a/b", "c"])
    expect(inside("store.load", "identifier")).toEqual(["store", "load"])
  })

  it("are none in a word", () => expect(inside("e.g", "word")).toEqual([]))
})
