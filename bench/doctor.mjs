/**
 * Question: what does examining every session of the corpus cost, as a multiple of JSON.parse over the same bytes?
 * Both start from the bytes of each file in memory: decoding text is part of either.
 *
 * LIGATURE_CORPUS=DIR node bench/doctor.mjs DIST   prints one JSON line.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

const [dist] = process.argv.slice(2)
const corpus = process.env.LIGATURE_CORPUS
const load = (path) => import(pathToFileURL(resolve(dist, path)).href)
const { Source } = await load("cli/input/source.js")
const { examine } = await load("cli/output/examine.js")

const isDatabase = (bytes) => bytes.subarray(0, 15).toString("latin1") === "SQLite format 3"

const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesIn(path) : [{ path, bytes: readFileSync(path) }]
  })

const files = filesIn(corpus).filter(({ path, bytes }) => !path.endsWith(".tsv") && !isDatabase(bytes))

/** As the cheapest possible reader would: whole, or else line by line. */
const parse = (bytes) => {
  const text = bytes.toString("utf8")
  try {
    return JSON.parse(text)
  } catch {
    return text.split("\n").map((line) => {
      try {
        return JSON.parse(line)
      } catch {
        return undefined
      }
    })
  }
}

const timed = (work) => {
  const start = performance.now()
  work()
  return performance.now() - start
}

const floor = () => files.forEach(({ bytes }) => parse(bytes))

const doctor = () => {
  let sessions = 0
  for (const { path, bytes } of files) {
    const source = Source.of(path, bytes, {})
    for (const part of source.parts) {
      examine(source, part)
      sessions++
    }
  }
  return sessions
}

const best = { floor: Number.POSITIVE_INFINITY, doctor: Number.POSITIVE_INFINITY, first: timed(doctor) }
for (let round = 0; round < 7; round++) {
  best.floor = Math.min(best.floor, timed(floor))
  best.doctor = Math.min(best.doctor, timed(doctor))
}
const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0)
console.log(JSON.stringify({ files: files.length, sessions: doctor(), bytes, ...best }))
