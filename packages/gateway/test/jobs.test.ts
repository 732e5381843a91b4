/**
 * Compactions between requests as jobs of graphile-worker: added by any gateway, done by any worker, gone on with when a worker
 * is killed, with notifications and without them, and behind a pooler.
 */
import { type CallBlock, type Message, result, tool, user } from "ligature"
import type { FakeProvider, FakeRequest } from "ligature/testing"
import type { Store } from "ligature/store"
import { postgresStore } from "ligature/store/postgres"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { missingPgbouncer, type RunningPgbouncer, startPgbouncer } from "../../ligature/test/store/postgres/start-pgbouncer.ts"
import { missingPostgres, type RunningPostgres, startPostgres } from "../../ligature/test/store/postgres/start-postgres.ts"
import { ConfigError, readConfig } from "../src/index.ts"
import { loadGraphileWorker } from "../src/jobs/queue.ts"
import { requestOf, say } from "./client.ts"
import { bundle, startChild } from "./processes.ts"
import { fake, post, serve } from "./serve.ts"

const missing = missingPostgres()
if (missing !== undefined) process.stdout.write(`skipped: jobs on PostgreSQL, there is none here (${missing})\n`)

let server: RunningPostgres
let pooler: RunningPgbouncer | undefined
let child = ""
beforeAll(async () => {
  if (missing !== undefined) return
  server = await startPostgres()
  if (missingPgbouncer() === undefined) pooler = await startPgbouncer(server, 8)
  child = await bundle()
}, 120_000)
afterAll(async () => {
  await pooler?.stop()
  await server?.stop()
}, 60_000)

const small = {
  window: { tokens: 24_000, reserveTokens: 1_000 },
  trigger: { share: 0.4, hardShare: 0.95 },
  target: { share: 0.2 },
  gain: { tokens: 500 },
}

const log = (turn: number): string =>
  Array.from({ length: 60 }, (_, line) => `${turn}.${line} compiled module_${turn}_${line}.ts in ${line * 7} ms`).join("\n")

let schemas = 0

interface Scene {
  readonly config: object
  readonly store: Store
  readonly provider: FakeProvider
  readonly pool: pg.Pool
  readonly schema: string
}

/** A provider, one that is asked for summaries, and the settings of a gateway between them. */
const sceneOf = async (place: string, summaries: Parameters<typeof fake>[0]["script"] = []): Promise<Scene> => {
  const provider = await fake({
    api: "openai-chat",
    script: ({ body }: FakeRequest) => ({
      text: "Step.",
      calls: [{ name: "bash", arguments: { command: `make ${JSON.stringify(body).length}` } }],
    }),
  })
  const summariser = await fake({ api: "openai-chat", script: summaries })
  const schema = `jobs_${++schemas}`
  const config = {
    upstreams: {
      main: { wire: "openai-chat", url: provider.url },
      small: { wire: "openai-chat", url: summariser.url, key: "sk-s" },
    },
    store: { place, postgres: { schema: `store_${schemas}`, connections: 3 } },
    compaction: { ...small, summary: { upstream: "small", model: "s-1" } },
    jobs: { schema, pollMs: 500, leaseMs: 5_000 },
  }
  const store = postgresStore({ connectionString: server.url, schema: `store_${schemas}` })
  const pool = new pg.Pool({ connectionString: server.url, max: 2 })
  onTestFinished(async () => {
    await store.close()
    await pool.end()
  })
  return { config, store, provider, pool, schema }
}

const asWorker = (config: object): object => ({ ...config, jobs: { ...(config as { readonly jobs: object }).jobs, worker: true } })

/** Says things until the conversation is over its budget. */
const grow = async (url: string, history: Message[], turns: number): Promise<string> => {
  let id = ""
  for (let turn = 0; turn < turns; turn++) {
    const { recorded, answer } = await say(url, "openai-chat", requestOf("openai-chat", history, true), true, { "x-session-id": "ses_1" })
    expect(answer.status).toBe(200)
    id = String(answer.headers["x-ligature-conversation"])
    const calls = recorded.message.blocks.filter((block): block is CallBlock => block.type === "call")
    history.push(recorded.message, tool(...calls.map((call) => result(call.id, log(history.length)))))
  }
  return id
}

const summariesIn = async (store: Store, id: string): Promise<number> =>
  (await store.load(id)).entries.filter(({ kind }) => kind === "summary").length

