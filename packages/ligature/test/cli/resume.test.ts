/** `ligature resume`: the request on stdout, the plan on stderr. */
import { appendFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { assistant, call, type Message, result, syntheticTexts, tool, user } from "../../src/model/index.ts"
import { jsonlStore } from "../../src/store/index.ts"
import { judges } from "../../src/testing/index.ts"
import { cli, type CliResult, folder, healthy } from "./cli.ts"

const waiting = { ...call("w", "rm", { path: "x" }), pending: "approval" } as const

interface Place {
  readonly cwd: string
  readonly run: (...argv: readonly string[]) => Promise<CliResult>
}

const stored = async (...messages: readonly Message[]): Promise<Place> => {
  const cwd = folder()
  const store = jsonlStore({ folder: join(cwd, "s") })
  await store.create({ id: "c" })
  await store.append(
    "c",
    messages.map((message, index) => ({ kind: "message", id: `m${index}`, message })),
  )
  await store.close()
  return { cwd, run: (...argv) => cli(argv, { cwd, env: { LIGATURE_STORE: "s" } }) }
}

const crashed = () => stored(user("both"), assistant(call("a", "ls"), call("b", "deploy")), tool(result("a", "x")))

describe("resume", () => {
  it("prints a request that the provider takes, and says what was interrupted", async () => {
    const { run } = await crashed()
    const { code, stdout, stderr } = await run("resume", "c", "--to", "anthropic", "--user", "Well?")
    expect(code).toBe(0)
    const request = JSON.parse(stdout) as Record<string, unknown>
    expect(judges.anthropic(request)).toMatchObject({ ok: true })
    expect(stdout).toContain(syntheticTexts.interrupted)
    expect(stderr).toContain("! open calls\n  Interrupted, effect unknown: deploy (b)\n")
    expect(stderr).toContain("The request contains 2 entries that the log does not have yet; --append writes to the log too.")
  })

  it("writes what it says with --append, and then says the same", async () => {
    const { cwd, run } = await crashed()
    const first = await run("resume", "c", "--to", "mistral", "--user", "Well?", "--append", "-o", "first.json")
    expect([first.code, first.stdout, first.stderr.includes("✓ appended 2 entries")]).toEqual([0, "", true])
    const second = await run("resume", "c", "--to", "mistral")
    expect(second.stdout).toBe(readFileSync(join(cwd, "first.json"), "utf8"))
    expect(second.stderr).toContain("✓ clean")
  })

  it("goes on in the style of the conversation, and in another one that somebody chose", async () => {
    const xml = { ...call("a", "ls", { path: "src" }), style: "xml" } as const
    const { run } = await stored(user("go"), assistant(xml), tool(result("a", "x")), assistant("done"))
    const style = async (...argv: readonly string[]) =>
      (JSON.parse((await run("resume", "c", "--to", "openai-chat", "--json", ...argv)).stdout) as { readonly style: string }).style
    expect(await style()).toBe("xml")
    expect(await style("--style", "json")).toBe("json")
    expect(await style()).toBe("xml")
    expect(await style("--style", "json", "--append")).toBe("json")
    expect(await style()).toBe("json")
  })

  it("stops at calls that wait for approval, names the ways on, and each of them works", async () => {
    const place = () => stored(user("clean up"), assistant(waiting))
    const refused = await (await place()).run("resume", "c", "--to", "anthropic")
    expect([refused.code, refused.stdout]).toEqual([1, ""])
    expect(refused.stderr).toContain("Waits for approval: rm (w)")
    expect(refused.stderr).toContain("ligature log append --result w=TEXT c, or --deny w instead of --result, or resume --waiting close")
    const closed = await (await place()).run("resume", "c", "--to", "anthropic", "--waiting", "close")
    expect([closed.code, closed.stdout.includes(syntheticTexts["not-run"])]).toEqual([0, true])
    for (const decision of [
      ["--result", "w=done"],
      ["--deny", "w"],
    ]) {
      const { run } = await place()
      await run("log", "append", "c", ...decision)
      expect((await run("resume", "c", "--to", "anthropic")).code).toBe(0)
    }
  })

  it("gives one JSON object with --json", async () => {
    const ready = await (await crashed()).run("resume", "c", "--for", "groq", "--json")
    expect(JSON.parse(ready.stdout)).toMatchObject({
      version: 1,
      command: "resume",
      exitCode: 0,
      conversation: "c",
      ready: true,
      to: "openai-chat",
      profile: "groq",
      style: "json",
      plan: { state: "open-calls", waiting: "none", confirm: true, openCalls: [{ id: "b", becomes: "interrupted" }] },
      append: [{ kind: "result" }],
      tip: "m2",
      report: { entries: [], losses: [] },
      request: { messages: [{ role: "user" }, { role: "assistant" }, { role: "tool" }, { role: "tool" }] },
    })
    const refused = JSON.parse(
      (await (await stored(user("go"), assistant(waiting))).run("resume", "c", "--to", "gemini", "--json")).stdout,
    ) as object
    expect(refused).toMatchObject({ exitCode: 1, ready: false, plan: { waiting: "refused" } })
    expect(refused).not.toHaveProperty("request")
  })

  it("writes one style throughout", async () => {
    const { run } = await stored(
      user("Fix it"),
      assistant("<read_file>\n<path>a.ts</path>\n</read_file>"),
      user("[read_file for 'a.ts'] Result:\nconst a = 1"),
      assistant(call("t", "read_file", { path: "b.ts" })),
      tool(result("t", "const b = 2")),
    )
    const xml = (await run("resume", "c", "--to", "openai-chat", "--style", "xml")).stdout
    expect([xml.includes("tool_calls"), xml.match(/<read_file>/g)?.length]).toEqual([false, 2])
    const json = (await run("resume", "c", "--to", "openai-chat", "--style", "json")).stdout
    expect([json.includes("<read_file>"), json.match(/"tool_calls"/g)?.length]).toEqual([false, 2])
  })

  it("keeps the fields of an imported request", async () => {
    const cwd = folder({ "a.json": healthy })
    const options = { cwd, env: { LIGATURE_STORE: "s" } }
    const id = (await cli(["log", "import", "a.json"], options)).stdout.trim()
    const { stdout } = await cli(["resume", id, "--to", "openai-chat"], options)
    expect(JSON.parse(stdout)).toEqual(healthy)
  })

  it("says what was salvaged and what was damaged", async () => {
    const { cwd, run } = await stored(user("hi"))
    const file = join(cwd, "s", "c.jsonl")
    appendFileSync(file, '{"sum":"00000000","oper')
    expect((await run("resume", "c", "--to", "anthropic")).stderr).toContain("salvaged [torn-tail]")
    appendFileSync(file, 'ation":"x"}\n{"no":1}\n')
    const { code, stdout, stderr } = await run("resume", "c", "--to", "anthropic")
    expect([code, JSON.parse(stdout)]).toEqual([0, { messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] }])
    expect(stderr).toContain("! damaged")
    expect(stderr).toContain("Check before the agent continues")
  })

  it("reports when it is the user's turn, and when the conversation is empty", async () => {
    const { run } = await stored(user("hi"), assistant("hello"))
    expect((await run("resume", "c", "--to", "openai-chat")).stderr).toContain(
      "The last turn is finished: --user TEXT adds the next user message.",
    )
    expect((await run("resume", "c", "--to", "openai-chat", "--user", "x")).stderr).not.toContain("finished")
    await run("log", "create", "--id", "empty")
    expect(await run("resume", "empty", "--to", "openai-chat")).toEqual({
      code: 2,
      stdout: "",
      stderr: "ligature: Conversation empty is empty, so there is nothing to send\n  Give --user TEXT.\n",
    })
  })

  it("answers mistakes with the way out", async () => {
    const { run } = await crashed()
    const cases: readonly (readonly [readonly string[], string])[] = [
      [["resume"], "ligature: resume needs ID\n"],
      [["resume", "c"], "ligature: resume needs --to FORMAT\n"],
      [["resume", "c", "--to", "codex"], "ligature: resume writes requests, but codex-rollout is a session format\n"],
      [["resume", "c", "--to", "gemini", "--for", "mistral"], "ligature: --for mistral needs format openai-chat, but --to is gemini\n"],
      [["resume", "c", "--to", "gemini", "--waiting", "no"], "ligature: --waiting is refuse or close, not no\n"],
      [["resume", "d", "--to", "gemini"], 'ligature: Expected a conversation "d", found none\n'],
    ]
    for (const [argv, first] of cases)
      expect(await run(...argv)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(first) })
  })
})
