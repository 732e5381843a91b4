/**
 * Any plan, on any log, after any earlier plan: the store shows what the plan wants, no call gets the result of another,
 * and rewinding brings everything back.
 */
import { describe, expect, it } from "vitest"
import { apply, makePlan } from "../../../src/compact/plan/make-plan.ts"
import { estimateMeter } from "../../../src/compact/meter/meter.ts"
import type { Decision, Plan, Summary } from "../../../src/compact/plan/plan.ts"
import { settle } from "../../../src/rules/index.ts"
import { type Archive, archiveOf } from "../../../src/compact/live/stored/archive.ts"
import { entriesOfPlan } from "../../../src/compact/live/write/entries-of-plan.ts"
import { compactConversation } from "../../../src/compact/live/background.ts"
import { verifyEntries } from "../../../src/compact/live/write/append-entries.ts"
import {
  assistant,
  type Block,
  call,
  callsOf,
  type Conversation,
  type Item,
  type Message,
  result,
  text,
  tool,
  user,
  type UserMessage,
} from "../../../src/model/index.ts"
import { memoryStore, type NewEntry } from "../../../src/store/index.ts"
import { Choices, damageHistory, expectValid, generateHistory } from "../../../src/testing/index.ts"
import { damages, idDamages, numbersFromSeed } from "../../../src/testing/damage.ts"
import { storeTask } from "./long-task.ts"

/** The same messages as an agent would store them: results one by one, or in the message that carried them. */
const entriesOf = (messages: readonly Message[], choices: Choices): readonly NewEntry[] =>
  messages.flatMap((message): readonly NewEntry[] => {
    const onlyResults = message.blocks.length > 0 && message.blocks.every(({ type }) => type === "result")
    if (!onlyResults || choices.chance(3)) return [{ kind: "message", message }]
    return message.blocks.flatMap((block) => (block.type === "result" ? [{ kind: "result", result: block } as const] : []))
  })

