/** The sqlite store against what every store must do: the suite at each durability, random lives, and processes that are killed. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe } from "vitest"
import type { Durability } from "../../../src/store/index.ts"
import { sqliteStore } from "../../../src/store/sqlite/index.ts"
import { storeConformance } from "../conformance.ts"
import { answersLikeMemory } from "../oracle.ts"
import { surviveProcesses } from "../process-harness.ts"
import { keepsPromisesInterleaved } from "../simulation/interleaved.ts"
import { tracesOf } from "../traces.ts"
import { hasEngine, sayIfMissing, within } from "./engine.ts"

const durabilities: readonly Durability[] = ["turn", "entry", "none"]

const makePlace = (): { readonly file: string; readonly dispose: () => Promise<void> } => {
  const folder = mkdtempSync(join(tmpdir(), "ligature-sqlite-"))
  return { file: join(folder, "store.db"), dispose: async () => rmSync(folder, { recursive: true, force: true }) }
}

sayIfMissing("the sqlite store")

describe.skipIf(!hasEngine)("sqlite", () => {
  for (const durability of durabilities) {
    storeConformance(`sqlite (${durability})`, async () => {
      const { file, dispose } = makePlace()
      const lose = async (conversation: string, entry: string): Promise<void> =>
        within(file, (database) => {
          const sql = "delete from entry where id = ? and conversation = (select number from conversation where id = ?)"
          database.prepare(sql).run(entry, conversation)
        })
      const holds = async (words: string): Promise<boolean> => tracesOf(words, dirname(file)).length > 0
      return { open: (now) => sqliteStore({ file, now, durability }), lose, holds, dispose }
    })
  }

  answersLikeMemory(Number(process.env["LIGATURE_LIVES"] ?? 20), async () => {
    const { file, dispose } = makePlace()
    return { open: (now) => sqliteStore({ file, now, durability: "none" }), dispose }
  })

  keepsPromisesInterleaved(Number(process.env["LIGATURE_LIVES"] ?? 60), async () => {
    const { file, dispose } = makePlace()
    return { open: (now) => sqliteStore({ file, now, durability: "none" }), dispose }
  })

  surviveProcesses({
    kills: 30,
    makeHome: async () => {
      const { file, dispose } = makePlace()
      return { open: () => sqliteStore({ file }), kind: "sqlite", place: file, dispose }
    },
  })
})
