/**
 * Question: does the memory of a gateway stay flat? Sends very many small requests, each conversation of a few turns, a part of
 * them damaged, a part streamed, a part given up in the middle, and prints the memory of the gateway as it goes. The heap is
 * collected before each measurement.
 *
 *   node bench/gateway-soak.mjs [--requests 100000] [--wire openai-chat|anthropic]
 *
 * `--wire` is what the client speaks; the provider speaks openai-chat. Needs a build (npm run build).
 */
import { fork } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import http from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: { requests: { type: "string", default: "100000" }, wire: { type: "string", default: "openai-chat" } },
})
const requests = Number(values.requests)
const folder = mkdtempSync(join(tmpdir(), "ligature-soak-"))
const processes = fileURLToPath(new URL("gateway-scale/process.mjs", import.meta.url))

const start = (role, config = {}) =>
  new Promise((resolve) => {
    const child = fork(processes, [role, JSON.stringify(config)], { execArgv: ["--expose-gc"] })
    child.once("message", ({ url }) => resolve({ url, child }))
  })

const usage = ({ child }) =>
  new Promise((resolve) => {
    child.once("message", resolve)
    child.send("collected")
  })

const agent = new http.Agent({ keepAlive: true, maxSockets: 16 })

const path = values.wire === "anthropic" ? "/v1/messages" : "/v1/chat/completions"

const bodyOf = (number) => {
  const [conversation, turn] = [Math.floor(number / 4), number % 4]
  const messages = [{ role: "user", content: `Sample ${conversation}: go on` }]
  for (let at = 0; at < turn; at++)
    messages.push({ role: "assistant", content: `Step ${at} of ${conversation}.` }, { role: "user", content: `And ${at}?` })
  // A result that nobody asked for.
  if (number % 50 === 0 && values.wire !== "anthropic") messages.push({ role: "tool", tool_call_id: "call_none", content: "lost" })
  return JSON.stringify({ model: "m-1", max_tokens: 100, messages })
}

const ask = (url, number) =>
  new Promise((resolve) => {
    const body = bodyOf(number)
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "x-session-id": `ses_${Math.floor(number / 4)}`,
    }
    const request = http.request(url + path, { method: "POST", agent, headers }, (answer) => {
      // Some clients leave.
      if (number % 97 === 0) request.destroy()
      answer.resume()
      answer.once("close", () => resolve(answer.statusCode))
    })
    request.once("error", () => resolve(0))
    request.end(body)
  })

const provider = await start("provider")
const gateway = await start("gateway", {
  port: 0,
  upstreams: { it: { wire: "openai-chat", url: provider.url, key: "sk" } },
  store: folder,
  limits: { memoryBytes: 8 << 20 },
})
try {
  let next = 0
  const statuses = new Map()
  const step = Math.ceil(requests / 10)
  for (let part = 1; part <= 10; part++) {
    const until = Math.min(requests, part * step)
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        while (next < until) {
          const status = await ask(gateway.url, next++)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
      }),
    )
    const { rss, heap } = await usage(gateway)
    console.log(
      JSON.stringify({
        requests: next,
        rssMB: Math.round(rss / 2 ** 20),
        heapMB: Math.round(heap / 2 ** 20),
        statuses: Object.fromEntries(statuses),
      }),
    )
  }
} finally {
  gateway.child.kill()
  provider.child.kill()
  rmSync(folder, { recursive: true, force: true })
}
