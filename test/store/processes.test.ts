/**
 * Real processes on one folder: killed while they write, writing side by side, and waking up after their lease went to
 * somebody else. `LIGATURE_KILLS=2000` kills more often.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { user } from "../../src/model/index.ts"
import { jsonlStore, recoveryPlan, type Store } from "../../src/store/index.ts"
import { expectLawful, numbersFromSeed } from "../../src/testing/index.ts"

const packageRoot = join(import.meta.dirname, "..", "..")
const kills = Number(process.env["LIGATURE_KILLS"] ?? 60)
const atOnce = 2
let root = ""
let build = ""
let count = 0

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "ligature-processes-"))
  build = join(root, "build")
  const compiler = join(packageRoot, "node_modules", "typescript", "bin", "tsc")
  spawnSync(process.execPath, [compiler, "-p", join(packageRoot, "tsconfig.build.json"), "--outDir", build])
}, 120_000)
afterAll(() => rmSync(root, { recursive: true, force: true }))

const newFolder = (): string => {
  const path = join(root, `folder-${count++}`)
  mkdirSync(path)
  return path
}

interface Writer {
  readonly child: ChildProcess
  /** Lines printed so far. */
  readonly lines: () => readonly string[]
  readonly ended: Promise<void>
  readonly errors: () => string
}

const start = (folder: string, name: string, mode: string, durability = "turn", turns?: number): Writer => {
  const parameters = [join(import.meta.dirname, "writer.mjs"), build, folder, name, mode, durability]
  const env = { ...process.env, ...(turns !== undefined && { LIGATURE_TURNS: String(turns) }) }
  const child = spawn(process.execPath, parameters, { env, stdio: ["pipe", "pipe", "pipe"] })
  let printed = ""
  let errors = ""
  child.stdout?.on("data", (bytes: Buffer) => (printed += bytes.toString()))
  child.stderr?.on("data", (bytes: Buffer) => (errors += bytes.toString()))
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  // Only whole lines were printed by somebody who knew.
  return { child, lines: () => printed.split("\n").slice(0, -1), ended, errors: () => errors }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const firstLine = async (writer: Writer): Promise<string> => {
  for (let tries = 0; tries < 2_000 && writer.lines().length === 0; tries++) await pause(5)
  const [line] = writer.lines()
  if (line === undefined) throw new Error(`The writer printed nothing: ${writer.errors()}`)
  return line
}

const expectAllThere = async (store: Store, acknowledged: ReadonlySet<string>, what: string): Promise<void> => {
  const loaded = await store.load("c")
  const present = new Set(loaded.entries.map(({ id }) => id))
  const missing = [...acknowledged].filter((id) => !present.has(id))
  expect(missing, what).toEqual([])
  expect(loaded.damage.filter(({ rule }) => rule !== "torn-line"), what).toEqual([])
  // Each writer's own entries stand in the order it wrote them.
  const own = new Map<string, number>()
  for (const { id } of loaded.entries) {
    const [name = "", turn = "", step = ""] = id.split(".")
    const order = Number(turn) * 10 + Number(step)
    expect(order, what).toBeGreaterThan(own.get(name) ?? -1)
    own.set(name, order)
  }
  expect(recoveryPlan(loaded).lost, what).toEqual([])
}

describe("processes that are killed", () => {
  it(`lose nothing that was acknowledged, ${kills} times`, { timeout: 120_000 + kills * 2_000 }, async () => {
    const numbers = numbersFromSeed(4, kills)
    const durabilities = ["turn", "entry", "none"]
    let folder = ""
    let acknowledged = new Set<string>()
    for (let round = 0; round * atOnce < kills; round++) {
      if (round % 10 === 0) {
        folder = newFolder()
        acknowledged = new Set()
        const store = jsonlStore({ folder })
        await store.create({ id: "c" })
        await store.close()
      }
      const writers = Array.from({ length: atOnce }, (_, index) =>
        start(folder, `w${round}-${index}`, "turns", durabilities[round % 3]),
      )
      await Promise.all(
        writers.map(async (writer, index) => {
          await firstLine(writer)
          await pause((numbers[round * atOnce + index] ?? 0) % 25)
          writer.child.kill("SIGKILL")
          await writer.ended
        }),
      )
      for (const writer of writers) for (const id of writer.lines()) acknowledged.add(id)
      const store = jsonlStore({ folder })
      await expectAllThere(store, acknowledged, `round ${round}`)
      await store.append("c", [{ kind: "message", id: `p${round}.0.0`, message: user("and now?") }])
      acknowledged.add(`p${round}.0.0`)
      if (round % 5 === 4) expectLawful((await store.load("c")).transcript, { profiles: ["anthropic", "openai-chat"] })
      await store.close()
      expect(readdirSync(folder).filter((name) => name.endsWith(".lock"))).toEqual([])
    }
  })
})

describe("processes side by side", () => {
  it("do not interleave: every line is whole, every entry is there", async () => {
    const folder = newFolder()
    const store = jsonlStore({ folder })
    await store.create({ id: "c" })
    const writers = ["x", "y", "z"].map((name) => start(folder, name, "turns", "none", 40))
    await Promise.all(writers.map(({ ended }) => ended))
    expect(writers.map(({ errors }) => errors())).toEqual(["", "", ""])
    const acknowledged = new Set(writers.flatMap(({ lines }) => lines()))
    expect(acknowledged.size).toBe(3 * 40 * 5)
    await expectAllThere(store, acknowledged, "side by side")
    const { entries, damage } = await store.load("c")
    expect([entries.length, damage]).toEqual([600, []])
    await store.close()
    expect(readdirSync(join(folder, ".owners"))).toEqual([])
  })

  it("cannot write with a lease that went to another while they slept", async () => {
    const folder = newFolder()
    const store = jsonlStore({ folder })
    await store.create({ id: "c" })
    const sleeper = start(folder, "sleeper", "lease")
    const first = JSON.parse(await firstLine(sleeper)) as { readonly generation: number }
    sleeper.child.kill("SIGSTOP")
    await pause(80)
    const lease = await store.acquire("c", { owner: "successor", durationMs: 60_000 })
    expect(lease.generation).toBe(first.generation + 1)
    await store.append("c", [{ kind: "message", id: "s", message: user("mine now") }], { lease })
    sleeper.child.kill("SIGCONT")
    sleeper.child.stdin?.write("go\n")
    await sleeper.ended
    expect(sleeper.lines()[1]).toBe("lease-lost successor")
    expect((await store.load("c")).entries.map(({ id }) => id)).toEqual(["s"])
    await store.close()
  })

  it("may write late with a lease that nobody took", async () => {
    const folder = newFolder()
    const store = jsonlStore({ folder })
    await store.create({ id: "c" })
    const sleeper = start(folder, "sleeper", "lease")
    await firstLine(sleeper)
    await pause(80)
    sleeper.child.stdin?.write("go\n")
    await sleeper.ended
    expect(sleeper.lines()[1]).toBe("appended")
    await store.close()
  })
})
