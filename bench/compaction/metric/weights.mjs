/**
 * What an item is worth: w = ln(N / df) / ln N, with df the trajectories that hold it among N. Nothing (0) when more
 * than a fifth of the trajectories hold it, when everybody knows it (common-knowledge.mjs), or when the system prompt
 * says it.
 */
import { isCommonKnowledge } from "./common-knowledge.mjs"

const perGroup = 120
const commonShare = 0.2

export const documentFrequency = (trajectories) => {
  const seen = new Map()
  const counted = new Map()
  let total = 0
  for (const { group, items } of trajectories) {
    const before = counted.get(group) ?? 0
    if (before >= perGroup) continue
    counted.set(group, before + 1)
    total++
    const own = new Set()
    for (const each of items) for (const item of each.keys()) own.add(item)
    for (const item of own) seen.set(item, (seen.get(item) ?? 0) + 1)
  }
  return { total, seen }
}

export const weightsFor = ({ total, seen }, systemItems) => {
  const scale = Math.log(Math.max(2, total))
  return (item) => {
    if (systemItems.has(item) || isCommonKnowledge(item)) return 0
    const frequency = Math.max(1, seen.get(item) ?? 1)
    // In a tiny corpus a fifth of the trajectories is one: there only the table of common names filters.
    if (total >= 10 && frequency / total > commonShare) return 0
    return Math.max(0, Math.log(Math.max(2, total) / frequency) / scale)
  }
}
