/** The jsonl store against the suite of all stores, at every durability. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Durability, jsonlStore } from "../../src/store/index.ts"
import { storeConformance } from "./conformance.ts"

const durabilities: readonly Durability[] = ["turn", "entry", "none"]

for (const durability of durabilities) {
  storeConformance(`jsonl (${durability})`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "ligature-store-"))
    return {
      open: (now) => jsonlStore({ folder, now, durability }),
      dispose: async () => rmSync(folder, { recursive: true, force: true }),
    }
  })
}

storeConformance("jsonl (one file open at a time)", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ligature-store-"))
  return {
    open: (now) => jsonlStore({ folder, now, openLimit: 1 }),
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  }
})
