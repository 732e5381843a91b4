/** The command: what it says, what it refuses, and that its guide and schema tell the truth. */
import { readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { describe, expect, it, onTestFinished } from "vitest"
import { defaultLimits, knownUpstreams, readConfig, serve as serveCommand, wireNames } from "../src/index.ts"
import { settingsOf } from "../src/serve/serve.ts"
import { cli } from "../../ligature/test/cli/cli.ts"
import { fake, post } from "./serve.ts"

const none = { upstreams: [], repair: true, log: false, store: false } as const

describe("ligature serve", () => {
  it("starts, says where it is, logs without content, and stops", async () => {
    const provider = await fake({ api: "openai-chat" })
    const [out, err]: [string[], string[]] = [[], []]
    const stop = new AbortController()
    const served = serveCommand(
      { ...none, upstreams: [`${provider.url}/v1`], wire: "openai-chat", port: "0", log: true },
      { out: (line) => out.push(line), err: (line) => err.push(line), env: {}, signal: stop.signal },
    )
    await expect.poll(() => err.length).toBeGreaterThan(3)
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(err[0] ?? "")?.[0] ?? ""
    const answer = await post(
      `${url}/v1/messages`,
      '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"words of a user"}]}',
      { headers: { "x-api-key": "sk-secret" } },
    )
    expect(answer.status).toBe(200)
    stop.abort()
    await served
    expect(JSON.parse(out[0] ?? "")).toMatchObject({ wire: "anthropic", status: 200, ended: "complete", look: "converted" })
    expect(out.join() + err.join()).not.toMatch(/words of a user|sk-secret/)
  })

  it("reads its settings again when their file changes, without touching answers that are running", async () => {
    const slow = await fake({ api: "openai-chat", script: [{ text: "one two three four five", eventDelayMs: 400 }] })
    const other = await fake({ api: "openai-chat", script: [{ text: "other" }] })
    const folder = await mkdtemp(join(tmpdir(), "ligature-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, "gateway.json")
    const settings = (url: string): string => JSON.stringify({ port: 0, upstreams: { it: { wire: "openai-chat", url } } })
    await writeFile(file, settings(slow.url))
    const err: string[] = []
    const stop = new AbortController()
    const served = serveCommand({ ...none, config: file }, { out: () => {}, err: (line) => err.push(line), env: {}, signal: stop.signal })
    await expect.poll(() => err.length).toBeGreaterThan(3)
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(err[0] ?? "")?.[0] ?? ""
    const ask = () => post(`${url}/v1/chat/completions`, '{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}')
    const running = ask()
    await expect.poll(() => slow.requests.length).toBe(1)
    await writeFile(file, "{ no json")
    await expect.poll(() => err.at(-1), { timeout: 5000 }).toContain("stay as they were")
    await writeFile(file, settings(other.url))
    await expect.poll(() => err.at(-1), { timeout: 5000 }).toContain("read again")
    const [before, after] = [await running, await ask()]
    expect([before.text.includes("[DONE]"), before.broken, after.status, slow.requests.length, other.requests.length]).toEqual([
      true,
      false,
      200,
      1,
      1,
    ])
    process.emit("SIGHUP", "SIGHUP")
    expect(err.filter((line) => line.includes("read again")).length).toBe(2)
    stop.abort()
    await served
  })

  it("refuses what it cannot use, in one sentence", async () => {
    const errors = await Promise.all(
      [
        ["serve"],
        ["serve", "--upstream", "nobody"],
        ["serve", "--upstream", "http://127.0.0.1:1"],
        ["serve", "--upstream", "anthropic", "--port", "x"],
        ["serve", "--config", "/nowhere.json"],
        ["serve", "--upstream", "anthropic", "--host", "0.0.0.0"],
      ].map(async (argv) => {
        const { code, stderr } = await cli(argv)
        return [code, stderr.split("\n")[0]]
      }),
    )
    expect(errors).toEqual([
      [2, "ligature: Where should requests go?"],
      [2, expect.stringContaining("--upstream: expected an address or one of anthropic, ")],
      [2, "ligature: Configuration: --upstream http://127.0.0.1:1: its API is not known (--wire)"],
      [2, "ligature: Configuration: port: expected a whole number from 0, got null"],
      [2, "ligature: Configuration: /nowhere.json cannot be read (ENOENT)"],
      [2, expect.stringContaining("0.0.0.0 can be reached from other machines")],
    ])
  })

  it("lets options win over a file", () => {
    expect(settingsOf({ ...none, upstreams: ["anthropic"], key: "$K", port: "1" })).toEqual({
      upstreams: { anthropic: { key: "$K" } },
      port: 1,
    })
    expect(settingsOf({ ...none, repair: false })).toEqual({ repair: false })
    expect(settingsOf({ ...none, store: "postgres://a/b", compact: true, worker: true })).toEqual({
      store: "postgres://a/b",
      compaction: true,
      jobs: { worker: true },
    })
  })
})

describe("the guide", () => {
  const guide = readFileSync(new URL("../../../docs/guides/gateway.md", import.meta.url), "utf8")

  it("has for each client what the command prints for it", async () => {
    const { stdout } = await cli(["serve", "--upstream", "anthropic", "--no-store", "--print-setup"])
    const printed = stdout
      .trim()
      .split("\n\n")
      .map((block) => block.split("\n"))
      .map(([title = "", ...lines]) => [title.slice(2), lines.join("\n")])
    const shown = [...guide.matchAll(/### (.+)\n\n```sh\n([^]*?)\n```/g)].map(([, title, text]) => [title, text])
    expect(shown).toEqual(printed)
  })

  it("shows commands that start", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ligature-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const [config = ""] = [...guide.matchAll(/```json\n([^]*?)```/g)].map(([, text = ""]) => text)
    await writeFile(join(folder, "gateway.json"), config.replaceAll("$ANTHROPIC_API_KEY", "sk"))
    const commands = [...guide.matchAll(/^(?:`)?ligature serve (--[^`\n]+)/gm), ...guide.matchAll(/`ligature serve (--[^`\n]+)`/g)].map(
      ([, text = ""]) => text.replace("gateway.json", join(folder, "gateway.json")).replace(" --print-setup", "").split(" "),
    )
    expect(commands.length).toBeGreaterThan(3)
    for (const words of commands) {
      const { code, stdout } = await cli(["serve", ...words, "--no-store", "--print-setup"])
      expect([words, code, stdout.includes("ANTHROPIC_BASE_URL")]).toEqual([words, 0, true])
    }
  })

  it("shows configurations that can be used", () => {
    const configs = [...guide.matchAll(/```json\n([^]*?)```/g)].map(([, text = ""]) =>
      readConfig(JSON.parse(text), { ANTHROPIC_API_KEY: "sk", OPENAI_API_KEY: "sk" }),
    )
    expect(configs.map(({ upstreams, models }) => [upstreams.map(({ name }) => name), models.length]).slice(0, 2)).toEqual([
      [["anthropic", "local"], 2],
      [["anthropic"], 0],
    ])
    expect(configs[1]?.store).toMatchObject({ place: "conversations", keepMs: 30 * 86_400_000 })
  })

  it("and the schema name every setting", () => {
    const schema = JSON.parse(readFileSync(new URL("../config.schema.json", import.meta.url), "utf8"))
    expect(Object.keys(schema.properties.limits.properties)).toEqual(Object.keys(defaultLimits))
    expect(schema.properties.upstreams.additionalProperties.properties.wire.enum).toEqual(wireNames)
    for (const name of [
      ...Object.keys(schema.properties).filter((each) => each !== "$schema"),
      ...Object.keys(defaultLimits),
      ...wireNames,
    ])
      expect(guide).toContain(`\`${name}\``)
    expect(Object.keys(knownUpstreams).length).toBeGreaterThan(8)
  })
})
