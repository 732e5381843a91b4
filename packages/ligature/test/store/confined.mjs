/**
 * A process under Node's permission model: node --permission confined.mjs <code> <store> <place>. Writes a conversation, reads it
 * back, and prints how it went and how often a file or a folder was flushed to the disk.
 */
import { open } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const [code, kind, place] = process.argv.slice(2)
const load = (folder) => import(pathToFileURL(join(code, "store", folder, "index.js")).href)

const flushed = []
const handle = await open(code)
const { datasync, sync } = Object.getPrototypeOf(handle)
await handle.close()
Object.assign(Object.getPrototypeOf(handle), {
  datasync() {
    flushed.push("file")
    return datasync.call(this)
  },
  sync() {
    flushed.push("folder")
    return sync.call(this)
  },
})

const store = kind === "sqlite" ? (await load("sqlite")).sqliteStore({ file: place }) : (await load("")).jsonlStore({ folder: place })
const counted = async (work) => {
  flushed.length = 0
  await work()
  return [...flushed]
}
const say = (text) => [{ kind: "message", message: { role: "user", blocks: [{ type: "text", text }] } }]
const flushes = {
  create: await counted(() => store.create({ id: "c", title: "confined" })),
  append: await counted(() => store.append("c", say("one"))),
  relaxed: await counted(() => store.append("c", say("two"), { durable: false })),
  flush: await counted(() => store.flush()),
  acquire: await counted(() => store.acquire("c", { owner: "me", durationMs: 1 })),
}
const { entries } = await store.load("c")
const { conversations } = await store.list()
const remove = await counted(() => store.remove("c"))
await store.close()
console.log(JSON.stringify({ entries: entries.length, listed: conversations.length, flushes: { ...flushes, remove } }))
