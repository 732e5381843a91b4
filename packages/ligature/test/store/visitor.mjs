/**
 * A process that tries every call of a store, for tests that start it as a user who may read but not write:
 * node visitor.mjs <code> <store> <place>. Prints what became of each, as one JSON object.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const [code, kind, place] = process.argv.slice(2)

/** `code` is a build, or the sources where Node runs them. */
const load = (folder) => {
  const name = existsSync(join(code, "store", "index.ts")) ? "index.ts" : "index.js"
  return import(pathToFileURL(join(code, "store", folder, name)).href)
}

const openers = {
  jsonl: async () => (await load("")).jsonlStore({ folder: place }),
  sqlite: async () => (await load("sqlite")).sqliteStore({ file: place }),
}
const store = await openers[kind]()
const saying = (words) => [{ kind: "message", message: { role: "user", blocks: [{ type: "text", text: words }] } }]
const words = ({ entries }) => entries.map(({ message }) => message.blocks[0].text)

const calls = {
  load: async () => words(await store.load("c")),
  tail: async () => words(await store.load("c", { last: 1 })),
  list: async () => (await store.list()).conversations.map(({ id }) => id),
  branches: async () => (await store.branches("c")).map(({ tip }) => tip),
  append: () => store.append("c", saying("not written")),
  create: () => store.create({ id: "new" }),
  fork: () => store.fork("c", { id: "copy" }),
  acquire: () => store.acquire("c", { owner: "visitor", durationMs: 1_000 }),
  remove: () => store.remove("c"),
  again: async () => words(await store.load("c")),
  close: () => store.close(),
}
const outcomes = {}
for (const [name, call] of Object.entries(calls)) {
  try {
    outcomes[name] = (await call()) ?? null
  } catch (error) {
    outcomes[name] = { error: error.constructor.name, reason: error.reason, message: error.message }
  }
}
console.log(JSON.stringify(outcomes))
