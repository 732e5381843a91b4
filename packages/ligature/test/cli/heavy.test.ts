/** Files of 200 MB. Takes a minute and 2 GB of memory, so it runs only with LIGATURE_HEAVY=1. */
import { closeSync, openSync, readFileSync, statSync, writeSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { cli, folder } from "./cli.ts"

const isHeavy = process.env["LIGATURE_HEAVY"] === "1"
if (!isHeavy) console.log("skipping the 200 MB files: set LIGATURE_HEAVY=1 to run them")

const writeBig = (path: string): void => {
  const file = openSync(path, "w")
  writeSync(file, '{"messages":[')
  let bytes = 0
  for (let index = 0; bytes < 200_000_000; index++) {
    const id = `toolu_${index}`
    const turn = [
      { role: "user", content: `step ${index} ${"please ".repeat(30)}` },
      { role: "assistant", content: [{ type: "tool_use", id, name: "bash", input: { command: "ls" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "line\n".repeat(400) }] },
      { role: "assistant", content: [{ type: "text", text: "done ".repeat(40) }] },
    ]
    const said = index === 77 ? turn.filter((_, position) => position !== 2) : turn
    bytes += writeSync(file, (index === 0 ? "" : ",") + said.map((message) => JSON.stringify(message)).join(","))
  }
  writeSync(file, "]}")
  closeSync(file)
}

describe.skipIf(!isHeavy)("200 MB of messages", () => {
  it("are checked, repaired and converted", { timeout: 600_000 }, async () => {
    const cwd = folder()
    writeBig(join(cwd, "big.json"))
    const checked = await cli(["check", "big.json"], { cwd })
    expect(checked.code).toBe(1)
    expect(checked.stdout).toContain("--> big.json:1  messages[309].content[0]")
    expect(checked.stdout).toContain("1 error in 1 file")
    expect((await cli(["repair", "big.json", "-o", "repaired.json"], { cwd })).code).toBe(0)
    expect(statSync(join(cwd, "repaired.json")).size - statSync(join(cwd, "big.json")).size).toBeLessThan(400)
    expect((await cli(["check", "repaired.json"], { cwd })).code).toBe(0)
    expect((await cli(["convert", "big.json", "--to", "openai-chat", "-o", "chat.json"], { cwd })).code).toBe(0)
  })

  it("are refused with a clear message when they break off", { timeout: 600_000 }, async () => {
    const cwd = folder()
    writeBig(join(cwd, "big.json"))
    const text = readFileSync(join(cwd, "big.json"), "utf8").slice(0, -100)
    const { code, stderr } = await cli(["repair", "-", "-o", "out.json"], { cwd, stdin: text })
    expect(code).toBe(2)
    expect(stderr).toContain("warning[truncated-json]")
  })
})
