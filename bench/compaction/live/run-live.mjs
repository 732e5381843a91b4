/** The live simulation over all long trajectories, one process per policy; a row each. */
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { mean } from "../aggregate.mjs"
import { spread } from "../cuts.mjs"
import { baselines } from "../strategies/baselines.mjs"
import { documentFrequency, weightsFor } from "../metric/weights.mjs"
import { policies } from "./policies.mjs"
import { simulate } from "./simulate.mjs"

const worker = join(dirname(fileURLToPath(import.meta.url)), "../strategies/worker.mjs")

/** Baselines are plain functions of the context; asking another process for every request would only cost time. */
const openBaseline = (name) => ({ compact: (messages, tokens) => baselines[name](messages, tokens, {}), close: () => {} })

/** A strategy's process, asked one question at a time. */
const openWorker = (specification) => {
  const parameters = ["--max-old-space-size=4096", worker, JSON.stringify(specification)]
  const child = spawn(process.execPath, parameters, { stdio: ["pipe", "pipe", 2] })
  child.stdin.on("error", () => {})
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let id = 0
  return {
    compact: async (messages, tokens) => {
      child.stdin.write(`${JSON.stringify({ id: ++id, messages, budgets: [{ rho: 0, tokens }] })}\n`)
      const { value, done } = await answers.next()
      if (done) throw new Error(`The worker of ${specification.strategy} ended`)
      const answer = JSON.parse(value)
      if (answer.failure !== undefined) throw new Error(answer.failure)
      return answer.messages
    },
    close: () => child.stdin.end(),
  }
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0)

const rowOf = (name, results, never) => ({
  name,
  cost: mean(results.map((result, index) => result.cost / never[index].cost)),
  hit: sum(results.map(({ cached }) => cached)) / sum(results.map(({ tokens }) => tokens)),
  compactions: mean(results.map(({ compactions }) => compactions)),
  prefix: mean(results.flatMap(({ prefixes }) => prefixes)),
  R: mean(results.map(({ recalls }) => mean(recalls))),
  late: mean(results.map(({ recalls }) => mean(recalls.slice(Math.floor(recalls.length / 2))))),
  invalid: sum(results.map(({ invalid }) => invalid)),
  over: sum(results.map(({ over }) => over)),
})

export const liveWindow = 32_000
const longEnough = 48_000
const targetShare = 0.4

export const runLive = async (all, { dist, available, limit = 16, window = liveWindow, progress = () => {} }) => {
  const frequency = documentFrequency(all)
  const long = spread(
    all.filter(({ tokens }) => sum(tokens) >= (longEnough * window) / liveWindow),
    limit,
  )
  const rows = []
  let never
  for (const policy of policies) {
    if (policy.isOurs && !available.includes(policy.strategy)) continue
    const { strategy, isOurs } = policy
    const asked = isOurs ? openWorker({ strategy, dist, meter: "exact" }) : strategy ? openBaseline(strategy) : undefined
    const results = []
    try {
      for (const trajectory of long) {
        progress(`${policy.name}: ${results.length + 1} of ${long.length}`)
        const weightOf = weightsFor(frequency, trajectory.systemItems)
        const situation = { compact: asked?.compact, window, target: targetShare * window, weightOf }
        results.push(await simulate(trajectory, policy, situation))
      }
      never ??= results
      rows.push(rowOf(policy.name, results, never))
    } catch (error) {
      rows.push({ name: policy.name, failure: String(error.message).slice(0, 300) })
    }
    asked?.close()
  }
  return { window, trajectories: long.length, requests: sum(never.map(({ requests }) => requests)), rows }
}
