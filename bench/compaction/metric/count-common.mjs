/**
 * Where common-knowledge.txt comes from: items that are in at least three of 22 unrelated public projects, in which an
 * agent's own project is not. What everybody's code says, an agent writes without having read it.
 *
 *   node bench/compaction/metric/count-common.mjs FOLDER    one folder per project below it
 *
 * Also writes src/compact/strategies/digest/relevance/common-table.ts, the same count for the library: names only (a number that is common is
 * still somebody's amount), and only those of four projects and more.
 *
 * Counted were, chosen before anything was measured with them, of Debian 12 the sources of caddy 2.6.2, cargo 0.66, eslint
 * 6.4, gh 2.23, git 2.39.5, hugo 0.111.3, libspring-java 4.3.30, node-typescript 4.8.4, rails 6.1.7, rust-ripgrep 13.0 and
 * syncthing 1.19.2 (apt-get source), and the packages ansible-core 2.14.18, python3-aiohttp 3.8.4, python3-pandas 1.5.3,
 * python3-sqlalchemy 1.4.46 and python3-twisted 22.4 (apt-get download); of npm fastify 5.12.8, flowbite-react 0.12.17,
 * ghost 5.130.6, @mantine/core 9.7.4, @payloadcms/ui 3.90.2 and ra-ui-materialui 5.15.4 (npm pack).
 */
import { lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { eachItem } from "./items.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const fewestProjects = { metric: 3, library: 4 }
const namesOnly = new Set(["path", "file", "flag", "id", "identifier"])

const sources =
  /\.(?:[cm]?[jt]sx?|json|mdx?|pyi?|go|rs|toml|ya?ml|java|kt|rb|erb|php|[ch]|sh|html?|s?css|less|vue|sql|xml|txt|rst|adoc|hbs|tmpl|cfg|ini|proto|t|perl|p[ml])$/
const largestFile = 2_000_000
/** Longer lines are minified. */
const longestLine = 5000

function* filesIn(folder) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name)
    const found = lstatSync(path)
    if (found.isDirectory()) yield* filesIn(path)
    else if (found.isFile() && sources.test(name) && found.size < largestFile) yield path
  }
}

const itemsOfProject = (folder) => {
  const items = new Map()
  for (const path of filesIn(folder)) {
    for (const line of readFileSync(path, "utf8").split("\n")) {
      if (line.length <= longestLine) eachItem(line, (item, type) => items.set(item, type))
    }
  }
  return items
}

/** Addresses of package registries are nobody's knowledge but of those who install from them. */
const isRegistry = (item) => /registry|npmjs|pypi|crates\.io/i.test(item)

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error("Expected the folder of the projects: node bench/compaction/metric/count-common.mjs FOLDER")
  process.exit(1)
}

const projects = readdirSync(folder).sort()
const counts = new Map()
for (const project of projects) {
  const items = itemsOfProject(join(folder, project))
  for (const [item, type] of items) counts.set(item, { count: (counts.get(item)?.count ?? 0) + 1, type })
  console.log(`${project}: ${items.size} items`)
}

const inAtLeast = (fewest) =>
  [...counts].filter(([item, { count }]) => count >= fewest && !isRegistry(item)).sort(([a], [b]) => (a < b ? -1 : 1))

const common = inAtLeast(fewestProjects.metric).map(([item]) => item)
writeFileSync(join(here, "common-knowledge.txt"), `${common.join("\n")}\n`)

const isPlain = (name) => !/[\s\\`$]/.test(name)
const names = inAtLeast(fewestProjects.library)
  .filter(([name, { type }]) => namesOnly.has(type) && isPlain(name))
  .map(([name]) => name)
const lines = [""]
for (const name of names) {
  if (lines.at(-1).length + name.length >= 118) lines.push("")
  lines[lines.length - 1] += `${lines.at(-1) === "" ? "" : " "}${name}`
}
const header = `/**
 * Names that are in at least ${fewestProjects.library} of ${projects.length} unrelated public projects, counted by
 * bench/compaction/metric/count-common.mjs; not written by hand.
 */
export const countedNames = \`
`
writeFileSync(
  join(here, "../../../packages/ligature/src/compact/strategies/digest/relevance/common-table.ts"),
  `${header}${lines.join("\n")}\n\`\n`,
)
console.log(`${common.length} items, ${names.length} names for the library`)
