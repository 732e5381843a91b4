import { describe, expect, it } from "vitest"
import { type Budget, compact } from "../../src/compact/index.ts"
import { generations } from "../../src/compact/strategies/generations.ts"
import { settle } from "../../src/rules/index.ts"
import {
  assistant,
  call,
  type Conversation,
  flatten,
  type Message,
  type OpaqueBlock,
  result,
  system,
  tool,
  transcript,
  user,
} from "../../src/model/index.ts"
import { strategyConformance } from "./conformance.ts"

strategyConformance("generations", () => generations(), { runs: 120, wishes: true })

const jobLines = (part: number): string =>
  Array.from({ length: 30 }, (_, line) => {
    const place = part * 100 + line
    return `const job${part}x${line} = takeJob(queue${line}, ${place})`
  }).join("\n")

/**
 * An agent that reads one file after the other; longer histories begin with the shorter ones. `wishes`: what the user
 * says in between, by the number of the part it is before.
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

const summariesOf = (conversation: Conversation, budget: Budget): readonly string[] =>
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

  it("writes the same first chunks again where bytes are what is short, however dense the newer history is", () => {
    const budget = { tokens: 9000, bytes: 15_000 }
    const wishes = Object.fromEntries(Array.from({ length: 40 }, (_, part) => [part, `第${part}个要求：不要丢失任务。`.repeat(part)]))
    let before = summariesOf(reading(20, wishes), budget)
    let rebuilt = 0
    for (let exchanges = 21; exchanges <= 40; exchanges++) {
      const now = summariesOf(reading(exchanges, wishes), budget)
      const stable = before.slice(0, -1)
      if (now.length < before.length) rebuilt++
      else expect(now.slice(0, stable.length)).toEqual(stable)
      before = now
    }
    expect(before.length).toBeGreaterThan(2)
    expect(rebuilt).toBeLessThan(3)
  })

  it("refuses, and ends, where the budget is used up before the first item", () => {
    const tools = [{ name: "read", description: "Reads a file. ".repeat(1000) }]
    for (const options of [{ budget: 1000, tools }, { budget: { bytes: 1 } }]) {
      expect(compact(reading(20), { ...options, strategy: generations() }).plan.outcome).toBe("refused")
    }
  })

  it("keeps a turn that was paused whole when one part of it is protected", () => {
    const half = (part: "call" | "result", span: string): OpaqueBlock => {
      return { type: "opaque", kind: `search_${part}`, span, half: part, text: "", native: { format: { part } } }
    }
    const searching = (index: number): readonly Message[] => [
      { ...assistant(`search ${index}\n${jobLines(index)}`, half("call", `s${index}`)), paused: true },
      assistant(half("result", `s${index}`), `found ${index}`),
    ]
    const messages = Array.from({ length: 60 }, (_, index) => [...searching(index), user(`go on ${index}`)]).flat()
    const { conversation } = settle(transcript(user("look around"), ...messages))
    const isFirstHalf = (item: Conversation["items"][number]): boolean => item.role === "exchange" && item.message.paused === true
    const protect = { items: (item: Conversation["items"][number], index: number) => index < 12 && isFirstHalf(item) }
    const { plan } = compact(conversation, { budget: 9000, strategy: generations(), protect })
    expect(plan.summaries.length).toBeGreaterThan(1)
    conversation.items.forEach((item, index) => {
      if (isFirstHalf(item)) expect(plan.decisions[index + 1]?.kind).toBe(plan.decisions[index]?.kind)
    })
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

  it("tells of spans that have their chunk what has become important since", () => {
    const line = "const job3x17 = takeJob(queue17, 317)"
    const told = (goal: string): readonly string[] =>
      compact(reading(60), { budget: 6000, strategy: generations(), goal }).plan.summaries.map((each) => JSON.stringify(each))
    const [before, now] = [told("Go on."), told("Find out what became of job3x17.")]
    expect(now.length).toBeGreaterThan(3)
    expect(now.slice(0, -1)).toEqual(before.slice(0, -1))
    expect(before.join("\n")).not.toContain(line)
    expect(now.at(-1)).toContain(`#5 read\\n${line}`)
  })

  it("says nothing twice: a line of a chunk is not in the digest after it", () => {
    const [first, ...others] = summariesOf(reading(60), 6000).map((each) => each.split("\\n").filter((line) => line.includes("takeJob")))
    expect(first?.length).toBeGreaterThan(3)
    const all = [...(first ?? []), ...others.flat()]
    expect(new Set(all).size).toBe(all.length)
  })

  it("keeps the newest exchange as it was up to its share of the whole budget, whatever the chunks took", () => {
    for (const exchanges of [20, 40, 60]) {
      const conversation = reading(exchanges)
      const { conversation: view } = compact(conversation, { budget: 2200, strategy: generations() })
      expect(view.items.at(-1)).toEqual(conversation.items.at(-1))
    }
  })

  it("names what it covers, also where a record or system messages are in front", () => {
    const long = (name: string, lines: number): string =>
      Array.from({ length: lines }, (_, line) => `${name} ${line} of src/${name}/${line}.ts`).join("\n")
    const record = { ...user(`[Record of #1 to #3, not instructions]\n${long("note", 30)}`), summary: true as const }
    const more = flatten(reading(40)).messages
    for (const lines of [10, 60, 90, 120, 150]) {
      for (const front of [
        [record, user(long("task", lines))],
        [system(long("rule", lines)), user(long("task", lines))],
      ]) {
        const { conversation } = settle(transcript(...front, ...more))
        const { plan } = compact(conversation, { budget: 6000, strategy: generations() })
        conversation.items.forEach((_, index) => {
          const decision = plan.decisions[index]
          if (decision?.kind !== "cover") return
          const [preface = ""] = JSON.stringify(plan.summaries[decision.summary]).match(/Record of .*?,/) ?? []
          const [from = 0, to = from] = [...preface.matchAll(/#(\d+)/g)].map(([, number]) => Number(number))
          expect(index + 1 >= from && index + 1 <= to, `#${index + 1} in ${preface}`).toBe(true)
        })
      }
    }
  })

  it("keeps its chunks when the user says a few words more", () => {
    const count = (wishes: Readonly<Record<number, string>>): number => summariesOf(reading(90, wishes), 8000).length
    expect(count({ 5: "Go on.", 87: "Ok." })).toBe(count({}))
  })

  it("is a digest where its chunks would be too short for any cache, in tokens or in bytes", () => {
    for (const budget of [1500, { tokens: 9000, bytes: 6000 }]) expect(summariesOf(reading(60), budget)).toHaveLength(1)
  })

  it("refuses options whose chunks leave no room for what is new", () => {
    expect(() => generations({ chunk: 0.3, most: 4 })).toThrow("Expected chunks of at most 0.8")
    expect(() => generations({ most: -1 })).toThrow("Expected most of 1 or more chunks, got -1")
  })
})
