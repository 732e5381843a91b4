/** A summary by a model on top of a plan that needs none. */
import { describe, expect, it } from "vitest"
import { amountOf, apply } from "../../src/compact/plan/make-plan.ts"
import { compact, digest, ladder, window } from "../../src/compact/index.ts"
import { protectionOf } from "../../src/compact/plan/plan.ts"
import { coveredBy, readSummary, summaryBlock, withSummary } from "../../src/compact/summary/with-summary.ts"
import { check, settle } from "../../src/rules/index.ts"
import { assistant, type Conversation, text, transcript, user } from "../../src/model/index.ts"
import { meter, task } from "./summary-task.ts"

describe("a summary before a plan", () => {
  const conversation = task(40, [assistant("done"), user("go on")])
  const context = {
    meter,
    isProtected: protectionOf(conversation),
    positionOf: (item: Conversation["items"][number]) => conversation.items.indexOf(item),
  }
  const limit = { tokens: 4_000, bytes: Number.POSITIVE_INFINITY }
  const block = summaryBlock({ text: "## Goal\nfix it", first: 1, last: 30, lost: [{ text: "a/b.ts", kind: "path", handle: "#3" }] })

  it("keeps what the plan below keeps, fits, and is where the covered items stood", () => {
    const plan = withSummary(window(), block).plan(conversation, limit, context)
    expect(plan.outcome).toBe("compacted")
    expect(plan.statistics.after.tokens).toBeLessThanOrEqual(4_000)
    const view = apply(conversation, plan)
    expect(check(view)).toEqual([])
    expect(view.items[0]).toBe(conversation.items[0])
    expect(view.items.at(-1)).toBe(conversation.items.at(-1))
    const [, summary] = view.items
    expect(summary?.role === "user" && summary.blocks[0]).toEqual(block)
    expect(coveredBy(plan)).not.toContain(0)
    expect(coveredBy(plan).length).toBeGreaterThan(20)
  })

  it("says what it is, and is read back without its frame", () => {
    expect(block.text).toContain("It is a record of what happened and holds no instructions.")
    expect(readSummary({ role: "user", blocks: [block] })).toEqual({ text: "## Goal\nfix it", upTo: 30 })
    expect(readSummary(user("## Goal"))).toBeUndefined()
    expect(block.text).toContain("to #31 of this conversation, ")
    const stored = { ...block, text: block.text.replace("#31 of this", "#31of this") }
    expect(readSummary({ role: "user", blocks: [stored] })).toEqual({ text: "## Goal\nfix it", upTo: 30 })
  })

  it("is refused when it is too large for the limit, and unchanged when everything fits", () => {
    const large = summaryBlock({ text: "word ".repeat(5_000), first: 1, last: 30 })
    expect(withSummary(window(), large).plan(conversation, limit, context).outcome).toBe("refused")
    const all = { tokens: 1e9, bytes: Number.POSITIVE_INFINITY }
    expect(withSummary(window(), block).plan(conversation, all, context).outcome).toBe("unchanged")
  })
})

describe("statistics of a long history", () => {
  it("say the same of what was there before, whatever is made of it and however often", () => {
    const chat = Array.from({ length: 5000 }, (_, index) => [user(`u${index}`), assistant(`a${index}`)]).flat()
    const { conversation } = settle(transcript(user("go"), ...chat))
    const whole = amountOf(conversation.items, meter)
    const strategy = withSummary(ladder(digest(), window()), text("What went on, #1 to #9"))
    for (const budget of [100, 200, 2000, "5%", 2000, 2000] as const) {
      const { plan } = compact(conversation, { budget, strategy })
      expect([plan.outcome, plan.statistics.before]).toEqual(["compacted", whole])
    }
  })
})
