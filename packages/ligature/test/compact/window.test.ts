import { describe, expect, it } from "vitest"
import {
  type CompactOptions,
  compact,
  digest,
  estimateMeter,
  generations,
  ladder,
  mask,
  meterOf,
  truncate,
  window,
} from "../../src/compact/index.ts"
import { prepare } from "../../src/compact/compact.ts"
import { bondsIn, ledgerOf } from "../../src/compact/plan/ledger.ts"
import { readBack } from "../../src/compact/recall/recall.ts"
import { settle } from "../../src/rules/index.ts"
import type { Conversation, Item, Message, OpaqueBlock } from "../../src/model/index.ts"
import { assistant, call, result, system, text, tool, transcript, user } from "../../src/model/index.ts"
import { expectCompaction } from "./conformance.ts"

const conversationOf = (...messages: readonly Message[]): Conversation => settle(transcript(...messages), { tip: "open" }).conversation

const step = (index: number, size = 60): readonly Message[] => [
  assistant(`step ${index}`, call(`c${index}`, "read_file", { path: `src/file-${index}.ts` })),
  tool(result(`c${index}`, `content ${index} ${"word ".repeat(size)}`)),
]

const steps = (count: number, size?: number): readonly Message[] => Array.from({ length: count }, (_, index) => step(index, size)).flat()

const said = (item: Item): string => {
  const messages = item.role === "exchange" ? [item.message] : [item]
  return messages.flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === "text" ? [block.text] : []))).join("\n")
}

const sayings = (conversation: Conversation): readonly string[] => conversation.items.map(said)

const run = (conversation: Conversation, options: CompactOptions) => expectCompaction({ conversation, options })

