/** Approval: what waits is in the store, has not run, and can be decided by a later run. */
import { describe, expect, it } from "vitest"
import type { Approve, Decision, Tool } from "../../../src/agent/index.ts"
import { recoveryPlan } from "../../../src/store/recovery.ts"
import { apis, echo, gate, says, startAgent } from "./agent.ts"

const setup = () => {
  const ran: string[] = []
  const rm: Tool = { name: "rm", run: ({ say }) => (ran.push(String(say)), `removed ${String(say)}`) }
  const script = [{ calls: [says("a", "rm"), says("b", "rm"), says("c")] }, { text: "Done." }, { text: "And on." }]
  return { ran, tools: [rm, { ...echo, approval: false }], script }
}

const bySay =
  (decisions: Readonly<Record<string, Decision["kind"]>>) => (call: { readonly arguments: { readonly [key: string]: unknown } }) =>
    decisions[String(call.arguments["say"])] ?? "approve"

describe.each(apis)("%s", (api) => {
  it("runs what is approved, tells the model what is denied", async () => {
    const { ran, tools, script } = setup()
    const agent = await startAgent(api, { script, tools })
    const approve = ({ arguments: { say } }: { readonly arguments: { readonly [key: string]: unknown } }): Decision =>
      say === "a" ? { kind: "deny", reason: "Not that one." } : { kind: "approve" }
    expect((await agent.run({ prompt: "go", approve })).stop).toBe("done")
    expect(ran).toEqual(["b"])
    expect((await agent.told()).toSorted()).toEqual(
      [
        "user: go",
        'assistant: rm({"say":"a"}) rm({"say":"b"}) echo({"say":"c"})',
        "rm: not-run Not that one.",
        "rm: done removed b",
        "echo: done c",
        "assistant: Done.",
      ].sort(),
    )
  })

  it.each(["at once", "later"])("leaves what waits in the store (said %s), and a later run with the decision goes on", async (when) => {
    const { ran, tools, script } = setup()
    const agent = await startAgent(api, { script, tools })
    const sync = bySay({ a: "wait", b: "wait" })
    const approve = when === "later" ? async (call: Parameters<typeof sync>[0]) => sync(call) : sync
    const first = await agent.run({ prompt: "go", approve })
    expect([first.stop, first.pending.map((call) => call.arguments["say"]), ran]).toEqual(["approval", ["a", "b"], []])
    expect(await agent.told()).toEqual([
      "user: go",
      'assistant: rm({"say":"a"}) waits rm({"say":"b"}) waits echo({"say":"c"})',
      "echo: done c",
    ])
    expect(recoveryPlan(await agent.load()).openCalls.map(({ becomes }) => becomes)).toEqual(["waits", "waits"])
    // Nobody decided: nothing happens, and nothing runs.
    const [a, b] = first.pending
    expect(await agent.run()).toMatchObject({ stop: "approval", iterations: 0 })
    const second = await agent.run({ decisions: { [a?.id ?? ""]: "approve" } })
    expect([second.stop, second.pending.map((call) => call.arguments["say"]), ran]).toEqual(["approval", ["b"], ["a"]])
    const third = await agent.run({ decisions: { [b?.id ?? ""]: "deny" } })
    expect([third.stop, third.text, ran]).toEqual(["done", "Done.", ["a"]])
    expect(await agent.told()).toEqual([
      "user: go",
      'assistant: rm({"say":"a"}) rm({"say":"b"}) waits echo({"say":"c"})',
      "echo: done c",
      "rm: done removed a",
      "rm: not-run This call was denied. It was not run.",
      "assistant: Done.",
    ])
  })

  it("closes what waits as not run when the user goes on without deciding", async () => {
    const { ran, tools, script } = setup()
    const agent = await startAgent(api, { script, tools })
    await agent.run({ prompt: "go", approve: () => "wait" })
    const next = await agent.run({ prompt: "never mind" })
    expect([next.stop, next.text, ran]).toEqual(["done", "Done.", []])
    expect((await agent.told()).filter((line) => line.includes("never executed"))).toHaveLength(2)
  })
})

