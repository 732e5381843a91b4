/**
 * Question: what does a gateway cost with very many stored conversations? Fills a PostgreSQL with so many, then lets gateways
 * go on with conversations that are drawn from all of them, so that none is in the memory of a gateway, and with some that are.
 * Prints what a conversation takes on the disk, and per request the CPU of the gateways and of the server.
 *
 *   node bench/gateway-scale.mjs [--conversations 1000000] [--partitions 0] [--gateways 2] [--seconds 20]
 *
 * A million take about 12 GB below the folder for temporary files, which are removed in the end, and a quarter of an hour.
 * Needs a build (npm run build) and the PostgreSQL of tools/postgres (npm ci there), or LIGATURE_POSTGRES_URL.
 */
import { fork } from "node:child_process"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import http from "node:http"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import pg from "pg"
import { bodyOf } from "./gateway-scale/history.mjs"
import { fill, sizesOf } from "./gateway-scale/fill.mjs"
import { startServer } from "./store-homes.mjs"

const { values } = parseArgs({
  options: {
    conversations: { type: "string", default: "1000000" },
    partitions: { type: "string", default: "0" },
    gateways: { type: "string", default: "2" },
    seconds: { type: "string", default: "20" },
  },
})
const conversations = Number(values.conversations)
const partitions = Number(values.partitions)
const seconds = Number(values.seconds)
const samples = Math.min(50, conversations)
const turns = 3
const schema = "gateway_scale"

const round = (value, digits = 2) => Number(value.toFixed(digits))
const part = (sorted, share) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0, 1)
const tell = (what) => console.log(JSON.stringify(what))

const processes = fileURLToPath(new URL("gateway-scale/process.mjs", import.meta.url))
const children = []
const start = (role, config = {}) =>
  new Promise((resolve) => {
    const child = fork(processes, [role, JSON.stringify(config)])
    children.push(child)
    child.once("message", ({ url }) => resolve({ url, child, agent: new http.Agent({ keepAlive: true, maxSockets: 64 }) }))
  })

const usage = ({ child }) =>
  new Promise((resolve) => {
    child.once("message", resolve)
    child.send("usage")
  })

const ask = ({ url, agent }, name, body) =>
  new Promise((resolve, reject) => {
    const begun = performance.now()
    const headers = { "content-type": "application/json", "content-length": body.length, "x-session-id": name }
    const request = http.request(`${url}/v1/chat/completions`, { method: "POST", agent, headers }, (answer) => {
      answer.resume()
      answer.once("end", () =>
        answer.statusCode === 200 ? resolve(performance.now() - begun) : reject(new Error(`${name}: status ${answer.statusCode}`)),
      )
    })
    request.once("error", reject)
    request.end(body)
  })

/** CPU seconds of a server and all its processes. Undefined: it is not on this machine. */
const serverCpu = (socket) => {
  if (socket === undefined) return undefined
  const root = readFileSync(socket.replace(/\.s\.PGSQL\.\d+$/, "cluster/postmaster.pid"), "utf8").split("\n")[0]
  const statOf = (pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, "utf8")
      return text.slice(text.lastIndexOf(")") + 2).split(" ")
    } catch {
      return undefined
    }
  }
  let ticks = 0
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const stat = statOf(pid)
    if (!stat || (pid !== root && stat[1] !== root)) continue
    // Its own, and of children that have ended.
    ticks += Number(stat[11]) + Number(stat[12]) + (pid === root ? Number(stat[13]) + Number(stat[14]) : 0)
  }
  return ticks / 100
}

/** Asks with so many at the same time until the time is up; `next` gives the name and body of each request. */
const load = async (gateways, server, atOnce, next) => {
  const times = []
  let failed = 0
  const [cpu, of] = [await Promise.all(gateways.map(usage)), serverCpu(server.socket)]
  const [from, until] = [performance.now(), performance.now() + seconds * 1e3]
  let at = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() < until) {
        const { name, body } = next()
        try {
          times.push(await ask(gateways[at++ % gateways.length], name, body))
        } catch {
          failed++
        }
      }
    }),
  )
  const wall = (performance.now() - from) / 1e3
  const after = await Promise.all(gateways.map(usage))
  const sorted = times.toSorted((left, right) => left - right)
  const spent = after.reduce(
    (sum, { cpu: { user, system } }, index) => sum + user + system - cpu[index].cpu.user - cpu[index].cpu.system,
    0,
  )
  const served = serverCpu(server.socket)
  return {
    requests: times.length,
    failed,
    perSecond: round(times.length / wall, 0),
    gatewayCpuMs: round(spent / 1e3 / times.length),
    ...(of !== undefined && { serverCpuMs: round(((served - of) * 1e3) / times.length) }),
    ms: { p50: part(sorted, 0.5), p95: part(sorted, 0.95), p99: part(sorted, 0.99) },
    gatewayMB: Math.max(...after.map(({ rss }) => Math.round(rss / 2 ** 20))),
  }
}

