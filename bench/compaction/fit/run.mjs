/**
 * Where the weights of src/compact/strategies/digest/relevance/term-worth.ts come from: a logistic fit on recorded sessions of which of the terms
 * before a cut were needed after it. Says how well the terms of each fold are ranked by a fit on the others (a project
 * is in one fold only), and which weights a fit on everything gives; they are rounded by hand.
 *
 *   LIGATURE_CORPUS=FOLDER node bench/compaction/fit/run.mjs [--without kinship,focus] [--dist DIR]
 *
 * Plain words are no items of the benchmark; they are fitted to its second notion of what is needed, with little weight.
 */
import { dirname, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { toTranscript } from "../canonical.mjs"
import { prepareCuts } from "../cuts.mjs"
import { loadLibrary } from "../library.mjs"
import { loadTrajectories } from "../trajectories/load.mjs"
import { fit, ranking, scoreOf } from "./logistic.mjs"
import { signalNames, signalsOf } from "./signals.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..")
const { values: options } = parseArgs({
  options: {
    corpus: { type: "string", default: process.env.LIGATURE_CORPUS },
    dist: { type: "string", default: join(root, "packages/ligature/dist") },
    without: { type: "string", default: "" },
  },
})
if (options.corpus === undefined) {
  console.error("Set LIGATURE_CORPUS or give --corpus FOLDER: there is nothing to fit to without one.")
  process.exit(1)
}

const load = (path) => import(pathToFileURL(join(resolve(options.dist), "compact/strategies/digest/relevance", path)).href)
const [{ passagesOfAll }, { usageOf }, { worthsOf }, { novelty }] = await Promise.all(
  ["lines.js", "usage.js", "term-worth.js", "common-names.js"].map(load),
)
const library = await loadLibrary(options.dist)
const left = options.without.split(",").filter((name) => name !== "")

const projectOf = (id) => id.replace(/^[^/]*\//, "").replace(/(-\d+)?\.\w+([#@ ].*)?$/, "")

/** Of the terms that were not needed so many are looked at: there are twenty for each that was. */
const sample = { name: 0.2, word: 0.05 }
const weightOfWords = 0.05
const weightOfShortChats = 0.2

let seed = 7
const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648

const isRequest = ({ role, summary }) => role === "user" && summary !== true
const usageAt = (cut) => {
  const { conversation } = library.settle(toTranscript(cut.context.messages))
  const { items } = conversation
  const requests = { first: items.findIndex(isRequest), latest: items.findLastIndex(isRequest), goal: "" }
  return usageOf(passagesOfAll(conversation), requests)
}

const trajectories = loadTrajectories(options.corpus, { library, code: options.dist })
const cuts = prepareCuts(trajectories, { loose: false })
const neededOf = new Map()
for (const { id, needed } of cuts) neededOf.set(projectOf(id), (neededOf.get(projectOf(id)) ?? 0) + needed.length)

/** Sessions of one project are alike: all of them are in one fold. The largest projects are dealt first. */
const folds = Array.from({ length: 5 }, () => 0)
const foldOfProject = new Map()
for (const [project, size] of [...neededOf].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))) {
  const least = folds.indexOf(Math.min(...folds))
  folds[least] += size
  foldOfProject.set(project, least)
}

const rows = []
let farthest = 0
for (const cut of cuts) {
  const usage = usageAt(cut)
  const worths = worthsOf(usage)
  const needed = new Map(cut.needed.map(({ item, weight }) => [item, weight]))
  const shadow = new Map(cut.shadow)
  const short = cut.group.startsWith("tau") ? weightOfShortChats : 1
  // A project with many sessions says more than one with few, but not in proportion.
  const weightOfProject = short / Math.sqrt(neededOf.get(projectOf(cut.id)) / 300)
  for (const [number, record] of usage.records.entries()) {
    // What everybody says is said again whatever the history was: nothing to learn from.
    if (novelty(record.text, record.kind) < 1) continue
    const isWord = record.kind === "word"
    const found = (isWord ? shadow : needed).get(record.text) ?? 0
    const share = isWord ? sample.word : sample.name
    if (found === 0 && random() > share) continue
    const weight = weightOfProject * (isWord ? weightOfWords : 1) * (found > 0 ? found : 1 / share)
    const signals = signalsOf(record, usage, left)
    rows.push({
      signals,
      weight,
      isNeeded: found > 0,
      isWord,
      fold: foldOfProject.get(projectOf(cut.id)),
      kind: record.kind,
      worth: worths[number],
    })
  }
}

const names = rows.filter(({ isWord }) => !isWord)
const rankings = []
for (const fold of folds.keys()) {
  const judged = names.filter((row) => row.fold === fold)
  if (!judged.some(({ isNeeded }) => isNeeded)) continue
  const weights = fit(rows.filter((row) => row.fold !== fold))
  rankings.push(ranking(judged, weights))
  console.log(`fold ${fold}: ${judged.length} terms, ranked ${rankings.at(-1).toFixed(3)}`)
}
const mean = rankings.reduce((sum, each) => sum + each, 0) / rankings.length
console.log(`mean ${mean.toFixed(4)} of ${rows.length} rows${left.length > 0 ? `, without ${left.join(", ")}` : ""}\n`)

const weights = fit(rows)
for (const [index, name] of signalNames.entries()) console.log(name.padEnd(24), weights[index].toFixed(2).padStart(6))

/** What the library's own sum of rounded weights says, against this fit, by rank. */
if (left.length === 0) {
  for (const row of rows) {
    const most = { file: 0.6, flag: 0.8, word: 0.18 }[row.kind] ?? 1
    const own = Math.log(row.worth / (most - row.worth))
    farthest = Math.max(farthest, Math.abs(own - scoreOf(row.signals, weights)))
  }
  console.log(`\nThe library's scores differ from these by at most ${farthest.toFixed(2)} (rounding; more means the two sums differ).`)
}
