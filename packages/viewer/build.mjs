/**
 * Builds the page: `page.js` with the frame, chunks that load with the first session, `page.css`; and `saved.js`, the same page in one
 * script, for pages that are saved as one file. The library is bundled from its sources.
 */
import { cpSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const source = join(dirname(fileURLToPath(import.meta.url)), "src")

/** Modules that do something when they are loaded. */
const effects = /\/(main\.tsx|viewer\/src\/library\.ts|registry\/sessions\.ts|rules\/book\/index\.ts)$|\/formats\/[^/]+\/index\.ts$/

/** The library in pieces that are needed at different times, none of which needs one below it. What the first load needs stays with the page. */
const chunks = [
  [/^(?:language\/|model\/(?:phrase|plain-text|visible))/, null],
  [/^(?:model|json|debug)\//, "library-model"],
  [/^rules\/(?:book|rulebook|classify)\//, "library-rule-book"],
  [/^rules\//, "library-rules"],
  [/^compact\//, "compaction"],
  [/^formats\/engine\//, "library-engine"],
  [/^formats\//, "formats"],
  [/^(?:convert\/(?:check|sendable|home-profile)|document\/formats)\./, "library-check"],
  [/^(?:convert\/|document\/|registry\/registry)/, "library-convert"],
  [/^(?:sessions\/|registry\/sessions)/, "sessions"],
  [/^/, "library-shared"],
]

const chunkOf = (id) => {
  const [, path] = /\/packages\/ligature\/src\/(.*)$/.exec(id) ?? []
  return path === undefined ? null : chunks.find(([pattern]) => pattern.test(path))[1]
}

const build = async (options) => {
  const built = await rolldown({
    input: { page: join(source, "main.tsx") },
    platform: "browser",
    preserveEntrySignatures: "allow-extension",
    transform: { target: "es2023" },
    treeshake: { moduleSideEffects: (id) => effects.test(id) },
    onLog: (level, log, handle) => {
      if (level === "warn") throw new Error(log.message)
      handle(level, log)
    },
  })
  await built.write({ format: "esm", minify: true, comments: { legal: false }, ...options })
  await built.close()
}

/** Writes the page to a folder. */
export const buildPage = async (folder) => {
  mkdirSync(folder, { recursive: true })
  await build({
    dir: folder,
    entryFileNames: "page.js",
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: chunkOf, debugName: "chunks" }] },
  })
  await build({ file: join(folder, "saved.js"), codeSplitting: false })
  cpSync(join(source, "page.css"), join(folder, "page.css"))
}