const jobsIn = async ({ pool, schema }: Scene): Promise<number> => {
  const { rows } = await pool.query<{ readonly count: string }>(`select count(*) from ${schema}.jobs`)
  return Number(rows[0]?.count)
}

const metricsOf = async (url: string): Promise<string> => (await post(`${url}/metrics`, undefined, { method: "GET" })).text

describe.skipIf(missing !== undefined)("compactions as jobs", () => {
  it("are added by a gateway, done by a worker, and seen by the next request of any gateway", async () => {
    const scene = await sceneOf(server.url)
    const [gateway, other, worker] = [await serve(scene.config), await serve(scene.config), await serve(asWorker(scene.config))]
    const history: Message[] = [user("Fix the build.")]
    const id = await grow(gateway.url, history, 14)
    await expect.poll(() => summariesIn(scene.store, id), { timeout: 20_000 }).toBeGreaterThan(0)
    await expect.poll(() => jobsIn(scene), { timeout: 10_000 }).toBe(0)
    const before = JSON.stringify(scene.provider.requests.at(-1)?.body).length
    await grow(other.url, history, 1)
    const { body, verdict } = scene.provider.requests.at(-1) ?? {}
    expect([verdict, JSON.stringify(body).length < before / 1.5]).toEqual([{ ok: true }, true])
    expect(await metricsOf(gateway.url)).toMatch(/ligature_jobs_total\{outcome="added"\} [1-9]/)
    expect(await metricsOf(worker.url)).toMatch(/ligature_jobs_total\{outcome="compacted"\} 1/)
    expect(await metricsOf(worker.url)).toMatch(/ligature_tokens_saved_total \d{4}/)
  })

  it("are one job, however often they are asked for, and one compaction", async () => {
    const scene = await sceneOf(server.url)
    const gateways = [await serve(scene.config), await serve(scene.config)]
    const history: Message[] = [user("Fix the build.")]
    let id = ""
    for (let turn = 0; turn < 12; turn++) id = await grow(gateways[turn % 2]?.url ?? "", history, 1)
    await expect.poll(() => jobsIn(scene)).toBe(1)
    expect(await summariesIn(scene.store, id)).toBe(0)
    await Promise.all([serve(asWorker(scene.config)), serve(asWorker(scene.config))])
    await expect.poll(() => summariesIn(scene.store, id), { timeout: 20_000 }).toBeGreaterThan(0)
    await expect.poll(() => jobsIn(scene), { timeout: 10_000 }).toBe(0)
  })

  it("go on within 30 seconds when their worker is killed", async () => {
    let asked = 0
    const scene = await sceneOf(server.url, () =>
      asked++ === 0 ? { text: "Too late", delayMs: 120_000 } : { text: "A summary of what was built." },
    )
    const gateway = await serve(scene.config)
    const history: Message[] = [user("Fix the build.")]
    const id = await grow(gateway.url, history, 14)
    const first = await startChild(child, { ...asWorker(scene.config), port: 0 })
    await expect.poll(() => asked, { timeout: 30_000 }).toBe(1)
    const second = await startChild(child, { ...asWorker(scene.config), port: 0 })
    await first.kill("SIGKILL")
    await expect.poll(() => summariesIn(scene.store, id), { timeout: 30_000 }).toBeGreaterThan(0)
    await expect.poll(() => jobsIn(scene), { timeout: 10_000 }).toBe(0)
    expect(await summariesIn(scene.store, id)).toBe(1)
    expect(await metricsOf(second.url)).toMatch(/ligature_jobs_total\{outcome="(freed|compacted)"\} 1/)
  }, 120_000)

  it("go on when a request comes, without waiting for the sweep", async () => {
    let asked = 0
    const scene = await sceneOf(server.url, () =>
      asked++ === 0 ? { text: "Too late", delayMs: 120_000 } : { text: "A summary of what was built." },
    )
    const gateway = await serve(scene.config)
    const history: Message[] = [user("Fix the build.")]
    const id = await grow(gateway.url, history, 14)
    const first = await startChild(child, { ...asWorker(scene.config), port: 0 })
    await expect.poll(() => asked, { timeout: 30_000 }).toBe(1)
    await first.kill("SIGKILL")
    await startChild(child, { ...asWorker({ ...scene.config, jobs: { schema: scene.schema, pollMs: 500, leaseMs: 600_000 } }), port: 0 })
    await grow(gateway.url, history, 1)
    await expect.poll(() => summariesIn(scene.store, id), { timeout: 30_000 }).toBeGreaterThan(0)
  }, 120_000)

  it("are found by polling where no notification comes", async () => {
    const scene = await sceneOf(server.url)
    const worker = await serve(asWorker(scene.config))
    await expect.poll(() => metricsOf(worker.url)).toContain("ligature")
    const gateway = await serve(scene.config)
    // The tables are there when the worker is; then nobody is told of a job any more.
    const silence = async (): Promise<string> => {
      const { rows } = await scene.pool.query<{ readonly name: string }>(
        `select distinct p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
          where n.nspname = $1 and p.prosrc like '%pg_notify%'`,
        [scene.schema],
      )
      for (const { name } of rows)
        await scene.pool.query(`alter function ${scene.schema}.${name} set search_path = ${scene.schema}, pg_catalog`)
      await scene.pool.query(
        `create or replace function ${scene.schema}.pg_notify(text, text) returns void language plpgsql as 'begin return; end'`,
      )
      return rows.length > 0 ? "silent" : ""
    }
    await expect
      .poll(
        () => scene.pool.query(`select max(id) >= 19 as done from ${scene.schema}.migrations`).then(({ rows }) => rows[0]?.done, String),
        { timeout: 20_000 },
      )
      .toBe(true)
    await expect.poll(() => silence().catch(String), { timeout: 10_000 }).toBe("silent")
    const told: string[] = []
    const listener = new pg.Client({ connectionString: server.url })
    await listener.connect()
    listener.on("notification", ({ channel }) => told.push(channel))
    await listener.query('listen "jobs:insert"; listen "worker:migrate"')
    const id = await grow(gateway.url, [user("Fix the build.")], 14)
    await expect.poll(() => summariesIn(scene.store, id), { timeout: 20_000 }).toBeGreaterThan(0)
    await listener.end()
    expect(told).toEqual([])
  })

  it.skipIf(missingPgbouncer() !== undefined)(
    "work behind pgbouncer in transaction mode, killed workers included",
    async () => {
      let asked = 0
      const scene = await sceneOf(pooler?.url ?? "", () =>
        asked++ === 0 ? { text: "Too late", delayMs: 120_000 } : { text: "A summary of what was built." },
      )
      const gateways = [await serve(scene.config), await serve(scene.config)]
      const history: Message[] = [user("Fix the build.")]
      let id = ""
      for (let turn = 0; turn < 14; turn++) id = await grow(gateways[turn % 2]?.url ?? "", history, 1)
      const first = await startChild(child, { ...asWorker(scene.config), port: 0 })
      await expect.poll(() => asked, { timeout: 30_000 }).toBe(1)
      await startChild(child, { ...asWorker(scene.config), port: 0 })
      await first.kill("SIGKILL")
      await expect.poll(() => summariesIn(scene.store, id), { timeout: 30_000 }).toBeGreaterThan(0)
    },
    120_000,
  )
})

