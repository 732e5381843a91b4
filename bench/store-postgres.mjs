/**
 * Question: how many appends does a PostgreSQL take, and how long does each wait, beside bare inserts of the same rows over the
 * same client with as many connections, in the same run? Agents are conversations that append one entry after the other; each
 * waits until its entry is on the server's disk. Prints a line of JSON per number of processes.
 *
 *   node bench/store-postgres.mjs [path of a build] [seconds]      default: packages/ligature/dist, 2 seconds per measurement
 *
 * Needs Node 24 to start a server, or LIGATURE_POSTGRES_URL. Nothing else should run on the machine.
 */
import { spawn } from "node:child_process"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { startServer } from "./store-homes.mjs"

const schema = "ligature_bench"
const connections = 10
const words = "The quick brown fox — 敏捷的棕色狐狸 — jumps over the lazy dog. ".repeat(28)
const messageOf = (index) => ({ role: index % 2 === 0 ? "user" : "assistant", blocks: [{ type: "text", text: `${index} ${words}` }] })
const round = (value, digits = 2) => Number(value.toFixed(digits))
const share = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0

/** The ways an agent may write, each as a function that makes its writer. */
const writers = {
  bare: async (pool) => async (agent) => {
    let number = 0
    return async () => {
      const values = [
        agent,
        ++number,
        number - 1,
        Date.now(),
        1,
        number,
        "message",
        `${agent}.${number}`,
        `${agent}-${number}`,
        JSON.stringify({ message: messageOf(number) }),
      ]
      await pool.query({ name: "bare", text: `insert into ${schema}.bare values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, values })
    }
  },
  ours: async (pool, build) => {
    const { postgresStore } = await import(pathToFileURL(join(build, "store", "postgres", "index.js")).href)
    const store = postgresStore({ pool, schema })
    return async (agent) => {
      let [tip, number] = [null, 0]
      await store.create({ id: agent })
      return async () => {
        const options = { expectedTip: tip, operation: `${agent}-${++number}` }
        tip = (await store.append(agent, [{ kind: "message", message: messageOf(number) }], options)).tip
      }
    }
  },
}

/** One process: its agents write until the time is up. Tells when it is ready, and waits to be told to begin. */
const work = async ([url, build, how, agents, seconds, name]) => {
  const { default: pg } = await import("pg")
  const pool = new pg.Pool({ connectionString: url, max: connections })
  const writerOf = await writers[how](pool, build)
  const all = []
  for (let agent = 0; agent < Number(agents); agent++) all.push(await writerOf(`${name}.${agent}`))
  // The code is compiled and the connections are open.
  await Promise.all(
    all.map(async (write) => {
      for (let times = 0; times < 20; times++) await write()
    }),
  )
  process.stdout.write("ready\n")
  await new Promise((go) => process.stdin.once("data", go))
  const times = []
  const until = performance.now() + Number(seconds) * 1e3
  await Promise.all(
    all.map(async (write) => {
      while (performance.now() < until) {
        const from = performance.now()
        await write()
        times.push(performance.now() - from)
      }
    }),
  )
  // A pipe takes a long text in pieces: whoever leaves before the last one cuts it.
  process.stdout.write(`${JSON.stringify(times.map((time) => round(time, 3)))}\n`, () => process.exit(0))
}

const start = (parameters) => {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "work", ...parameters.map(String)], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  let said = ""
  let isReady = () => {}
  const ready = new Promise((done) => (isReady = done))
  child.stdout.on("data", (bytes) => {
    said += bytes.toString()
    if (said.includes("\n")) isReady()
  })
  const times = new Promise((done) => child.once("close", () => done(JSON.parse(said.split("\n")[1] || "[]"))))
  return { ready, times, go: () => child.stdin.end("go\n") }
}

let measurements = 0

const measure = async (url, build, how, { processes, agents, seconds }) => {
  const name = `${how}${measurements++}`
  const children = Array.from({ length: processes }, (_, index) => start([url, build, how, agents, seconds, `${name}.${index}`]))
  await Promise.all(children.map(({ ready }) => ready))
  for (const { go } of children) go()
  const times = (await Promise.all(children.map((child) => child.times))).flat().toSorted((left, right) => left - right)
  return { perSecond: times.length / seconds, p50: share(times, 0.5), p99: share(times, 0.99) }
}

/** In turn, so that both meet the same machine; the best of each counts. */
const compare = async (url, build, shape, rounds = 5) => {
  const best = {}
  for (let turn = 0; turn < rounds; turn++) {
    for (const how of turn % 2 === 0 ? ["bare", "ours"] : ["ours", "bare"]) {
      const measured = await measure(url, build, how, shape)
      if (!(best[how]?.perSecond > measured.perSecond)) best[how] = measured
    }
  }
  const { bare, ours } = best
  return {
    processes: shape.processes,
    agents: shape.agents,
    barePerSecond: Math.round(bare.perSecond),
    appendsPerSecond: Math.round(ours.perSecond),
    bareToOurs: round(bare.perSecond / ours.perSecond),
    bareP50: round(bare.p50),
    bareP99: round(bare.p99),
    p50: round(ours.p50),
    p99: round(ours.p99),
  }
}

const run = async ([place, given]) => {
  const build = resolve(place || join(dirname(fileURLToPath(import.meta.url)), "..", "packages/ligature/dist"))
  const seconds = Number(given || 2)
  const server = await startServer()
  if (typeof server === "string") {
    process.stdout.write(`${JSON.stringify({ skipped: server })}\n`)
    return
  }
  const { default: pg } = await import("pg")
  const pool = new pg.Pool({ connectionString: server.url, max: 1 })
  try {
    const columns =
      "conversation text, number bigint, parent bigint, at float8, version integer, sum bigint, kind text, id text, operation text, body text"
    await pool.query(`drop schema if exists ${schema} cascade; create schema ${schema}`)
    await pool.query(`create table ${schema}.bare (${columns}, primary key (conversation, number))`)
    for (const shape of [
      { processes: 1, agents: 1 },
      { processes: 1, agents: 32 },
      { processes: 4, agents: 1 },
      { processes: 4, agents: 32 },
    ]) {
      process.stdout.write(`${JSON.stringify({ node: process.version, ...(await compare(server.url, build, { ...shape, seconds })) })}\n`)
    }
  } finally {
    await pool.query(`drop schema ${schema} cascade`)
    await pool.end()
    await server.stop()
  }
}

const [first, ...rest] = process.argv.slice(2)
await (first === "work" ? work(rest) : run([first, ...rest]))
