/** Links at the place of an output: in a folder of outputs they are replaced, where the user named one they are followed. */
import { lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { cli, damaged, folder } from "./cli.ts"

const planted = (): { readonly cwd: string; readonly victim: string } => {
  const cwd = folder({ "a.json": damaged })
  const victim = join(cwd, "victim")
  writeFileSync(victim, "precious")
  mkdirSync(join(cwd, "out"))
  return { cwd, victim }
}

describe.skipIf(process.platform === "win32")("links", () => {
  it("in a folder of outputs are replaced by the file, and never followed", async () => {
    for (const command of [["repair"], ["convert", "--to", "anthropic"]]) {
      const { cwd, victim } = planted()
      symlinkSync(victim, join(cwd, "out", "a.json"))
      const { code } = await cli([...command, "a.json", "--out-dir", "out"], { cwd })
      expect(code).toBe(0)
      expect(readFileSync(victim, "utf8")).toBe("precious")
      expect(lstatSync(join(cwd, "out", "a.json")).isFile()).toBe(true)
    }
  })

  it("in a folder of outputs to a device or into nowhere are replaced as well", async () => {
    for (const target of ["/dev/full", "/nowhere/at/all"]) {
      const { cwd } = planted()
      symlinkSync(target, join(cwd, "out", "a.json"))
      expect((await cli(["repair", "a.json", "--out-dir", "out"], { cwd })).code).toBe(0)
      expect(JSON.parse(readFileSync(join(cwd, "out", "a.json"), "utf8"))).toMatchObject({ model: damaged.model })
    }
  })

  it("that were named with -o stay links, and lead to the output", async () => {
    const { cwd, victim } = planted()
    symlinkSync(victim, join(cwd, "link.json"))
    expect((await cli(["repair", "a.json", "-o", "link.json"], { cwd })).code).toBe(0)
    expect(readlinkSync(join(cwd, "link.json"))).toBe(victim)
    expect(JSON.parse(readFileSync(victim, "utf8"))).toMatchObject({ model: damaged.model })
  })
})
