import { describe, expect, it } from "vitest"
import {
  cap,
  choose,
  compact,
  type CompactOptions,
  dedupe,
  estimateMeter,
  ladder,
  mask,
  pipeline,
  type Strategy,
  truncate,
  window,
} from "../../src/compact/index.ts"
import { capResult } from "../../src/compact/strategies/edit-results.ts"
import { readBack } from "../../src/compact/recall/recall.ts"
import { profiles, settle } from "../../src/rules/index.ts"
import {
  assistant,
  call,
  callsOf,
  type Conversation,
  type JsonObject,
  type Message,
  result,
  type ResultBlock,
  resultText,
  tool,
  transcript,
  user,
} from "../../src/model/index.ts"
import { expectCompaction } from "./conformance.ts"

const conversationOf = (...messages: readonly Message[]): Conversation => settle(transcript(...messages)).conversation

let next = 0
const use = (name: string, args: JsonObject, answer: string, more: Partial<ResultBlock> = {}): readonly Message[] => {
  const id = `id${next++}`
  return [assistant(call(id, name, args)), tool(result(id, answer, more))]
}

const words = (seed: string, count = 100): string => Array.from({ length: count }, (_, index) => `${seed} ${index} value`).join("\n")

const answers = (conversation: Conversation): readonly string[] =>
  conversation.items
    .flatMap((item) => (item.role === "exchange" ? item.outcomes : []))
    .map((outcome) => (outcome.result ? resultText(outcome.result) : ""))

const run = (conversation: Conversation, options: CompactOptions) => expectCompaction({ conversation, options })

/** A strategy that needs to gain little. */
const view = (conversation: Conversation, strategy: Strategy, budget: CompactOptions["budget"] = "95%") =>
  run(conversation, { budget, strategy })

