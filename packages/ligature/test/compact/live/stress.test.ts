/**
 * Many conversations in four processes on one store: appends and background summaries at once, and processes killed at
 * random. No conversation is summarised twice at a time, nothing acknowledged is lost, every view is valid. A small
 * round runs always; `LIGATURE_STRESS=1` runs the full one: two hundred conversations for two minutes at least.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { check, settle } from "../../../src/rules/index.ts"
import { jsonlStore, type Store } from "../../../src/store/index.ts"
import { postgresStore } from "../../../src/store/postgres/index.ts"
import { expectValid } from "../../../src/testing/index.ts"
import { numbersFromSeed } from "../../../src/testing/damage.ts"
import { missingPostgres, type RunningPostgres, startPostgres } from "../../store/postgres/start-postgres.ts"

const packageRoot = join(import.meta.dirname, "..", "..", "..")
const workspace = join(packageRoot, "..", "..")
const isFull = process.env["LIGATURE_STRESS"] === "1"
const conversations = isFull ? 200 : 24
const shares = 4
/** A round goes on until all of this has happened, so that a slow machine tests the same as a fast one. */
const least = { milliseconds: isFull ? 120_000 : 4_000, kills: isFull ? 40 : 4, compactions: isFull ? 400 : 12 }
const mostMilliseconds = isFull ? 900_000 : 90_000

