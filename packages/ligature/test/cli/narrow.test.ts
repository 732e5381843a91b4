/** Every command on a terminal of 60 columns, in English and Chinese: nothing is wider, except what is there to be copied. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import "../../src/registry/sessions.ts"
import { fileValueOf, resolveCodec, type SessionCodec } from "../../src/convert/index.ts"
import { commandNames, commands } from "../../src/cli/commands/index.ts"
import { broken, widthOf } from "../../src/cli/frame/text.ts"
import { assistant, call, result, tool, transcript, user, type Wire } from "../../src/model/index.ts"
import { settle } from "../../src/rules/index.ts"
import { cli, damaged, folder } from "./cli.ts"

const columns = 60

/** Commands, and words that a line break would cut. */
const isCopied = (line: string): boolean =>
  /^ *(?:#|ligature|jq|id=|pbpaste|claude|codex|恢复命令|resume it with|put it at|then run)/.test(line) ||
  line
    .trim()
    .split(" ")
    .some((word) => widthOf(word) > columns - 8)

const homeWith = (id: string): string => {
  const root = folder({ "a.json": damaged })
  const codec = resolveCodec("claude-code") as SessionCodec
  const { conversation } = settle(
    transcript(
      user("修复商店 👩‍👩‍👧 的购物车，价格显示错误，请尽快处理，并且说明为什么会这样，谢谢"),
      ...Array.from({ length: 30 }, (_, index) => [
        assistant(`I look at ${index}.`, call(`call_${index}`, "read", { path: `src/folder/with/a/long/name/${index}.ts` })),
        tool(result(`call_${index}`, "const a = 1 // 一行代码\n".repeat(20))),
      ]).flat(),
    ),
  )
  const records = fileValueOf(codec, codec.encode(conversation, { session: { id, folder: root } })) as readonly Wire[]
  const session = join(root, ".claude", "projects", root.replaceAll(/[^a-zA-Z0-9]/g, "-"), `${id}.jsonl`)
  mkdirSync(dirname(session), { recursive: true })
  const kept = records.filter((_, index) => index !== 9)
  writeFileSync(session, kept.map((record) => `${JSON.stringify(record)}\n`).join(""))
  return root
}

describe.each(["en", "zh-CN"])("a terminal of 60 columns in %s", (language) => {
  it("holds the help of every command", async () => {
    const names = [[], ...commandNames.map((name) => [name])]
    for (const [name] of Object.entries((await commands["log"]?.())?.subcommands ?? {})) names.push(["log", name])
    for (const name of names) await expectFits([...name, "--help"], folder())
  })

  it("holds what every command prints", async () => {
    const id = "5b0f2c3a-7d41-4d1e-9f3a-2a6c8e1b9d70"
    const cwd = homeWith(id)
    const runs = [
      [],
      ["list"],
      ["doctor"],
      ["rescue", id],
      ["move", id, "--to", "codex", "--dry-run"],
      ["move", id, "--to", "gemini"],
      ["check", id, "a.json"],
      ["check", id, "--for", "mistral", "--all"],
      ["repair", id, "--dry-run"],
      ["convert", id, "--to", "openai-chat", "-o", "b.json"],
      ["compact", id, "--budget", "2k", "--dry-run"],
      ["compact", "a.json", "--budget", "50%", "--explain"],
      ["show", id, "--no-pager"],
      ["show", id, "--message", "1", "--no-pager"],
      ["stats", id, "a.json"],
      ["search", "购物车"],
      ["diff", id, "a.json"],
      ["rules"],
      ["rules", "unanswered-call"],
      ["rules", "--provider", "mistral"],
      ["formats"],
      ["profiles"],
      ["profiles", "anthropic"],
      ["classify", "tool_use ids were found without tool_result blocks immediately after: toolu_01"],
      ["log", "list"],
      ["lsit"],
      ["convert", "a.json", "--to", "nothing"],
      ["compact", "a.json"],
    ]
    for (const run of runs) await expectFits(run, cwd)
  })

  const expectFits = async (argv: readonly string[], cwd: string): Promise<void> => {
    const env = { HOME: cwd, NO_COLOR: "1", LIGATURE_CACHE: "off" }
    const { stdout, stderr } = await cli([...argv, "--lang", language], { cwd, env, terminal: true, columns })
    const wide = `${stdout}\n${stderr}`
      .split("\n")
      .map((line) => line.slice(line.lastIndexOf("\u001b[K") + 1).replace("[K", ""))
      .filter((line) => widthOf(line) > columns && !isCopied(line))
    expect({ argv: argv.join(" "), wide }).toEqual({ argv: argv.join(" "), wide: [] })
  }
})

describe("a line that is too long", () => {
  it("goes on below its text", () => {
    expect(broken("    result-order  Results in another order", 38)).toEqual([
      "    result-order  Results in another",
      "                  order",
    ])
    expect(broken("error[x]: one two three four", 16)).toEqual(["error[x]: one", "  two three four"])
    expect(broken("  one two three four", 12)).toEqual(["  one two", "  three four"])
  })
})
