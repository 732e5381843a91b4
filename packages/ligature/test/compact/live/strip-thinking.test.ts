import { describe, expect, it } from "vitest"
import { makePlan } from "../../../src/compact/plan/make-plan.ts"
import { estimateMeter } from "../../../src/compact/meter/meter.ts"
import type { Decision } from "../../../src/compact/plan/plan.ts"
import { archiveOf } from "../../../src/compact/live/stored/archive.ts"
import { entriesOfPlan } from "../../../src/compact/live/write/entries-of-plan.ts"
import { compactConversation } from "../../../src/compact/live/background.ts"
import { withoutVoidThinking } from "../../../src/compact/live/write/edit-stored.ts"
import {
  assistant,
  type AssistantMessage,
  type Block,
  call,
  type Exchange,
  type Item,
  type Message,
  result,
  text,
  thinking,
  tool,
  user,
} from "../../../src/model/index.ts"
import { memoryStore } from "../../../src/store/index.ts"

const keep: Decision = { kind: "keep" }

/** The view of the store after this became of the items, void thinking taken out. */
const viewAfter = async (messages: readonly Message[], decide: (item: Item, index: number) => Decision): Promise<readonly Message[]> => {
  const store = memoryStore()
  await store.create({ id: "c" })
  await store.append(
    "c",
    messages.map((message) => ({ kind: "message", message })),
  )
  const archive = archiveOf(await store.load("c"))
  const { conversation } = archive
  const decisions = conversation.items.map(decide)
  const plan = makePlan(conversation, estimateMeter, { strategy: "test", outcome: "compacted", decisions, summaries: [] })
  await store.append("c", entriesOfPlan(archive, withoutVoidThinking(conversation, plan, estimateMeter)))
  return (await store.load("c")).transcript.messages
}

const edit = (item: Item, change: (exchange: Exchange) => Exchange): Decision => ({
  kind: "edit",
  item: change(item as Exchange),
  elided: [],
  why: "test",
})

describe("void thinking", () => {
  it("is what is after the first change, also inside the exchange that is changed", async () => {
    const first = assistant(thinking("one", "s1"), call("a", "read"))
    const messages = [user("go"), first, tool(result("a", "long")), assistant(thinking("two", "s2"), text("Read.")), user("on")]
    const shorter = (exchange: Exchange): Exchange => ({ ...exchange, outcomes: [{ kind: "done", result: result("a", "…") }] })
    const shown = await viewAfter(messages, (item, index) => (index === 1 ? edit(item, shorter) : keep))
    expect(shown).toEqual([user("go"), first, tool(result("a", "…")), assistant("Read."), user("on")])
  })

  it("is after a call that was shortened, and not before it", async () => {
    const wrote = (content: string, ...more: readonly Block[]): Message =>
      assistant(thinking("one", "s1"), call("a", "write", { content }), ...more, call("b", "read"))
    const messages = [user("go"), wrote("long", thinking("two", "s2")), tool(result("a", "ok"), result("b", "ok"))]
    const shorter = (exchange: Exchange): Exchange => ({ ...exchange, message: wrote("…", thinking("two", "s2")) as AssistantMessage })
    const shown = await viewAfter(messages, (item, index) => (index === 1 ? edit(item, shorter) : keep))
    expect(shown[1]).toEqual(wrote("…"))
  })

  it("goes with its message where nothing else was said", async () => {
    const messages = [
      user("first"),
      user("go"),
      assistant(thinking("one", "s1")),
      user("on"),
      assistant(call("a", "read")),
      tool(result("a", "ok")),
      assistant(thinking("two", "s2")),
      user("end"),
    ]
    const shown = await viewAfter(messages, (_, index) => (index === 0 ? { kind: "hide", why: "test" } : keep))
    expect(shown).toEqual([user("go"), user("on"), assistant(call("a", "read")), tool(result("a", "ok")), user("end")])
  })
})

describe("the statistics", () => {
  it("count the thinking that the view had and has no longer, not what was lost before", async () => {
    const store = memoryStore()
    await store.create({ id: "c" })
    const step = (at: number): readonly Message[] => [
      assistant(thinking(`hm ${at}`, `s${at}`), call(`t${at}`, "read", { path: `src/p${at}.ts` })),
      tool(result(`t${at}`, Array.from({ length: 30 }, (_, line) => `part-${at} line ${line} value_${line}`).join("\n"))),
    ]
    const steps = (from: number): readonly Message[] => Array.from({ length: 20 }, (_, at) => step(from + at)).flat()
    await store.append(
      "c",
      [user("Fix it"), ...steps(0)].map((message) => ({ kind: "message", message })),
    )
    const lost: (readonly number[])[] = []
    for (const from of [20, 40]) {
      const { transcript: before } = await store.load("c")
      const outcome = await compactConversation({ store, id: "c", force: true, targetTokens: 1_500 })
      const { transcript: after } = await store.load("c")
      const signed = ({ messages }: typeof before): number => JSON.stringify(messages).split("signature").length - 1
      const { thinkingLost = 0, thinkingBehind = 0 } = outcome.outcome === "compacted" ? outcome.statistics : {}
      expect([thinkingLost, thinkingBehind]).toEqual([signed(before) - signed(after), signed(after)])
      lost.push([thinkingLost, thinkingBehind])
      await store.append(
        "c",
        steps(from).map((message) => ({ kind: "message", message })),
      )
    }
    expect(lost).toEqual([
      [18, 2],
      [20, 2],
    ])
  })
})