let root = ""
let build = ""

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "ligature-stress-"))
  build = join(root, "build")
  const compiler = join(workspace, "node_modules", "typescript", "bin", "tsc")
  spawnSync(process.execPath, [compiler, "-p", join(packageRoot, "tsconfig.build.json"), "--outDir", build])
  // The build is elsewhere and still finds the driver.
  symlinkSync(join(workspace, "node_modules"), join(root, "node_modules"))
}, 180_000)
afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Worker {
  readonly name: string
  readonly share: number
  readonly child: ChildProcess
  readonly lines: () => readonly string[]
  readonly errors: () => string
  readonly ended: Promise<void>
  /** When it was killed, by the clock that the workers print. */
  killed: bigint | undefined
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const start = (home: object, name: string, share: number): Worker => {
  const parameters = [join(import.meta.dirname, "worker.mjs"), build, JSON.stringify(home), name, share, shares, conversations].map(String)
  const child = spawn(process.execPath, parameters, { stdio: ["pipe", "pipe", "pipe"] })
  let printed = ""
  let errors = ""
  child.stdout?.on("data", (bytes: Buffer) => (printed += bytes.toString()))
  child.stderr?.on("data", (bytes: Buffer) => (errors += bytes.toString()))
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const lines = (): readonly string[] => printed.split("\n").slice(0, -1)
  return { name, share, child, lines, errors: () => errors, ended, killed: undefined }
}

const countLines = (workers: readonly Worker[], isWanted: (line: string) => boolean): number =>
  workers.reduce((sum, worker) => sum + worker.lines().filter(isWanted).length, 0)

const isCompacted = (line: string): boolean => line.startsWith("done") && line.endsWith(" compacted")

/** Runs workers and kills them now and then, each time with a successor; in the end all of them finish. */
const runWorkers = async (home: object): Promise<readonly Worker[]> => {
  const all: Worker[] = []
  const chance = numbersFromSeed(17, 10_000)
  const begun = Date.now()
  let kills = 0
  let living = Array.from({ length: shares }, (_, share) => start(home, `w${share}x0`, share))
  all.push(...living)
  const touched = (): number =>
    new Set(all.flatMap((worker) => worker.lines().flatMap((line) => (line.startsWith("ack") ? [line.split(" ")[1]] : [])))).size
  const isEnough = (): boolean =>
    Date.now() > begun + least.milliseconds &&
    kills >= least.kills &&
    countLines(all, isCompacted) >= least.compactions &&
    touched() === conversations
  /** A worker that fails has failed the test: nobody waits for the others. */
  const hasFailed = (): boolean => all.some((worker) => worker.errors() !== "")
  while (!isEnough() && !hasFailed() && Date.now() < begun + mostMilliseconds) {
    await pause(300 + ((chance[kills] ?? 0) % 1_200))
    const victim = living[(chance[kills + 5_000] ?? 0) % shares] as Worker
    // One that has hardly begun has nothing to lose.
    if (victim.lines().length < 20) continue
    victim.killed = process.hrtime.bigint()
    victim.child.kill("SIGKILL")
    await victim.ended
    kills++
    const successor = start(home, `w${victim.share}x${kills}`, victim.share)
    all.push(successor)
    living = living.map((worker) => (worker === victim ? successor : worker))
  }
  for (const { child } of living) child.stdin?.end()
  await Promise.all(all.map(({ ended }) => ended))
  return all
}

interface Span {
  readonly worker: string
  readonly begin: bigint
  readonly end: bigint
}

/** When each conversation was being summarised, and by whom. */
const spansOf = (workers: readonly Worker[]): ReadonlyMap<string, readonly Span[]> => {
  const spans = new Map<string, Span[]>()
  for (const worker of workers) {
    const open = new Map<string, bigint>()
    const close = (id: string, begin: bigint, end: bigint): void => {
      const known = spans.get(id)
      if (known) known.push({ worker: worker.name, begin, end })
      else spans.set(id, [{ worker: worker.name, begin, end }])
    }
    for (const line of worker.lines()) {
      const [word, id = "", time = "0"] = line.split(" ")
      if (word === "begin") open.set(id, BigInt(time))
      const begin = open.get(id)
      if (word === "end" && begin !== undefined) {
        close(id, begin, BigInt(time))
        open.delete(id)
      }
    }
    for (const [id, begin] of open) close(id, begin, worker.killed ?? begin)
  }
  return spans
}

const expectOneAtATime = (workers: readonly Worker[]): void => {
  for (const [id, spans] of spansOf(workers)) {
    const sorted = [...spans].sort((a, b) => (a.begin < b.begin ? -1 : 1))
    for (const [index, span] of sorted.entries()) {
      const next = sorted[index + 1]
      if (next !== undefined)
        expect(next.begin >= span.end, `${id} was summarised by ${span.worker} and ${next.worker} at a time`).toBe(true)
    }
  }
}

const expectNothingLost = async (store: Store, workers: readonly Worker[]): Promise<void> => {
  const acknowledged = new Map<string, string[]>()
  for (const worker of workers) {
    for (const line of worker.lines()) {
      const [word, id = "", entry = ""] = line.split(" ")
      if (word !== "ack") continue
      const known = acknowledged.get(id)
      if (known) known.push(entry)
      else acknowledged.set(id, [entry])
    }
  }
  expect(acknowledged.size).toBe(conversations)
  let compacted = 0
  for (const [id, entries] of acknowledged) {
    const loaded = await store.load(id)
    const present = new Set(loaded.entries.map((entry) => entry.id))
    expect(
      entries.filter((entry) => !present.has(entry)),
      id,
    ).toEqual([])
    expect(loaded.stale, id).toEqual([])
    const { conversation } = settle(loaded.transcript)
    expect(check(conversation), id).toEqual([])
    const visible = new Set(loaded.sources)
    const covered = loaded.entries.flatMap((entry) =>
      entry.kind === "summary" && visible.has(entry.id) ? entry.covers.map((each) => each.id) : [],
    )
    expect(new Set(covered).size, `${id}: nothing is shown twice`).toBe(covered.length)
    if (covered.length > 0) compacted++
    if (compacted % 8 === 1) expectValid(loaded.transcript, { profiles: ["anthropic", "openai-chat"] })
  }
  expect(compacted).toBeGreaterThan(2)
}

const runStress = async (home: object, store: Store): Promise<void> => {
  const workers = await runWorkers(home)
  const failed = workers
    .flatMap((worker) => [...worker.lines().filter((line) => line.startsWith("failed")), worker.errors()])
    .filter((line) => line !== "")
  expect(failed).toEqual([])
  for (const { killed, lines } of workers) if (killed === undefined) expect(lines().at(-1)).toBe("finished")
  if (isFull) {
    const counts: Record<string, number> = { killed: workers.filter(({ killed }) => killed !== undefined).length }
    for (const line of workers.flatMap((worker) => worker.lines())) {
      const name = line.startsWith("done") ? line : (line.split(" ")[0] ?? "")
      counts[name] = (counts[name] ?? 0) + 1
    }
    process.stdout.write(`${JSON.stringify(counts)}\n`)
  }
  expect(countLines(workers, isCompacted)).toBeGreaterThanOrEqual(least.compactions)
  expectOneAtATime(workers)
  await expectNothingLost(store, workers)
  await store.close()
}

describe("appends and background summaries in four processes that are killed", () => {
  it(
    "lose nothing and never summarise twice at a time on one folder",
    async () => {
      const folder = join(root, "folder")
      mkdirSync(folder)
      await runStress({ folder }, jsonlStore({ folder }))
    },
    mostMilliseconds + 120_000,
  )

  const missing = missingPostgres()
  describe.skipIf(missing !== undefined)(`on PostgreSQL${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
    let server: RunningPostgres | undefined
    beforeAll(async () => {
      server = await startPostgres()
    }, 60_000)
    afterAll(() => server?.stop())

    it(
      "lose nothing and never summarise twice at a time on one PostgreSQL",
      async () => {
        const home = { connectionString: server?.url ?? "", schema: "stress" }
        await runStress(home, postgresStore(home))
      },
      mostMilliseconds + 120_000,
    )
  })
})
