import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { cli, damaged, fixture, folder, healthy, repaired } from "./cli.ts"

const read = (...path: readonly string[]): string => readFileSync(join(...path), "utf8")

describe("ligature repair", () => {
  it("prints the repaired file to stdout and what it did to stderr", async () => {
    const cwd = folder({ "a.json": damaged })
    const { code, stdout, stderr } = await cli(["repair", "a.json"], { cwd })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(repaired)
    expect(stderr.split("\n")).toEqual([
      "✓ Repaired 1 file: 1 change (unanswered-call)",
      "  --verbose lists each change; --report FILE writes them as JSON",
      "",
    ])
    expect(read(cwd, "a.json")).toBe(JSON.stringify(damaged))
  })

  it("repairs a reply without its request as what it is: the calls are still to be run, and nothing is put in front", async () => {
    const reply = (content: readonly unknown[]): string => JSON.stringify({ id: "m", message: { role: "assistant", content } })
    const call = { type: "tool_use", id: "a", name: "ls", input: {} }
    for (const content of [[{ type: "text", text: "Done." }], [call], [{ type: "text", text: "" }, call]]) {
      const cwd = folder({ "a.json": reply(content) })
      expect((await cli(["repair", "a.json", "-o", "b.json"], { cwd })).stderr).not.toMatch(/still damaged|first-role/)
      expect(read(cwd, "b.json")).toBe(reply(content.filter((block) => !("text" in block) || block.text !== "")))
      const { code, stdout } = await cli(["check", "b.json"], { cwd })
      expect([code, stdout]).toEqual([0, "✓ 1 file, 1 conversation, 1 message: no damage found\n"])
    }
  })

  it("gives every byte of a healthy file back, byte order mark and white space included", async () => {
    const bytes = Buffer.from(`\ufeff  ${JSON.stringify(healthy, undefined, "\t")}\n\n`)
    const cwd = folder({ "a.json": bytes })
    const { code } = await cli(["repair", "a.json", "-o", "b.json"], { cwd })
    expect(code).toBe(0)
    expect(readFileSync(join(cwd, "b.json"))).toEqual(bytes)
  })

  it("keeps the other lines of a JSONL log as they are", async () => {
    const [first, second] = [JSON.stringify(healthy), JSON.stringify(damaged)]
    const cwd = folder({ "log.jsonl": `${first}\n{"event":"pause"}\n${second}\n` })
    const { code } = await cli(["repair", "log.jsonl", "--out-dir", "out"], { cwd })
    expect(code).toBe(0)
    const lines = read(cwd, "out", "log.jsonl").split("\n")
    expect(lines.slice(0, 2)).toEqual([first, '{"event":"pause"}'])
    expect(JSON.parse(lines[2] ?? "")).toEqual(repaired)
  })

  it("keeps the original as .bak when repairing in place, and never replaces a .bak", async () => {
    const cwd = folder({ "a.json": damaged, "a.json.bak": "older", "a.json.bak.1": "old" })
    const { code, stderr } = await cli(["repair", "a.json", "--in-place"], { cwd })
    expect(code).toBe(0)
    expect(JSON.parse(read(cwd, "a.json"))).toEqual(repaired)
    expect(read(cwd, "a.json.bak")).toBe("older")
    expect(read(cwd, "a.json.bak.1")).toBe("old")
    expect(read(cwd, "a.json.bak.2")).toBe(JSON.stringify(damaged))
    expect(stderr).toContain("a.json: repaired; the original is a.json.bak.2\n")
  })

  it("does not repair in place what somebody went on writing while it was read", async () => {
    const cwd = folder({ "a.json": damaged })
    const later = `${JSON.stringify(damaged)}\n`
    const onPrint = (): void => writeFileSync(join(cwd, "a.json"), later)
    const { code, stderr } = await cli(["repair", "a.json", "--in-place", "--verbose"], { cwd, onPrint })
    expect(code).toBe(2)
    expect(stderr).toContain("a.json changed while it was read, so nothing was written.")
    expect(readdirSync(cwd)).toEqual(["a.json"])
    expect(read(cwd, "a.json")).toBe(later)
  })

  it("does not touch a healthy file in place", async () => {
    const cwd = folder({ "a.json": healthy })
    const before = statSync(join(cwd, "a.json")).mtimeMs
    expect((await cli(["repair", "a.json", "--in-place"], { cwd })).code).toBe(0)
    expect(readdirSync(cwd)).toEqual(["a.json"])
    expect(statSync(join(cwd, "a.json")).mtimeMs).toBe(before)
  })

  it("keeps a link a link and the mode of the file", async () => {
    const cwd = folder({ "real.json": damaged })
    symlinkSync("real.json", join(cwd, "a.json"))
    const { mode } = statSync(join(cwd, "real.json"))
    await cli(["repair", "a.json", "--in-place"], { cwd })
    expect(JSON.parse(read(cwd, "real.json"))).toEqual(repaired)
    expect(statSync(join(cwd, "real.json")).mode).toBe(mode)
    expect(readdirSync(cwd).sort()).toEqual(["a.json", "a.json.bak", "real.json"])
  })

  it("refuses to write onto an input, by whatever name it is called", async () => {
    const cwd = folder({ "a.json": damaged })
    linkSync(join(cwd, "a.json"), join(cwd, "same.json"))
    for (const name of ["a.json", "./a.json", "same.json"]) {
      const { code, stderr } = await cli(["repair", "a.json", "-o", name], { cwd })
      expect(code).toBe(2)
      expect(stderr).toContain("is the input itself")
    }
    expect(read(cwd, "a.json")).toBe(JSON.stringify(damaged))
  })

  it("names what is no longer in the file", async () => {
    const message = { role: "user", content: "unmistakable" }
    const chat = {
      id: "x",
      title: "t",
      chat: {
        history: {
          messages: {
            n1: { id: "n1", parentId: null, childrenIds: ["n2"], role: "user", content: "a" },
            n2: { id: "n2", parentId: "n9", ...message },
          },
          currentId: "n2",
        },
        messages: [{ id: "n2", ...message, note: "unmistakable" }],
      },
    }
    const cwd = folder({ "chat.json": chat })
    const { code, stderr } = await cli(["repair", "chat.json", "-o", "out.json", "--from", "open-webui"], { cwd })
    expect(code).toBe(0)
    expect(stderr).toContain("! no longer in the file: other fields of the source\n")
  })

  it("gives two inputs of one name two outputs, and says so", async () => {
    const cwd = folder()
    for (const name of ["one", "two"]) {
      mkdirSync(join(cwd, name))
      writeFileSync(join(cwd, name, "a.json"), JSON.stringify({ ...damaged, model: name }))
    }
    const { code, stderr } = await cli(["repair", "one/a.json", "two/a.json", "--out-dir", "out"], { cwd })
    expect(code).toBe(0)
    expect(stderr).toContain("note: two/a.json is written to out/a-2.json, because its own name is taken\n")
    expect(JSON.parse(read(cwd, "out", "a.json"))).toEqual({ ...repaired, model: "one" })
    expect(JSON.parse(read(cwd, "out", "a-2.json"))).toEqual({ ...repaired, model: "two" })
  })

  it("never lands on an input that lies in the output folder", async () => {
    const cwd = folder({ "a.json": damaged })
    const { code } = await cli(["repair", "a.json", "--out-dir", "."], { cwd })
    expect(code).toBe(0)
    expect(read(cwd, "a.json")).toBe(JSON.stringify(damaged))
    expect(JSON.parse(read(cwd, "a-2.json"))).toEqual(repaired)
  })

  it("wants a place to write to when there are several files", async () => {
    const cwd = folder({ "a.json": damaged, "b.json": damaged })
    const { code, stdout, stderr } = await cli(["repair", "a.json", "b.json"], { cwd })
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain("Use --out-dir DIR, or --in-place")
  })

  it("follows the policies", async () => {
    const cwd = folder({ "a.json": damaged })
    const { stdout } = await cli(["repair", "a.json", "--policy", "unansweredCall=drop-message"], { cwd })
    const [question, , , answer] = healthy.messages
    expect(JSON.parse(stdout)).toEqual({ ...healthy, messages: [question, answer] })
    const kebab = await cli(["repair", "a.json", "--policy=unanswered-call=drop-message"], { cwd })
    expect(kebab.stdout).toBe(stdout)
  })

  it("writes a report of everything it did", async () => {
    const cwd = folder({ "a.json": damaged })
    await cli(["repair", "a.json", "-o", "b.json", "--report", "report.json"], { cwd })
    expect(JSON.parse(read(cwd, "report.json"))).toEqual({
      version: 1,
      command: "repair",
      files: [
        {
          file: "a.json",
          problems: [],
          conversations: [
            {
              path: "/messages",
              from: "openai-chat",
              to: "openai-chat",
              messages: 3,
              output: "b.json",
              entries: [
                expect.objectContaining({
                  rule: "unanswered-call",
                  kind: "synthetic",
                  place: { message: 1, block: 0, file: "a.json", line: 1, path: "messages[1].tool_calls[0]" },
                  what: "added a placeholder result (lost)",
                  ids: ["call_1"],
                }),
              ],
              losses: [],
            },
          ],
        },
      ],
    })
  })

  it("refuses a report that is an input or the output", async () => {
    const cwd = folder({ "a.json": damaged })
    for (const name of ["a.json", "b.json"]) {
      const { code } = await cli(["repair", "a.json", "-o", "b.json", "--report", name], { cwd })
      expect(code).toBe(2)
    }
    expect(readdirSync(cwd)).toEqual(["a.json"])
  })

  it("says each thing it did with --verbose, or with DEBUG", async () => {
    const cwd = folder({ "a.json": damaged })
    const line =
      "ligature:settle a.json messages[1].tool_calls[0] (line 1) unanswered-call synthetic: " +
      "added a placeholder result (lost) [call_1]\n"
    expect((await cli(["repair", "a.json", "--verbose"], { cwd })).stderr).toContain(line)
    for (const DEBUG of ["ligature:*", "ligature:settle", "http,ligature:*", "*"]) {
      expect((await cli(["repair", "a.json"], { cwd, env: { DEBUG } })).stderr).toContain(line)
    }
    expect((await cli(["repair", "a.json"], { cwd, env: { DEBUG: "http" } })).stderr).not.toContain("ligature:settle")
  })

  it("does what a provider demands with --for, and refuses a profile of another format", async () => {
    const cwd = folder({ "a.json": healthy })
    const { code, stdout } = await cli(["repair", "a.json", "--for", "mistral"], { cwd })
    expect(code).toBe(0)
    expect(JSON.stringify(JSON.parse(stdout))).toMatch(/"tool_call_id":"[a-zA-Z0-9]{9}"/)
    const other = await cli(["repair", "a.json", "--for", "gemini"], { cwd })
    expect(other.code).toBe(2)
    expect(other.stderr).toContain("Use: ligature convert --for gemini")
  })

  it("leaves no temporary file after", async () => {
    const cwd = folder({ "a.json": damaged })
    await cli(["repair", "a.json", "-o", "b.json"], { cwd })
    expect(readdirSync(cwd)).toEqual(["a.json", "b.json"])
  })

  it("writes to a device instead of replacing it", async () => {
    if (!existsSync("/dev/null")) return
    const { code } = await cli(["repair", fixture("valid-pair"), "-o", "/dev/null"])
    expect(code).toBe(0)
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true)
  })
})
