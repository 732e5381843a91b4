/**
 * `npm run bench:gateway`: what the gateway adds to a request, to a stream and to memory, beside a bare pipe proxy and other
 * gateways in the same run. A conversation grows by a turn with every request (`grows`), or every request is of a
 * conversation that was never seen (`new`). CPU is that of the proxy's process.
 *
 *   --parts latency,streams,memory   only these
 *   --rounds 200                     requests per server and row (fewer where they are large)
 *   --no-peers                       ours and the bare pipe alone; nothing is installed
 *   --write                          writes bench/gateway/results.md, with the parts of earlier runs that were not measured again
 *   PROFILE=DIR                      CPU profiles of our gateways
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { latency, memory, streams } from "./measure.mjs"
import { start, startOurs, startPortkey, startRouter } from "./processes.mjs"
import { latencyTable, memoryTable, page, streamTable } from "./report.mjs"

const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    parts: { type: "string", default: "latency,streams,memory" },
    rounds: { type: "string", default: "200" },
    peers: { type: "boolean", default: true },
    write: { type: "boolean", default: false },
  },
})
const parts = new Set(options.parts.split(","))
const rounds = Number(options.rounds)

const say = (text) => process.stderr.write(`${text}\n`)

const peersFolder = fileURLToPath(new URL("peers", import.meta.url))
const installed = () => {
  if (existsSync(`${peersFolder}/node_modules/@portkey-ai`)) return true
  const parameters = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", peersFolder]
  return spawnSync("npm", parameters, { stdio: ["ignore", 2, 2] }).status === 0
}
const hasPeers = options.peers && installed()
if (options.peers && !hasPeers) say("The other gateways cannot be installed: they are not measured.")

const upstream = await start("upstream")
const ours = [await start("bare", upstream.url), await startOurs("stored", upstream.url), await startOurs("unstored", upstream.url)]
const portkey = hasPeers ? [await startPortkey(upstream.url)] : []
const router = hasPeers ? [await startRouter(upstream.url)] : []

const sizes = [
  ["2 KB", 2_000, rounds],
  ["210 KB", 210_000, rounds],
  ["2 MB", 2_000_000, Math.ceil(rounds / 4)],
]
const found = { latency: [], streams: [], memory: [] }

if (parts.has("latency")) {
  for (const [size, bytes, count] of sizes) {
    for (const kind of ["grows", "new"]) {
      say(`latency, ${size}, ${kind}`)
      const rows = await latency([upstream, ...ours, ...portkey], { wire: "openai-chat", bytes, kind, count })
      found.latency.push(...rows.map((row) => ({ size, kind, ...row })))
    }
  }
  // It takes seconds where others take milliseconds, and speaks another API.
  for (const [size, bytes] of router.length === 0 ? [] : sizes) {
    say(`latency, ${size}, claude-code-router`)
    const [, row] = await latency([upstream, ours[0], ...router], { wire: "anthropic", bytes, kind: "grows", count: bytes > 1e6 ? 3 : 20 })
    found.latency.push({ size, kind: "grows", ...row })
  }
}

if (parts.has("streams")) {
  const all = [
    ["as it is", "openai-chat", "m", [...ours, ...portkey]],
    ["Messages to Chat", "anthropic", "to-chat", [...ours, ...router]],
    ["Chat to Messages", "openai-chat", "to-anthropic", ours],
  ]
  for (const [size, bytes] of sizes) {
    for (const [direction, wire, model, servers] of all) {
      say(`streams, ${size}, ${direction}`)
      // The bare proxy converts nothing: what it adds to the stream of the client's own API is what the others are measured by.
      const able = bytes > 1e6 ? servers.filter((each) => !router.includes(each)) : servers
      const rows = await streams([upstream, ...able], { wire, bytes, model, count: Math.ceil(rounds / (bytes > 1e6 ? 20 : 5)) })
      found.streams.push(...rows.map((row) => ({ size, direction, ...row })))
    }
  }
}

if (parts.has("memory")) {
  // Gateways that have done nothing yet.
  for (const server of [await startOurs("stored", upstream.url), await startOurs("unstored", upstream.url)]) {
    say(`memory, ${server.role}`)
    found.memory.push({ server: server.role, requests: 50 * rounds, ...(await memory(server, { requests: 50 * rounds })) })
    await server.stop()
  }
}

const machine = `${cpus().length} CPUs (${cpus()[0]?.model.trim()}), Node ${process.versions.node}, ${rounds} rounds, ${new Date().toISOString().slice(0, 10)}`
const measured = Object.fromEntries([...parts].map((part) => [part, { machine, rows: found[part] }]))
const file = new URL("results.json", import.meta.url)
const all = { ...(options.write && existsSync(file) && JSON.parse(readFileSync(file, "utf8"))), ...measured }
const tableOf = { latency: latencyTable, streams: streamTable, memory: memoryTable }
const tables = Object.entries(tableOf).flatMap(([part, table]) => (all[part] ? [table(all[part].rows, all[part].machine)] : []))
console.log(tables.join("\n"))
if (options.write) {
  writeFileSync(file, `${JSON.stringify(all, undefined, 1)}\n`)
  writeFileSync(new URL("results.md", import.meta.url), page(tables))
}
for (const each of ours) if (each.role !== "bare") await each.stop()
process.exit(0)
