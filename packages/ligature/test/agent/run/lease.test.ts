/** One writer: a run holds the lease of its conversation, and one that lost it says nothing more. */
import { describe, expect, it } from "vitest"
import { isDeadOwner, newOwner } from "../../../src/compact/live/stored/surroundings.ts"
import { memoryStore, type Store, StoreError } from "../../../src/store/index.ts"
import { deadPid } from "../../store/faulty-files.ts"
import { gate, says, startAgent } from "./agent.ts"

const script = [{ calls: [says("x")] }, { text: "Done." }, { text: "Again." }]

describe("a run", () => {
  it("holds the lease while it goes on, and gives it back", async () => {
    const home = new Map<string, unknown>()
    const other = memoryStore({ home })
    const seen: unknown[] = []
    const agent = await startAgent("anthropic", {
      script,
      store: memoryStore({ home }),
      tools: [
        {
          name: "echo",
          run: () => other.acquire("c", { owner: "other", durationMs: 10 }).catch((error: StoreError) => void seen.push(error.reason)),
        },
      ],
    })
    expect((await agent.run({ prompt: "go" })).stop).toBe("done")
    expect(seen).toEqual(["held"])
    expect((await other.acquire("c", { owner: "other", durationMs: 10 })).owner).toBe("other")
  })

  it("is refused while another holds it, with the name of the holder", async () => {
    const agent = await startAgent("anthropic", { script })
    await agent.store.create({ id: "c" })
    await agent.store.acquire("c", { owner: "somebody else", durationMs: 60_000 })
    const result = await agent.run({ prompt: "go" })
    expect([result.stop, result.error?.reason, result.tip, await agent.told()]).toEqual(["error", "held", undefined, []])
    expect(result.error?.message).toContain("somebody else")
    expect(result.error?.cause).toBeInstanceOf(StoreError)
  })

  it("waits for it when told to", async () => {
    const agent = await startAgent("anthropic", { script })
    await agent.store.create({ id: "c" })
    await agent.store.acquire("c", { owner: "somebody else", durationMs: 60 })
    expect((await agent.run({ prompt: "go", leaseWaitMs: 5_000, surroundings: {} })).stop).toBe("done")
  })

  it("takes it at once from a process that is dead", async () => {
    const agent = await startAgent("anthropic", { script })
    await agent.store.create({ id: "c" })
    const dead = newOwner("x").replace(` ${process.pid} `, ` ${deadPid()} `)
    await agent.store.acquire("c", { owner: dead, durationMs: 60_000 })
    expect((await agent.run({ prompt: "go" })).stop).toBe("done")
  })

  it("keeps a lease that is shorter than a tool by renewing it", async () => {
    const home = new Map<string, unknown>()
    let time = 0
    const now = (): number => time
    const [store, other] = [memoryStore({ home, now }), memoryStore({ home, now })]
    const renew = store.renew.bind(store)
    let renewed = gate()
    store.renew = (...terms) => renew(...terms).finally(renewed.open)
    const refused: string[] = []
    // Six times two thirds of the lease pass for the store, each time a renewal comes, and the lease is still held.
    const slow = async (): Promise<string> => {
      for (let round = 0; round < 6; round++) {
        renewed = gate()
        time += 40
        await renewed.passed
        await other.acquire("c", { owner: "other", durationMs: 10 }).catch((error: StoreError) => refused.push(error.reason))
      }
      return "slow"
    }
    const agent = await startAgent("anthropic", { script, store, tools: [{ name: "echo", run: slow }] })
    expect((await agent.run({ prompt: "go", leaseMs: 60 })).stop).toBe("done")
    expect(refused).toEqual(Array.from({ length: 6 }, () => "held"))
  })
})

