/** Random lives of conversations in the jsonl store: see oracle.ts. `LIGATURE_LIVES=1000` lives more of them. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { jsonlStore } from "../../src/store/index.ts"
import { answersLikeMemory } from "./oracle.ts"
import { keepsPromisesInterleaved } from "./simulation/interleaved.ts"

describe("the jsonl store with a checkpoint every few appends", () => {
  answersLikeMemory(Number(process.env["LIGATURE_LIVES"] ?? 30), async () => {
    const folder = mkdtempSync(join(tmpdir(), "ligature-oracle-"))
    let opened = 0
    return {
      open: (now) =>
        jsonlStore({ folder, now, durability: "none", openLimit: 1 + (opened % 2), checkpointBytes: [1, 600][opened++ % 2] ?? 1 }),
      dispose: async () => rmSync(folder, { recursive: true, force: true }),
    }
  })
})

describe("the jsonl store on a real file system", () => {
  keepsPromisesInterleaved(Number(process.env["LIGATURE_LIVES"] ?? 60), async () => {
    const folder = mkdtempSync(join(tmpdir(), "ligature-interleaved-"))
    return {
      open: (now) => jsonlStore({ folder, now, durability: "none", checkpointBytes: 500 }),
      dispose: async () => rmSync(folder, { recursive: true, force: true }),
    }
  })
})

describe("the jsonl store", () => {
  answersLikeMemory(Number(process.env["LIGATURE_LIVES"] ?? 40), async () => {
    const folder = mkdtempSync(join(tmpdir(), "ligature-oracle-"))
    let opened = 0
    return {
      // Every second store keeps one conversation open at a time.
      open: (now) => jsonlStore({ folder, now, durability: "none", ...(opened++ % 2 === 1 && { openLimit: 1 }) }),
      dispose: async () => rmSync(folder, { recursive: true, force: true }),
    }
  })
})
