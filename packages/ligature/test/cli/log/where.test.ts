/** `ligature log`: where the store is, and what the command says of itself. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parseStoreLocation } from "../../../src/cli/store/store-location.ts"
import { cli, folder } from "../cli.ts"
import { store, filled } from "./stage.ts"

describe("where the store is", () => {
  it("is a folder, a database or a server", () => {
    const kinds = [
      "conv",
      "team.db",
      "TEAM.SQLITE",
      "sqlite:team",
      "sqlite://team",
      "jsonl:x.db",
      "postgres://me:pw@h/d",
      "postgresql://h/d",
    ]
    expect(kinds.map((given) => parseStoreLocation(given, "/w")).map(({ kind, target, name }) => [kind, target, name])).toEqual([
      ["jsonl", "/w/conv", "conv"],
      ["sqlite", "/w/team.db", "team.db"],
      ["sqlite", "/w/TEAM.SQLITE", "TEAM.SQLITE"],
      ["sqlite", "/w/team", "team"],
      ["sqlite", "/w/team", "team"],
      ["jsonl", "/w/x.db", "x.db"],
      ["postgres", "postgres://me:pw@h/d", "postgres://me:***@h/d"],
      ["postgres", "postgresql://h/d", "postgresql://h/d"],
    ])
  })

  it("must be said, must be there, and must be of its kind", async () => {
    const cwd = folder({ "a.txt": "x" })
    const errors = await Promise.all([
      cli(["log", "list"], { cwd }),
      cli(["log", "list", "--store", "nowhere"], { cwd }),
      cli(["log", "create", "--store", "a.txt"], { cwd }),
      cli(["log", "list", "--store", "mysql://x/y"], { cwd }),
      cli(["log", "list", "--store", "sqlite:"], { cwd }),
    ])
    expect(errors.map(({ code, stderr }) => [code, stderr.split("\n")[0]])).toEqual([
      [2, "ligature: No store given"],
      [2, "ligature: No store at nowhere"],
      [2, "ligature: Store a.txt is a file, not a folder"],
      [2, "ligature: Unknown kind of store mysql://"],
      [2, "ligature: Store sqlite: has no path"],
    ])
    expect(readdirSync(cwd)).toEqual(["a.txt"])
  })

  it("is --store before the setting", async () => {
    const { cwd, log } = store()
    await log("create", "--store", "other")
    expect([existsSync(join(cwd, "other")), existsSync(join(cwd, "conversations"))]).toEqual([true, false])
  })
})

describe("log", () => {
  it("explains itself and each of its commands", async () => {
    const { stdout } = await cli(["log", "--help"])
    const names = ["create", "append", "show", "branch", "rewind", "verify", "export", "import", "list", "rename", "recall"]
    for (const name of names) {
      expect(stdout).toMatch(new RegExp(`\n  ${name} +\\w`))
      const help = await cli(["log", name, "--help"])
      expect(help.code).toBe(0)
      expect(help.stdout).toMatch(new RegExp(`^ligature log ${name}: `))
      expect(help.stdout).toContain("Examples\n")
      expect(await cli(["help", "log", name])).toEqual(help)
    }
  })

  it("answers mistakes with the way out", async () => {
    const { log } = await filled()
    const cases: readonly (readonly [readonly string[], string])[] = [
      [
        [],
        "ligature: log needs a command\n  Commands: list, create, append, show, recall, branch, rewind, rename, unlock, remove, prune, verify, backup, restore, import, export. See: ligature log --help\n",
      ],
      [["shwo"], "ligature: Unknown command log shwo\n  Did you mean show?\n"],
      [["show"], "ligature: log show needs ID\n  See: ligature log show --help\n"],
      [["show", "c", "d"], "ligature: log show takes only ID, got also d\n  See: ligature log show --help\n"],
      [["show", "something"], 'ligature: Expected a conversation "something", found none\n  ligature log list shows the conversations.\n'],
      [["append", "c", "nothing.json"], "ligature: nothing.json: File not found.\n"],
      [
        ["show", "c", "--at", "x"],
        'ligature: Expected an entry "x" in the conversation, found none\n  ligature log show ID --entries shows the entries.\n',
      ],
      [["show", "c", "--at", "u1", "--branch", "u1"], "ligature: Give only one of --branch and --at\n"],
      [["create", "--id", "c"], 'ligature: There is a conversation "c" already\n  Omit --id: the store assigns a new one.\n'],
      [["append", "c"], "ligature: Nothing to append: give FILE, - for stdin, or --user TEXT\n  See: ligature log append --help\n"],
      [["append", "c", "--deny", "call_1"], "ligature: No call call_1 is open\n  No call is open.\n"],
      [["append", "c", "--result", "call_1"], "ligature: --result is CALL=TEXT, not call_1\n  For example: --result call_1='3 files'\n"],
      [["verify"], "ligature: Give either ID… or --all\n  See: ligature log verify --help\n"],
      [["branch", "c", "--at", "u1"], "ligature: --at is for --fork\n  Give --fork too.\n"],
      [["list", "--limit", "0"], "ligature: --limit is a positive number, not 0\n"],
      [["export", "c"], "ligature: log export needs --to FORMAT\n  ligature formats lists them. See: ligature log export --help\n"],
    ]
    for (const [argv, stderr] of cases) expect(await log(...argv)).toEqual({ code: 2, stdout: "", stderr })
  })

  it("creates, lists and renames", async () => {
    const { log, json } = store()
    const { code, stdout, stderr } = await log("create", "--title", "First", "--operation", "op")
    const id = stdout.trim()
    expect([code, stderr]).toEqual([0, "✓ created in conversations\n"])
    expect((await log("create", "--id", id, "--title", "First", "--operation", "op")).stdout.trim()).toBe(id)
    expect((await log("rename", id, "Second one")).stderr).toBe(`✓ ${id} is now called Second one\n`)
    const listed = await json("list")
    expect(listed).toMatchObject({ command: "log list", exitCode: 0, conversations: [{ id, title: "Second one" }], unreadable: [] })
    expect((await log("list")).stdout).toMatch(new RegExp(`^id .*\n${id}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  Second one\n$`))
    await log("create")
    const page = await json("list", "--limit", "1")
    expect(await json("list", "--limit", "1", "--after", String(page["next"]))).toMatchObject({ conversations: [{ id }] })
  })

  it("names what it cannot read, leaves it alone, and exits with 2", async () => {
    const { cwd, log } = await filled()
    writeFileSync(join(cwd, "conversations", "other.jsonl"), "hello\n")
    const { code, stdout, stderr } = await log("list")
    expect([code, stdout.includes("Two files"), stderr]).toEqual([2, true, expect.stringContaining("unreadable: other.jsonl: ")])
    expect((await log("verify", "--all")).code).toBe(2)
    expect(readFileSync(join(cwd, "conversations", "other.jsonl"), "utf8")).toBe("hello\n")
  })
})
