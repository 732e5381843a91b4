/** Plans for conversations that are opened again: what was going on, what is closed, what waits, and whether to ask. */
import { describe, expect, it } from "vitest"
import { settle } from "../../src/rules/index.ts"
import { assistant, call, callsOf, type Message, result, syntheticResult, tool, user } from "../../src/model/index.ts"
import { type Loaded, memoryStore, type RecoveryPlan, type Store } from "../../src/store/index.ts"
import { recoveryPlan } from "../../src/store/recovery.ts"
import { expectValid } from "../../src/testing/index.ts"

const open = async (...messages: readonly Message[]): Promise<{ readonly store: Store; readonly loaded: Loaded }> => {
  const store = memoryStore({ now: () => 1 })
  await store.create({ id: "c" })
  await store.append(
    "c",
    messages.map((message, index) => ({ kind: "message", id: `m${index}`, message })),
  )
  return { store, loaded: await store.load("c") }
}

const planFor = async (...messages: readonly Message[]): Promise<RecoveryPlan> => recoveryPlan((await open(...messages)).loaded)

const waiting = { ...call("w", "rm"), pending: "approval" } as const
const nothing = { openCalls: [], append: [], salvaged: [], lost: [], synthesised: [], repaired: [], confirm: false, reasons: [] }

describe("a recovery plan", () => {
  it("has nothing to say about a finished turn, an unanswered user, or an empty conversation", async () => {
    const finished = [user("hi"), assistant(call("a", "ls")), tool(result("a", "x")), assistant("done")]
    expect(await planFor(...finished)).toEqual({ state: "clean", ...nothing })
    expect(await planFor(user("hi"))).toEqual({ state: "clean", ...nothing })
    const store = memoryStore()
    await store.create({ id: "c" })
    expect(recoveryPlan(await store.load("c"))).toEqual({ state: "clean", ...nothing })
  })

  it("closes calls that were interrupted, keeps finished siblings, and asks the user", async () => {
    const { store, loaded } = await open(user("both"), assistant(call("a", "ls"), call("b", "rm")), tool(result("a", "x")))
    const plan = recoveryPlan(loaded)
    expect(plan).toEqual({
      ...nothing,
      state: "open-calls",
      openCalls: [{ id: "b", name: "rm", entry: "m1", becomes: "interrupted" }],
      append: [{ kind: "result", result: syntheticResult("b", "rm", "interrupted") }],
      confirm: true,
      reasons: ["Interrupted, effect unknown: rm (b)"],
    })
    await store.append("c", plan.append)
    const closed = await store.load("c")
    expect(recoveryPlan(closed)).toEqual({ state: "clean", ...nothing })
    expectValid(closed.transcript)
    // A real result that arrives later still takes the place of the invented one.
    await store.append("c", [{ kind: "result", result: result("b", "really removed") }])
    const last = settle((await store.load("c")).transcript).conversation.items.at(-1)
    expect(last?.role === "exchange" && last.outcomes.map(({ kind }) => kind)).toEqual(["done", "done"])
  })

  it("leaves what waits for approval pending, also beside an interrupted call", async () => {
    const only = await planFor(user("go"), assistant(waiting))
    expect([only.state, only.append, only.confirm, only.reasons]).toEqual(["clean", [], false, ["Waits for approval: rm (w)"]])
    const { store, loaded } = await open(user("go"), assistant(call("a", "ls"), waiting))
    const plan = recoveryPlan(loaded)
    expect(plan.openCalls.map(({ becomes }) => becomes)).toEqual(["interrupted", "waits"])
    expect(plan.append).toHaveLength(1)
    await store.append("c", plan.append)
    const { conversation } = settle((await store.load("c")).transcript, { tip: "open" })
    const last = conversation.items.at(-1)
    if (last?.role !== "exchange") throw new Error("Expected an exchange")
    expect(callsOf(last).map((block, index) => [block.id, last.outcomes[index]?.kind])).toEqual([
      ["a", "interrupted"],
      ["w", "pending"],
    ])
  })

  it("says that a call with broken arguments never ran, without asking", async () => {
    const broken = { ...call("a", "ls"), raw: '{"path', fault: "unparsable" } as const
    const plan = await planFor(user("go"), assistant(broken))
    expect([plan.state, plan.openCalls[0]?.becomes, plan.confirm]).toEqual(["open-calls", "not-run", false])
  })

  it("names outcomes that settle generates before the tip", async () => {
    const plan = await planFor(user("go"), assistant(call("a", "ls")), user("hello?"))
    expect([plan.state, plan.append, plan.synthesised.map(({ ids }) => ids)]).toEqual(["clean", [], [["a"]]])
  })

  it("calls a history damaged when words have to move into another block", async () => {
    const plan = await planFor(user("go"), tool(result("nobody", "orphan")))
    expect([plan.state, plan.confirm, plan.repaired.map(({ kind }) => kind)]).toEqual(["damaged", true, ["demote"]])
  })
})
