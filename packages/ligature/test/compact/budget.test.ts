import { describe, expect, it } from "vitest"
import { type Budget, compact, estimateMeter, window } from "../../src/compact/index.ts"
import { resolveBudget } from "../../src/compact/compact.ts"
import { settle } from "../../src/rules/index.ts"
import { assistant, type Conversation, type Item, system, type ThinkingBlock, transcript, user } from "../../src/model/index.ts"

const unlimited = Number.POSITIVE_INFINITY
const resolve = (budget: Budget, model?: string, tools = { tokens: 0, bytes: 0 }) =>
  resolveBudget(budget, { whole: () => ({ tokens: 10_000, bytes: 40_000 }), tools, ...(model !== undefined && { model }) })

describe("resolveBudget", () => {
  it("takes a smaller share where the tokens of the conversation are estimated, and all of it as all", () => {
    const situation = { whole: () => ({ tokens: 10_000, bytes: 40_000 }), tools: { tokens: 0, bytes: 0 }, tolerance: 0.1 }
    expect(resolveBudget("10%", situation).tokens).toBe(917)
    expect(resolveBudget({ share: 0.5 }, situation).tokens).toBe(4761)
    expect(resolveBudget("100%", situation).tokens).toBe(10_000)
    expect(resolveBudget(900, situation).tokens).toBe(900)
  })

  it.each<[Budget, { tokens: number; bytes: number }]>([
    [500, { tokens: 500, bytes: unlimited }],
    ["10%", { tokens: 1000, bytes: unlimited }],
    ["2.5 %" as "2.5%", { tokens: 250, bytes: unlimited }],
    [
      { tokens: 500, bytes: 9000 },
      { tokens: 500, bytes: 9000 },
    ],
    [{ tokens: "50%" }, { tokens: 5000, bytes: unlimited }],
    [{ bytes: 9000 }, { tokens: unlimited, bytes: 9000 }],
    [{ share: 0.25 }, { tokens: 2500, bytes: unlimited }],
    [{ window: 8000 }, { tokens: 8000, bytes: unlimited }],
    [
      { window: 8000, share: 0.5 },
      { tokens: 4000, bytes: unlimited },
    ],
    [
      { window: 8000, reserve: 3000 },
      { tokens: 5000, bytes: unlimited },
    ],
    [
      { window: 8000, share: 0.5, reserve: 5000 },
      { tokens: 3000, bytes: unlimited },
    ],
    [
      { window: 8000, tokens: 100 },
      { tokens: 100, bytes: unlimited },
    ],
  ])("reads %j", (budget, limit) => {
    expect(resolve(budget)).toEqual(limit)
  })

  it("takes the budget of the model, the longest name first", () => {
    const budget: Budget = { tokens: 100, perModel: { claude: 200, "claude-opus": { window: 300 } } }
    expect(resolve(budget, "claude-opus-4").tokens).toBe(300)
    expect(resolve(budget, "claude-haiku").tokens).toBe(200)
    expect(resolve(budget, "gpt-5").tokens).toBe(100)
    expect(resolve(budget).tokens).toBe(100)
  })

  it("counts tool definitions against a request, not against a share of the conversation", () => {
    const tools = { tokens: 300, bytes: 1000 }
    expect(resolve({ tokens: 1000, bytes: 5000 }, undefined, tools)).toEqual({ tokens: 700, bytes: 4000 })
    expect(resolve("10%", undefined, tools).tokens).toBe(1000)
    expect(resolve(200, undefined, tools).tokens).toBe(0)
  })

  const senseless = [
    0,
    0.5,
    null,
    -5,
    { tokens: 900, reserve: 100 },
    Number.NaN,
    "0%",
    "101%",
    "many",
    {},
    { share: 2 },
    { window: 9, reserve: 9 },
    { tokens: 9, reserve: -1 },
  ]

  it.each(senseless as Budget[])("rejects %j", (budget) => {
    expect(() => resolve(budget)).toThrow(expect.objectContaining({ code: "bad-option" }))
  })

  it("takes a percentage of the whole history also when a view is compacted again", () => {
    const turn = (index: number) => [user(`question ${index} ${"word ".repeat(40)}`), assistant(`answer ${index}`)]
    const { conversation } = settle(transcript(...Array.from({ length: 40 }, (_, index) => turn(index)).flat()))
    const first = compact(conversation, { budget: "30%", strategy: window() })
    expect(first.plan.outcome).toBe("compacted")
    expect(compact(first.conversation, { budget: "30%", strategy: window() }).conversation).toBe(first.conversation)
    const smaller = compact(first.conversation, { budget: "10%", strategy: window() })
    expect(smaller.plan.outcome).toBe("compacted")
    expect(smaller.plan.statistics.after.tokens).toBeLessThan(first.plan.statistics.before.tokens / 10)
  })
})

describe("a share", () => {
  const turns = Array.from({ length: 60 }, (_, index) => [
    user(`question ${index} ${"word ".repeat(30)}`),
    assistant(`answer ${index}`),
  ]).flat()

  it("is one of what can be compacted: a large system prompt refuses nothing", () => {
    const { conversation } = settle(transcript(system("rule ".repeat(20_000)), ...turns))
    const { conversation: view, plan } = compact(conversation, { budget: "10%" })
    expect(plan.outcome).toBe("compacted")
    const without = (items: readonly Item[]): number =>
      items.filter(({ role }) => role !== "system").reduce((sum, item) => sum + estimateMeter.sizeOfItem(item).tokens, 0)
    expect(without(view.items)).toBeLessThanOrEqual(0.1 * without(conversation.items))
  })

  it("does not count thinking, which no later request carries", () => {
    const thinking: ThinkingBlock = { type: "thinking", text: "hm ".repeat(4000) }
    const plain = settle(transcript(...turns)).conversation
    const thoughtful = settle(
      transcript(
        ...turns.map((message) => (message.role === "assistant" ? { ...message, blocks: [thinking, ...message.blocks] } : message)),
      ),
    ).conversation
    const size = (from: Conversation): number => compact(from, { budget: "20%" }).plan.statistics.after.tokens
    expect(size(thoughtful)).toBeLessThan(1.1 * size(plain))
  })
})

describe("options", () => {
  it("that do not exist are refused with the choices, by the compiler and by the program", () => {
    const { conversation } = settle(transcript(user("hi")))
    // @ts-expect-error The name is misspelt.
    expect(() => compact(conversation, { budget: 10, stategy: window() })).toThrow(
      'Unknown option "stategy". Did you mean strategy? Options: budget, strategy, ',
    )
    // @ts-expect-error The name is misspelt.
    expect(() => compact(conversation, { budget: { tokens: 10, reserved: 1 } })).toThrow(/^Unknown option "reserved".*Options: tokens, /)
    // @ts-expect-error The name is misspelt.
    expect(() => window({ keepfirst: 1 })).toThrow('Unknown option "keepfirst". Did you mean keepFirst? Options: keepFirst, keepLast')
  })
})
