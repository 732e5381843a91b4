/** Builds `dist`: the tools in one file. The library stays a package of its own. */
import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const root = dirname(fileURLToPath(import.meta.url))
const dist = join(root, "dist")

rmSync(dist, { recursive: true, force: true })
const built = await rolldown({
  input: { index: join(root, "src/index.ts") },
  platform: "node",
  external: [/^node:/, /^ligature(?:\/|$)/, /^@modelcontextprotocol\//, "zod"],
  transform: { target: "es2023" },
})
await built.write({ dir: dist, format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name].js" })
await built.close()