describe("while somebody is asked", () => {
  it("the calls wait in the store, and an approved one is no longer marked when it runs", async () => {
    const { tools, script } = setup()
    const asked = gate()
    const answered = gate()
    const during: (readonly string[])[] = []
    const agent = await startAgent("anthropic", {
      script,
      tools: [{ name: "rm", run: async () => void during.push(await agent.told()) }, ...tools.slice(1)],
    })
    const approve: Approve = async () => {
      asked.open()
      await answered.passed
      return { kind: "approve" }
    }
    const running = agent.run({ prompt: "go", approve })
    await asked.passed
    for (let tries = 0; (await agent.told()).length < 2; tries++) await new Promise((resolve) => setTimeout(resolve, 1))
    // Also the call that needs no approval has not run.
    expect(recoveryPlan(await agent.load()).openCalls.map(({ becomes }) => becomes)).toEqual(["waits", "waits", "waits"])
    answered.open()
    expect((await running).stop).toBe("done")
    expect(during[0]?.[1]).toBe('assistant: rm({"say":"a"}) rm({"say":"b"}) echo({"say":"c"})')
  })

  it("an abort leaves them waiting: they have not run", async () => {
    const { ran, tools, script } = setup()
    const agent = await startAgent("anthropic", { script, tools })
    const controller = new AbortController()
    const result = await agent.run({
      prompt: "go",
      signal: controller.signal,
      approve: () => new Promise(() => setTimeout(() => controller.abort(), 5)),
    })
    expect([result.stop, result.pending.length, ran]).toEqual(["aborted", 3, []])
    const next = await agent.run({ approve: () => "approve" })
    expect([next.stop, next.text, ran]).toEqual(["done", "Done.", ["a", "b"]])
  })

  const broken: readonly (readonly [what: string, approve: Approve])[] = [
    ["rejects", () => Promise.reject(new Error("no terminal"))],
    [
      "throws",
      () => {
        throw new Error("no terminal")
      },
    ],
    ["says something else", () => "yes" as "approve"],
    ["says something else later", async () => ({ kind: "yes" }) as unknown as Decision],
    ["says nothing", () => undefined as unknown as Decision],
  ]

  it.each(broken)("a hook that %s runs nothing, and the calls wait", async (what, approve) => {
    const { ran, tools, script } = setup()
    const agent = await startAgent("anthropic", { script, tools })
    const result = await agent.run({ prompt: "go", approve })
    if (what === "says nothing") {
      expect([result.stop, result.pending.length, ran]).toEqual(["approval", 2, []])
      return
    }
    expect([result.stop, result.error?.reason, ran]).toEqual(["error", "caller-failed", []])
    expect(recoveryPlan(await agent.load()).openCalls.map(({ becomes }) => becomes)).toEqual(["waits", "waits", "waits"])
  })
})

it("a decision that is none is refused, and the call goes on waiting", async () => {
  const { ran, tools, script } = setup()
  const agent = await startAgent("anthropic", { script, tools })
  const { pending } = await agent.run({ prompt: "go", approve: () => "wait" })
  const decisions = Object.fromEntries(pending.map(({ id }) => [id, "ok" as "approve"]))
  expect((await agent.run({ decisions })).error?.reason).toBe("caller-failed")
  expect([(await agent.run()).pending.length, ran]).toEqual([2, []])
})

it("a tool that demands approval waits where nobody can be asked", async () => {
  const { ran, tools, script } = setup()
  const agent = await startAgent("anthropic", { script, tools: tools.map((tool) => ({ ...tool, approval: tool.name === "rm" })) })
  expect((await agent.run({ prompt: "go" })).stop).toBe("approval")
  expect(ran).toEqual([])
})

it("an approved call that was running when the process died is never run again", async () => {
  const { tools, script } = setup()
  const agent = await startAgent("anthropic", { script, tools })
  const first = await agent.run({ prompt: "go", approve: () => "wait" })
  const ids = first.pending.map(({ id }) => id)
  const started = gate()
  let runs = 0
  const hanging: Tool = { name: "rm", run: () => (runs++, started.open(), new Promise(() => {})) }
  // This run is never heard of again: its lease goes to the next one.
  void agent.run({ tools: [hanging, ...tools.slice(1)], decisions: Object.fromEntries(ids.map((id) => [id, "approve"])), owner: "me" })
  await started.passed
  const next = await agent.run({ approve: () => "approve", owner: "me" })
  expect([next.stop, next.recovery?.openCalls.map(({ becomes }) => becomes), runs]).toEqual(["done", ["interrupted", "interrupted"], 2])
})
