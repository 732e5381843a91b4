/**
 * Builds `dist`: declarations by tsc, one file each, and the code by rolldown in as few files as the entry points allow.
 * Node pays for every file it loads, about half a millisecond of CPU, and sources are written in files for readers.
 *
 * Files that are always needed together become one chunk, so that an entry point loads what it needs and little else:
 * every format stays on its own, commands of the command line load when they are called. Nothing is minified.
 *
 * `dist/page` is the page of `ligature view`, which is for a browser and comes from the package beside this one.
 */
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import process from "node:process"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { buildPage } from "../viewer/build.mjs"

const root = dirname(fileURLToPath(import.meta.url))

const { bin, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** Source files of what package.json names, with every folder that a star stands for. */
const entries = () => {
  const named = [...Object.values(bin), ...Object.values(exports).flatMap((each) => each.default ?? [])]
  const paths = named.map((path) => path.replace("./", "").replace("dist/", "").replace(/\.js$/, ""))
  const all = paths.flatMap((path) => {
    if (!path.includes("*")) return [path]
    const folder = path.slice(0, path.indexOf("/*"))
    const names = readdirSync(join(root, "src", folder), { withFileTypes: true }).filter((each) => each.isDirectory())
    return names
      .filter(({ name }) => readdirSync(join(root, "src", folder, name)).includes("index.ts"))
      .map(({ name }) => path.replace("*", name))
  })
  return Object.fromEntries(all.map((path) => [path, join(root, "src", `${path}.ts`)]))
}

/** Files of `src` that become one chunk. All others are divided by who needs them. */
const chunks = [
  [/^(model|json|debug)\//, "model"],
  [/^runtime\//, "runtime"],
  [/^rules\/(book|rulebook|classify)\//, "rule-book"],
  [/^rules\//, "rules"],
  [/^(convert\/(check|sendable|home-profile)|document\/formats)\./, "check"],
  [/^formats\/([^/]+)\//, "format-$1"],
  [/^registry\/known-sessions/, "runtime"],
  [/^(convert\/|document\/|registry\/(registry|settings)\.)/, "convert"],
  [/^registry\/sessions/, "register-sessions"],
  [/^files\/package-file/, "package-file"],
  [/^cli\/frame\//, "command-line"],
]

const chunkOf = (id) => {
  const path = relative(join(root, "src"), id)
  for (const [pattern, name] of chunks) {
    const match = pattern.exec(path)
    if (match) return name.replace("$1", match[1])
  }
  return null
}

/** Files with an effect when they are loaded; `sideEffects` in package.json names what becomes of them. */
const effects = /\/src\/(index|agent\/index|registry\/sessions|rules\/book\/index|runtime\/index|cli\/main)\.ts$/

/** Writes the code of every entry point to a folder. */
export const bundle = async (folder) => {
  const built = await rolldown({
    input: entries(),
    platform: "neutral",
    external: [/^node:/, "pg"],
    transform: { target: "es2023" },
    treeshake: { moduleSideEffects: (id) => effects.test(id) },
    preserveEntrySignatures: "allow-extension",
    onLog: (level, log, handle) => {
      if (level === "warn") throw new Error(log.message)
      handle(level, log)
    },
  })
  await built.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    // One folder deep, like `runtime/`, which looks for the session formats by a path relative to its own file.
    chunkFileNames: "chunks/[name].js",
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: chunkOf, debugName: "chunks" }] },
  })
  await built.close()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = join(root, "dist")
  rmSync(dist, { recursive: true, force: true })
  const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json", "--emitDeclarationOnly"], { cwd: root, stdio: "inherit" })
  if (status === 0) {
    await bundle(dist)
    await buildPage(join(dist, "page"))
  } else process.exitCode = status ?? 1
}
