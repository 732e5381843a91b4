/** A process that backs a store up, for tests that kill it: node copier.mjs <code> <store> <place> <folder>. Prints when it is through. */
import { existsSync, writeSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const [code, kind, place, folder] = process.argv.slice(2)
const load = (name) => {
  const file = existsSync(join(code, "store", "index.ts")) ? "index.ts" : "index.js"
  return import(pathToFileURL(join(code, "store", name, file)).href)
}
const { copyConversations, jsonlStore } = await load("")
const openers = {
  jsonl: async () => jsonlStore({ folder: place }),
  sqlite: async () => (await load("sqlite")).sqliteStore({ file: place }),
  postgres: async () => {
    const { default: pg } = await import("pg")
    const { connectionString, schema } = JSON.parse(place)
    return (await load("postgres")).postgresStore({ pool: new pg.Pool({ connectionString, max: 2, allowExitOnIdle: true }), schema })
  },
}
const from = await openers[kind]()
const to = jsonlStore({ folder })
writeSync(1, "begun\n")
const { problems } = await copyConversations(from, to, { extend: true })
await to.close()
await from.close()
writeSync(1, `${JSON.stringify(problems.map(({ error }) => error.message))}\n`)
