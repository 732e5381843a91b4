/** Agents on the jsonl store, killed. `LIGATURE_KILLS=3000` kills more of them. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { jsonlStore } from "../../../src/store/index.ts"
import { killAgents } from "./kill-agents.ts"

describe("jsonl", () => {
  killAgents({
    kills: 60,
    makeHome: async () => {
      const folder = mkdtempSync(join(tmpdir(), "ligature-agents-"))
      return {
        kind: "jsonl",
        place: folder,
        open: () => jsonlStore({ folder }),
        dispose: async () => rmSync(folder, { recursive: true, force: true }),
      }
    },
  })
})
