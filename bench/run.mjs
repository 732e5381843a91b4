/**
 * `npm run bench`: builds, installs what is measured beside us, measures on this Node and on Node 24, prints the tables
 * and writes them to bench/results. Each part runs in a process of its own.
 *
 *   --sizes 100,1000       other sizes (default 100 to 100,000 messages)
 *   --rounds 0.5           fewer or more rounds (a factor)
 *   --formats anthropic    only these source formats
 *   --dist DIR             compiled code to measure; nothing is built then
 *   --no-peers             only our own numbers
 *   --no-sessions          no session files; with LIGATURE_CORPUS they include the real ones
 *   --megabytes 1000       size of the long session file
 *   --no-stores            no streams and no stores
 *   --no-write             prints, writes no results
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { cpus, loadavg, totalmem } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { renderPage } from "./report.mjs"
import { renderers } from "./render.mjs"
import { measureStart } from "./start.mjs"

const bench = dirname(fileURLToPath(import.meta.url))
const root = dirname(bench)

const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    sizes: { type: "string", default: "100,1000,10000,100000" },
    rounds: { type: "string", default: "1" },
    formats: { type: "string", default: Object.keys(renderers).join(",") },
    dist: { type: "string" },
    peers: { type: "boolean", default: true },
    sessions: { type: "boolean", default: true },
    megabytes: { type: "string", default: "1000" },
    stores: { type: "boolean", default: true },
    write: { type: "boolean", default: true },
  },
})

const say = (line) => process.stderr.write(`${line}\n`)

const must = (command, parameters) => {
  say(`> ${command} ${parameters.join(" ")}`)
  const { status } = spawnSync(command, parameters, { cwd: root, stdio: ["ignore", 2, 2] })
  if (status !== 0) throw new Error(`${command} ${parameters.join(" ")} ended with ${status}`)
}

/** Runs a measuring script and collects the JSON lines it prints. What it measured before it failed is kept. */
const collect = (node, script, parameters) =>
  new Promise((resolve) => {
    const flags = ["--expose-gc", "--max-old-space-size=8192"]
    const child = spawn(node, [...flags, join(bench, script), ...parameters], { stdio: ["ignore", "pipe", 2] })
    let text = ""
    child.stdout.setEncoding("utf8").on("data", (part) => {
      text += part
    })
    child.on("close", (status) => {
      if (status !== 0) say(`  ${script} ${parameters.join(" ")} ended with ${status}`)
      resolve(
        text
          .split("\n")
          .filter((line) => line.startsWith("{"))
          .map((line) => JSON.parse(line)),
      )
    })
  })

const versionOf = (node) => spawnSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).stdout.trim()

const measureOn = async (node, dist) => {
  const version = versionOf(node)
  const [load] = loadavg()
  const ours = []
  for (const format of options.formats.split(",")) {
    say(`Node ${version}: ${format}`)
    ours.push(...(await collect(node, "ours.mjs", [dist, format, options.sizes, options.rounds])))
  }
  if (options.peers) say(`Node ${version}: other libraries`)
  const peers = options.peers ? await collect(node, "peers/peers.mjs", [dist, options.sizes]) : []
  const start = measureStart(node, join(dist, "cli/main.js"))
  if (options.sessions) say(`Node ${version}: sessions`)
  if (options.sessions && process.env.LIGATURE_CORPUS === undefined) say("  doctor is left out: LIGATURE_CORPUS is not set")
  const [doctor] = options.sessions && process.env.LIGATURE_CORPUS ? await collect(node, "doctor.mjs", [dist]) : []
  if (options.sessions && process.env.LIGATURE_CORPUS === undefined) say("  real bodies are left out: LIGATURE_CORPUS is not set")
  const bodies = options.sessions && process.env.LIGATURE_CORPUS ? await collect(node, "bodies.mjs", [dist, options.rounds]) : []
  const [longFile] = options.sessions ? await collect(node, "long-file.mjs", [dist, options.megabytes]) : []
  if (options.stores) say(`Node ${version}: streams and stores`)
  const record = options.stores ? await collect(node, "record.mjs", [dist]) : []
  const stores = options.stores ? await collect(node, "store.mjs", ["", dist]) : []
  const postgres = options.stores ? await collect(node, "store-postgres.mjs", [dist]) : []
  const storePeers = options.stores && options.peers ? await collect(node, "peers/store-peers.mjs", [dist]) : []
  return {
    node: version,
    major: Number.parseInt(version, 10),
    load,
    ours,
    peers,
    start,
    doctor,
    bodies,
    longFile,
    record,
    stores,
    postgres,
    storePeers,
  }
}

const secondNode = () => {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined
  must("npm", ["ci", "--prefix", "tools/node24"])
  const node = join(root, "tools/node24/node_modules/.bin/node")
  return existsSync(node) ? node : undefined
}

if (options.dist === undefined) must("npm", ["run", "build"])
if (options.peers) must("npm", ["ci", "--ignore-scripts", "--prefix", "bench/peers"])
if (options.stores) must("npm", ["ci", "--ignore-scripts", "--prefix", "tools/postgres"])
const dist = options.dist ?? join(root, "packages/ligature/dist")
const second = secondNode()
const runs = [await measureOn(process.execPath, dist)]
if (second !== undefined && versionOf(second) !== process.versions.node) runs.push(await measureOn(second, dist))

const [cpu] = cpus()
const date = new Date().toISOString().slice(0, 10)
const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
const machine = `${cpus().length} × ${cpu?.model ?? "unknown"}, ${memory}, ${process.platform} ${process.arch}`
/** As somebody else would repeat it: where the compiled code lay on this machine says nothing. */
const words = process.argv.slice(2).filter((word, index, all) => word !== "--dist" && all[index - 1] !== "--dist")
const command = ["npm run bench", ...(words.length > 0 ? ["--", ...words] : [])].join(" ")
const page = renderPage(runs, { date, machine, command })
console.log(page)
if (options.write) {
  const folder = join(bench, "results")
  mkdirSync(folder, { recursive: true })
  for (const run of runs) {
    const record = JSON.stringify({ date, machine, command, ...run }, null, 2)
    writeFileSync(join(folder, `${date}-node${run.major}.json`), `${record}\n`)
  }
  writeFileSync(join(folder, "README.md"), page)
}
