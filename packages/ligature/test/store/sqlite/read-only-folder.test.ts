/** The sqlite store where this user may not write. Its engine wants to write even to read, see home.ts. */
import { join } from "node:path"
import { describe } from "vitest"
import { sqliteStore } from "../../../src/store/sqlite/index.ts"
import { surviveReadOnlyFolder } from "../read-only-folder.ts"
import { hasEngine, sayIfMissing } from "./engine.ts"

sayIfMissing("the sqlite store in a read-only folder")

describe.skipIf(!hasEngine)("sqlite", () => {
  surviveReadOnlyFolder({
    kind: "sqlite",
    placeIn: (folder) => join(folder, "store.db"),
    open: (file) => sqliteStore({ file }),
    refusal: /store\.db is read-only: what is in it can be loaded, but nothing written$/,
  })
})
