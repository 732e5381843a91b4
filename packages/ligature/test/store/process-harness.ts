/**
 * Real processes on one home: killed while they write, writing side by side, and waking up after their lease went to
 * somebody else. The same for every store that outlives a process. `LIGATURE_KILLS=2000` kills more often.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { user } from "../../src/model/index.ts"
import { copyConversations, jsonlStore, type Store } from "../../src/store/index.ts"
import { fingerprintOfDump } from "../../src/store/dump.ts"
import { recoveryPlan } from "../../src/store/recovery.ts"
import { expectValid } from "../../src/testing/index.ts"
import { numbersFromSeed } from "../../src/testing/damage.ts"

/** A home that other processes can find. */
export interface SharedHome {
  readonly open: () => Store
  /** What writer.mjs is told: which store, and where. */
  readonly kind: "jsonl" | "sqlite" | "postgres"
  readonly place: string
  /** What must hold when nobody writes any more, after writers that were killed or that closed their stores. */
  readonly expectTidy?: (writers: "killed" | "closed") => void
  readonly dispose: () => Promise<void>
}

interface Writer {
  readonly child: ChildProcess
  /** Lines printed so far. */
  readonly lines: () => readonly string[]
  readonly ended: Promise<void>
  readonly errors: () => string
}

const packageRoot = join(import.meta.dirname, "..", "..")
const atOnce = 2

/** A folder with a build of the sources. */
export const makeBuild = (): string => {
  const build = mkdtempSync(join(tmpdir(), "ligature-build-"))
  const compiler = join(packageRoot, "..", "..", "node_modules", "typescript", "bin", "tsc")
  spawnSync(process.execPath, [compiler, "-p", join(packageRoot, "tsconfig.build.json"), "--outDir", build])
  return build
}

/** Where other processes find the store: the sources, where Node runs them; else a build. */
let code = ""
const makeCode = (): (() => void) => {
  if ("typescript" in process.features && process.features.typescript !== false) {
    code = join(packageRoot, "src")
    return () => {}
  }
  const build = makeBuild()
  code = build
  return () => rmSync(build, { recursive: true, force: true })
}

const start = (home: SharedHome, name: string, mode: string, durability = "turn", turns?: number): Writer => {
  const env = { ...process.env, ...(turns !== undefined && { LIGATURE_TURNS: String(turns) }) }
  return startScript(join(import.meta.dirname, "writer.mjs"), [code, home.kind, home.place, name, mode, durability], env)
}

const startScript = (script: string, parameters: readonly string[], env: NodeJS.ProcessEnv): Writer => {
  const child = spawn(process.execPath, [script, ...parameters], {
    env: { ...env, NODE_NO_WARNINGS: "1" },
    stdio: ["pipe", "pipe", "pipe"],
  })
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
  for (let tries = 0; tries < 4_000 && writer.lines().length === 0; tries++) await pause(5)
  const [line] = writer.lines()
  if (line === undefined) throw new Error(`The writer printed nothing: ${writer.errors()}`)
  return line
}

const expectAllThere = async (store: Store, acknowledged: ReadonlySet<string>, what: string): Promise<void> => {
  const loaded = await store.load("c")
  const present = new Set(loaded.entries.map(({ id }) => id))
  const missing = [...acknowledged].filter((id) => !present.has(id))
  expect(missing, what).toEqual([])
  // A kill may fall into a write; nobody was told that it was through.
  expect(
    loaded.damage.filter(({ rule }) => rule !== "torn-line" && rule !== "torn-tail"),
    what,
  ).toEqual([])
  // Each writer's own entries are in the order it wrote them.
  const own = new Map<string, number>()
  for (const { id } of loaded.entries) {
    const [name = "", turn = "", step = ""] = id.split(".")
    const order = Number(turn) * 10 + Number(step)
    expect(order, what).toBeGreaterThan(own.get(name) ?? -1)
    own.set(name, order)
  }
  expect(recoveryPlan(loaded).lost, what).toEqual([])
}

export interface HarnessOptions {
  /** How many processes are killed, unless the environment says more. */
  readonly kills: number
  readonly makeHome: () => Promise<SharedHome>
}

