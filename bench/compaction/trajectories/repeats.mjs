/**
 * Logs hold the same history again and again, each time a little longer, and searches branch from a shared beginning.
 * Of trajectories that share more than half of their messages from the start only the longest is kept.
 */
import { createHash } from "node:crypto"

const chainOf = ({ messages }) => {
  const hash = createHash("sha1")
  return messages.map((message) => {
    hash
      .update(message.role)
      .update(message.content)
      .update(JSON.stringify(message.calls ?? []))
    return hash.copy().digest("base64")
  })
}

const sharedShare = 0.5

export const withoutRepeats = (trajectories) => {
  const total = (trajectory) => trajectory.tokens.reduce((sum, each) => sum + each, 0)
  const longestFirst = trajectories.map((trajectory) => ({ trajectory, size: total(trajectory) }))
  longestFirst.sort((a, b) => b.size - a.size)
  const seen = new Set()
  const kept = new Set()
  for (const { trajectory } of longestFirst) {
    const chain = chainOf(trajectory)
    if (seen.has(chain[Math.floor(chain.length * sharedShare)])) continue
    for (const link of chain) seen.add(link)
    kept.add(trajectory)
  }
  return trajectories.filter((trajectory) => kept.has(trajectory))
}