describe("mask", () => {
  const history = (): Conversation =>
    conversationOf(user("go"), ...Array.from({ length: 8 }, (_, index) => use("read", { index }, words(`r${index}`))).flat())

  it("replaces the oldest results by one line with a handle, only as many as needed", () => {
    const conversation = history()
    const { conversation: masked } = view(conversation, mask(), "70%")
    const stubs = answers(masked).filter((answer) => answer.startsWith("[elided: "))
    expect(stubs).toEqual([
      expect.stringMatching(/^\[elided: \d+ tokens, recall #2\.1\]$/),
      expect.stringMatching(/^\[elided: \d+ tokens, recall #3\.1\]$/),
      expect.stringMatching(/^\[elided: \d+ tokens, recall #4\.1\]$/),
    ])
    expect(answers(masked).slice(3)).toEqual(answers(conversation).slice(3))
    expect(readBack(conversation, { handle: "#3.1" }).text).toContain("r1 99 value")
  })

  it("keeps the newest, errors, named tools and protected exchanges", () => {
    const conversation = conversationOf(
      user("go"),
      ...use("read", {}, words("failed"), { error: true }),
      ...use("skill", {}, words("skill")),
      ...use("todo", {}, words("todo")),
      ...use("read", { a: 1 }, words("old")),
      ...use("read", { a: 2 }, words("new")),
    )
    const options = { budget: "90%", strategy: mask({ keep: 1, excludeTools: ["skill"] }), protect: { tools: ["todo"] } } as const
    const { plan } = run(conversation, options)
    expect(plan.decisions.map(({ kind }) => kind)).toEqual(["keep", "keep", "keep", "keep", "edit", "keep"])
  })

  it("keeps arguments, and clears them when asked", () => {
    const big = { path: "a.ts", content: words("written") }
    const conversation = conversationOf(user("go"), ...use("write", big, words("echo")), ...use("write", big, words("echo 2")))
    const kept = view(conversation, mask({ keep: 1 }), "80%").conversation
    const cleared = view(conversation, mask({ keep: 1, clearInputs: true }), "60%").conversation
    const argumentsOf = ({ items }: Conversation): unknown => items[1]?.role === "exchange" && callsOf(items[1])[0]?.arguments
    expect(argumentsOf(kept)).toEqual(big)
    expect(argumentsOf(cleared)).toEqual({ elided: "recall #2" })
  })

  it("masks at least what makes it worth losing the prompt cache, or refuses", () => {
    const conversation = history()
    const whole = conversation.items.reduce((sum, item) => sum + estimateMeter.sizeOfItem(item).tokens, 0)
    const batch = view(conversation, mask({ atLeast: Math.floor(whole / 2) }), "95%")
    expect(batch.plan.statistics.after.tokens).toBeLessThanOrEqual(whole / 2)
    const { plan } = compact(conversation, { budget: "95%", strategy: mask({ atLeast: whole }) })
    expect(plan).toMatchObject({ outcome: "refused", reason: expect.stringContaining(`fewer than the ${whole} that make it worth it`) })
  })

  it("never masks a stub again", () => {
    const once = view(history(), mask(), "70%").conversation
    const twice = compact(once, { budget: "40%", strategy: mask({ keep: 0 }) }).conversation
    expect(answers(twice).slice(0, 3)).toEqual(answers(once).slice(0, 3))
  })
})

describe("cap", () => {
  it("keeps the beginning and the end of a large result, in whole lines, with the handle of the rest between", () => {
    const conversation = conversationOf(user("go"), ...use("read", {}, words("a", 2000)), ...use("read", { b: 1 }, "small"))
    const { conversation: capped } = view(conversation, cap({ tokens: 200 }), "50%")
    const lines = answers(capped)[0]?.split("\n") ?? []
    const gap = lines.findIndex((line) => line.startsWith("[…"))
    const [, from, to] = /lines (\d+)-(\d+) left out, recall #2\.1:\1-\2 /.exec(lines[gap] ?? "") ?? []
    expect(lines.slice(0, gap)).toEqual(
      words("a", 2000)
        .split("\n")
        .slice(0, Number(from) - 1),
    )
    expect(lines.slice(gap + 1)).toEqual(words("a", 2000).split("\n").slice(Number(to)))
    expect(answers(capped)[1]).toBe("small")
  })

  it("caps the newest exchange last", () => {
    const conversation = conversationOf(user("go"), ...use("read", {}, words("a", 2000)), ...use("read", { b: 1 }, words("b", 400)))
    const { conversation: capped } = view(conversation, cap({ tokens: 200 }), "50%")
    expect(answers(capped)[1]).toBe(words("b", 400))
  })

  it("caps a result when it is recorded", () => {
    const whole = result("x", words("a", 2000))
    const capped = capResult(whole, { tokens: 300, handle: "#7.2" })
    expect(estimateMeter.sizeOfBlock(capped).tokens).toBeLessThanOrEqual(300)
    expect(resultText(capped)).toMatch(/\[… lines \d+-\d+ left out, recall #7\.2:\d+-\d+ …\]/)
    const small = result("x", "small")
    expect(capResult(small, { tokens: 300, handle: "#7.2" })).toBe(small)
    expect(() => capResult(small, { tokens: 300, handle: "seven" })).toThrow(expect.objectContaining({ code: "bad-option" }))
    expect(() => capResult(small, { tokens: 0, handle: "#7" })).toThrow(expect.objectContaining({ code: "bad-option" }))
  })

  it("turns media that does not fit into a note with the handle that reads it back", () => {
    const image = { type: "media", kind: "image", mediaType: "image/png", source: { type: "base64", data: "AAAA".repeat(100) } } as const
    const capped = capResult(result("x", "", { content: [image] }), { tokens: 300, handle: "#7.2" })
    expect(resultText(capped)).toBe("[image: image/png, 300 bytes, recall #7.2:1]")
    expect(estimateMeter.sizeOfBlock(capped).tokens).toBeLessThanOrEqual(300)
  })
})

describe("dedupe", () => {
  it("lets an older result that is the same name the newer one", () => {
    const same = words("same")
    const conversation = conversationOf(
      user("go"),
      ...use("bash", { command: "ls" }, same),
      ...use("grep", { pattern: "x" }, words("other")),
      ...use("bash", { command: "ls" }, same),
      ...use("list", {}, same),
    )
    expect(answers(view(conversation, dedupe()).conversation)).toEqual([
      "[elided: same as #5.1]",
      words("other"),
      "[elided: same as #5.1]",
      same,
    ])
  })

  it("takes arguments in another order as the same", () => {
    const conversation = conversationOf(
      user("go"),
      ...use("read_file", { path: "a", limit: 5 }, words("v1")),
      ...use("read_file", { limit: 5, path: "a" }, words("v2")),
    )
    expect(answers(view(conversation, dedupe()).conversation)).toEqual(["[elided: #2.1, read again in #3.1]", words("v2")])
  })

  it("lets a reading stand that was not read again, or only answered with a word", () => {
    const conversation = conversationOf(
      user("go"),
      ...use("read_file", { path: "a" }, words("a")),
      ...use("read_file", { path: "b" }, words("b")),
      ...use("read_file", { path: "b", offset: 10 }, words("b from ten")),
      ...use("bash", { command: "npm test" }, words("red")),
      ...use("bash", { command: "npm test" }, words("green")),
      ...use("read_file", { path: "a" }, "File unchanged since last read."),
    )
    const { plan } = compact(conversation, { budget: "95%", strategy: dedupe() })
    expect(plan.outcome).toBe("refused")
    expect(plan.decisions.every(({ kind }) => kind === "keep")).toBe(true)
  })

  it("takes the caller's word for what is a reading", () => {
    const conversation = conversationOf(user("go"), ...use("status", {}, words("v1")), ...use("status", {}, words("v2")))
    const isReading = ({ name }: { readonly name: string }): boolean => name === "status"
    expect(answers(view(conversation, dedupe({ isReading })).conversation)[0]).toBe("[elided: #2.1, read again in #3.1]")
  })
})

describe("combinators", () => {
  const history = (): Conversation =>
    conversationOf(
      user("go"),
      ...use("read_file", { path: "a" }, words("a")),
      ...use("read_file", { path: "a" }, words("a")),
      ...Array.from({ length: 10 }, (_, index) => use("bash", { index }, words(`r${index}`))).flat(),
    )

  it("ladder takes the first that fits", () => {
    expect(view(history(), ladder(dedupe(), mask(), window()), "95%").plan.strategy).toBe("dedupe")
    expect(view(history(), ladder(dedupe(), mask(), window()), "50%").plan.strategy).toBe("mask")
    expect(view(history(), ladder(dedupe(), mask(), window()), "10%").plan.strategy).toBe("window")
  })

  it("pipeline adds up what its stages gain and says it of the original items", () => {
    const strategy = pipeline(dedupe(), mask({ keep: 2 }), window())
    const conversation = history()
    const gentle = view(conversation, strategy, "60%").plan
    expect(gentle.decisions[1]).toMatchObject({ kind: "edit", elided: [{ handle: "#2.1" }] })
    expect(gentle.statistics.items.covered).toBe(0)
    const hard = view(conversation, strategy, "12%").plan
    expect(hard.statistics.items.covered).toBeGreaterThan(0)
    expect(hard.decisions).toHaveLength(conversation.items.length)
  })

  it("pipeline lets a later summary cover an earlier one", () => {
    const strategy = pipeline(window({ keepLast: 12 }), truncate(), window())
    const conversation = history()
    const { plan } = view(conversation, strategy, "14%")
    const shown = new Set(plan.decisions.flatMap((decision) => (decision.kind === "cover" ? [decision.summary] : [])))
    expect(shown.size).toBe(1)
  })

  it("choose picks by the provider", () => {
    const strategy = choose((profile) => (profile?.name === "anthropic" ? truncate() : window()))
    const conversation = history()
    expect(compact(conversation, { budget: "50%", strategy, profile: "anthropic" }).plan.strategy).toBe("truncate")
    expect(compact(conversation, { budget: "50%", strategy, profile: profiles["gemini"] ?? "gemini" }).plan.strategy).toBe("window")
    expect(compact(conversation, { budget: "50%", strategy }).plan.strategy).toBe("window")
  })

  it("a strategy that lies about its size is refused", () => {
    const honest = window()
    const liar: Strategy = {
      name: "liar",
      plan: (conversation, _, context) => honest.plan(conversation, { tokens: 500, bytes: 1e9 }, context),
    }
    const conversation = history()
    const { conversation: same, plan } = compact(conversation, { budget: 200, strategy: liar })
    expect(same).toBe(conversation)
    expect(plan).toMatchObject({ outcome: "refused", reason: expect.stringContaining("No view fits into 200 tokens") })
  })

  it.each([
    () => window({ keepFirst: -1 }),
    () => truncate({ fraction: 0 }),
    () => truncate({ fraction: 2 }),
    () => mask({ keep: Number.NaN }),
    () => mask({ atLeast: -1 }),
    () => cap({ tokens: 0 }),
  ])("rejects options that make no sense (%#)", (make) => {
    expect(make).toThrow(expect.objectContaining({ code: "bad-option" }))
  })
})
