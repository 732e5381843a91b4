/**
 * A recorded agent runs again, one request per assistant message, under a policy and with the price of a prompt cache:
 * what a request shares with the one before, message by message from the front, costs 0.1 per token, the rest 1.25.
 */
import { sameMessage, textOf } from "../canonical.mjs"
import { pairingFaults } from "../gates.mjs"
import { neededAt } from "../metric/needed.mjs"
import { prepareNeeded, scoreText } from "../metric/score.mjs"
import { tokensOf, tokensOfAll } from "../tokens.mjs"

export const price = { cached: 0.1, written: 1.25 }

const sharedPrefix = (before, now) => {
  let tokens = 0
  for (let index = 0; index < before.length && index < now.length; index++) {
    if (before[index] !== now[index] && !sameMessage(before[index], now[index])) break
    tokens += tokensOf(now[index])
  }
  return tokens
}

const scoreAt = (trajectory, at, view, weightOf) => {
  const { strict, isEnough } = neededAt(trajectory, at, weightOf)
  if (!isEnough) return undefined
  const messages = trajectory.messages.slice(0, at)
  const context = { messages, texts: messages.map(textOf), tokens: trajectory.tokens.slice(0, at) }
  return scoreText(view.map(textOf).join("\n"), prepareNeeded(context, strict)).R
}

/** `compact(messages, budget)` asks the strategy's process. */
export const simulate = async (trajectory, { mode, strategy }, { compact, window, target, weightOf, samples = 8 }) => {
  const { messages } = trajectory
  const turns = messages.flatMap(({ role }, index) => (role === "assistant" && index > 0 ? [index] : []))
  // Views of every request are scored at a few places only: they differ little from one to the next.
  const placeOf = (_, index) => turns[Math.floor(((index + 1) * turns.length) / (samples + 1))]
  const scored = new Set(Array.from({ length: samples }, placeOf))
  const result = {
    requests: 0,
    cost: 0,
    tokens: 0,
    cached: 0,
    compactions: 0,
    prefixes: [],
    recalls: [],
    invalid: 0,
    over: 0,
  }
  let previous = []
  let base = []
  let seen = 0
  for (const at of turns) {
    let request = [...base, ...messages.slice(seen, at)]
    if (mode === "each") request = await compact(messages.slice(0, at), window)
    else if (strategy !== undefined && tokensOfAll(request) > window) {
      base = await compact(mode === "archive" ? messages.slice(0, at) : request, target)
      seen = at
      request = base
      result.compactions++
      result.prefixes.push(sharedPrefix(previous, request) / tokensOfAll(previous))
      result.recalls.push(scoreAt(trajectory, at, request, weightOf))
    }
    if (mode === "each" && scored.has(at)) result.recalls.push(scoreAt(trajectory, at, request, weightOf))
    const shared = sharedPrefix(previous, request)
    const total = tokensOfAll(request)
    result.requests++
    result.tokens += total
    result.cached += shared
    result.cost += price.cached * shared + price.written * (total - shared)
    if (pairingFaults(request).size > 0) result.invalid++
    if (strategy !== undefined && total > window) result.over++
    previous = request
  }
  return result
}
