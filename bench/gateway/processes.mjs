/** The servers that are measured, each in a process of its own, and a client for them. */
import { fork, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import http from "node:http"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Homes, stores: gone when the run is over. */
export const root = mkdtempSync(join(tmpdir(), "gateway-bench-"))
const children = []
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL")
  rmSync(root, { recursive: true, force: true })
})

const agentFor = () => new http.Agent({ keepAlive: true })

export const start = (role, upstream = "") =>
  new Promise((resolve) => {
    const child = fork(here("servers.mjs"), [role, upstream])
    children.push(child)
    child.once("message", ({ url }) => {
      const usage = () =>
        new Promise((told) => {
          child.once("message", told)
          child.send("usage")
        })
      resolve({ role, url, usage, pid: child.pid, agent: agentFor(), headers: {} })
    })
  })

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

const ticksMs = 10

/** What the system says of a process, whether it knows of us or not. */
export const usageOf = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ")
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024
  const [user, system] = [fields[11], fields[12]].map((ticks) => Number(ticks) * ticksMs * 1000)
  return { cpu: { user, system }, rss: Number(fields[21]) * 4096, peak }
}

const answers = (url) =>
  new Promise((resolve) => {
    const request = http.get(url, (response) => {
      response.resume()
      resolve(true)
    })
    request.once("error", () => resolve(false))
  })

const startProgram = async (role, parameters, { port, home, headers }) => {
  const child = spawn(process.execPath, parameters, { env: { PATH: process.env.PATH, HOME: home }, stdio: "ignore" })
  children.push(child)
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; !(await answers(url)); tries++) {
    if (tries > 100 || child.exitCode !== null) throw new Error(`${role} does not start`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const stop = () =>
    new Promise((gone) => {
      child.once("exit", gone)
      child.kill("SIGTERM")
    })
  return { role, url, usage: async () => usageOf(child.pid), stop, pid: child.pid, agent: agentFor(), headers }
}

/** `ligature serve` with recording (`stored`) or without (`unstored`). `PROFILE=DIR` writes a CPU profile of each. */
export const startOurs = async (role, upstream) => {
  const port = await freePort()
  const home = mkdtempSync(join(root, role))
  const chat = { wire: "openai-chat", url: upstream }
  const anthropic = { wire: "anthropic", url: upstream }
  // Which model goes where decides about conversion: a client of either API can ask for either.
  const models = [
    { match: "to-chat", upstream: "chat" },
    { match: "to-anthropic", upstream: "anthropic" },
  ]
  const file = join(home, "gateway.json")
  writeFileSync(file, JSON.stringify({ port, upstreams: { chat, anthropic }, models }))
  const { PROFILE: folder } = process.env
  const profile = folder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${role}.cpuprofile`]
  const store = role === "stored" ? ["--store", join(home, "store")] : ["--no-store"]
  const parameters = [...profile, here("../../packages/ligature/dist/cli/main.js"), "serve", "--config", file, ...store]
  return startProgram(role, parameters, { port, home, headers: {} })
}

const peers = here("peers/node_modules")

export const startPortkey = async (upstream) => {
  const port = await freePort()
  const headers = { "x-portkey-provider": "openai", "x-portkey-custom-host": `${upstream}/v1`, authorization: "Bearer none" }
  return startProgram("Portkey", [join(peers, "@portkey-ai/gateway/build/start-server.js"), `--port=${port}`, "--headless"], {
    port,
    home: root,
    headers,
  })
}

export const startRouter = async (upstream) => {
  const port = await freePort()
  const home = join(root, "router")
  mkdirSync(join(home, ".claude-code-router"), { recursive: true })
  const provider = { name: "it", api_base_url: `${upstream}/v1/chat/completions`, api_key: "none", models: ["m"] }
  const config = {
    PORT: port,
    HOST: "127.0.0.1",
    LOG: false,
    NON_INTERACTIVE_MODE: true,
    Providers: [provider],
    Router: { default: "it,m" },
  }
  writeFileSync(join(home, ".claude-code-router/config.json"), JSON.stringify(config))
  return startProgram("claude-code-router", [join(peers, "@musistudio/claude-code-router/dist/cli.js"), "start"], {
    port,
    home,
    headers: {},
  })
}

export const pathOf = { "openai-chat": "/v1/chat/completions", anthropic: "/v1/messages" }

const nowNs = () => process.hrtime.bigint()
const msSince = (begun) => Number(nowNs() - begun) / 1e6

/** Resolves with the milliseconds to the first byte and to the end, and with the delay of each marked event. */
export const ask = ({ role, url, agent, headers }, wire, body, more = {}) =>
  new Promise((resolve, fail) => {
    const reject = (error) => fail(new Error(`${role}: ${error.message}`, { cause: error }))
    const begun = nowNs()
    const request = http.request(
      url + pathOf[wire],
      { method: "POST", agent, headers: { "content-type": "application/json", "content-length": body.length, ...headers, ...more } },
      (response) => {
        let firstMs
        const lags = []
        const failed = []
        response.on("data", (chunk) => {
          firstMs ??= msSince(begun)
          const text = chunk.toString("latin1")
          if (response.statusCode !== 200) failed.push(text)
          const now = nowNs()
          for (const [, sent] of text.matchAll(/@(\d+);/g)) lags.push(Number(now - BigInt(sent)) / 1e6)
        })
        response.once("end", () => {
          if (response.statusCode === 200) resolve({ ms: msSince(begun), firstMs, lags })
          else reject(new Error(`status ${response.statusCode}: ${failed.join("").slice(0, 300)}`))
        })
        response.once("error", reject)
      },
    )
    request.once("error", reject)
    request.end(body)
  })
