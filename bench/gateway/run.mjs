/**
 * `npm run bench:gateway`: what the gateway adds to a request, beside a bare pipe proxy in the same run. A conversation grows
 * by a turn with every request (`grows`), or every request is of a conversation that was never seen (`new`). The servers are
 * asked in turns, so that whatever else the machine does hits all of them alike. CPU is that of the proxy's process.
 */
import { fork } from "node:child_process"
import http from "node:http"
import process from "node:process"
import { fileURLToPath } from "node:url"

const servers = fileURLToPath(new URL("servers.mjs", import.meta.url))
const rounds = Number(process.env.ROUNDS ?? 200)

const start = (role, upstream = "") =>
  new Promise((resolve) => {
    const child = fork(servers, [role, upstream])
    child.once("message", ({ url }) => resolve({ role, url, child, agent: new http.Agent({ keepAlive: true, maxSockets: 1 }) }))
  })

const usage = ({ child }) =>
  new Promise((resolve) => {
    child.once("message", resolve)
    child.send("usage")
  })

const ask = ({ url, agent }, body) =>
  new Promise((resolve, reject) => {
    const begun = process.hrtime.bigint()
    const request = http.request(
      `${url}/v1/chat/completions`,
      { method: "POST", agent, headers: { "content-type": "application/json", "content-length": body.length } },
      (response) => {
        response.resume()
        response.once("end", () =>
          response.statusCode === 200
            ? resolve(Number(process.hrtime.bigint() - begun) / 1e6)
            : reject(new Error(`status ${response.statusCode}`)),
        )
      },
    )
    request.once("error", reject)
    request.end(body)
  })

const turn = (at) => {
  const id = `call_${at}`
  return [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name: "read_file", arguments: JSON.stringify({ path: `src/file-${at}.ts` }) } }],
    },
    { role: "tool", tool_call_id: id, content: `line ${at}\n${"const value = compute(input, options) // a comment\n".repeat(30)}` },
  ]
}

/** Bodies of about this size: of one conversation that grows, or each of its own. */
const bodies = (bytes, kind, count) => {
  const per = JSON.stringify(turn(1)).length
  const base = Array.from({ length: Math.ceil(bytes / per) }, (_, at) => turn(at)).flat()
  const tools = [
    { type: "function", function: { name: "read_file", parameters: { type: "object", properties: { path: { type: "string" } } } } },
  ]
  const first = { role: "user", content: "Read everything." }
  return Array.from({ length: count }, (_, at) => {
    const messages =
      kind === "grows"
        ? [
            first,
            ...base,
            ...Array.from({ length: at }, (__, more) => turn(base.length + more))
              .flat()
              .map((each) => ({ ...each, ...(each.content && { content: "short" }) })),
          ]
        : [{ ...first, content: `Read everything, ${at}.` }, ...base]
    return Buffer.from(JSON.stringify({ model: "m", messages, tools }))
  })
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

const upstream = await start("upstream")
const bare = await start("bare", upstream.url)
const gateway = await start("gateway", upstream.url)
const all = [upstream, bare, gateway]

console.log("size   kind    server     p50 ms   added    x bare   CPU ms/request   x bare")
for (const [name, bytes, count] of [
  ["2 KB", 2_000, rounds],
  ["210 KB", 210_000, rounds],
  ["2 MB", 2_000_000, Math.ceil(rounds / 4)],
]) {
  for (const kind of ["grows", "new"]) {
    const list = bodies(bytes, kind, count)
    for (const server of all) for (let warm = 0; warm < 5; warm++) await ask(server, list[0])
    const before = await Promise.all(all.map(usage))
    const times = all.map(() => [])
    for (const body of list) for (const [index, server] of all.entries()) times[index].push(await ask(server, body))
    const after = await Promise.all(all.map(usage))
    const p50 = times.map((each) =>
      at(
        each.toSorted((a, b) => a - b),
        0.5,
      ),
    )
    const cpu = all.map(
      (_, index) => (after[index].cpu.user + after[index].cpu.system - before[index].cpu.user - before[index].cpu.system) / 1000 / count,
    )
    for (const [index, { role }] of all.entries()) {
      if (index === 0) continue
      const added = p50[index] - p50[0]
      const cells = [
        name.padEnd(6),
        kind.padEnd(7),
        role.padEnd(8),
        p50[index].toFixed(2).padStart(8),
        added.toFixed(2).padStart(7),
        (added / (p50[1] - p50[0])).toFixed(2).padStart(9),
        cpu[index].toFixed(2).padStart(16),
        (cpu[index] / cpu[1]).toFixed(2).padStart(8),
      ]
      console.log(cells.join(" "))
    }
  }
}
console.log(`memory of the gateway: ${Math.round((await usage(gateway)).rss / 1e6)} MB`)
for (const { child } of all) child.kill()