const edited = (item: Item): Item => {
  if (item.role !== "exchange") return item
  const outcomes = item.outcomes.map((outcome) =>
    outcome.result === undefined
      ? outcome
      : {
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
    if (kind < 4)
      return item.role === "exchange"
        ? {
            kind: "edit",
            item: edited(item),
            elided: [],
            why: "test",
          }
        : { kind: "keep" }
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
  ])(
    "show what the plan wants, one plan after the other, on %s",
    async (_, isDamaged) => {
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
          const shown = verifyEntries({ ...archive, loaded: after }, [], expected)
          all++
          if (shown.same) exact++
          else if (!isDamaged) expect(settle(after.transcript, { tip: "open" }).conversation.items, `seed ${seed}`).toEqual(expected.items)
          // The same plan again has nothing to add.
          expect(entriesOfPlan(archiveOf(after), plan), `seed ${seed}`).toEqual([])
          if (seed % 10 === 0) expectValid(after.transcript, { profiles: ["anthropic"] })
        }
        const { entries } = await store.load("c")
        const present = new Set(entries.map(({ id }) => id))
        expect(originals.filter((id) => !present.has(id))).toEqual([])
      }
      expect(exact / all).toBeGreaterThan(isDamaged ? 0.9 : 0.999)
    },
    60_000,
  )

  it("read a new summary once, however many summaries are already", async () => {
    const readsWith = async (steps: number): Promise<number> => {
      const store = memoryStore()
      await storeTask(store, "c", steps)
      const archive = async (): Promise<Archive> => archiveOf(await store.load("c"))
      const entriesFor = (of: Archive, decide: (item: Item) => Decision, summaries: readonly Summary[]): readonly NewEntry[] => {
        const decisions = of.conversation.items.map(decide)
        return entriesOfPlan(of, makePlan(of.conversation, estimateMeter, { strategy: "test", outcome: "compacted", decisions, summaries }))
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

const lines = (word: string, count: number): string =>
  Array.from({ length: count }, (_, line) => `${word} ${line}: const value_${line} = compute(${line})`).join("\n")

interface Pair {
  readonly asked: string
  readonly kind: string
  /** The number by which a result knows its call; undefined for a stub. */
  readonly got: string | undefined
}

/** Each call, and what became of it. */
const pairsOf = ({ items }: Conversation): readonly Pair[] =>
  items.flatMap((item) => {
    if (item.role !== "exchange") return []
    return callsOf(item).map(({ name, arguments: asked, raw }, index) => {
      const { kind, result: given } = item.outcomes[index] ?? { kind: "none" }
      const said = given?.content.map((block) => (block.type === "text" ? block.text : "")).join("\n") ?? ""
      return { asked: JSON.stringify([name, asked, raw]), kind, got: /⟦(\d+)⟧/.exec(said)?.[1] }
    })
  })

/** Long results under ids that every message uses again, and now and then a result that nobody asked for. */
const recycled = (messages: readonly Message[], choices: Choices): readonly Message[] =>
  messages.flatMap((message, at) => {
    let ordinal = 0
    const blocks = message.blocks.map((block): Block => {
      if (block.type === "call") return { ...block, id: `call_${ordinal++}` }
      if (block.type !== "result") return block
      return { ...block, callId: `call_${ordinal++}`, content: [...block.content, text(lines(`part ${at}`, 30))] }
    })
    const stray = tool(result("call_0", `⟦${1_000 + at}⟧ ${lines("stray", 3)}`))
    return choices.chance(6) ? [{ ...message, blocks }, stray] : [{ ...message, blocks }]
  })

describe("a stored compaction", () => {
  const readFile = (file: string): Message => assistant(call("call_0", "read", { file }))

  it("leaves a result that answers no call without one, where the id of a call was used again", async () => {
    const store = memoryStore()
    await store.create({ id: "c" })
    const messages = [
      user("Fix it"),
      readFile("a.ts"),
      tool(result("call_0", lines("a.ts", 200))),
      readFile("b.ts"),
      tool(result("call_0", "b.ts says: 42")),
      assistant("Read b."),
      user("Go on"),
      tool(result("call_0", lines("stray", 4))),
      assistant("All done."),
      user("And now the tests"),
    ]
    await store.append(
      "c",
      messages.map((message) => ({ kind: "message", message })),
    )
    const options = { store, id: "c", force: true, targetTokens: 600, settings: { strategy: "window", keep: { last: 0 } } } as const
    expect(await compactConversation(options)).toMatchObject({ outcome: "compacted", strategy: "window", failed: [] })
    const { transcript } = await store.load("c")
    const [, summary] = transcript.messages
    const strayText = `[Result of a call that is no longer in the history (call_0)]\n${lines("stray", 4)}`
    expect(transcript.messages).toEqual([
      user("Fix it"),
      { role: "user", blocks: [expect.objectContaining({ type: "text" })], summary: true },
      ...messages.slice(3, 7),
      user(strayText),
      ...messages.slice(8),
    ])
    expect(settle(transcript).report.entries).toEqual([])
    expect(summary?.blocks).toEqual([text(expect.stringContaining("1 item left out here, #2"))])
  })

  it("gives no call another result than the archive does, on damaged logs with ids that come again", async () => {
    let [compacted, differing] = [0, 0]
    for (let seed = 1; seed <= 3 * rounds; seed++) {
      const choices = new Choices(numbersFromSeed(seed, 900))
      const healthy = [...generateHistory(choices).messages, ...generateHistory(choices).messages]
      const { messages } = damageHistory(recycled(healthy, choices), choices, { ...damages, ...idDamages }, 3)
      const store = memoryStore()
      await store.create({ id: "c" })
      const cut = choices.number(Math.max(1, messages.length))
      for (const part of [messages.slice(0, cut), messages.slice(cut)]) {
        if (part.length > 0) await store.append("c", entriesOf(part, choices))
        const archive = pairsOf(archiveOf(await store.load("c")).conversation)
        const strategy = choices.one(["digest", "window", "mask", "generations"] as const)
        const settings = { strategy, keep: { last: choices.number(3) } }
        const targetTokens = 100 + choices.number(1500)
        const done = await compactConversation({ store, id: "c", force: true, targetTokens, settings })
        if (done.outcome === "refused" && done.failed.some(({ reason }) => reason === "differs")) differing++
        if (done.outcome !== "compacted") continue
        compacted++
        const { transcript } = await store.load("c")
        for (const { asked, kind, got } of pairsOf(settle(transcript, { tip: "open" }).conversation)) {
          const known = archive.filter((pair) => pair.asked === asked)
          const isKnown = known.some((pair) => pair.kind === kind && (got === undefined || got === pair.got))
          expect(isKnown, `seed ${seed}: ${asked} has ${kind} ${got}, expected one of ${JSON.stringify(known)}`).toBe(true)
        }
      }
    }
    expect(compacted).toBeGreaterThan(rounds)
    expect(differing / compacted).toBeLessThan(0.02)
  }, 60_000)
})
