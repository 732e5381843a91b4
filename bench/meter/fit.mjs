/**
 * Fits the tables of the estimate of tokens (packages/ligature/src/compact/meter/piece-tables.ts) to o200k and writes them.
 *
 *   npm ci --prefix bench/peers
 *   LIGATURE_CORPUS=FOLDER node bench/meter/fit.mjs [--folder FOLDER_OF_SOURCES]…
 *
 * Two tables. What three neighbouring characters add to the tokens of their piece: stochastic gradient descent over
 * the distinct pieces of the fitting half of the texts, in a seeded order. And common pieces whose sum is wrong: each
 * takes the place its hash names, the one that spares the most error wins it. Then the sums are fitted once more
 * without these. The committed tables also saw the standard library of Python and the headers of C.
 */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { loadSource } from "../source.mjs"
import { o200k, piecesOf } from "./pieces.mjs"
import { readTexts } from "./texts.mjs"

const pieces = await loadSource("compact/meter/estimate-tokens.ts")
const { standIn } = await loadSource("compact/meter/narrow.ts")
const { base, knownPiece, leastStep, mixed, mostKnown, nextHash, nextTriple, placeOf, places, step, steps } = pieces
const { tokensOfKnown } = pieces
const { values: options } = parseArgs({ options: { folder: { type: "string", multiple: true, default: [] } } })

/** Only what the scanner looks up: words, Latin ones with accents too, and punctuation. */
const isLookedUp = (piece) => /^[\0-\x7f\xc0-\xd6\xd8-\xf6\xf8-\u024f]+$/.test(piece) && /[^\s\d]/.test(piece)
const codeAt = (piece, at) => (piece.charCodeAt(at) < 128 ? piece.charCodeAt(at) : standIn(piece.charCodeAt(at)))

const fitted = new Map()
for (const { weight, isFitted, texts } of await readTexts({ folders: options.folder })) {
  if (!isFitted) continue
  const inThisFile = new Set()
  for (const piece of texts.flatMap(piecesOf)) {
    if (!isLookedUp(piece)) continue
    let entry = fitted.get(piece)
    if (entry === undefined) fitted.set(piece, (entry = { piece, weight: 0, files: 0, tokens: o200k(piece) }))
    entry.weight += weight
    if (!inThisFile.has(piece)) entry.files++
    inThisFile.add(piece)
  }
}
const entries = [...fitted.values()]

/** Places of a piece's triples in the table, and its hash. */
for (const entry of entries) {
  entry.triples = []
  let hash = 0
  for (let at = 0, triple = 0; at < entry.piece.length; at++) {
    triple = nextTriple(triple, codeAt(entry.piece, at))
    entry.triples.push(placeOf(mixed(triple)))
    hash = nextHash(hash, mixed(triple))
  }
  entry.hash = hash
}

const costs = new Float64Array(places)
const sumOf = ({ triples }) => triples.reduce((sum, place) => sum + costs[place], base / 100)
const least = leastStep / 100
const most = (leastStep + step * (steps - 1)) / 100

let seed = 1
const random = (limit) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return Math.floor((seed / 2 ** 32) * limit)
}

const epochs = 40
const fitSums = (list) => {
  const squares = new Float64Array(places).fill(1e-3)
  const order = [...list]
  for (let epoch = 0; epoch < epochs; epoch++) {
    const rate = 0.1 / (1 + epoch / 10)
    for (let index = 0; index < order.length; index++) {
      const other = index + random(order.length - index)
      const entry = order[other]
      order[other] = order[index]
      order[index] = entry
      const sum = sumOf(entry)
      // No piece costs less than a token, whatever its sum.
      if (sum < 1 && entry.tokens === 1) continue
      const error = Math.max(-2, Math.min(2, sum - entry.tokens))
      const gradient = error * (Math.sqrt(Math.min(1000, entry.weight)) / 5)
      for (const place of entry.triples) {
        const slope = gradient + 1e-4 * costs[place]
        squares[place] += slope * slope
        costs[place] = Math.max(least, Math.min(most, costs[place] - (rate * slope) / Math.sqrt(squares[place])))
      }
    }
  }
}

const levelOf = (cost) => Math.round((cost * 100 - leastStep) / step)
const estimateOf = (entry) => {
  const sum = entry.triples.reduce((total, place) => total + leastStep + step * levelOf(costs[place]), base)
  return Math.max(100, sum) / 100
}

/** A piece of many files is worth more than one that a single file repeats. */
const importanceOf = ({ weight, files }) => weight ** 0.7 * files ** 0.3
const fewFiles = 3

/**
 * For each place the mark and the tokens that spare the most error, over all pieces that would be taken for it. What
 * hardly any file has may be harmed and not be helped: it is not what other texts will bring.
 */
const chooseKnown = () => {
  const spared = Array.from({ length: places }, () => new Map())
  for (const entry of entries) {
    if (estimateOf(entry) * 100 > mostKnown) continue
    const wrong = Math.abs(estimateOf(entry) - entry.tokens)
    for (const tokens of [1, 2]) {
      const change = (Math.abs(tokens - entry.tokens) - wrong) * importanceOf(entry)
      if (change < 0 && entry.files < fewFiles) continue
      const key = knownPiece(entry.hash, tokens)
      const here = spared[placeOf(entry.hash)]
      here.set(key, (here.get(key) ?? 0) + change)
    }
  }
  return spared.map((changes) => [...changes].reduce((best, each) => (each[1] < best[1] ? each : best), [undefined, 0])[0])
}
const isKnown = (known, entry) =>
  [1, 2].includes(tokensOfKnown(known[placeOf(entry.hash)] ?? 0, entry.hash)) && estimateOf(entry) * 100 <= mostKnown

fitSums(entries)
const first = chooseKnown()
fitSums(entries.filter((entry) => !isKnown(first, entry)))
const known = chooseKnown()

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
const tripleDigits = Array.from(costs, (cost) => digits[levelOf(cost)]).join("")
const knownDigits = known.map((key) => digits[key ?? 0]).join("")

const lines = (name, text) => {
  const rows = text.match(/.{1,114}/g).map((row) => `  "${row}",`)
  return `export const ${name} = [\n${rows.join("\n")}\n].join("")\n`
}
const header = `/**
 * Written by bench/meter/fit.mjs, from o200k and recorded agents; \`pieces.ts\` reads it. One digit of base 64
 * per place.
 */
`
const path = join(dirname(fileURLToPath(import.meta.url)), "../../packages/ligature/src/compact/meter/piece-tables.ts")
const tables = [lines("tripleDigits", tripleDigits), lines("knownDigits", knownDigits)]
writeFileSync(path, [header, ...tables].join("\n"))
console.log(`${entries.length} pieces, ${known.filter((key) => key !== undefined).length} known → ${path}`)
