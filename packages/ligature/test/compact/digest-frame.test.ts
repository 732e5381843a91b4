/** What stays as it is around the lines of a digest: requests, what the caller names, pending work, the newest exchanges. */
import { describe, expect, it } from "vitest"
import { compact, digest, estimateMeter, generations, type Protection } from "../../src/compact/index.ts"
import { settle } from "../../src/rules/index.ts"
import { assistant, call, flatten, type Item, type UserMessage, result, system, tool, transcript, user } from "../../src/model/index.ts"
import { conversationOf, digestOf, filler, session } from "./digest-session.ts"

describe("around the lines of a digest", () => {
  it("keeps the requests and the newest exchange verbatim where they fit", () => {
    const latest = user("Now write the test.")
    const begun = assistant("I begin.", call("last", "list", { path: "test" }))
    const conversation = session(20, latest, begun, tool(result("last", "a.test.ts")))
    const { conversation: view } = compact(conversation, { budget: "20%", strategy: digest() })
    expect(view.items[0]).toBe(conversation.items[0])
    expect(view.items).toContain(conversation.items.at(-1))
    expect(view.items).toContain(conversation.items.at(-2))
  })

  it("says how to read back what is out of sight only where the model has a tool for it", () => {
    const recordOf = (tools?: unknown): string => {
      const { plan } = compact(session(40, user("Go on.")), { budget: 2000, strategy: digest(), tools })
      return JSON.stringify(plan.summaries)
    }
    expect(recordOf()).not.toContain("recall")
    expect(recordOf([{ name: "read", input_schema: {} }])).not.toContain("recall")
    expect(recordOf([{ name: "recall", input_schema: {} }])).toContain("recall #n")
    expect(recordOf([{ type: "function", function: { name: "recall", parameters: {} } }])).toContain("recall #n")
  })

  it("takes the person's first request for the first, whatever a harness said before it", () => {
    const asked = user("Make the uploader retry.")
    const harness = user("<environment_context>\n<cwd>/repo</cwd>\n</environment_context>")
    const { items } = session(30)
    const messages = items.slice(1).flatMap((item) => flatten({ items: [item] } as never).messages)
    const conversation = conversationOf(harness, asked, ...messages, user("<system-reminder>\nThe todo list is empty.\n</system-reminder>"))
    const { conversation: view } = compact(conversation, { budget: "10%", strategy: digest() })
    expect(view.items.some((item) => item.role === "user" && item.blocks === (conversation.items[0] as UserMessage).blocks)).toBe(false)
    expect(JSON.stringify(view.items)).toContain("Make the uploader retry.")
  })

  it("leaves the opening of a chat that the assistant opens before the request that answers it", () => {
    const { items } = session(30)
    const messages = items.slice(1).flatMap((item) => flatten({ items: [item] } as never).messages)
    const conversation = conversationOf(assistant("Hi! How can I help?"), user("Cancel my order #W77."), ...messages, user("And now?"))
    const { conversation: view } = compact(conversation, { budget: "10%", strategy: digest() })
    expect(view.items.slice(0, 2)).toEqual(conversation.items.slice(0, 2))
    expect(view.items[2]).toMatchObject({ summary: true })
  })

  it("tells lines of a first request that alone is larger than the budget", () => {
    const wall = Array.from({ length: 200 }, (_, line) => `Requirement ${line}: field number${line} is kept as it is.`)
    const conversation = conversationOf(
      user(wall.join("\n")),
      assistant("I start.", call("a", "read", { path: "src/a.ts" })),
      tool(result("a", filler(1, 50))),
    )
    const told = digestOf(conversation, 500)
      .split("\n")
      .filter((line) => wall.includes(line))
    expect(told.length).toBeGreaterThan(5)
  })

  it("shortens a request of one endless line in its place", () => {
    const conversation = conversationOf(
      user(`Do this: ${"one more thing, ".repeat(2000)}`),
      assistant("Yes.", call("a", "read", { path: "src/a.ts" })),
      tool(result("a", filler(1, 50))),
    )
    const { plan } = compact(conversation, { budget: 600, strategy: digest() })
    expect(plan.decisions.map(({ kind }) => kind)).toEqual(["edit", "cover"])
  })

  it("keeps the newest of what is protected where not all of it fits", () => {
    const conversation = session(30)
    const { plan } = compact(conversation, { budget: 6000, strategy: digest(), protect: { items: (_, index) => index > 10 } })
    const kept = plan.decisions.map(({ kind }, index) => (kind === "keep" && index > 0 ? index : 0)).filter((index) => index > 0)
    expect(kept.length).toBeGreaterThan(1)
    expect(kept).toEqual(Array.from(kept, (_, at) => 31 - kept.length + at))
  })

  it.each([digest(), generations()])("keeps the newest calls of a protected tool whole where not all of them fit ($name)", (strategy) => {
    const steps = Array.from({ length: 12 }, (_, step) => [
      assistant(`Step ${step}.`, call(`c${step}`, step % 2 === 0 ? "plan" : "read", { path: `src/${step}.ts` })),
      tool(result(`c${step}`, filler(step, 60))),
    ])
    const conversation = conversationOf(user("Do it."), ...steps.flat(), user("Go on."))
    const wholeAt = (budget: `${number}%`): readonly string[] => {
      const { conversation: view } = compact(conversation, { budget, strategy, protect: { tools: ["plan"] } })
      return view.items.flatMap((item) => {
        if (item.role !== "exchange" || !conversation.items.includes(item)) return []
        return item.message.blocks.flatMap((block) => (block.type === "call" && block.name === "plan" ? [block.id] : []))
      })
    }
    expect(wholeAt("30%")).toEqual(["c8", "c10"])
    expect(wholeAt("60%").length).toBeGreaterThan(2)
    expect(wholeAt("60%")).toEqual(["c0", "c2", "c4", "c6", "c8", "c10"].slice(-wholeAt("60%").length))
  })

  it("keeps a protected beginning from its front on, after what is protected elsewhere", () => {
    const conversation = session(30)
    const items = (_: unknown, index: number): boolean => index < 15 || index >= conversation.items.length - 2
    const { plan } = compact(conversation, { budget: 6000, strategy: digest(), protect: { items } })
    const kept = plan.decisions.flatMap(({ kind }, index) => (kind === "keep" ? [index] : []))
    const front = kept.filter((index) => index < 15)
    expect(kept).toContain(conversation.items.length - 2)
    expect(front.length).toBeGreaterThan(1)
    expect(front.length).toBeLessThan(15)
    expect(front).toEqual(front.map((_, at) => at))
  })

  it("keeps requests of up to half of the budget verbatim, and larger ones where the caller names them", () => {
    const spec = Array.from({ length: 60 }, (_, at) => `rule ${at}: value_${at * 7} of src/spec/file${at}.ts`).join("\n")
    const conversation = conversationOf(user(spec), ...flatten(session(60)).messages.slice(1), user("Go on."))
    const tokens = estimateMeter.sizeOfItem(conversation.items[0] as Item).tokens
    const first = (share: number, protect?: Protection): string | undefined => {
      const { plan } = compact(conversation, { budget: Math.ceil(tokens / share), strategy: digest(), ...(protect && { protect }) })
      expect(plan.outcome).toBe("compacted")
      return plan.decisions[0]?.kind
    }
    const named = { items: (_: unknown, index: number) => index === 0 }
    expect([first(0.48), first(0.75), first(0.75, named)]).toEqual(["keep", "cover", "keep"])
  })

  it("keeps what the caller names before what nobody named", () => {
    const steps = Array.from({ length: 40 }, (_, step) => [
      assistant(call(`c${step}`, step % 2 === 0 ? "bash" : "read", { step })),
      tool(result(`c${step}`, filler(step, 12))),
    ]).flat()
    const conversation = conversationOf(user("Go."), ...steps)
    const protect = { tools: ["bash"] }
    const named = conversation.items.flatMap((item, index) => (index > 0 && index % 2 === 1 ? [estimateMeter.sizeOfItem(item).tokens] : []))
    const budget = Math.ceil(named.reduce((sum, each) => sum + each, 0) / 0.8)
    const { plan } = compact(conversation, { budget, strategy: digest(), protect })
    expect(plan.outcome).toBe("compacted")
    expect(plan.decisions.filter((decision, index) => index % 2 === 1 && decision.kind !== "keep")).toEqual([])
  })

  it("keeps a short request whatever else is wished for, and whatever there is to fill", () => {
    const plan = [assistant(call("p", "plan", {})), tool(result("p", filler(50, 60)))]
    const wished = session(20, ...plan, user("Now write the release notes, in German."))
    const named = estimateMeter.sizeOfItem(wished.items.at(-2) as Item).tokens
    for (const share of [0.6, 0.75, 0.85]) {
      const { plan: made } = compact(wished, { budget: Math.ceil(named / share), strategy: digest(), protect: { tools: ["plan"] } })
      expect([made.outcome, made.decisions.at(-1)?.kind, made.decisions.at(-2)?.kind]).toEqual(["compacted", "keep", "keep"])
    }
    const asked = Array.from({ length: 60 }, (_, at) => `rule ${at}: value_${at * 7} of src/spec/file${at}.ts`).join("\n")
    const newest = [assistant(call("z", "read", { path: "z" })), tool(result("z", filler(70, 52)))]
    const filling = session(20, user(asked), ...newest)
    const tokens = estimateMeter.sizeOfItem(filling.items.at(-2) as Item).tokens
    for (let share = 0.3; share < 0.5; share += 0.03) {
      const { plan: made } = compact(filling, { budget: Math.ceil(tokens / share), strategy: digest() })
      expect([made.outcome, made.decisions.at(-2)?.kind]).toEqual(["compacted", "keep"])
    }
  })

  it("keeps nothing older after the newest exchange: where that is too large, it is shortened in its place", () => {
    const large = [assistant("Reading.", call("z", "read", { path: "src/large.ts" })), tool(result("z", filler(99, 400)))]
    const conversation = session(20, ...large)
    const protect = { items: (_: unknown, index: number) => index === conversation.items.length - 2 }
    const { plan } = compact(conversation, { budget: 4000, strategy: digest(), protect })
    expect(plan.decisions.slice(-2).map(({ kind }) => kind)).toEqual(["keep", "edit"])
    const [summary] = plan.summaries
    expect(JSON.stringify(summary)).not.toContain("value99n")
  })

  it("refuses a tail it cannot keep", () => {
    for (const tail of [-1, 2, Number.NaN]) expect(() => digest({ tail })).toThrow("Expected a tail of 0 to 0.6")
  })

  it("leaves a note in place of pictures that are all a request says, where they do not fit", () => {
    const picture = {
      type: "media",
      kind: "image",
      mediaType: "image/png",
      source: { type: "base64", data: "iVBORw0KGgo".repeat(200) },
    } as const
    const looking = [assistant("Looking.", call("z", "read", { path: "z" })), tool(result("z", "short"))]
    const conversation = session(20, { role: "user", blocks: [picture, picture, picture] }, ...looking)
    const { plan } = compact(conversation, { budget: 3000, strategy: digest() })
    const latest = conversation.items.findLastIndex(({ role }) => role === "user")
    expect(plan.outcome).toBe("compacted")
    expect(plan.decisions[latest]).toMatchObject({ kind: "edit", elided: [{ handle: `#${latest + 1}` }] })
  })

  it("refuses where the requests fit by tokens and not by bytes, rather than leave them untold", () => {
    const rules = (name: string, count: number): string =>
      Array.from({ length: count }, (_, line) => `${name} ${line}: please mind rule_${line} of src/${name}/${line}.ts`).join("\n")
    const conversation = conversationOf(
      system("x"),
      user(rules("first", 8)),
      assistant("ok"),
      user(rules("latest", 40)),
      assistant("r", call("c", "read", { path: "a" })),
      tool(result("c", `${`${"token ".repeat(20)}\n`.repeat(40)}${'"\\n"\t'.repeat(80)}`)),
    )
    const text = (index: number): string => JSON.stringify(conversation.items[index])
    for (let bytes = 300; bytes < 700; bytes += 7) {
      const { plan, conversation: view } = compact(conversation, { budget: { bytes }, strategy: digest() })
      if (plan.outcome !== "compacted") continue
      const shown = JSON.stringify(view.items)
      for (const index of [1, 3]) {
        const isTold = JSON.parse(text(index))
          .blocks[0].text.split("\n")
          .some((line: string) => shown.includes(line))
        expect(isTold || plan.decisions[index]?.kind === "edit", `#${index + 1} at ${bytes} bytes`).toBe(true)
      }
    }
  })

  it("keeps pending work, and refuses where it does not fit", () => {
    const conversation = settle(
      transcript(
        user("Go."),
        assistant("Reading.", call("a", "read", { path: "a" })),
        tool(result("a", filler(1, 200))),
        assistant("Writing.", { ...call("b", "write", { path: "b", text: filler(2, 20) }), pending: "approval" }),
      ),
      { tip: "open" },
    ).conversation
    const { conversation: view, plan } = compact(conversation, { budget: 1500, strategy: digest() })
    expect(plan.outcome).toBe("compacted")
    expect(view.items.at(-1)).toBe(conversation.items.at(-1))
    expect(compact(conversation, { budget: 300, strategy: digest() }).plan).toMatchObject({ outcome: "refused" })
  })
})
