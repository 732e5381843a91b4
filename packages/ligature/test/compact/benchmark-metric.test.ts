/**
 * The measure itself, on a trajectory written by hand: what is an item, what is needed, what survives, which gates
 * hold.
 */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import {
  baselines,
  type CanonicalMessage,
  type Cut,
  hasTokenizer,
  isComposable,
  isIn,
  isInContext,
  itemsOf,
  judgeWith,
  missedGates,
  neededAt,
  pairingFaults,
  prepareNeeded,
  scoreText,
  textOf,
  textOfAll,
  weightsFor,
  windowsOf,
  withoutRepeats,
  wordsOf,
} from "../../../../bench/compaction/index.mjs"
import * as library from "../../src/index.ts"

const fixture = new URL("../../../../bench/compaction/fixtures/rename.json", import.meta.url)
const messages = JSON.parse(readFileSync(fixture, "utf8")) as readonly CanonicalMessage[]
const prepared = (list: readonly CanonicalMessage[]): Parameters<typeof neededAt>[0] => ({
  messages: list,
  items: list.map((message) => itemsOf(textOf(message))),
  argumentItems: list.map(() => new Set<string>()),
})
const trajectory = prepared(messages)
const at = 5
const context: Cut["context"] = {
  messages: messages.slice(0, at),
  texts: messages.slice(0, at).map(textOf),
  tokens: messages.slice(0, at).map(() => 20),
}
const needed = prepareNeeded(context, neededAt(trajectory, at, () => 1).strict)
const cut: Cut = { id: "rename@5", group: "own", trajectory: "rename", context, total: 100, needed }

describe("items", () => {
  it("are found in the order of their types, each stretch once", () => {
    const line = 'See https://a.example/x/y, then src/a/b.ts, main-view.tsx --dry-runs x9k-220 cartTotal 1234 "two words here".'
    expect([...itemsOf(line)]).toEqual([
      ["https://a.example/x/y", "url"],
      ["src/a/b.ts", "path"],
      ["main-view.tsx", "file"],
      ["--dry-runs", "flag"],
      ["x9k-220", "id"],
      ["cartTotal", "identifier"],
      ["1234", "number"],
      ["two words here", "phrase"],
    ])
  })

  it("leave plain words and small numbers alone", () => {
    expect([...itemsOf("The 12 quick foxes (really) jump: over, 3.5 lazy dogs")]).toEqual([])
  })

  it("of half a million characters are found in time that grows with the text, not with its square", () => {
    // The square of it would take hours, and the test has a minute.
    for (const piece of ["aa", "a/", "a-", "a."]) itemsOf(piece.repeat(250_000))
  })
})

describe("what is needed", () => {
  it("is what the agent says later before anything shows it again", () => {
    expect(needed.map(({ item }) => item).sort()).toEqual(["AB12-900", "cartTotal", "docs/pricing.md", "src/shop/checkout.ts"])
  })

  it("is, loosely, also what was shown again", () => {
    const shown: CanonicalMessage = { role: "tool", content: "AB12-900" }
    const { strict, loose } = neededAt(prepared([...messages.slice(0, at), shown, ...messages.slice(at)]), at, () => 1)
    expect(strict.map(({ item }) => item)).not.toContain("AB12-900")
    expect(loose.map(({ item }) => item)).toContain("AB12-900")
  })

  it("weighs nothing when many trajectories, the system prompt or everybody knows it", () => {
    const weightOf = weightsFor(
      {
        total: 100,
        seen: new Map([
          ["often", 30],
          ["rare", 1],
          ["told", 1],
        ]),
      },
      new Set(["told"]),
    )
    expect(["often", "rare", "told", "package.json"].map(weightOf)).toEqual([0, 1, 0, 0])
  })

  it("is hard where it was seen long ago and not in the first user message", () => {
    const old = ["cartTotal", "docs/pricing.md", "src/shop/checkout.ts"]
    expect(
      needed
        .filter(({ isHard }) => isHard)
        .map(({ item }) => item)
        .sort(),
    ).toEqual(old)
  })
})

