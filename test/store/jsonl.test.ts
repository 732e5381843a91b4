/** The jsonl store against the suite of all stores, at every durability. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Durability, jsonlStore } from "../../src/store/index.ts"
import { storeConformance } from "./conformance.ts"

/** The line of an entry, and nothing else. */
const lose = async (folder: string, conversation: string, entry: string): Promise<void> => {
  const file = join(folder, `${conversation}.jsonl`)
  const lines = readFileSync(file, "utf8").split("\n")
  writeFileSync(file, lines.filter((line) => !line.includes(`"id":"${entry}","kind"`)).join("\n"))
}

const durabilities: readonly Durability[] = ["turn", "entry", "none"]

for (const durability of durabilities) {
  storeConformance(`jsonl (${durability})`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "ligature-store-"))
    return {
      open: (now) => jsonlStore({ folder, now, durability }),
      lose: (conversation, entry) => lose(folder, conversation, entry),
      dispose: async () => rmSync(folder, { recursive: true, force: true }),
    }
  })
}

storeConformance("jsonl (one file open at a time)", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ligature-store-"))
  return {
    open: (now) => jsonlStore({ folder, now, openLimit: 1 }),
    lose: (conversation, entry) => lose(folder, conversation, entry),
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  }
})