describe("a run that lost its lease", () => {
  const robbed = async (when: "before the renewal" | "by the renewal") => {
    const home = new Map<string, unknown>()
    const thief = memoryStore({ home })
    const started = gate()
    const go = gate()
    let signal: AbortSignal | undefined
    const agent = await startAgent("anthropic", {
      script,
      store: memoryStore({ home }),
      tools: [{ name: "echo", run: async (_, context) => ((signal = context.signal), started.open(), await go.passed, "late") }],
    })
    const leaseMs = when === "by the renewal" ? 30 : 600_000
    const running = agent.run({ prompt: "go", owner: "sleeper", leaseMs, abortGraceMs: 5 })
    await started.passed
    await thief.acquire("c", { owner: "sleeper", durationMs: 1 })
    await new Promise((resolve) => setTimeout(resolve, 5))
    const lease = await thief.acquire("c", { owner: "successor", durationMs: 60_000 })
    await thief.append("c", [{ kind: "note", name: "mine", value: 1 }], { lease })
    const before = (await agent.load()).entries.map(({ id }) => id)
    if (when === "before the renewal") go.open()
    return { agent, running, before, signal: () => signal }
  }

  it.each(["before the renewal", "by the renewal"] as const)("stops without writing (noticed %s)", async (when) => {
    const { agent, running, before, signal } = await robbed(when)
    const result = await running
    expect([result.stop, result.error?.reason]).toEqual(["error", "lease-lost"])
    expect(result.error?.message).toMatch(/generation 1\) is no longer valid: \w+ holds generation [23]/)
    expect((await agent.load()).entries.map(({ id }) => id)).toEqual(before)
    if (when === "by the renewal") expect(signal()?.aborted).toBe(true)
  })
})

describe("an append", () => {
  const flaky = (store: Store, fails: (count: number) => "before" | "after" | undefined): Store => {
    let count = 0
    return new Proxy(store, {
      get: (target, name: keyof Store) => {
        if (name !== "append") return (target[name] as (...given: unknown[]) => unknown).bind(target)
        return async (...given: Parameters<Store["append"]>) => {
          const when = fails(count++)
          if (when === "before") throw new StoreError("unwritable", "EIO")
          const outcome = await target.append(...given)
          if (when === "after") throw new StoreError("unwritable", "the connection was dropped")
          return outcome
        }
      },
    })
  }

  it.each(["before", "after"] as const)("that fails once, %s the write, is said again and written once", async (when) => {
    for (let bad = 0; bad < 4; bad++) {
      const agent = await startAgent("anthropic", { script, store: flaky(memoryStore(), (count) => (count === bad ? when : undefined)) })
      expect((await agent.run({ prompt: "go" })).stop).toBe("done")
      expect(await agent.told()).toEqual(["user: go", 'assistant: echo({"say":"x"})', "echo: done x", "assistant: Done."])
    }
  })

  it("that fails for good ends the run; nothing is written after the gap, and the next run says what is unknown", async () => {
    for (let bad = 0; bad < 4; bad++) {
      const home = new Map<string, unknown>()
      let broken = true
      const agent = await startAgent("anthropic", {
        script,
        store: flaky(memoryStore({ home }), (count) => (broken && count >= bad ? "before" : undefined)),
      })
      const result = await agent.run({ prompt: "go" })
      expect([result.stop, result.error?.reason, (await agent.load()).entries.filter(({ kind }) => kind !== "note").length]).toEqual([
        "error",
        "store-failed",
        bad,
      ])
      broken = false
      const next = await agent.run({ prompt: "again" })
      expect(next.stop).toBe("done")
      expect(next.recovery?.openCalls.map(({ becomes }) => becomes)).toEqual(bad === 2 ? ["interrupted"] : [])
    }
  })
})

it("an owner is dead only when that is certain", () => {
  const own = newOwner("x")
  const pid = String(process.pid)
  expect(isDeadOwner(own)).toBe(false)
  expect(isDeadOwner(own.replace(` ${pid} `, ` ${deadPid()} `))).toBe(true)
  expect(isDeadOwner(own.replace(/ \w{12} x$/, " 000000000000 x"))).toBe(false)
  expect(isDeadOwner("worker-7")).toBe(false)
  expect(isDeadOwner("")).toBe(false)
})
