/**
 * Trajectories of a folder: every conversation of every file, read with our own codecs (decode, settle), cut into
 * segments where the agent compacted, in canonical messages with their tokens and items. What a file gives is kept in
 * a temporary folder under the hash of the file and of the code that read it.
 */
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { argumentValues, fromMessages, textOf, withNumberedIds } from "../canonical.mjs"
import { itemsOf, itemTypes } from "../metric/items.mjs"
import { tokensOf } from "../tokens.mjs"
import { withoutRepeats } from "./repeats.mjs"

const here = dirname(fileURLToPath(import.meta.url))

/** Shorter ones have no cut with enough to remember. */
const fewestCalls = 6
const fewestTokens = 2000

const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)]))

const isDatabase = (bytes) => bytes.subarray(0, 15).toString("latin1") === "SQLite format 3"

/** A message that stands for what a compaction hid opens a segment of its own. */
const segmentsOf = (messages) => {
  const segments = [[]]
  for (const message of messages) {
    if (message.summary && segments.at(-1).length > 0) segments.push([])
    const { summary: _, ...said } = message
    segments.at(-1).push(said)
  }
  return segments.map((segment) => {
    const start = segment.findIndex(({ role }) => role === "user")
    return start === -1 ? [] : withNumberedIds(segment.slice(start))
  })
}

const prepare = (messages) => {
  const items = []
  const argumentItems = []
  for (const message of messages) {
    items.push([...itemsOf(textOf(message))].map(([item, type]) => [item, itemTypes.indexOf(type)]))
    argumentItems.push(message.calls ? [...itemsOf(message.calls.map(argumentValues).join("\n")).keys()] : [])
  }
  return { messages, tokens: messages.map((message) => tokensOf(message)), items, argumentItems }
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0)

const isLong = ({ messages, tokens }) =>
  messages.reduce((calls, message) => calls + (message.calls?.length ?? 0), 0) >= fewestCalls && sum(tokens) >= fewestTokens

const readFile = (bytes, name, { openDocument, decode, settle, flatten }) =>
  openDocument(bytes, { name }).parts.flatMap((part) => {
    const transcript = decode(part.format, part.value, { view: "whole" })
    const { messages, system } = fromMessages(flatten(settle(transcript).conversation).messages)
    const systemItems = [...itemsOf(system).keys()]
    return segmentsOf(messages)
      .map((segment) => ({ format: part.format, systemItems, ...prepare(segment) }))
      .filter(isLong)
  })

const hashOfFolder = (folder, hash) => {
  for (const path of filesIn(folder)) if (/(?<!\.d)\.(?:m?js|ts)$/.test(path)) hash.update(readFileSync(path))
}

/** All code that decides what a file gives; `folder` is where the library lies, compiled or not. */
const hashOfCode = (folder) => {
  const hash = createHash("sha1")
  for (const part of ["formats", "sessions", "convert", "rules", "model"]) hashOfFolder(join(folder, part), hash)
  for (const path of ["load.mjs", "../canonical.mjs", "../tokens.mjs", "../metric/items.mjs"]) {
    hash.update(readFileSync(join(here, path)))
  }
  return hash.digest("hex")
}

const cacheFolder = join(tmpdir(), "ligature-bench-compaction")

const cached = (key, make) => {
  const path = join(cacheFolder, `${key}.json`)
  try {
    return JSON.parse(readFileSync(path, "utf8"))
  } catch {
    const value = make()
    mkdirSync(cacheFolder, { recursive: true })
    const unfinished = `${path}.${process.pid}`
    writeFileSync(unfinished, JSON.stringify(value))
    renameSync(unfinished, path)
    return value
  }
}

const revive = ({ items, argumentItems, systemItems, ...rest }) => ({
  ...rest,
  items: items.map((pairs) => new Map(pairs.map(([item, type]) => [item, itemTypes[type]]))),
  argumentItems: argumentItems.map((list) => new Set(list)),
  systemItems: new Set(systemItems),
})

/**
 * Long trajectories of some folders. A group is a folder directly below one of them (the whole, when there is none); no
 * two share most of their messages. `library` is our own, and `code` the folder it lies in.
 */
export const loadTrajectories = (folders, options) => withoutRepeats([folders].flat().flatMap((folder) => trajectoriesIn(folder, options)))

const trajectoriesIn = (folder, { library, code: codeFolder, groups, progress = () => {} }) => {
  const code = hashOfCode(codeFolder)
  const root = resolve(folder)
  const byGroup = new Map()
  for (const path of filesIn(root)) {
    const parts = path.slice(root.length + 1).split("/")
    const group = parts.length > 1 ? parts[0] : "files"
    if (parts.at(-1).endsWith(".tsv") || (groups && !groups.includes(group))) continue
    const bytes = readFileSync(path)
    if (isDatabase(bytes)) continue
    const key = createHash("sha1").update(code).update(bytes).digest("hex")
    progress(path.slice(root.length + 1))
    const found = cached(key, () => readFile(bytes, parts.at(-1), library)).map(revive)
    const list = byGroup.get(group) ?? []
    for (const [index, trajectory] of found.entries()) {
      list.push({ group, id: `${parts.join("/")}${found.length > 1 ? `#${index + 1}` : ""}`, ...trajectory })
    }
    byGroup.set(group, list)
  }
  return [...byGroup.values()].flatMap(withoutRepeats)
}
