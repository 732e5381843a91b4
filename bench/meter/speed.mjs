/**
 * How fast is the estimate of tokens? Megabytes per second over the texts that it was fitted to and judged by
 * (texts.mjs), in batches of a megabyte, the fastest run of each. Strings as programs have them: parsed, cut, joined.
 *
 *   LIGATURE_CORPUS=FOLDER node bench/meter/speed.mjs
 */
import { loadSource } from "../source.mjs"
import { fastest } from "../measure.mjs"
import { readTexts } from "./texts.mjs"

const { scanText } = await loadSource("compact/meter/estimate-tokens.ts")

const batchLength = 1_000_000
const batches = []
let batch = { length: 0, texts: [] }
for (const { texts } of await readTexts({ folders: [] })) {
  for (const text of texts) {
    batch.texts.push(text)
    batch.length += text.length
    if (batch.length < batchLength) continue
    batches.push(batch)
    batch = { length: 0, texts: [] }
  }
}

const scan =
  ({ texts }) =>
  () =>
    texts.reduce((sum, text) => sum + scanText(text).tokens, 0)
const times = await fastest(Object.fromEntries(batches.map((one, index) => [index, scan(one)])), { size: 0, rounds: 15 })
const length = batches.reduce((sum, one) => sum + one.length, 0)
const milliseconds = Object.values(times).reduce((sum, time) => sum + time, 0)
console.log(`${(length / 1e6).toFixed(1)} MB, ${(length / milliseconds / 1e3).toFixed(0)} MB/s, Node ${process.versions.node}`)
