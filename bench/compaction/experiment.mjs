/**
 * A quick look at one strategy while it is being built: F, R, Rc, Rhc and the rest per group, in about a minute.
 *
 *   node bench/compaction/experiment.mjs --dist DIR --strategy digest --budgets 5,10 --groups claude-code,pi --limit 8
 *
 *   --strategy NAME          one of ours, a baseline, or path/to/module.mjs#export; repeat for several
 *   --options JSON           options of the strategy
 *   --meter exact|estimate   what our strategies count with (default exact)
 *   --half developing|testing|all  which projects (default developing)
 *   --work                   the state of the work by kind of question instead
 *   --lost N                 lists the N heaviest items lost per cut, with where they stood
 *   --missed                 lists every run that missed a gate
 *   --no-judge               leaves out provider rules and provenance
 *   --twice                  runs everything twice and compares
 *   --json FILE              writes all runs
 */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { groupBy, prepareCuts } from "./cuts.mjs"
import { loadTrajectories } from "./trajectories/load.mjs"
import { summarise } from "./aggregate.mjs"
import { judgeWith } from "./judge.mjs"
import { loadLibrary } from "./library.mjs"
import { runStrategy } from "./run-strategy.mjs"
import { kinds } from "./work/facts.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "../..")
const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    dist: { type: "string", default: join(root, "packages/ligature/dist") },
    corpus: { type: "string", multiple: true, default: process.env.LIGATURE_CORPUS ? [process.env.LIGATURE_CORPUS] : [] },
    half: { type: "string", default: "developing" },
    work: { type: "boolean", default: false },
    strategy: { type: "string", multiple: true, default: ["digest"] },
    options: { type: "string" },
    meter: { type: "string", default: "exact" },
    budgets: { type: "string", default: "5,10" },
    groups: { type: "string" },
    limit: { type: "string" },
    missed: { type: "boolean", default: false },
    lost: { type: "string", default: "0" },
    judge: { type: "boolean", default: true },
    twice: { type: "boolean", default: false },
    json: { type: "string" },
  },
})

if (options.corpus.length === 0) {
  console.error("Set LIGATURE_CORPUS or give --corpus FOLDER: there are no trajectories without one.")
  process.exit(1)
}

const say = (line) => process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${line}` : "")
const started = performance.now()
const library = await loadLibrary(options.dist)
const reading = { library, code: options.dist, progress: (path) => say(`reading ${path}`) }
const all = loadTrajectories(options.corpus, reading)
const cuts = prepareCuts(all, {
  groups: options.groups?.split(","),
  ...(options.half !== "all" && { half: options.half }),
  ...(options.limit && { limit: Number(options.limit) }),
})
const rhos = options.budgets.split(",").map((percent) => Number(percent) / 100)

const gates = options.judge ? judgeWith(library) : {}

const shown = options.work
  ? ["state", "next", "stale", ...kinds]
  : ["F", "R", "Rc", "Rhc", "loose", "shadow", "used", "state", "next", "stale"]
const digits = (number) => (number === undefined ? "   –" : number.toFixed(3)).padStart(9)
const row = (name, count, values) => `${name.padEnd(20)}${String(count).padStart(4)}${shown.map((key) => digits(values[key])).join("")}`

const print = (name, runs) => {
  for (const [rho, rows] of groupBy(runs, (run) => run.rho)) {
    const { groups, AVG, AVG5, SHORT, ALL } = summarise(rows)
    const missed = rows.filter((run) => run.missed.length > 0)
    const kinds = groupBy(
      missed.flatMap((run) => run.missed),
      (gate) => gate.replace(/^(provenance|failed):.*/, "$1"),
    )
    const times = rows.map((run) => run.milliseconds ?? 0).sort((a, b) => a - b)
    const time = `ms median ${times[times.length >> 1]?.toFixed(0)} max ${times.at(-1)?.toFixed(0)}`
    console.log(`\n${name} at ${rho * 100} %: ${rows.length} runs, ${missed.length} missed a gate, ${time}`)
    for (const [gate, list] of kinds) console.log(`  missed: ${gate} × ${list.length}`)
    console.log(`${"".padEnd(24)}${shown.map((key) => key.padStart(9)).join("")}`)
    for (const group in groups) console.log(row(group, groups[group].trajectories, groups[group]))
    for (const [title, values] of Object.entries({ AVG, AVG5, SHORT, ALL })) console.log(row(title, "", values))
    for (const { id, missed: names, ungated, reason = "" } of options.missed ? missed : []) {
      console.log(`  ${id}: ${names.join(", ")} (would be F ${ungated.toFixed(3)}) ${reason}`)
    }
  }
}

/** What was needed and is gone, or has lost its context: the heaviest of each cut. */
const printLost = (runs, count) => {
  for (const { id, rho, F, lost } of runs) {
    const heaviest = [...lost].sort((a, b) => b.weight - a.weight || Number(a.survives) - Number(b.survives)).slice(0, count)
    const words = heaviest.map(
      ({ item, type, survives, isHard }) => `${item} (${type}${isHard ? ", hard" : ""}${survives ? ", context lost" : ""})`,
    )
    console.log(`  ${id} ${rho * 100} % F ${F.toFixed(3)}: ${words.join("  ")}`)
  }
}

const everything = {}
for (const strategy of options.strategy) {
  const specification = {
    strategy,
    dist: options.dist,
    meter: options.meter,
    twice: options.twice,
    usesFuture: strategy.startsWith("oracle"),
    ...(options.options && { options: JSON.parse(options.options) }),
  }
  const runs = await runStrategy(specification, cuts, rhos, { gates, progress: (done, of) => say(`${strategy} ${done} of ${of}`) })
  say("")
  print(strategy, runs)
  if (Number(options.lost) > 0) printLost(runs, Number(options.lost))
  everything[strategy] = runs
}
if (options.json) writeFileSync(options.json, JSON.stringify(everything))
console.log(`\n${cuts.length} cuts, ${((performance.now() - started) / 1000).toFixed(0)} s`)
process.exit(0)
