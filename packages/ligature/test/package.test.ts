/** What `npm publish` would upload: nothing in it may point to a file that is not in it. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))

const packed = (): readonly string[] => {
  const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root, encoding: "utf8" })
  const [report] = JSON.parse(stdout) as readonly { readonly files: readonly { readonly path: string }[] }[]
  return report?.files.map(({ path }) => path) ?? []
}

describe("the package", () => {
  it("has no source map, because its sources are not part of it", () => {
    const files = packed()
    expect(files.length).toBeGreaterThan(100)
    expect(files.filter((path) => path.endsWith(".map") || path.startsWith("src/"))).toEqual([])
    const scripts = files.filter((path) => path.startsWith("dist/") && path.endsWith(".js"))
    const pointing = scripts.filter((path) => readFileSync(join(root, path), "utf8").includes("//# sourceMappingURL="))
    expect(pointing).toEqual([])
  })
})
