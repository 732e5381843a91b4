/**
 * Texts to fit the estimate of tokens to, and to judge it by: messages and arguments of recorded agents
 * (LIGATURE_CORPUS), source files of any folder that is named (the packages of bench/peers without being named), and
 * random bytes as hexadecimal digits and base64. One half of the files fits, the other half judges: the hash of the
 * name decides, so that a file never does both.
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { loadLibrary } from "../compaction/library.mjs"
import { loadTrajectories } from "../compaction/trajectories/load.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, "../..")

const hashOf = (name) => createHash("sha256").update(name).digest()
const isFitted = (name) => (hashOf(name)[0] & 1) === 0

const fromTrajectories = async (corpus) => {
  const dist = join(root, "packages/ligature/dist")
  const library = await loadLibrary(dist)
  return loadTrajectories(corpus, { library, code: dist }).map(({ id, group, messages }) => ({
    group,
    weight: 1,
    isFitted: isFitted(id.split("#")[0]),
    texts: messages.flatMap(({ content, calls = [] }) => [content, ...calls.map((call) => JSON.stringify(call.arguments))]),
  }))
}

const kinds = /\.(?:c|cpp|go|h|java|json|js|md|mjs|py|rs|sh|ts|txt|yaml|yml)$/
const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && kinds.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))

const longest = 60_000

/** At most so many files of a folder, chosen by the hash of their names. */
const fromFolder = (folder, most) =>
  filesIn(folder)
    .map((path) => ({ path, name: path.slice(folder.length), order: hashOf(path.slice(folder.length)).toString("hex") }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .slice(0, most)
    .map(({ path, name }) => ({ name, text: readFileSync(path, "utf8").slice(0, longest) }))
    .filter(({ text }) => text.length > 200)
    .map(({ name, text }) => ({ group: `files ${/[^.]+$/.exec(name)[0]}`, weight: 0.5, isFitted: isFitted(name), texts: [text] }))

const randomBytes = (name, length) => {
  const parts = Array.from({ length: Math.ceil(length / 32) }, (_, part) => hashOf(`${name} ${part}`))
  return Buffer.concat(parts).subarray(0, length)
}

const generated = () =>
  Array.from({ length: 40 }, (_, index) => [
    { group: "base64", text: randomBytes(`base64 ${index}`, 4000).toString("base64") },
    { group: "hexadecimal", text: randomBytes(`hexadecimal ${index}`, 3000).toString("hex") },
  ])
    .flat()
    .map(({ group, text }, index) => ({ group, weight: 20, isFitted: index % 4 < 2, texts: [text] }))

/** All texts, in the same order every time. */
export const readTexts = async ({ corpus = process.env.LIGATURE_CORPUS, folders = [], mostFiles = 2000 } = {}) => {
  if (corpus === undefined) throw new Error("Set LIGATURE_CORPUS: there are no texts of agents without it")
  const all = [join(here, "../peers/node_modules"), ...folders.map((folder) => resolve(folder))]
  return [...(await fromTrajectories(corpus)), ...all.flatMap((folder) => fromFolder(folder, mostFiles)), ...generated()]
}
