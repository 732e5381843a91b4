/**
 * What everybody's code says, an agent writes without having read it. Two lists of such names, counted over public
 * projects that have nothing to do with each other, and from different projects, so that the digest is not measured with the
 * list it chooses by:
 *
 *   node bench/compaction/metric/count-common.mjs metric FOLDER     common-knowledge.txt: items in three projects and more
 *   node bench/compaction/metric/count-common.mjs library FOLDER    the common-table.ts of the digest: names in six and more
 *
 * FOLDER has one folder per project. The library has names only (a number that is common is still somebody's amount).
 *
 * Counted for the measure, chosen before anything was measured with them: of Debian 12 the sources of caddy 2.6.2, cargo 0.66,
 * eslint 6.4, gh 2.23, git 2.39.5, hugo 0.111.3, libspring-java 4.3.30, node-typescript 4.8.4, rails 6.1.7, rust-ripgrep 13.0 and
 * syncthing 1.19.2 (apt-get source), and the packages ansible-core 2.14.18, python3-aiohttp 3.8.4, python3-pandas 1.5.3,
 * python3-sqlalchemy 1.4.46 and python3-twisted 22.4 (apt-get download); of npm fastify 5.12.8, flowbite-react 0.12.17,
 * ghost 5.130.6, @mantine/core 9.7.4, @payloadcms/ui 3.90.2 and ra-ui-materialui 5.15.4 (npm pack).
 *
 * Counted for the library, chosen the same way: axios, clap, consul, curl, django, excalidraw, fastapi, gin, jekyll, junit5,
 * mastodon, nest, polars, prometheus, pytest, redis, shadcn/ui, svelte, tokio, trpc, vite and vue, the default branches of 2026.
 */
import { lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { eachItem } from "./items.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const fewestProjects = { metric: 3, library: 6 }
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

const [list, folder] = process.argv.slice(2)
if (folder === undefined || !Object.hasOwn(fewestProjects, list)) {
  console.error("Expected a list and the folder of its projects: node bench/compaction/metric/count-common.mjs metric|library FOLDER")
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

const writeMetric = () => {
  const common = inAtLeast(fewestProjects.metric).map(([item]) => item)
  writeFileSync(join(here, "common-knowledge.txt"), `${common.join("\n")}\n`)
  console.log(`${common.length} items for the measure`)
}

const isPlain = (name) => !/[\s\\`$]/.test(name)

const writeLibrary = () => {
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
  const table = "../../../packages/ligature/src/compact/strategies/digest/relevance/common-table.ts"
  writeFileSync(join(here, table), `${header}${lines.join("\n")}\n\`\n`)
  console.log(`${names.length} names for the library`)
}

if (list === "metric") writeMetric()
else writeLibrary()
