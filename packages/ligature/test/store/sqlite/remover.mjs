/** Removes conversations until it is killed: node remover.mjs <code> <file>. Prints each id before and after its removal. */
import { writeSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const [code, file] = process.argv.slice(2)
const { sqliteStore } = await import(pathToFileURL(join(code, "store", "sqlite", "index.ts")).href)
const store = sqliteStore({ file })
const { conversations } = await store.list({ limit: 1_000 })
for (const { id } of conversations) {
  writeSync(1, `removing ${id}\n`)
  await store.remove(id)
  writeSync(1, `removed ${id}\n`)
}
await store.close()
