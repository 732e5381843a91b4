/** `ligature run`: a gateway for as long as an agent runs. The agent is a script here that asks where its settings say. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { jsonlStore } from "ligature/store"
import { describe, expect, it, onTestFinished } from "vitest"
import { agents } from "../src/run/agents.ts"
import { runAgent, serve as serveCommand } from "../src/index.ts"
import { fake } from "./serve.ts"

const folderForTest = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-run-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A program of that name that does this. */
const program = (name: string, code: string): string => {
  const file = join(folderForTest(), name)
  writeFileSync(file, `#!${process.execPath}\n${code}`)
  chmodSync(file, 0o700)
  return file
}

const ask = (address: string, body: object): string => `
  const answer = await fetch(${address}, { method: "POST", headers: { "content-type": "application/json" }, body: ${JSON.stringify(JSON.stringify(body))} })
  const text = await answer.text()
  if (!answer.ok || !text.includes("All right.")) { console.error(text); process.exit(9) }
`

const body = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "hi" }] }

const options = { upstreams: [], repair: true, log: false }

describe("an agent in a gateway of its own", () => {
  it("is led there, has its conversation kept, and its exit code comes back", async () => {
    const provider = await fake({ api: "openai-chat" })
    const store = folderForTest()
    const upstream = { ...options, upstreams: [`${provider.url}/v1`], wire: "openai-chat", store, key: "sk-real" }
    const err: string[] = []
    const io = { out: () => undefined, err: (line: string) => err.push(line), env: { PATH: process.env["PATH"] } }
    const claude = program(
      "claude",
      `(async () => { ${ask("process.env.ANTHROPIC_BASE_URL + '/v1/messages'", body)} process.exit(process.argv[2] === "-p" && process.env.ANTHROPIC_AUTH_TOKEN === "ligature" ? 7 : 8) })()`,
    )
    expect(await runAgent(upstream, [claude, "-p"], io)).toBe(7)
    const codex = program(
      "codex",
      `(async () => { const url = /base_url="([^"]+)"/.exec(process.argv.join(" "))[1]; ${ask("url + '/chat/completions'", body)} process.exit(process.argv.at(-1) === "exec" ? 0 : 1) })()`,
    )
    expect(await runAgent(upstream, [codex, "exec"], io)).toBe(0)
    const other = program("other", `(async () => { ${ask("process.env.OPENAI_BASE_URL + '/chat/completions'", body)} })()`)
    expect(await runAgent(upstream, [other], io)).toBe(0)
    expect(err).toEqual([])
    const kept = jsonlStore({ folder: store })
    expect((await kept.list()).conversations.map(({ title }) => title)).toEqual(["hi", "hi", "hi"])
    await kept.close()
    expect(provider.requests.every(({ headers }) => headers["authorization"] === "Bearer sk-real")).toBe(true)
  })

  it("gets signals, and one that cannot be started is said", async () => {
    const provider = await fake({ api: "anthropic" })
    const upstream = { ...options, upstreams: [provider.url], wire: "anthropic", store: false } as const
    const err: string[] = []
    const io = { out: () => undefined, err: (line: string) => err.push(line), env: { PATH: process.env["PATH"] } }
    const claude = program(
      "claude",
      `process.on("SIGTERM", () => process.exit(5)); setTimeout(() => process.exit(6), 20000); process.kill(process.ppid, "SIGTERM")`,
    )
    expect(await runAgent(upstream, [claude], io)).toBe(5)
    const killed = program("claude", `process.kill(process.pid, "SIGKILL")`)
    expect(await runAgent(upstream, [killed], io)).toBe(137)
    expect(await runAgent(upstream, ["/nowhere/claude"], io)).toBe(127)
    expect(err).toEqual(["ligature: /nowhere/claude cannot be started (ENOENT)"])
    await expect(runAgent({ ...options, store: false }, ["unheard-of"], io)).rejects.toThrow("say where its requests go")
    await expect(runAgent({ ...options, store: false }, ["cline"], io)).rejects.toThrow("reads its address from a file")
  })

  it("prints what to set in each client", async () => {
    const out: string[] = []
    const io = { out: (line: string) => out.push(line), err: () => undefined, env: {} }
    await serveCommand({ ...options, upstreams: ["anthropic"], printSetup: true }, io)
    const text = out.join("\n")
    for (const { title } of agents) expect(text).toContain(`# ${title}`)
    expect(text).toContain("export ANTHROPIC_BASE_URL=http://127.0.0.1:4141\n")
    expect(text).toContain(`codex -c 'model_provider="ligature"' -c 'model_providers.ligature={`)
  })
})
