/**
 * Any plan, on any log, after any earlier plan: the store shows what the plan wants, and rewinding brings everything
 * back.
 */
import { describe, expect, it } from "vitest"
import { apply } from "../../../src/compact/plan/apply.ts"
import { makePlan } from "../../../src/compact/plan/make-plan.ts"
import { estimateMeter } from "../../../src/compact/meter/index.ts"
import type { Decision, Plan, Summary } from "../../../src/compact/plan/plan.ts"
import { settle } from "../../../src/laws/index.ts"
import { type Archive, archiveOf } from "../../../src/loop/compaction/archive.ts"
import { entriesOfPlan } from "../../../src/loop/compaction/write/entries-of-plan.ts"
import { showsPlan } from "../../../src/loop/compaction/write/shows-plan.ts"
import { type Conversation, type Item, type Message, text, type UserMessage } from "../../../src/model/index.ts"
import { memoryStore, type NewEntry } from "../../../src/store/index.ts"
import {
  Choices,
  damageHistory,
  damages,
  expectLawful,
  generateHistory,
  numbersFromSeed,
} from "../../../src/testing/index.ts"
import { storeTask } from "./long-task.ts"

/** The same messages as an agent would store them: results one by one, or in the message that carried them. */
const entriesOf = (messages: readonly Message[], choices: Choices): readonly NewEntry[] =>
  messages.flatMap((message): readonly NewEntry[] => {
    const onlyResults = message.blocks.length > 0 && message.blocks.every(({ type }) => type === "result")
    if (!onlyResults || choices.chance(3)) return [{ kind: "message", message }]
    return message.blocks.flatMap((block) => (block.type === "result" ? [
      { kind: "result", result: block } as const,
    ] : []))
  })

const edited = (item: Item): Item => {
  if (item.role !== "exchange") return item
  const outcomes = item.outcomes.map((outcome) =>
    outcome.result === undefined ? outcome : {
      kind: outcome.kind,
      result: { ...outcome.result, content: [text("[shortened]")] },
    },
  )
  return { ...item, outcomes }
}

const randomPlan = (conversation: Conversation, choices: Choices): Plan => {
  const groups = 1 + choices.number(2)
  const summaries: Summary[] = Array.from({ length: groups }, (_, index) => ({
    message: { role: "user", blocks: [text(`summary ${index} ${choices.number(1000)}`)], summary: true },
  }))
  const decisions = conversation.items.map((item): Decision => {
    const isOpen = item.role === "exchange" && item.outcomes.some(({ kind }) => kind === "pending")
    const kind = isOpen ? 0 : choices.number(8)
    if (kind < 2) return { kind: "keep" }
    if (kind < 4) return item.role === "exchange" ? {
      kind: "edit",
      item: edited(item),
      elided: [],
      why: "test",
    } : { kind: "keep" }
    if (kind < 7) return { kind: "cover", summary: choices.number(groups), why: "test" }
    return { kind: "hide", why: "test" }
  })
  return makePlan(conversation, estimateMeter, { strategy: "random", outcome: "compacted", decisions, summaries })
}

const rounds = Number(process.env["LIGATURE_PLANS"] ?? 50)

describe("the entries of a plan", () => {
  it.each([
    ["healthy logs", false],
    ["damaged logs", true],
  ])("show what the plan wants, one plan after the other, on %s", async (_, isDamaged) => {
    let exact = 0
    let all = 0
    for (let seed = 0; seed < rounds; seed++) {
      const choices = new Choices(numbersFromSeed(seed + 1, 600))
      const healthy = generateHistory(choices).messages
      const messages = isDamaged ? damageHistory(healthy, choices, damages, 3).messages : healthy
      const store = memoryStore()
      await store.create({ id: "c" })
      const cut = choices.number(Math.max(1, messages.length))
      const parts = [messages.slice(0, cut), messages.slice(cut), []]
      const originals: string[] = []
      for (const part of parts) {
        const entries = entriesOf(part as readonly Message[], choices)
        if (entries.length > 0) originals.push(...(await store.append("c", entries)).ids)
        const loaded = await store.load("c")
        const archive = archiveOf(loaded)
        if (archive.conversation.items.length === 0) continue
        const plan = randomPlan(archive.conversation, choices)
        const added = entriesOfPlan(archive, plan)
        if (added.length > 0) await store.append("c", added)
        const after = await store.load("c")
        expect(after.stale, `seed ${seed}`).toEqual([])
        const expected = apply(archive.conversation, plan)
        const shown = showsPlan({ ...archive, loaded: after }, [], expected)
        all++
        if (shown.same) exact++
        else if (!isDamaged) expect(
          settle(after.transcript, { tip: "open" }).conversation.items,
          `seed ${seed}`,
        ).toEqual(expected.items)
        // The same plan again has nothing to add.
        expect(entriesOfPlan(archiveOf(after), plan), `seed ${seed}`).toEqual([])
        if (seed % 10 === 0) expectLawful(after.transcript, { profiles: ["anthropic"] })
      }
      const { entries } = await store.load("c")
      const present = new Set(entries.map(({ id }) => id))
      expect(originals.filter((id) => !present.has(id))).toEqual([])
    }
    expect(exact / all).toBeGreaterThan(isDamaged ? 0.9 : 0.999)
  }, 60_000)

  it("read a new summary once, however many summaries stand already", async () => {
    const readsWith = async (steps: number): Promise<number> => {
      const store = memoryStore()
      await storeTask(store, "c", steps)
      const archive = async (): Promise<Archive> => archiveOf(await store.load("c"))
      const entriesFor = (of: Archive, decide: (item: Item) => Decision, summaries: readonly Summary[]): readonly NewEntry[] => {
        const decisions = of.conversation.items.map(decide)
        return entriesOfPlan(
          of,
          makePlan(of.conversation, estimateMeter, { strategy: "test", outcome: "compacted", decisions, summaries }),
        )
      }
      const shorten = (item: Item): Decision => ({ kind: "edit", item: edited(item), elided: [], why: "test" })
      await store.append("c", entriesFor(await archive(), shorten, []))
      let reads = 0
      const message: UserMessage = {
        role: "user",
        summary: true,
        get blocks() {
          reads++
          return [text("summary")]
        },
      }
      entriesFor(await archive(), () => ({ kind: "cover", summary: 0, why: "test" }), [{ message }])
      return reads
    }
    expect(await readsWith(30)).toBe(await readsWith(3))
  })
})
