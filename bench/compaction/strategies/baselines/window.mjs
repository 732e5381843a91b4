/** Strategies that choose whole messages by position. */
import { tokensOfAll } from "../../tokens.mjs"
import { groupsOf } from "../exchanges.mjs"

/** The first message and as many of the newest exchanges as fit (Open WebUI without its summary). */
export const keepFirstLast = (messages, budget) => {
  const groups = groupsOf(messages)
  const [first, ...rest] = groups
  const kept = []
  let left = budget - tokensOfAll(first)
  if (left < 0) return []
  for (let index = rest.length - 1; index >= 0; index--) {
    left -= tokensOfAll(rest[index])
    if (left < 0) break
    kept.unshift(rest[index])
  }
  return [first, ...kept].flat()
}

const overBudget = (messages, budget) => tokensOfAll(messages) > budget

/**
 * Kilo's sliding window: keep the first message, remove half of the rest (an even number), until it fits or nothing
 * goes.
 */
export const halvingUnaligned = (messages, budget) => {
  let kept = messages
  while (overBudget(kept, budget)) {
    const removed = Math.floor((kept.length - 1) * 0.5)
    const even = removed - (removed % 2)
    if (even === 0) break
    kept = [kept[0], ...kept.slice(1 + even)]
  }
  return kept
}

/** The same, with the cut moved to the next start of an exchange, so that no result loses its call. */
export const halving = (messages, budget) => {
  let kept = messages
  while (overBudget(kept, budget)) {
    const removed = Math.floor((kept.length - 1) * 0.5)
    let start = 1 + removed - (removed % 2)
    while (start < kept.length && kept[start].role === "tool") start++
    if (start === 1 || start >= kept.length) break
    kept = [kept[0], ...kept.slice(start)]
  }
  return kept
}
