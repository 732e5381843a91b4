/** Benchmarks run seldom: what they import from the build must not go away unnoticed. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const { bin, exports } = JSON.parse(readFileSync(`${root}packages/ligature/package.json`, "utf8")) as {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, { readonly default?: string } | string>>
}

const targets = [...Object.values(bin), ...Object.values(exports).map((each) => (typeof each === "string" ? each : (each.default ?? "")))]

/** The command line as a function: a chunk that is loaded by its name, and keeps it. */
const chunks: ReadonlySet<string> = new Set(["chunks/run.js"])

const isBuilt = (path: string): boolean =>
  chunks.has(path) ||
  targets.some((target) => {
    const [before = "", after] = target.replace("./dist/", "").replace("dist/", "").split("*")
    return after === undefined ? before === path : path.startsWith(before) && path.endsWith(after)
  })

it("benchmarks import only files that the build has", () => {
  const scripts = readdirSync(`${root}bench`).filter((name) => name.endsWith(".mjs"))
  const missing = scripts.flatMap((name) => {
    const text = readFileSync(`${root}bench/${name}`, "utf8")
    const named = [...text.matchAll(/(?:compiled|load|resolve|join)\((?:dist, |build, |values\.dist, )?"([a-z-]+(?:\/[a-z-]+)*\.js)"/g)]
    return named.map(([, path = ""]) => path).flatMap((path) => (isBuilt(path) ? [] : [`${name}: ${path}`]))
  })
  expect(missing).toEqual([])
})
