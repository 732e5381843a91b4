/**
 * What every recorded session gives for check, repair and convert into every format, as hashes: a change of structure must
 * change none of them. Texts for people are left out, so that rewording shows nothing here.
 *
 *   npm run build && LIGATURE_CORPUS=FOLDER node scripts/corpus-hashes.mjs /tmp/before.txt    writes the hashes
 *   LIGATURE_CORPUS=FOLDER node scripts/corpus-hashes.mjs /tmp/after.txt --compare /tmp/before.txt
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { check, convert, decode, formats, openDocument, repair } from "../packages/ligature/dist/index.js"
import { sessionCodecs } from "../packages/ligature/dist/registry/sessions.js"

const { values, positionals } = parseArgs({ allowPositionals: true, options: { compare: { type: "string" } } })
const [out] = positionals
const corpus = process.env["LIGATURE_CORPUS"]
if (out === undefined || corpus === undefined) {
  console.error("LIGATURE_CORPUS=FOLDER node scripts/corpus-hashes.mjs OUT [--compare BEFORE]")
  process.exit(2)
}

const hash = (value) =>
  createHash("sha256")
    .update(JSON.stringify(value) ?? "undefined")
    .digest("base64url")
    .slice(0, 12)
const placeOf = ({ path, message, block, line } = {}) => [path, message, block, line]
const findingOf = ({ rule, severity, place, ids, repair: fix }) => [rule, severity, placeOf(place), ids, fix?.kind]
const entryOf = ({ rule, kind, place, ids }) => [rule, kind, placeOf(place), ids]

const filesIn = (folder) =>
  readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name)
      return statSync(path).isDirectory() ? filesIn(path) : [path]
    })

const targets = [
  ...formats,
  ...Object.values(sessionCodecs)
    .filter(({ session }) => session.writes === "any")
    .map(({ format }) => format),
]
const lines = []

/** An answer, or the code of the error that was the answer. */
const note = (key, answer) => {
  let given
  try {
    given = answer()
  } catch (error) {
    given = `${error.name} ${error.code ?? error.message}`
  }
  lines.push(`${key}\t${given}`)
}

const written = ({ value, report }) => `${hash(value)} ${hash(report.entries.map(entryOf))} ${hash(report.losses.length)}`

const noteFile = (root, path) => {
  const name = relative(root, path)
  let parts
  try {
    parts = openDocument(readFileSync(path)).parts
  } catch (error) {
    lines.push(`${name}\t${error.name} ${error.code ?? error.message}`)
    return
  }
  lines.push(`${name}\t${parts.length} conversations`)
  // A file may hold hundreds of requests of one kind: the first ones say enough.
  for (const [index, { format: from, value }] of parts.slice(0, 12).entries()) {
    const key = `${name} ${index} ${from}`
    note(`${key} check`, () => hash(check(decode(from, value)).map(findingOf)))
    note(`${key} repair`, () => written(repair(value, { from })))
    for (const to of targets) note(`${key} to ${to}`, () => written(convert(value, { from, to })))
  }
}

const fixtures = fileURLToPath(new URL("../packages/ligature/fixtures", import.meta.url))
for (const root of [fixtures, corpus]) {
  for (const path of filesIn(root)) if (/\.(?:jsonl?|json)$/.test(path) && !path.includes("MANIFEST")) noteFile(root, path)
}
writeFileSync(out, `${lines.join("\n")}\n`)
console.log(`${lines.length} lines in ${out}`)

if (values.compare !== undefined) {
  const before = new Map(
    readFileSync(values.compare, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t")),
  )
  const after = new Map(lines.map((line) => line.split("\t")))
  const changed = [...after].filter(([key, value]) => before.get(key) !== value)
  const gone = [...before.keys()].filter((key) => !after.has(key))
  for (const [key, value] of changed) console.log(`${key}: ${before.get(key) ?? "(new)"} -> ${value}`)
  for (const key of gone) console.log(`${key}: gone`)
  console.log(`${changed.length} changed, ${gone.length} gone`)
  process.exitCode = changed.length + gone.length === 0 ? 0 : 1
}