export const surviveProcesses = ({ kills: usual, makeHome }: HarnessOptions): void => {
  const kills = Number(process.env["LIGATURE_KILLS"] ?? usual)

  let removeCode = (): void => {}
  beforeAll(() => {
    removeCode = makeCode()
  }, 120_000)
  afterAll(() => removeCode())

  const inHome = async (task: (home: SharedHome, store: Store) => Promise<void>): Promise<void> => {
    const home = await makeHome()
    const store = home.open()
    try {
      await store.create({ id: "c" })
      await task(home, store)
    } finally {
      await store.close()
      await home.dispose()
    }
  }

  /** Kills two writers at a time, until `rounds` are over or the conversation is long. */
  const killRounds = (from: number, until: number, numbers: readonly number[]): Promise<void> =>
    inHome(async (home, first) => {
      await first.flush()
      const acknowledged = new Set<string>()
      for (let round = from; round < until; round++) {
        const durability = ["turn", "entry", "none"][round % 3] ?? "turn"
        const writers = Array.from({ length: atOnce }, (_, index) => start(home, `w${round}-${index}`, "turns", durability))
        await Promise.all(
          writers.map(async (writer, index) => {
            await firstLine(writer)
            await pause((numbers[round * atOnce + index] ?? 0) % 25)
            writer.child.kill("SIGKILL")
            await writer.ended
          }),
        )
        for (const writer of writers) for (const id of writer.lines()) acknowledged.add(id)
        const store = home.open()
        await expectAllThere(store, acknowledged, `round ${round}`)
        await store.append("c", [{ kind: "message", id: `p${round}.0.0`, message: user("and now?") }])
        acknowledged.add(`p${round}.0.0`)
        if (round % 5 === 4) expectValid((await store.load("c")).transcript, { profiles: ["anthropic", "openai-chat"] })
        await store.close()
        home.expectTidy?.("killed")
      }
    })

  describe("processes that are killed", () => {
    it(`lose nothing that was acknowledged, ${kills} times`, { timeout: 120_000 + kills * 2_000 }, async () => {
      const numbers = numbersFromSeed(4, kills)
      const rounds = Math.ceil(kills / atOnce)
      for (let from = 0; from < rounds; from += 10) await killRounds(from, Math.min(rounds, from + 10), numbers)
    })
  })

  describe("a backup while others write", () => {
    const startCopy = (home: SharedHome, folder: string): Writer =>
      startScript(join(import.meta.dirname, "copier.mjs"), [code, home.kind, home.place, folder], process.env)

    const expectCopied = async (folder: string, acknowledged: ReadonlySet<string>, what: string): Promise<void> => {
      const copy = jsonlStore({ folder })
      const loaded = await copy.load("c")
      const present = new Set(loaded.entries.map(({ id }) => id))
      expect(
        [...acknowledged].filter((id) => !present.has(id)),
        what,
      ).toEqual([])
      expect(
        loaded.damage.filter(({ rule }) => rule !== "torn-line" && rule !== "torn-tail"),
        what,
      ).toEqual([])
      await copy.close()
    }

    it(
      "has all that was acknowledged before it began, also when writers and the backup itself are killed",
      { timeout: 120_000 },
      async () => {
        const numbers = numbersFromSeed(11, 40)
        await inHome(async (home, store) => {
          const folder = mkdtempSync(join(tmpdir(), "ligature-copy-"))
          const acknowledged = new Set<string>()
          try {
            for (let round = 0; round < 4; round++) {
              const writers = Array.from({ length: atOnce }, (_, index) => start(home, `b${round}-${index}`, "turns", "turn", 150))
              await Promise.all(writers.map(firstLine))
              const killed = startCopy(home, folder)
              await firstLine(killed)
              await pause((numbers[round] ?? 0) % 30)
              killed.child.kill("SIGKILL")
              await killed.ended
              // What was printed by now was acknowledged before the backup begins.
              const before = new Set([...acknowledged, ...writers.flatMap(({ lines }) => lines())])
              const copier = startCopy(home, folder)
              if (round % 2 === 1) {
                await firstLine(copier)
                for (const { child } of writers) child.kill("SIGKILL")
              }
              await copier.ended
              expect([copier.lines()[1], copier.errors()], `round ${round}`).toEqual(["[]", ""])
              for (const { child, ended } of writers) {
                child.kill("SIGKILL")
                await ended
              }
              await expectCopied(folder, before, `round ${round}`)
              for (const writer of writers) for (const id of writer.lines()) acknowledged.add(id)
            }
            // Nobody writes any more: the copy is the same as the original.
            const copy = jsonlStore({ folder })
            const { problems } = await copyConversations(store, copy, { extend: true })
            expect(problems).toEqual([])
            expect(fingerprintOfDump(await copy.dump("c"))).toBe(fingerprintOfDump(await store.dump("c")))
            await copy.close()
            await expectCopied(folder, acknowledged, "at the end")
          } finally {
            rmSync(folder, { recursive: true, force: true })
          }
        })
      },
    )
  })

  describe("processes side by side", () => {
    it("do not interleave: every entry is whole and there", async () => {
      await inHome(async (home, store) => {
        const writers = ["x", "y", "z"].map((name) => start(home, name, "turns", "none", 40))
        await Promise.all(writers.map(({ ended }) => ended))
        expect(writers.map(({ errors }) => errors())).toEqual(["", "", ""])
        const acknowledged = new Set(writers.flatMap(({ lines }) => lines()))
        expect(acknowledged.size).toBe(3 * 40 * 5)
        await expectAllThere(store, acknowledged, "side by side")
        const { entries, damage } = await store.load("c")
        expect([entries.length, damage]).toEqual([600, []])
        await store.close()
        home.expectTidy?.("closed")
      })
    })

    it("cannot write with a lease that went to another while they slept", async () => {
      await inHome(async (home, store) => {
        const sleeper = start(home, "sleeper", "lease")
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
      })
    })

    it("may write late with a lease that nobody took", async () => {
      await inHome(async (home) => {
        const sleeper = start(home, "sleeper", "lease")
        await firstLine(sleeper)
        await pause(80)
        sleeper.child.stdin?.write("go\n")
        await sleeper.ended
        expect(sleeper.lines()[1]).toBe("appended")
      })
    })
  })
}