const timed = async (what, work) => {
  const from = performance.now()
  const result = await work()
  tell({ what, seconds: round((performance.now() - from) / 1e3), ...result })
}

const server = await startServer(["shared_buffers=1GB", "max_wal_size=4GB", "maintenance_work_mem=512MB", "checkpoint_timeout=30min"])
if (typeof server === "string") throw new Error(server)
const pool = new pg.Pool({ connectionString: server.url, max: 4 })
const provider = await start("provider")
const config = {
  port: 0,
  upstreams: { it: { wire: "openai-chat", url: provider.url } },
  store: { place: server.url, required: true, postgres: { schema, connections: 5, partitions } },
}
const bare = await start("bare", { to: provider.url })
const gateways = await Promise.all(Array.from({ length: Number(values.gateways) }, () => start("gateway", config)))
try {
  tell({ what: "begin", conversations, partitions, gateways: gateways.length, node: process.versions.node })
  // Real ones, through the gateways: each turn a request.
  await timed("samples", async () => {
    for (let sample = 0; sample < samples; sample++)
      for (let turn = 0; turn <= turns; turn++) await ask(gateways[turn % gateways.length], `sample_${sample}`, bodyOf(sample, turn))
  })
  const owner = createHash("sha256").update("").digest("hex").slice(0, 16)
  await timed("filled", async () => {
    await fill(pool, schema, { conversations, samples, prefix: `${owner} openai-chat ` })
  })
  tell({ what: "size", ...(await sizesOf(pool, schema, conversations)) })

  let seed = 1
  const drawn = (most) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return seed % most
  }
  const bytes = bodyOf(0, turns + 1).length
  const grown = new Map()
  const anyOfAll = () => {
    const number = drawn(conversations)
    const more = grown.get(number) ?? 0
    grown.set(number, more + 1)
    return { name: `ses_${number}`, body: bodyOf(number % samples, turns + 1 + more) }
  }
  // What the same requests cost a pipe that looks at nothing, for comparison on a machine that is busy.
  tell({ what: "bare pipe", atOnce: 8, bytes, ...(await load([bare], {}, 8, anyOfAll)) })
  grown.clear()
  for (const atOnce of [1, 32]) tell({ what: "any of all", atOnce, bytes, ...(await load(gateways, server, atOnce, anyOfAll)) })
  const active = Array.from({ length: 64 }, (_, at) => ({ name: `active_${at}`, turn: 0, isBusy: false, at }))
  const oneOfFew = () => {
    const one = active[drawn(active.length)]
    one.turn = one.turn > 40 ? 0 : one.turn
    // Another conversation begins.
    if (one.turn === 0) one.name = `active_${one.at}_${drawn(1e9)}`
    return { name: one.name, body: bodyOf(one.at, one.turn++) }
  }
  tell({ what: "active ones, each request at another gateway", atOnce: 8, ...(await load(gateways, server, 8, oneOfFew)) })

  const { postgresStore } = await import("ligature/store/postgres")
  const store = postgresStore({ pool, schema, durability: "none" })
  await timed("first page of the list", async () => {
    await store.list({ limit: 50 })
  })
  await timed("vacuum", async () => {
    await pool.query(`vacuum (analyze) ${schema}.entry, ${schema}.conversation, ${schema}.lease`)
  })
  const most = Math.min(1_000, conversations)
  await timed(`removed ${most}`, async () => {
    const { rows } = await pool.query(`select id from ${schema}.conversation limit ${most}`)
    for (const { id } of rows) await store.remove(id)
  })
} finally {
  for (const child of children) child.kill()
  await pool.query(`drop schema if exists ${schema} cascade`).catch(() => undefined)
  await pool.end()
  await server.stop()
}
