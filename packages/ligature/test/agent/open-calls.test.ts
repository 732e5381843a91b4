/** Calls that a crash left open at the tip, under each policy: what is sent, what is stored, and what a second look finds. */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Policies } from "../../src/rules/index.ts"
import { resume } from "../../src/agent/resume/index.ts"
import { assistant, call, type Message, result, syntheticTexts, tool, user } from "../../src/model/index.ts"
import { jsonlStore, memoryStore, type NewEntry, type Store } from "../../src/store/index.ts"
import { recoveryPlan } from "../../src/store/recovery.ts"
import { cli, folder } from "../cli/cli.ts"
import { startAgent } from "./run/agent.ts"

type Unanswered = Policies["unansweredCall"]

const waiting = { ...call("w", "rm"), pending: "approval" } as const
const step = assistant("I do both.", call("a", "echo"), call("b", "echo"))
const crashed: readonly Message[] = [user("Do both."), step, tool(result("a", "done"))]
const note: NewEntry = { kind: "note", id: "n", name: "mood", value: "fine" }

const fill = async (store: Store, messages: readonly Message[], more: readonly NewEntry[] = []): Promise<Store> => {
  await store.create({ id: "c" })
  await store.append("c", [...messages.map((message, index): NewEntry => ({ kind: "message", id: `m${index}`, message })), ...more])
  return store
}

const open = (messages: readonly Message[], more: readonly NewEntry[] = []): Promise<Store> =>
  fill(memoryStore({ now: () => 1 }), messages, more)

/** What a request holds, in short. */
const shown = (request: unknown): readonly string[] =>
  (request as { messages: readonly Record<string, unknown>[] }).messages.map((message) => {
    const calls = (message["tool_calls"] ?? []) as readonly { readonly id: string }[]
    return [message["role"], ...calls.map(({ id }) => id), message["tool_call_id"], message["content"]].filter(Boolean).join(" ")
  })

const expected: Readonly<Record<Unanswered, readonly string[]>> = {
  synthesize: ["user Do both.", "assistant a b I do both.", "tool a done", `tool b ${syntheticTexts.interrupted}`, "user Go on."],
  "drop-message": ["user Do both.", "user Go on."],
  "drop-call": ["user Do both.", "assistant a I do both.", "tool a done", "user Go on."],
}

describe.each(Object.keys(expected) as Unanswered[])("open calls at the tip, with %s", (unansweredCall) => {
  const policies = { unansweredCall }

  it("are resumed by the policy, and give the same request once that is stored", async () => {
    const store = await open(crashed)
    const first = await resume(store, "c", { format: "openai-chat", user: "Go on.", policies })
    expect(first.ready && shown(first.value)).toEqual(expected[unansweredCall])
    await store.append("c", first.append, { expectedTip: first.loaded.tip })
    const later = await resume(store, "c", { format: "openai-chat" })
    expect(later.plan.state).toBe("clean")
    expect(later.append).toEqual([])
    expect(later.ready && later.value).toEqual(first.ready && first.value)
  })

  it("are what a run goes on from", async () => {
    const store = await open(crashed)
    const agent = await startAgent("openai-chat", { store, script: [{ text: "Fine." }] })
    const { stop } = await agent.run({ prompt: "Go on.", policies })
    expect(stop).toBe("done")
    const [sent] = agent.provider.requests
    expect(shown(sent?.body)).toEqual(expected[unansweredCall])
    // Without the policy, the stored conversation still has what was decided.
    const { state, synthesised } = recoveryPlan(await store.load("c"))
    expect([state, synthesised]).toEqual(["clean", []])
  })

  it("are printed by ligature resume, and written by --append", async () => {
    const cwd = folder()
    const store = await fill(jsonlStore({ folder: join(cwd, "s") }), crashed)
    await store.close()
    const look = (...argv: readonly string[]) => cli(["resume", "c", "--to", "openai-chat", ...argv], { cwd, env: { LIGATURE_STORE: "s" } })
    const first = await look("--user", "Go on.", "--policy", `unansweredCall=${unansweredCall}`, "--append")
    expect(shown(JSON.parse(first.stdout))).toEqual(expected[unansweredCall])
    expect((await look()).stdout).toBe(first.stdout)
  })
})

describe("a dropped call", () => {
  it("is named in the plan, and the entry before its message is the new tip; what was said stays as a branch", async () => {
    const store = await open(crashed, [note])
    const plan = recoveryPlan(await store.load("c"), { policies: { unansweredCall: "drop-message" } })
    expect(plan).toMatchObject({
      state: "open-calls",
      confirm: true,
      openCalls: [{ id: "b", becomes: "dropped" }],
      append: [
        { kind: "tip", to: "m0" },
        { kind: "note", name: "mood", value: "fine" },
      ],
      reasons: ["Left out, effect unknown: echo (b)"],
    })
    await store.append("c", plan.append)
    const after = await store.load("c")
    expect(after.transcript.messages).toEqual([user("Do both.")])
    expect(await store.branches("c")).toHaveLength(2)
    expect((await store.load("c", { at: "n" })).transcript.messages).toEqual(crashed)
  })

  it("keeps its text or loses it, by the policy for text", async () => {
    const told = async (textBesideDroppedCall: "keep" | "drop") => {
      const store = await open([user("Go."), assistant("I look.", call("a", "echo"))])
      const policies = { unansweredCall: "drop-call", textBesideDroppedCall } as const
      await store.append("c", recoveryPlan(await store.load("c"), { policies }).append)
      return (await store.load("c")).transcript.messages
    }
    expect(await told("keep")).toEqual([user("Go."), assistant("I look.")])
    expect(await told("drop")).toEqual([user("Go.")])
  })

  it("stays while another call of its message waits for approval", async () => {
    const store = await open([user("Go."), assistant(call("a", "echo"), waiting)])
    const policies = { unansweredCall: "drop-message" } as const
    const refused = await resume(store, "c", { format: "openai-chat", policies })
    expect([refused.ready, refused.plan.openCalls.map(({ becomes }) => becomes)]).toEqual([false, ["interrupted", "waits"]])
    const closed = await resume(store, "c", { format: "openai-chat", waiting: "close", user: "Well?", policies })
    expect(closed.ready && shown(closed.value)).toEqual(["user Go.", "user Well?"])
    expect(closed.append).toEqual([
      { kind: "tip", to: "m0" },
      { kind: "message", message: user("Well?") },
    ])
    expect(closed.plan.reasons.at(-1)).toBe("The request leaves out rm (w), which never ran")
  })

  it("was stored as text: each view leaves it out, and the log keeps its words", async () => {
    const store = await open([user("Look."), assistant("<echo>\n<say>a</say>\n</echo>")])
    const options = { format: "openai-chat", tools: ["echo"], user: "Well?", policies: { unansweredCall: "drop-message" } } as const
    const resumed = await resume(store, "c", options)
    expect(resumed.ready && shown(resumed.value)).toEqual(["user Look.", "user Well?"])
    expect(resumed.append).toEqual([{ kind: "message", message: user("Well?") }])
  })
})
