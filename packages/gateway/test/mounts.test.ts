/** What `ligature serve` serves beside the gateway, on its port and behind its checks: the page, and the tools over MCP. */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { describe, expect, it, onTestFinished } from "vitest"
import { hashedKey } from "../src/index.ts"
import { fake, post, upstreamTo } from "./serve.ts"

const main = fileURLToPath(new URL("../../ligature/dist/cli/main.js", import.meta.url))

const session = "5f0c2a34-1111-4222-8333-444455556666"

const line = (uuid: string, parentUuid: string | null, type: string, content: unknown): string =>
  JSON.stringify({ parentUuid, sessionId: session, cwd: "/home/ada/app", type, uuid, message: { role: type, content } })

/** The command in a process of its own, at home in a folder with one session of Claude Code. */
const startCommand = async (config: object, ...argv: readonly string[]): Promise<{ readonly url: string; readonly secret: string }> => {
  const provider = await fake({ api: "anthropic" })
  const home = mkdtempSync(join(tmpdir(), "mounts-"))
  const file = join(home, ".claude/projects/-home-ada-app", `${session}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(
    file,
    `${line("a1", null, "user", "Where is libquux?")}\n${line("a2", "a1", "assistant", [{ type: "text", text: "In quux-dev." }])}\n`,
  )
  writeFileSync(join(home, "gateway.json"), JSON.stringify({ ...upstreamTo("anthropic", provider), port: 0, ...config }))
  const given = [main, "serve", "--config", join(home, "gateway.json"), "--no-store", ...argv]
  const child = spawn(process.execPath, given, {
    cwd: home,
    env: { HOME: home, PATH: process.env["PATH"] ?? "", LIGATURE_CACHE: "off" },
    stdio: ["ignore", "ignore", "pipe"],
  })
  onTestFinished(async () => {
    const gone = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGTERM")
    await gone
    rmSync(home, { recursive: true, force: true })
  })
  let said = ""
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")))
  await expect.poll(() => said, { timeout: 20_000 }).toContain("Watch: ")
  const [, url = "", secret = ""] = /Watch: (http:\/\/[^/]+)\/-\/view(?:#token=(\S+))?/.exec(said) ?? []
  return { url, secret }
}

const get = (url: string, headers: Record<string, string> = {}) => post(url, undefined, { method: "GET", headers })

const connected = async (url: string, key?: string): Promise<Client> => {
  const client = new Client({ name: "test", version: "0" })
  const requestInit = key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/-/mcp`), { requestInit }))
  onTestFinished(() => client.close())
  return client
}

describe("the page", () => {
  it("is served with its files under a strict policy, and its address has what lets it ask", async () => {
    const { url, secret } = await startCommand({})
    const page = await get(`${url}/-/view`)
    expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"])
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'")
    expect(page.text).toContain('data-source="gateway"')
    for (const [, file = ""] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect([file, (await get(url + file)).status]).toEqual([expect.stringMatching(/^\/-\/view\/page\.(js|css)$/), 200])
    }
    expect((await get(`${url}/-/view/../../etc/passwd`)).status).toBe(404)
    expect((await get(`${url}/-/view`, { host: "evil.example" })).status).toBe(403)
    expect([(await get(`${url}/-/conversations`)).status, secret.length > 20]).toEqual([401, true])
    expect((await get(`${url}/-/conversations`, { authorization: `Bearer ${secret}` })).status).toBe(404)
  })

  it("has no secret in its address where there are keys", async () => {
    const { secret } = await startCommand({ keys: [hashedKey("a-key")] })
    expect(secret).toBe("")
  })
})

describe("the tools over MCP", () => {
  it("are there for the SDK's client, with a key of the gateway only, and for no other page or name", async () => {
    const { url } = await startCommand({ keys: [hashedKey("a-key")] }, "--mcp")
    const client = await connected(url, "a-key")
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain("recall")
    const found = await client.callTool({ name: "search", arguments: { text: "libquux" } })
    expect(JSON.stringify(found.content)).toContain("Where is libquux?")
    await expect(connected(url)).rejects.toThrow()
    await expect(connected(url, "wrong")).rejects.toThrow()
    const ask = (headers: Record<string, string>) =>
      post(`${url}/-/mcp`, '{"jsonrpc":"2.0","id":1,"method":"ping"}', { headers: { authorization: "Bearer a-key", ...headers } })
    expect((await ask({ origin: "https://evil.example" })).status).toBe(403)
    expect((await ask({ host: "evil.example" })).status).toBe(403)
  })

  it("are not there unless they were asked for", async () => {
    const { url } = await startCommand({})
    expect((await post(`${url}/-/mcp`, "{}")).status).not.toBe(200)
  })
})
