import { describe, expect, it } from "vitest"
import { compact } from "../../src/compact/index.ts"
import { generations } from "../../src/compact/generations/index.ts"
import { settle } from "../../src/laws/index.ts"
import { assistant, call, type Conversation, result, tool, transcript, user } from "../../src/model/index.ts"
import { strategyConformance } from "./conformance.ts"

strategyConformance("generations", () => generations(), { runs: 120 })

const jobLines = (part: number): string =>
  Array.from({ length: 30 }, (_, line) => {
    const place = part * 100 + line
    return `const job${part}x${line} = takeJob(queue${line}, ${place})`
  }).join("\n")

/**
 * An agent that reads one file after the other; longer histories begin with the shorter ones. `wishes`: what the user
 * says in between, by the number of the part it stands before.
 */
const reading = (exchanges: number, wishes: Readonly<Record<number, string>> = {}): Conversation =>
  settle(
    transcript(
      user("Find out why the queue in src/queue.ts loses jobs."),
      ...Array.from({ length: exchanges }, (_, part) => [
        ...(wishes[part] === undefined ? [] : [user(wishes[part])]),
        assistant(`Reading part ${part}.`, call(`call_${part}`, "read", { path: `src/part-${part}/worker${part}.ts` })),
        tool(result(`call_${part}`, jobLines(part))),
      ]).flat(),
    ),
  ).conversation

const summariesOf = (conversation: Conversation, budget: number): readonly string[] =>
  compact(conversation, { budget, strategy: generations() }).plan.summaries.map((each) => JSON.stringify(each))

describe("generations", () => {
  it("writes the same first chunks again when the history has grown, and adds one", () => {
    const budget = 6000
    let before = summariesOf(reading(20), budget)
    let grown = 0
    let rebuilt = 0
    for (let exchanges = 21; exchanges <= 60; exchanges++) {
      const now = summariesOf(reading(exchanges), budget)
      const stable = before.slice(0, -1)
      if (now.length < before.length) rebuilt++
      else {
        expect(now.slice(0, stable.length)).toEqual(stable)
        if (now.length > before.length) grown++
      }
      before = now
    }
    expect(grown).toBeGreaterThan(2)
    expect(rebuilt).toBeLessThan(3)
  })

  it("keeps the view within the budget while it grows", () => {
    for (const exchanges of [30, 90, 200]) {
      const { plan } = compact(reading(exchanges), { budget: 5000, strategy: generations() })
      expect(plan).toMatchObject({ strategy: "generations", outcome: "compacted" })
      expect(plan.statistics.after.tokens).toBeLessThanOrEqual(5000)
      expect(plan.statistics.after.tokens).toBeGreaterThan(3500)
    }
  })

  it("tells what the user said in one stretch of the history, beyond the share of its chunk", () => {
    const wishes = Array.from({ length: 40 }, (_, line) => `Rule ${line}: never drop a job of tenant ${line * 17}.`)
    const budget = 6000
    const { conversation: view } = compact(reading(60, { 4: wishes.join("\n"), 50: "Go on." }), { budget, strategy: generations() })
    const told = JSON.stringify(view.items)
    expect(wishes.filter((wish) => !told.includes(wish))).toEqual([])
  })

  it("keeps the newest exchange as it was up to its share of the whole budget, whatever the chunks took", () => {
    for (const exchanges of [20, 40, 60]) {
      const conversation = reading(exchanges)
      const { conversation: view } = compact(conversation, { budget: 2200, strategy: generations() })
      expect(view.items.at(-1)).toEqual(conversation.items.at(-1))
    }
  })

  it("refuses options whose chunks leave no room for what is new", () => {
    expect(() => generations({ chunk: 0.3, most: 4 })).toThrow("Expected chunks of at most 0.8")
  })
})
