/**
 * `npm run bench:compaction`: every strategy on every long trajectory of LIGATURE_CORPUS, then the live simulation;
 * prints the tables and writes bench/compaction/results.
 *
 *   --corpus FOLDER          other trajectories (default LIGATURE_CORPUS); repeat for several
 *   --half testing           projects: testing (default, and all that is quoted), developing or all
 *   --dist DIR               compiled code to measure (default dist)
 *   --budgets 2,5,10,25,50   percent of the context
 *   --groups a,b             only these folders of the corpus
 *   --limit N                at most N trajectories of a group
 *   --strategy NAME          only these; also path/to/module.mjs#export
 *   --options JSON           options for the strategies named with --strategy
 *   --quick                  budgets 5,10 and 4 trajectories of a group, shorter simulation
 *   --no-live                no simulation
 *   --out DIR                writes there (default bench/compaction/results)
 *   --no-write               prints only
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { loadTrajectories } from "./trajectories/load.mjs"
import { halfOf, prepareCuts } from "./cuts.mjs"
import { judgeWith } from "./judge.mjs"
import { loadLibrary } from "./library.mjs"
import { ours, others } from "./line-up.mjs"
import { runLive } from "./live/run-live.mjs"
import { middleOf, printTables, writeResults } from "./report/write.mjs"
import { runStrategy } from "./run-strategy.mjs"
import { secondCounts } from "./second-counts.mjs"
import { documentFrequency } from "./metric/weights.mjs"
import { availableStrategies, resolveStrategy } from "./strategies/resolve.mjs"
import { besideSummaries, loadSummaries } from "./work/summaries.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, "../..")
const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    corpus: { type: "string", multiple: true, default: process.env.LIGATURE_CORPUS ? [process.env.LIGATURE_CORPUS] : [] },
    half: { type: "string", default: "testing" },
    dist: { type: "string", default: join(root, "packages/ligature/dist") },
    budgets: { type: "string" },
    groups: { type: "string" },
    limit: { type: "string" },
    strategy: { type: "string", multiple: true },
    options: { type: "string" },
    quick: { type: "boolean", default: false },
    live: { type: "boolean", default: true },
    out: { type: "string", default: join(here, "results") },
    write: { type: "boolean", default: true },
  },
})

if (options.corpus.length === 0) {
  console.error("Set LIGATURE_CORPUS or give --corpus FOLDER: there are no trajectories without one.")
  process.exit(1)
}

/** What is set beside real summaries. */
const besideStrategies = new Set([
  "digest",
  "digest-or-window",
  "window",
  "oracle-lines",
  "oracle-work",
  "formula-lines",
  "random-lines",
  "bag-of-strings",
])

const started = performance.now()
const seconds = () => `${((performance.now() - started) / 1000).toFixed(0)} s`.padStart(6)
const say = (line) => process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${line}` : "")
const announce = (line) => {
  say("")
  process.stderr.write(`${seconds()}  ${line}\n`)
}

/** AI SDK needs a newer Node than ours: the one the other benchmarks use, where it is installed. */
const nodeFor = (version) => {
  const major = Number(process.versions.node.split(".")[0])
  if (version === undefined || major >= version) return process.execPath
  const second = join(root, "tools/node24/node_modules/.bin/node")
  return existsSync(second) && spawnSync(second, ["-v"]).status === 0 ? second : undefined
}

const limit = options.limit ? Number(options.limit) : options.quick ? 4 : 40
const rhos = (options.budgets ?? (options.quick ? "5,10" : "2,5,10,25,50")).split(",").map((percent) => Number(percent) / 100)
const available = await availableStrategies(options.dist, [...new Set(ours.map(({ strategy }) => strategy))])
const known = [...ours.filter(({ strategy }) => available.includes(strategy)).map((row) => ({ ...row, isOurs: true })), ...others]
const named = (name) => known.find(({ strategy }) => strategy === name) ?? { title: name, strategy: name, isOurs: true }
const lineUp = options.strategy?.map(named) ?? known

const library = await loadLibrary(options.dist)
const all = loadTrajectories(options.corpus, { library, code: options.dist, progress: (path) => say(`reading ${path}`) })
const half = options.half === "all" ? undefined : options.half
const cuts = prepareCuts(all, { limit, half, groups: options.groups?.split(",") })
const cutOnes = new Set(cuts.map(({ trajectory }) => trajectory)).size
announce(`${all.length} trajectories read, ${cuts.length} cuts of ${cutOnes} need something`)
const judges = judgeWith(library)

const results = []
for (const row of lineUp) {
  const node = nodeFor(row.needsNode)
  if (node === undefined) {
    announce(`${row.title}: not measured, needs Node ${row.needsNode} (npm ci --prefix tools/node24)`)
    continue
  }
  const specification = {
    strategy: row.strategy,
    dist: options.dist,
    meter: row.meter ?? "exact",
    node,
    usesFuture: row.usesFuture === true,
    twice: row.isOurs ? true : middleOf(rhos),
    ...(options.options && row.isOurs && { options: JSON.parse(options.options) }),
  }
  const gates = row.isOurs ? { ...judges, count: await secondCounts() } : judges
  const runs = await runStrategy(specification, cuts, rhos, { gates, progress: (done, of) => say(`${row.title}: ${done} of ${of}`) })
  const missed = runs.filter((run) => run.missed.length > 0).length
  announce(`${row.title}: ${runs.length} runs${missed > 0 ? `, ${missed} missed a gate` : ""}`)
  results.push({ ...row, runs })
}

const summaries = await (async () => {
  if (options.strategy !== undefined) return undefined
  const events = loadSummaries(options.corpus, { library, frequency: documentFrequency(all), progress: (path) => say(`reading ${path}`) })
  if (events.length === 0) return undefined
  const ways = []
  for (const { title, strategy, meter } of lineUp.filter((row) => besideStrategies.has(row.strategy))) {
    ways.push({ title, ...(await resolveStrategy({ strategy, dist: options.dist, meter: meter ?? "exact" })) })
  }
  const rows = await besideSummaries(events, ways)
  announce(`beside ${events.length} real summaries`)
  return { rows, events }
})()

const live =
  options.live && options.strategy === undefined
    ? await runLive(half === undefined ? all : all.filter((each) => halfOf(each) === half), {
        dist: options.dist,
        available,
        limit: options.quick ? 3 : 12,
        progress: say,
      })
    : undefined
if (live) announce(`live simulation: ${live.rows.length} policies`)

const [cpu] = cpus()
const places = new Set(["--dist", "--corpus", "--out"])
/** As somebody else would repeat it: where things lay on this machine says nothing. */
const words = process.argv.slice(2).filter((word, index, list) => !places.has(word) && !places.has(list[index - 1]))
const about = {
  date: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} × ${cpu?.model ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`,
  command: ["npm run bench:compaction", ...(words.length > 0 ? ["--", ...words] : [])].join(" "),
  duration: seconds().trim(),
}
printTables(results, live, { about, rhos, cuts, summaries })
if (options.write) writeResults(options.out, results, live, { about, rhos, cuts, summaries, half: options.half })
process.exit(0)
