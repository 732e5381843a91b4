/** Agents on the sqlite store, killed. `LIGATURE_KILLS=3000` kills more of them. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { sqliteStore } from "../../../src/store/sqlite/index.ts"
import { hasEngine, sayIfMissing } from "../../store/sqlite/engine.ts"
import { killAgents } from "./kill-agents.ts"

sayIfMissing("agents on the sqlite store")

describe.skipIf(!hasEngine)("sqlite", () => {
  killAgents({
    kills: 40,
    makeHome: async () => {
      const folder = mkdtempSync(join(tmpdir(), "ligature-agents-"))
      const file = join(folder, "store.db")
      return {
        kind: "sqlite",
        place: file,
        open: () => sqliteStore({ file }),
        dispose: async () => rmSync(folder, { recursive: true, force: true }),
      }
    },
  })
})