describe("the settings of jobs", () => {
  const base = { upstreams: { anthropic: {} }, compaction: true }

  it("need a PostgreSQL and something to do", () => {
    expect(() => readConfig({ ...base, store: "folder", jobs: true })).toThrow("jobs: need a store on a PostgreSQL server")
    expect(() => readConfig({ upstreams: { anthropic: {} }, store: "postgres://x/y", jobs: true })).toThrow(
      "nothing to do without compaction",
    )
    expect(() => readConfig({ ...base, store: "postgres://x/y", jobs: { worker: 1 } })).toThrow("jobs.worker: expected true or false")
    expect(() => readConfig({ ...base, store: "postgres://x/y", jobs: { polMs: 1 } })).toThrow("jobs.polMs: unknown setting")
    const { jobs, compaction } = readConfig({ ...base, store: "postgres://x/y", jobs: true })
    expect([jobs, compaction?.background]).toEqual([
      { connectionString: "postgres://x/y", worker: false, schema: "graphile_worker", concurrency: 2, pollMs: 2_000, leaseMs: 10_000 },
      true,
    ])
  })

  it("say what to install where graphile-worker is not", async () => {
    const absent = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" })
    await expect(loadGraphileWorker(() => Promise.reject(absent))).rejects.toThrow(ConfigError)
    await expect(loadGraphileWorker(() => Promise.reject(absent))).rejects.toThrow("npm install graphile-worker")
  })
})
