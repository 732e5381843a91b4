/**
 * What somebody pays who imports the library: files that Node loads, bytes in a bundle, and nothing of Node where code is
 * meant for browsers and edge runtimes. Measured on the built package, as users get it.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundle as build } from "../build.mjs"
import { library } from "../../../scripts/source-files.ts"

let folder = ""

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ligature-bundle-"))
  // A package like the published one, which the code below imports by its name.
  const installed = join(folder, "node_modules", "ligature")
  mkdirSync(installed, { recursive: true })
  symlinkSync(join(library, "package.json"), join(installed, "package.json"))
  await build(join(installed, "dist"))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Bundled {
  readonly code: string
  /** Modules of Node that the bundle would import. */
  readonly node: readonly string[]
}

const bundled = async (code: string): Promise<Bundled> => {
  const node = new Set<string>()
  const entry = join(folder, "entry.js")
  const build = await rolldown({
    input: entry,
    platform: "browser",
    resolve: { symlinks: false },
    plugins: [
      {
        name: "entry",
        resolveId: (id) => {
          if (id.startsWith("node:")) node.add(id)
          return id === entry ? id : id.startsWith("node:") ? { id, external: true } : undefined
        },
        load: (id) => (id === entry ? code : undefined),
      },
    ],
  })
  const { output } = await build.generate({ format: "esm", minify: true, codeSplitting: false })
  await build.close()
  return { code: output.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join(""), node: [...node] }
}

const gzipped = ({ code }: Bundled): number => gzipSync(code).length / 1000

const filesLoadedBy = (path: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(path)) return seen
  seen.add(path)
  const text = readFileSync(path, "utf8")
  for (const [, name = ""] of text.matchAll(/^(?:import|export)\b[^;"]*?"(\.[^"]+)"/gm)) filesLoadedBy(resolve(dirname(path), name), seen)
  return seen
}

const foldersOf = (part: string): readonly string[] =>
  readdirSync(join(library, "src", part), { withFileTypes: true }).flatMap((each) =>
    each.isDirectory() && each.name !== "engine" ? [each.name] : [],
  )

describe("the built package", () => {
  it("has the public names of its sources, and no other", async () => {
    const { exports } = JSON.parse(readFileSync(join(library, "package.json"), "utf8")) as {
      readonly exports: Readonly<Record<string, string | { readonly default: string }>>
    }
    const paths = Object.values(exports).flatMap((each) => {
      const path = typeof each === "string" ? "" : each.default.replace("./dist/", "")
      const [part = "", rest] = path.split("/*")
      return rest === undefined ? [path] : foldersOf(part).map((name) => `${part}/${name}${rest}`)
    })
    const entries = paths.filter((path) => path !== "" && existsSync(join(folder, "node_modules/ligature/dist", path)))
    expect(entries.length).toBeGreaterThan(25)
    for (const path of entries) {
      const built = (await import(pathToFileURL(join(folder, "node_modules/ligature/dist", path)).href)) as object
      const source = (await import(pathToFileURL(join(library, "src", path.replace(/js$/, "ts"))).href)) as object
      expect(Object.keys(built).sort(), path).toEqual(Object.keys(source).sort())
    }
  })

  it("loads few files for import ligature, and less for an adapter", () => {
    const dist = join(folder, "node_modules/ligature/dist")
    const files = filesLoadedBy(join(dist, "index.js")).size
    expect(files).toBeGreaterThan(5)
    expect(files).toBeLessThan(120)
    for (const name of foldersOf("adapters")) expect(filesLoadedBy(join(dist, "adapters", name, "index.js")).size, name).toBeLessThan(60)
  })

  it("has check with one format in forty KiB", async () => {
    const all = await bundled(`
      import { check } from "ligature"
      import { anthropic } from "ligature/formats/anthropic"
      export const rulesBrokenBy = (request) => check(anthropic.decode(request), { profile: "anthropic" }).map(({ rule }) => rule)`)
    expect(gzipped(all)).toBeLessThan(40.96)
    const file = join(folder, "check.mjs")
    writeFileSync(file, all.code)
    const { rulesBrokenBy } = (await import(pathToFileURL(file).href)) as {
      readonly rulesBrokenBy: (request: unknown) => readonly string[]
    }
    const call = { type: "tool_use", id: "a", name: "ls", input: {} }
    expect(
      rulesBrokenBy({
        messages: [
          { role: "user", content: "go" },
          { role: "assistant", content: [call] },
        ],
      }),
    ).toEqual(["unanswered-call"])
    // Beyond the history: what only the codec of the format knows.
    expect(rulesBrokenBy({ messages: [{ role: "user", content: "go", extra: 1 }] })).toEqual(["unknown-field"])
  })

  it.each([
    "ligature",
    "ligature/compact",
    "ligature/record",
    "ligature/messages",
    "ligature/rules",
    "ligature/sessions",
    "ligature/debug",
    ...foldersOf("formats").map((name) => `ligature/formats/${name}`),
    ...foldersOf("adapters").map((name) => `ligature/adapters/${name}`),
  ])("bundles %s for browsers and edge runtimes", async (name) => {
    const { code, node } = await bundled(`export * from "${name}"`)
    expect(code.length).toBeGreaterThan(100)
    expect(node).toEqual([])
  })
})
