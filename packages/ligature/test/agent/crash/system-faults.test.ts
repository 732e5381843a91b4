/**
 * The loop on a system that fails without killing it: full and broken disks, a folder that cannot be written, two agents on
 * one conversation, and an agent that slept through its lease. `LIGATURE_FAULTS=all` tries every error in every call.
 */
import { existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { settle } from "../../../src/rules/index.ts"
import { resultText } from "../../../src/model/index.ts"
import { jsonlStore } from "../../../src/store/index.ts"
import { recoveryPlan } from "../../../src/store/recovery.ts"
import type { Files } from "../../../src/store/jsonl/files.ts"
import { faultyFiles } from "../../store/faulty-files.ts"
import { gate, says, startAgent } from "../run/agent.ts"
import { bundle, CrashWorld } from "./harness.ts"

let root = ""
let parts = ""
let count = 0
const newFolder = (): string => {
  const folder = join(root, String(count++))
  mkdirSync(folder)
  return folder
}

beforeAll(async () => {
  ;({ root, file: parts } = await bundle())
}, 120_000)
afterAll(() => rmSync(root, { recursive: true, force: true }))

const script = [{ text: "I look.", calls: [says("one"), says("two")] }, { text: "Done." }, { text: "Again." }, { text: "Once more." }]

const failing = (code: string): Error => Object.assign(new Error(`${code}: injected`), { code })

/** One turn with a fault, then one without: nothing acknowledged is lost, no tool runs twice, every request is valid. */
const surviveFault = async (files: Files, what: string): Promise<string> => {
  const folder = newFolder()
  const ran: string[] = []
  const tools = [{ name: "echo", run: (_: unknown, { call }: { readonly call: { readonly id: string } }) => (ran.push(call.id), "ok") }]
  const agent = await startAgent("anthropic", { script, tools, store: jsonlStore({ folder, files, lockWaitMs: 200 }) })
  const result = await agent.run({ prompt: "go" })
  expect(["done", "store-failed"], `${what}: ${String(result.error?.message)}`).toContain(result.error?.reason ?? result.stop)
  const acknowledged = agent.events.flatMap((event) => (event.type === "commit-end" ? event.ids : []))
  // A request leaves only when what it answers is stored.
  if (acknowledged.length === 0) expect(agent.provider.requests, what).toEqual([])
  await agent.store.close().catch(() => {})
  const store = jsonlStore({ folder })
  const { unsaved } = result
  const kept = { store, prompt: "and now?", tools, ...(unsaved && { unsaved }) }
  const next = await agent.run({ ...kept, owner: "next", leaseWaitMs: 0 }).then((ended) =>
    // The lease could not be given back: whoever comes next takes over in its name, or waits.
    ended.error?.reason === "held" ? agent.run({ ...kept, owner: ended.error.message.match(/held by (.*) for/)?.[1] ?? "" }) : ended,
  )
  expect([next.stop, next.error?.message], what).toEqual(["done", undefined])
  const loaded = await store.load("c")
  const present = new Set(loaded.entries.map(({ id }) => id))
  expect(
    acknowledged.filter((id) => !present.has(id)),
    what,
  ).toEqual([])
  expect(new Set(ran).size, what).toBe(ran.length)
  // A tool that ran has the result it gave, whatever failed when it was to be stored.
  const results = new Map(
    loaded.entries.flatMap((entry) => (entry.kind === "result" ? [[entry.result.callId, resultText(entry.result)]] : [])),
  )
  expect(
    ran.map((id) => results.get(id)),
    what,
  ).toEqual(ran.map(() => "ok"))
  expect(recoveryPlan(loaded).lost, what).toEqual([])
  expect(
    settle(loaded.transcript).report.entries.filter(({ kind }) => kind === "drop" || kind === "demote"),
    what,
  ).toEqual([])
  await store.close()
  return result.error?.reason ?? result.stop
}

describe("a call to the system", () => {
  const codes = ["EIO", "ENOSPC", "EROFS"] as const
  const all = process.env["LIGATURE_FAULTS"] === "all"

  it("may fail once, anywhere in a run", { timeout: 300_000 }, async () => {
    const { files, calls } = faultyFiles()
    await surviveFault(files, "no fault")
    const made = calls()
    expect(made).toBeGreaterThan(50)
    const ends = new Map<string, number>()
    for (let call = 0; call < made; call += all ? 1 : 3) {
      for (const code of all ? codes : [codes[call % 3] ?? "EIO"]) {
        const end = await surviveFault(faultyFiles({ call, code, lasts: "once", share: 0.5 }).files, `${code} in call ${call}`)
        ends.set(end, (ends.get(end) ?? 0) + 1)
      }
    }
    // Most single failures are overcome by saying the append again.
    expect(ends.get("done") ?? 0).toBeGreaterThan(ends.get("store-failed") ?? 0)
  })

  it.each(["ENOSPC", "EIO"])("may fail for good with %s from any write on", { timeout: 300_000 }, async (code) => {
    for (let good = 0; good < (all ? 30 : 12); good++) {
      const { files: real } = faultyFiles()
      let writes = 0
      let healed = false
      const files: Files = {
        ...real,
        write: (file, bytes, from) => {
          if (writes++ < good || healed) return real.write(file, bytes, from)
          real.write(file, bytes.subarray(from, from + Math.floor((bytes.length - from) / 2)), 0)
          throw failing(code)
        },
      }
      await surviveFault(files, `${code} after ${good} writes`)
      healed = true
    }
  })
})

it("a folder that cannot be written ends the run before any request leaves", async () => {
  const folder = newFolder()
  const { files: real } = faultyFiles()
  const refuse = (): never => {
    throw failing("EROFS")
  }
  const files: Files = {
    ...real,
    open: (path, how) => (how === "read" ? real.open(path, how) : refuse()),
    link: refuse,
    rename: refuse,
    makeFolder: refuse,
  }
  const agent = await startAgent("anthropic", { script, store: jsonlStore({ folder, files }) })
  const result = await agent.run({ prompt: "go" })
  expect([result.stop, result.error?.reason, result.error?.code, agent.provider.requests]).toEqual([
    "error",
    "store-failed",
    "cannot-write",
    [],
  ])
})

it("two agents on one conversation: the second is told who holds it, and has its turn afterwards", async () => {
  const folder = newFolder()
  const started = gate()
  const go = gate()
  const tools = [{ name: "echo", run: async () => (started.open(), await go.passed, "ok") }]
  const first = await startAgent("anthropic", { script, tools, store: jsonlStore({ folder }) })
  const second = await startAgent("openai-chat", { script: [{ text: "Mine." }], store: jsonlStore({ folder }) })
  const running = first.run({ prompt: "first" })
  await started.passed
  const refused = await second.run({ prompt: "second" })
  expect([refused.stop, refused.error?.reason, second.provider.requests]).toEqual(["error", "held", []])
  expect(refused.error?.message).toContain(`ligature`)
  go.open()
  expect((await running).stop).toBe("done")
  expect(await second.run({ prompt: "second" })).toMatchObject({ stop: "done", text: "Mine." })
  expect((await second.told()).filter((line) => line.startsWith("user"))).toEqual(["user: first", "user: second"])
  await first.store.close()
  await second.store.close()
})

it("an agent that slept through its lease wakes up, writes nothing, and says who took over", { timeout: 60_000 }, async () => {
  const folder = newFolder()
  const home = { kind: "jsonl", place: folder, open: () => jsonlStore({ folder }), dispose: async () => {} } as const
  const world = new CrashWorld(parts, home)
  const sleeper = await world.start("anthropic", undefined, { leaseMs: 300, toolMs: 1_000 })
  await sleeper.printed("tool")
  // Not in the moment of a commit: whoever sleeps there keeps the others waiting, and is never robbed of the lock.
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  for (let tries = 0; tries < 100; tries++) {
    sleeper.kill("SIGSTOP")
    await pause(5)
    if (!existsSync(join(folder, "c.lock"))) break
    sleeper.kill("SIGCONT")
    await pause(1)
  }
  await pause(400)
  const store = jsonlStore({ folder })
  const agent = await startAgent("openai-chat", { script: [{ text: "I took over." }], store })
  const result = await agent.run({ prompt: "prompt-9", leaseWaitMs: 5_000, leaseMs: 60_000, surroundings: {} })
  expect([result.stop, result.text, result.recovery?.openCalls.map(({ becomes }) => becomes)]).toEqual([
    "done",
    "I took over.",
    ["interrupted", "interrupted", "interrupted"],
  ])
  const before = (await agent.load()).entries.map(({ id }) => id)
  sleeper.kill("SIGCONT")
  const { end } = await sleeper.life
  expect(end).toEqual({ stop: "error", reason: "lease-lost" })
  expect((await agent.load()).entries.map(({ id }) => id)).toEqual(before)
  await store.close()
  await world.dispose()
})
