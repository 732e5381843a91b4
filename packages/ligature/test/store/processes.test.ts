/** Real processes on one folder: see process-harness.ts. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect } from "vitest"
import { jsonlStore } from "../../src/store/index.ts"
import { surviveProcesses } from "./process-harness.ts"

describe("jsonl", () => {
  surviveProcesses({
    kills: 60,
    makeHome: async () => {
      const folder = mkdtempSync(join(tmpdir(), "ligature-processes-"))
      return {
        open: () => jsonlStore({ folder }),
        kind: "jsonl",
        place: folder,
        expectTidy: (writers) => {
          expect(readdirSync(folder).filter((name) => name.endsWith(".lock"))).toEqual([])
          if (writers === "closed") expect(readdirSync(join(folder, ".owners"))).toEqual([])
        },
        dispose: async () => rmSync(folder, { recursive: true, force: true }),
      }
    },
  })
})