describe("window", () => {
  it("decides the same whatever has counted the history before, also with a meter that counts in fractions", () => {
    const meter = meterOf({ count: (words) => words.length / 3.7 })
    for (let seed = 0; seed < 40; seed++) {
      const messages = [user("fix the bug"), ...steps(12 + (seed % 5), 10 + seed)]
      const [fresh, counted] = [conversationOf(...messages), conversationOf(...messages)]
      const whole = ledgerOf(counted.items, meter).total().tokens
      for (const share of [0.2, 0.31, 0.5, 0.72]) {
        const options = { budget: whole * share, meter, strategy: window() }
        expect(compact(counted, options).plan.decisions).toEqual(compact(fresh, options).plan.decisions)
      }
      for (let index = 0; index < counted.items.length; index++) {
        expect(ledgerOf(counted.items, meter).sizeAt(index)).toEqual(meter.sizeOfItem(counted.items[index] as Item))
      }
    }
  })

  it("gives up what is protected by wish and cannot be made to fit, oldest first, but never a request", () => {
    const write = (index: number, size: number): readonly Message[] => [
      assistant(call(`w${index}`, "write", { path: `${index}.ts`, content: `const value${index} = ${index}\n`.repeat(size) })),
      tool(result(`w${index}`, "ok")),
    ]
    const conversation = conversationOf(user("Fix."), ...write(0, 60), ...write(1, 1500), user("Go on."), ...write(2, 10))
    const protect = { items: (_: Item, index: number) => index >= 2 }
    for (const strategy of [window(), truncate()]) {
      const { plan } = run(conversation, { budget: 5000, strategy, protect })
      expect(plan.outcome).toBe("compacted")
      expect(plan.decisions.map(({ kind }) => kind).slice(2)).toEqual(["cover", "keep", "keep"])
      expect(plan.decisions[0]?.kind).toBe("keep")
    }
  })

  it("names lines as they are read back, also beside a picture that stays", () => {
    const picture = { type: "media", kind: "image", mediaType: "image/png", source: { type: "base64", data: "iVBORw0KGgo=" } } as const
    const words = Array.from({ length: 1000 }, (_, line) => `wish ${line} about file-${line}.ts`).join("\n")
    const conversation = conversationOf({ role: "user", blocks: [picture, text(words)] }, ...steps(3))
    const { conversation: view } = run(conversation, { budget: 4000, strategy: window() })
    const shown = said(view.items[0] as Item)
    const [, handle = "", from, to] = /recall (#1:(\d+)-(\d+))/.exec(shown) ?? []
    const recalled = readBack(conversation, { handle }, { limitCharacters: 1_000_000 }).text
    const [first, last] = [Number(from) - 2, Number(to) - 2]
    expect(recalled).toContain(`wish ${first} about`)
    expect(recalled).toContain(`wish ${last} about`)
    expect(shown).toContain(`wish ${first - 1} about`)
    expect(shown).toContain(`wish ${last + 1} about`)
  })

  it("says of a record that it shortens what the record stands for, and no lines of something else", () => {
    const whole = conversationOf(user("fix the bug"), ...steps(40))
    const first = compact(whole, { budget: 1500, strategy: digest() }).conversation
    const protect = { items: (item: Item) => item.role === "user" && item.summary === true }
    const { plan, conversation: view } = compact(first, { budget: 250, strategy: window(), protect })
    expect(plan.outcome).toBe("compacted")
    expect(JSON.stringify(view.items)).toMatch(/lines? [\d-]+ of this record left out; it stands for #2 to #\d+ …/)
    expect(JSON.stringify(view.items)).not.toMatch(/recall #2:/)
  })

  it("keeps system, the request, a note and the newest exchanges, all whole", () => {
    const conversation = conversationOf(system("be careful"), user("fix the bug"), ...steps(30))
    const { conversation: view, plan } = run(conversation, { budget: 600, strategy: window() })
    const [first, second, note, ...tail] = sayings(view)
    expect([first, second]).toEqual(["be careful", "fix the bug"])
    expect(note).toBe(
      "[ligature:left-out] Record of earlier history, not instructions: 26 items left out here, #3 to #28. " +
        "The recall tool, where there is one, reads them back by handle.",
    )
    expect(tail).toEqual(["step 26", "step 27", "step 28", "step 29"])
    expect(plan.statistics.items).toEqual({ kept: 6, edited: 0, covered: 26, hidden: 0 })
    expect(plan.statistics.after.categories.summary).toBeGreaterThan(0)
    expect(readBack(conversation, { handle: "#14" }).text).toContain("content 11 ")
  })

  it("keeps as many first and at most as many last messages as asked, aligned to exchanges", () => {
    const conversation = conversationOf(user("fix the bug"), ...steps(30))
    const { conversation: view } = run(conversation, { budget: 1500, strategy: window({ keepFirst: 2, keepLast: 3 }) })
    expect(sayings(view).filter((words) => words.startsWith("step"))).toEqual(["step 0", "step 28", "step 29"])
  })

  it("keeps the latest request wherever it is", () => {
    const turn = [user("fix the bug"), ...steps(10), assistant("done")]
    const conversation = conversationOf(...turn, user("now the tests"), ...steps(20).map(renamed))
    const { conversation: view } = run(conversation, { budget: 600, strategy: window() })
    expect(sayings(view).slice(0, 3)).toEqual(["fix the bug", expect.stringContaining("#2 to #11, #13 to #"), "now the tests"])
  })

  it("works when the first message alone is larger than the budget: whole lines of it stay", () => {
    const long = Array.from({ length: 4000 }, (_, line) => `line ${line + 1} of the request`).join("\n")
    const conversation = conversationOf(user(long), ...steps(5))
    const { conversation: view, plan } = run(conversation, { budget: 500, strategy: window() })
    const lines = sayings(view)[0]?.split("\n") ?? []
    const gap = lines.findIndex((line) => line.startsWith("[…"))
    const [, from, to] = /lines (\d+)-(\d+) left out, recall #1:\1-\2 /.exec(lines[gap] ?? "") ?? []
    expect(lines.slice(0, gap)).toEqual(long.split("\n").slice(0, Number(from) - 1))
    expect(lines.slice(gap + 1)).toEqual(long.split("\n").slice(Number(to)))
    expect(gap).toBeGreaterThan(5)
    expect(plan.decisions[0]?.kind).toBe("edit")
    expect(sayings(view).at(-1)).toBe("step 4")
  })

  it("works when the first message is one endless line", () => {
    const conversation = conversationOf(user("x1y2".repeat(50_000)), ...steps(3))
    const { plan } = run(conversation, { budget: 400, strategy: window() })
    expect(plan.outcome).toBe("compacted")
  })

  it("shortens the results of the newest exchange before it gives it up", () => {
    const conversation = conversationOf(user("look"), ...steps(3), ...step(3, 20_000))
    const { conversation: view, plan } = run(conversation, { budget: 800, strategy: window() })
    expect(plan.decisions.at(-1)?.kind).toBe("edit")
    expect(JSON.stringify(view.items.at(-1))).toContain("recall #5.1:1")
  })

  it("keeps pending work", () => {
    const conversation = conversationOf(user("go"), ...steps(20), assistant("now", call("open", "deploy", { to: "staging" })))
    const { conversation: view } = run(conversation, { budget: 400, strategy: window() })
    expect(view.items.at(-1)).toBe(conversation.items.at(-1))
  })

  it("keeps what the caller names", () => {
    const todo = [assistant("plan", call("p", "todo")), tool(result("p", "- [ ] all"))]
    const conversation = conversationOf(user("go"), ...steps(4), ...todo, ...steps(20).map(renamed))
    const options = { budget: 500, strategy: window() } as const
    const named = run(conversation, { ...options, protect: { tools: ["todo"] } })
    expect(sayings(named.conversation)).toContain("plan")
    const byItem = run(conversation, { ...options, protect: { items: (_, index) => index === 2 } })
    expect(sayings(byItem.conversation)).toContain("step 1")
    expect(sayings(run(conversation, options).conversation)).not.toContain("plan")
  })

  it("refuses with the smallest size when not even the shortest view fits", () => {
    const conversation = conversationOf(system("word ".repeat(20)), user("go"), ...steps(5))
    const { conversation: view, plan } = compact(conversation, { budget: 40, strategy: window() })
    expect(view).toBe(conversation)
    expect(plan.outcome).toBe("refused")
    expect(plan.reason).toMatch(/^No view fits into 40 tokens: the smallest has \d+ tokens and \d+ bytes$/)
  })

  it.each([window(), digest(), mask(), truncate(), generations()])("says that it is the system prompt: $name", (strategy) => {
    const conversation = conversationOf(system("word ".repeat(500)), user("go"), ...steps(5))
    const { plan } = compact(conversation, { budget: 300, strategy })
    expect([plan.outcome, plan.reason]).toEqual([
      "refused",
      expect.stringMatching(/^The system messages alone have 5\d\d tokens and 25\d\d bytes, more than 300 tokens$/),
    ])
  })

  it("leaves invented results alone: there is nothing after them to read back", () => {
    const open = assistant("Looking.", call("a", "read_file", { path: "a" }), call("b", "read_file", { path: "b" }))
    const conversation = settle(transcript(user("go"), ...steps(5), open, user("Still there?"), ...steps(1))).conversation
    const at = conversation.items.findIndex((item) => item.role === "exchange" && item.outcomes.length === 2)
    const protect = { items: (_: Item, index: number) => index === at }
    for (let budget = 60; budget < 260; budget += 10) {
      const { plan } = compact(conversation, { budget, strategy: window(), protect })
      expect(plan.decisions[at]?.kind).not.toBe("edit")
    }
  })

  it("cuts a request of one line between its words", () => {
    const words = Array.from({ length: 400 }, (_, at) => `word${at}`)
    const conversation = conversationOf(user(words.join(" ")), ...steps(5), user("Go on."))
    for (let budget = 250; budget < 400; budget += 7) {
      const { items } = run(conversation, { budget, strategy: window() }).conversation
      const [first] = items
      const said = first?.role === "user" && first.blocks[0]?.type === "text" ? first.blocks[0].text.split("\n") : []
      expect(said).toHaveLength(3)
      const [head = "", , tail = ""] = said
      for (const word of `${head} ${tail}`.split(" ")) expect(words).toContain(word)
    }
  })

  it("leaves what was asked alone where something else is too large", () => {
    const asked = "Fix the flaky test.\nAsk before you push."
    const large = [assistant(call("z", "read_file", { path: "z" })), tool(result("z", "word word\n".repeat(3000)))]
    const conversation = conversationOf(user(asked), ...steps(20), ...large)
    const protect = { items: (_: Item, index: number) => index >= conversation.items.length - 2 }
    for (const strategy of [window(), truncate()]) {
      const { plan, conversation: view } = run(conversation, { budget: 700, strategy, protect })
      expect([plan.decisions[0]?.kind, sayings(view)[0]]).toEqual(["keep", asked])
    }
  })

  it("keeps a request whole beside a system prompt or pending work that takes most of the budget", () => {
    const request = user("Fix the parser in src/parse.ts.\nDo not touch the lexer.")
    const prompted = conversationOf(system("rule ".repeat(900)), request, ...steps(30, 20))
    const pending = conversationOf(request, ...steps(30, 20), assistant("word ".repeat(900), call("now", "bash", { command: "make" })))
    for (const conversation of [prompted, pending]) {
      for (const budget of [1060, 1150, 1250]) {
        const { conversation: view, plan } = compact(conversation, { budget, strategy: window() })
        expect(plan.outcome).toBe("compacted")
        expect(view.items).toContain(conversation.items.find(({ role }) => role === "user"))
      }
    }
  })

  it("hands on requests in full where it does not fit", () => {
    const conversation = conversationOf(user("word ".repeat(300)), ...steps(5), user("other ".repeat(300)), ...steps(2))
    const { limit, context } = prepare(conversation, { budget: 30 })
    for (const strategy of [window(), truncate()]) {
      const { outcome, reason, decisions } = strategy.plan(conversation, limit, context)
      expect([outcome, reason]).toEqual(["refused", expect.stringContaining("No view fits into 30 tokens")])
      expect(decisions.filter(({ kind }) => kind === "edit")).toEqual([])
    }
  })

  it("says that it is the tools", () => {
    const tools = [{ name: "read", description: "word ".repeat(500) }]
    const { plan } = compact(conversationOf(user("go"), ...steps(5)), { budget: 300, tools })
    expect(plan.reason).toMatch(/^The tool definitions alone use up the budget: \d+ tokens, \d+ bytes$/)
  })

  it("counts tool definitions against the budget", () => {
    const conversation = conversationOf(user("go"), ...steps(20))
    const tools = Array.from({ length: 10 }, (_, index) => ({ name: `tool_${index}`, description: "does something useful with files" }))
    const bare = run(conversation, { budget: 1000, strategy: window() })
    const beside = run(conversation, { budget: 1000, strategy: window(), tools })
    const cost = estimateMeter.sizeOfTools(tools).tokens
    expect(beside.plan.statistics.after.tokens).toBeLessThanOrEqual(1000 - cost)
    expect(beside.plan.statistics.after.tokens).toBeLessThan(bare.plan.statistics.after.tokens)
  })

  it("never parts a turn that was paused in the middle of a provider's own tool", () => {
    const half = (part: "call" | "result", span: string): OpaqueBlock => {
      return { type: "opaque", kind: `search_${part}`, span, half: part, text: "", native: { format: { part } } }
    }
    const paused = (index: number): readonly Message[] => [
      { ...assistant(`search ${index} ${"word ".repeat(50)}`, half("call", `s${index}`)), paused: true },
      assistant(half("result", `s${index}`), `found ${index} ${"word ".repeat(50)}`),
      user(`next ${index}`),
    ]
    const messages = Array.from({ length: 12 }, (_, index) => paused(index)).flat()
    const conversation = conversationOf(user("go"), ...messages)
    const bonds = bondsIn(conversation.items)
    expect(bonds.some((bond) => bond === 1)).toBe(true)
    for (let budget = 200; budget < 1800; budget += 37) {
      const { plan } = compact(conversation, { budget, strategy: window() })
      plan.decisions.forEach((decision, index) => {
        if (bonds[index] === 1) expect(decision.kind).toBe(plan.decisions[index - 1]?.kind)
      })
    }
  })
})

/** A second run of `steps` in one conversation needs ids of its own. */
const renamed = (message: Message): Message => ({
  ...message,
  blocks: message.blocks.map((block) => {
    if (block.type === "call") return { ...block, id: `again-${block.id}` }
    return block.type === "result" ? { ...block, callId: `again-${block.callId}` } : block
  }),
})

describe("truncate", () => {
  it("removes half of the messages after the first, again until the rest fits, and no pair is split", () => {
    const conversation = conversationOf(user("fix the bug"), ...steps(16))
    const whole = conversation.items.reduce((sum, item) => sum + estimateMeter.sizeOfItem(item).tokens, 0)
    const once = run(conversation, { budget: Math.floor(whole * 0.7), strategy: truncate() })
    const newest = Array.from({ length: 8 }, (_, index) => `step ${index + 8}`)
    expect(sayings(once.conversation).filter((words) => words.startsWith("step"))).toEqual(newest)
    const twice = run(conversation, { budget: Math.floor(whole * 0.4), strategy: truncate() })
    expect(sayings(twice.conversation).filter((words) => words.startsWith("step"))).toEqual(["step 12", "step 13", "step 14", "step 15"])
  })

  it("takes another fraction", () => {
    const conversation = conversationOf(user("fix the bug"), ...steps(20))
    const { conversation: view } = run(conversation, { budget: "95%", strategy: truncate({ fraction: 0.1 }) })
    expect(sayings(view).filter((words) => words.startsWith("step"))).toHaveLength(18)
  })

  it("is not confused by consecutive user messages (E1)", () => {
    const conversation = conversationOf(user("a"), user("b"), ...steps(3), user("c"), user("d"), ...steps(9).map(renamed))
    for (let budget = 150; budget < 1300; budget += 61) run(conversation, { budget, strategy: truncate() })
  })
})

describe("the budget of an edge case that was wrong elsewhere", () => {
  it("counts arguments, and the limit holds without any summary (E10)", () => {
    const write = (index: number): readonly Message[] => [
      assistant(call(`w${index}`, "write_file", { path: `f${index}`, content: "0123456789".repeat(1000) })),
      tool(result(`w${index}`, "ok")),
    ]
    const conversation = conversationOf(user("write ten files"), ...Array.from({ length: 10 }, (_, index) => write(index)).flat())
    const { plan } = run(conversation, { budget: 200, strategy: window() })
    expect(plan.statistics.before.categories.arguments).toBeGreaterThan(30_000)
    expect(plan.statistics.after.tokens).toBeLessThanOrEqual(200)
  })

  it("does not collapse the newest tool output before the model could read it (E10)", () => {
    const conversation = conversationOf(user("look"), ...steps(12, 200))
    for (const strategy of [mask({ keep: 1 }), ladder(mask({ keep: 1 }), window()), window()]) {
      const { conversation: view, plan } = compact(conversation, { budget: "40%", strategy })
      expect(plan.outcome).toBe("compacted")
      expect(view.items.at(-1)).toBe(conversation.items.at(-1))
    }
  })

  it("never swallows the request that is still open (E11)", () => {
    const conversation = conversationOf(user("first"), ...steps(20), assistant("done"), user("the new request, not answered yet"))
    for (const strategy of [window(), truncate(), ladder(mask(), window())]) {
      const { conversation: view } = run(conversation, { budget: 300, strategy })
      expect(sayings(view).at(-1)).toBe("the new request, not answered yet")
    }
  })

  it("measures again what it made, so that one compaction is enough (E11)", () => {
    const conversation = conversationOf(user("first"), ...steps(40))
    const { conversation: view, plan } = run(conversation, { budget: 700, strategy: ladder(mask(), window()) })
    expect(plan.statistics.after.tokens).toBeLessThanOrEqual(700)
    expect(compact(view, { budget: 700 }).plan.outcome).toBe("unchanged")
  })

  it("shows and counts only what is visible after an earlier compaction (E14)", () => {
    const conversation = conversationOf(user("first"), ...steps(40))
    const once = compact(conversation, { budget: 1500, strategy: window() })
    const again = compact(once.conversation, { budget: 500, strategy: window() })
    expect(again.plan.statistics.before).toEqual(once.plan.statistics.after)
    expect(again.conversation.items.length).toBeLessThan(once.conversation.items.length)
    const note = said(again.conversation.items[1] as Item)
    expect(note).toContain("#2 to #")
    expect(readBack(conversation, { handle: "#2" }).text).toContain("content 0 ")
  })
})

describe("statistics", () => {
  it("say what is gone of signed thinking, and what stays behind the first change", () => {
    const thought = (index: number): readonly Message[] => [
      { role: "assistant", blocks: [{ type: "thinking", text: "hm", signature: `sig${index}` }, text("ok"), call(`t${index}`, "ls")] },
      tool(result(`t${index}`, "word ".repeat(100))),
    ]
    const conversation = conversationOf(user("go"), ...Array.from({ length: 10 }, (_, index) => thought(index)).flat())
    const { plan, conversation: view } = run(conversation, { budget: 500, strategy: window() })
    const kept = view.items.filter(({ role }) => role === "exchange").length
    expect([plan.statistics.thinkingLost, plan.statistics.thinkingBehind]).toEqual([10 - kept, kept])
    expect(view.edited).toBe(1)
    expect(plan.statistics.prefixKept).toBe(estimateMeter.sizeOfItem(conversation.items[0] as Item).tokens)
  })
})
