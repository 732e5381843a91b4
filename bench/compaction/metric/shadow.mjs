/**
 * A second opinion with another idea of what an item is, so that tuning to the first shows: words between white space,
 * with punctuation cut off both ends, at least six characters, weighted by how rare they are; no types, no table of
 * common names. Needed as in needed.mjs (strict), survival is plain containment of the word among the words of the
 * compacted text.
 */
import { textOf } from "../canonical.mjs"
import { horizon } from "./needed.mjs"

const shortest = 6
const longest = 120
const fewest = 5

const edges = /^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu

export const wordsOf = (text) => {
  const words = new Set()
  for (const raw of text.split(/\s+/)) {
    if (raw.length < shortest || raw.length > 4 * longest) continue
    const word = raw.replace(edges, "")
    if (word.length >= shortest && word.length <= longest) words.add(word)
  }
  return words
}

const known = new WeakMap()
const wordsOfMessages = (trajectory) => {
  const before = known.get(trajectory)
  if (before !== undefined) return before
  const words = trajectory.messages.map((message) => wordsOf(textOf(message)))
  known.set(trajectory, words)
  return words
}

export const shadowFrequency = (trajectories) => {
  const seen = new Map()
  for (const trajectory of trajectories) {
    const own = new Set()
    for (const words of wordsOfMessages(trajectory)) for (const word of words) own.add(word)
    for (const word of own) seen.set(word, (seen.get(word) ?? 0) + 1)
  }
  return { total: trajectories.length, seen }
}

/** Rarer than one trajectory in twenty: plain language is not what is asked for. */
const weightOf = ({ total, seen }, word) => {
  const frequency = seen.get(word) ?? 1
  if (total >= 20 && frequency > total / 20) return 0
  return Math.log(Math.max(2, total) / frequency) / Math.log(Math.max(2, total))
}

export const prepareShadow = (trajectory, cut, frequency) => {
  const words = wordsOfMessages(trajectory)
  const context = new Set()
  for (let index = 0; index < cut; index++) for (const word of words[index]) context.add(word)
  const exposed = new Set()
  const needed = new Map()
  let turns = 0
  for (let index = cut; index < words.length; index++) {
    if (trajectory.messages[index].role !== "assistant") {
      for (const word of words[index]) exposed.add(word)
      continue
    }
    if (++turns > horizon) break
    for (const word of words[index]) {
      if (!context.has(word) || exposed.has(word) || needed.has(word)) continue
      const weight = weightOf(frequency, word)
      if (weight > 0) needed.set(word, weight)
    }
  }
  return needed.size >= fewest ? [...needed] : []
}

export const scoreShadow = (text, needed) => {
  if (needed.length === 0) return undefined
  const words = wordsOf(text)
  let [whole, kept] = [0, 0]
  for (const [word, weight] of needed) {
    whole += weight
    if (words.has(word)) kept += weight
  }
  return kept / whole
}
