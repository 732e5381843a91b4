/** Runs one strategy over cuts and budgets in processes of its own, and scores what comes back. */
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { textOfAll } from "./canonical.mjs"
import { groupBy } from "./cuts.mjs"
import { missedGates } from "./gates.mjs"
import { scoreText } from "./metric/score.mjs"
import { scoreShadow } from "./metric/shadow.mjs"
import { buildable } from "./work/actions.mjs"
import { answered, answersTo, kinds, stale } from "./work/facts.mjs"
import { o200k, tokensOfAll } from "./tokens.mjs"

const worker = join(dirname(fileURLToPath(import.meta.url)), "strategies/worker.mjs")

/** Nobody works with less: ten percent of a chat of a thousand tokens is a line. */
const smallestBudget = 150

export const budgetOf = (cut, rho) => Math.floor(cut.total * rho)

const lineFor = (cut, rhos, usesFuture) =>
  JSON.stringify({
    id: cut.id,
    messages: cut.context.messages,
    // What is known of the context's size already, so that no process counts it again.
    counts: cut.context.messages.map(({ content }) => o200k(content)),
    budgets: rhos.map((rho) => ({ rho, tokens: budgetOf(cut, rho) })).filter(({ tokens }) => tokens >= smallestBudget),
    ...(usesFuture && {
      needed: cut.needed.map(({ item, weight, windows }) => ({ item, weight, windows })),
      answers: answersTo(cut.facts),
      actions: cut.actions,
    }),
  })

/** Answers of one worker for its share of the cuts, one by one. */
async function* answersOf(specification, cuts, rhos) {
  const { node = process.execPath, usesFuture, ...told } = specification
  const child = spawn(node, ["--max-old-space-size=4096", worker, JSON.stringify(told)], { stdio: ["pipe", "pipe", 2] })
  child.stdin.on("error", () => {})
  const ended = new Promise((resolve) => {
    child.on("close", resolve)
  })
  const feed = async () => {
    for (const cut of cuts) {
      if (!child.stdin.write(`${lineFor(cut, rhos, usesFuture)}\n`)) {
        await Promise.race([ended, new Promise((resolve) => child.stdin.once("drain", resolve))])
      }
    }
    child.stdin.end()
  }
  const fed = feed()
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line)
  await fed
  const status = await ended
  if (status !== 0) throw new Error(`The worker of ${specification.strategy} ended with ${status}`)
}

const scored = ["R", "Rc", "F", "Rh", "Rhc", "Ra", "loose", "looseContext", "shadow"]
/** Asked of every view within its budget, gates or not: a cheat is to be seen. */
const asked = ["state", "next", "stale", ...kinds]

const scoresOf = (cut, messages) => {
  const text = textOfAll(messages)
  const { lost, ...strict } = scoreText(text, cut.needed)
  const loose = scoreText(text, cut.loose)
  const work = { ...answered(cut.facts, messages), next: buildable(cut.actions, messages), stale: stale(cut.facts, messages) }
  return { lost, ...work, ...strict, loose: loose.R, looseContext: loose.Rc, shadow: scoreShadow(text, cut.shadow) }
}

/** A run that misses a gate scores nothing; what it would have scored without all gates but the budget is `ungated`. */
export const judged = (cut, answer, gates) => {
  const { rho, messages, milliseconds, outcome, reason } = answer
  const budget = budgetOf(cut, rho)
  const tokens = tokensOfAll(messages)
  const missed = missedGates(cut, budget, answer, gates)
  const { lost, ...scores } = scoresOf(cut, messages)
  const ungated = tokens <= budget ? scores.F : 0
  const shared = {
    id: cut.id,
    group: cut.group,
    trajectory: cut.trajectory,
    context: cut.total,
    rho,
    used: tokens / cut.total,
    missed,
    lost,
    ungated,
    raw: scores.F,
    milliseconds,
    outcome,
    reason,
    ...gates?.count?.(cut, messages),
    ...Object.fromEntries(asked.map((key) => [key, tokens <= budget ? scores[key] : scores[key] === undefined ? undefined : 0])),
  }
  if (missed.length === 0) return { ...scores, ...shared }
  const nothing = Object.fromEntries(scored.map((key) => [key, scores[key] === undefined ? undefined : 0]))
  const types = Object.fromEntries(Object.entries(scores.types).map(([type, [whole]]) => [type, [whole, 0, 0]]))
  return { ...shared, ...nothing, types }
}

/**
 * Trajectories, largest first, to whoever has least: cuts of one share their beginning, and a worker counts it once.
 */
const dealt = (cuts, processes) => {
  const shares = Array.from({ length: processes }, () => ({ size: 0, cuts: [] }))
  const sized = [...groupBy(cuts, ({ trajectory }) => trajectory).values()].map((list) => ({
    list,
    size: list.reduce((sum, { total }) => sum + total, 0),
  }))
  for (const { list, size } of sized.sort((a, b) => b.size - a.size)) {
    const least = shares.reduce((a, b) => (b.size < a.size ? b : a))
    least.size += size
    least.cuts.push(...list)
  }
  return shares.map((share) => share.cuts)
}

export const runStrategy = async (specification, cuts, rhos, { processes = 2, gates, progress } = {}) => {
  const byId = new Map(cuts.map((cut) => [cut.id, cut]))
  const shares = dealt(cuts, processes)
  const runs = []
  const collect = async (share) => {
    for await (const answer of answersOf(specification, share, rhos)) {
      runs.push(judged(byId.get(answer.id), answer, gates))
      progress?.(runs.length, cuts.length * rhos.length)
    }
  }
  await Promise.all(shares.filter((share) => share.length > 0).map(collect))
  return runs.sort((a, b) => a.rho - b.rho || (a.id < b.id ? -1 : 1))
}