describe("survival", () => {
  it("wants the item as a word of its own", () => {
    expect([isIn("my cartTotals", "cartTotal"), isIn("cartTotal=1", "cartTotal")]).toEqual([false, true])
  })

  it("credits a path that can be composed", () => {
    expect(isComposable("in src/shop: checkout.ts", "src/shop/checkout.ts")).toBe(true)
    expect(isComposable("in src: checkout.ts", "src/shop/checkout.ts")).toBe(false)
  })

  it("in context wants most of the words around it", () => {
    const windows = windowsOf("export const cartTotal = price times count", "cartTotal")
    expect(isInContext("export const cartTotal = price times", "cartTotal", windows)).toBe(true)
    expect(isInContext("AB12 cartTotal docs pricing", "cartTotal", windows)).toBe(false)
  })

  it("of an item that stood alone wants few neighbours", () => {
    const windows = windowsOf("cartTotal", "cartTotal")
    expect(isInContext("a b cartTotal c", "cartTotal", windows)).toBe(true)
    expect(isInContext("a b cartTotal c d", "cartTotal", windows)).toBe(false)
  })

  it("is whole for the context itself and nothing for an empty view", () => {
    const whole = scoreText(textOfAll(context.messages), needed)
    expect([whole.R, whole.Rc, whole.F, whole.Rhc]).toEqual([1, 1, 1, 1])
    expect(scoreText("", needed).F).toBe(0)
  })

  it("of a bag of strings is not survival in context", () => {
    const bag = scoreText(needed.map(({ item }) => item).join(" "), needed)
    expect([bag.R, bag.Rc < 0.5]).toEqual([1, true])
  })
})

describe("the second definition", () => {
  it("takes long words without the punctuation around them", () => {
    expect([...wordsOf("see (docs/pricing.md), or legacyDiscount; no")]).toEqual(["docs/pricing.md", "legacyDiscount"])
  })
})

describe("pairing", () => {
  it("names orphans, unanswered calls, an empty view and one that does not open with the user", () => {
    const [user, call, answer] = messages as [CanonicalMessage, CanonicalMessage, CanonicalMessage]
    const faults = (list: readonly CanonicalMessage[]): readonly string[] => [...pairingFaults(list)]
    expect(faults([user, call, answer])).toEqual([])
    expect(faults([user, answer])).toEqual(["orphan result"])
    expect(faults([user, call])).toEqual(["unanswered call"])
    expect(faults([call, answer])).toEqual(["first message is not the user's"])
    expect(faults([])).toEqual(["empty"])
  })
})

describe("repeats", () => {
  it("of the same history are dropped, the longest stays", () => {
    const list = [3, 8, 5].map((count) => messages.slice(0, count)).map((some) => ({ messages: some, tokens: some.map(() => 1) }))
    expect(withoutRepeats(list).map((each) => each.messages.length)).toEqual([8])
  })
})

describe.skipIf(!hasTokenizer)("gates (skipped without `npm ci --prefix bench/peers`)", () => {
  const gates = judgeWith(library)
  const [user, ...rest] = context.messages as [CanonicalMessage, ...CanonicalMessage[]]
  const newest = rest.slice(2)
  const record = (content: string): CanonicalMessage => ({ role: "user", content, summary: true })
  const missed = (view: readonly CanonicalMessage[], budget = 1000): readonly string[] =>
    missedGates(cut, budget, { messages: view }, gates).map((gate) => gate.split(":")[0] ?? "")

  it("let the context through, and a record of whole lines under the item they are from", () => {
    expect(missed(context.messages)).toEqual([])
    const view = [user, record("[Record of earlier history]\n#2 read src/shop/cart-store.ts\nexport const legacyDiscount = 3"), ...newest]
    expect(missed(view)).toEqual([])
  })

  it("stop a line that is not whole, and one under the wrong item", () => {
    expect(missed([user, record("#2\nconst legacyDiscount"), ...newest])).toEqual(["provenance"])
    expect(missed([user, record("#3\nexport const legacyDiscount = 3"), ...newest])).toEqual(["provenance"])
  })

  it("stop a view over the budget", () => {
    expect(missed(context.messages, 50)).toContain("over budget")
  })

  it("stop a view without the user's words or the newest exchange", () => {
    expect(missed([record("[nothing]"), ...newest])).toEqual(["user text"])
    expect(missed([user])).toEqual(["newest exchange"])
  })

  it("stop an answer that is another one the second time", () => {
    expect(missedGates(cut, 1000, { messages: context.messages, isSame: false }, gates)).toEqual(["not deterministic"])
  })

  it("stop the bag of strings", async () => {
    const bag = await baselines["bag-of-strings"]?.(context.messages, 60, {})
    expect(missed(bag ?? [], 60)).toContain("provenance")
  })
})
