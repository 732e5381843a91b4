/**
 * How far is the estimate of tokens from o200k and cl100k? Over stretches of 1 to 10 kB of the judging half of the
 * texts (texts.mjs), per group: mean error, standard deviation, percentiles, and the share within five percent.
 *
 *   LIGATURE_CORPUS=FOLDER node bench/meter/judge.mjs [--folder FOLDER_OF_SOURCES]…
 */
import { parseArgs } from "node:util"
import { loadSource } from "../source.mjs"
import { cl100k, o200k, piecesOf } from "./pieces.mjs"
import { readTexts } from "./texts.mjs"

const { scanText } = await loadSource("compact/meter/estimate-tokens.ts")
const { values: options } = parseArgs({ options: { folder: { type: "string", multiple: true, default: [] } } })

let seed = 1
const random = (limit) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return Math.floor((seed / 2 ** 32) * limit)
}

const errors = new Map()
const add = (group, error) => errors.set(group, [...(errors.get(group) ?? []), error])
for (const { group, isFitted, texts } of await readTexts({ folders: options.folder })) {
  if (isFitted) continue
  const whole = texts.join("\n")
  for (let from = 0, to = 0; from < whole.length; from = to) {
    to = from + 1000 + random(9000)
    const stretch = whole.slice(from, to)
    if (stretch.length < 1000) continue
    const pieces = piecesOf(stretch)
    for (const [name, count] of Object.entries({ o200k, cl100k })) {
      const truth = pieces.reduce((sum, piece) => sum + count(piece), 0)
      add(`${name} ${group}`, scanText(stretch).tokens / truth - 1)
    }
  }
}

const percent = (share) => Number((share * 100).toFixed(1))
const table = {}
for (const [group, list] of [...errors].sort(([a], [b]) => (a < b ? 1 : -1))) {
  const sorted = list.sort((a, b) => a - b)
  const mean = list.reduce((sum, each) => sum + each, 0) / list.length
  const deviation = Math.sqrt(list.reduce((sum, each) => sum + (each - mean) ** 2, 0) / list.length)
  const at = (share) => percent(sorted[Math.floor((sorted.length - 1) * share)])
  const near = list.filter((each) => Math.abs(each) <= 0.05).length / list.length
  table[group] = {
    texts: list.length,
    mean: percent(mean),
    deviation: percent(deviation),
    "5 %": at(0.05),
    "95 %": at(0.95),
    near: percent(near),
  }
}
console.table(table)
