/** Strategies that shorten results in place, oldest first, and drop whole exchanges only when that is not enough. */
import { tokensOf, tokensOfAll } from "../../tokens.mjs"
import { groupsOf } from "../exchanges.mjs"

const placeholder = (content) => `Old environment output: (${content.split("\n").length} lines omitted)`

/** Drops the oldest exchanges after the first message until the rest fits; user messages go last. */
export const dropOldest = (messages, budget) => {
  const groups = groupsOf(messages)
  let left = tokensOfAll(messages) - budget
  const dropped = new Set()
  for (const pass of ["assistant", "user"]) {
    for (let index = 1; index < groups.length - 1 && left > 0; index++) {
      if (dropped.has(index) || groups[index][0].role !== pass) continue
      dropped.add(index)
      left -= tokensOfAll(groups[index])
    }
  }
  return groups.filter((_, index) => !dropped.has(index)).flat()
}

const masked = (message) => ({ ...message, content: placeholder(message.content) })

/** Old results become placeholders, oldest first, until it fits; then old exchanges go; the newest exchange is last. */
export const maskOldest = (messages, budget) => {
  const newest = new Set(groupsOf(messages).findLast(([first]) => first.role === "assistant"))
  let view = messages
  for (const isSpared of [(message) => newest.has(message), () => false]) {
    let left = tokensOfAll(view) - budget
    view = view.map((message) => {
      if (left <= 0 || message.role !== "tool" || isSpared(message)) return message
      const shorter = masked(message)
      const saved = tokensOf(message) - tokensOf(shorter)
      if (saved <= 0) return message
      left -= saved
      return shorter
    })
    const fitted = left > 0 ? dropOldest(view, budget) : view
    if (tokensOfAll(fitted) <= budget) return fitted
  }
  return dropOldest(view, budget)
}

/** All results but the newest `count` become placeholders, whatever the budget says (SWE-agent, Anthropic's keep). */
export const maskAllBut = (count) => (messages) => {
  let seen = 0
  const isOld = ({ role }) => role === "tool" && ++seen > count
  return messages
    .toReversed()
    .map((message) => (isOld(message) ? masked(message) : message))
    .toReversed()
}

const sparedShare = 0.35

const capped = (messages, characters, spared) =>
  messages.map((message) => {
    const { content } = message
    if (message.role !== "tool" || content.length <= characters || spared.has(message)) return message
    const half = Math.floor(characters / 2)
    const note = `[… ${content.length - 2 * half} characters left out …]`
    return { ...message, content: [content.slice(0, half), note, content.slice(content.length - half)].join("\n") }
  })

/**
 * Head and tail of every result but the newest ones, where those are small: the largest number of characters that
 * fits, by bisection; then old exchanges go.
 */
export const headTail = (messages, budget) => {
  if (tokensOfAll(messages) <= budget) return messages
  const newest = groupsOf(messages).findLast(([first]) => first.role === "assistant") ?? []
  const spared = new Set(tokensOfAll(newest) <= sparedShare * budget ? newest : [])
  const shortest = capped(messages, 0, spared)
  if (tokensOfAll(shortest) > budget) return dropOldest(shortest, budget)
  let [fits, tooMany] = [0, 100_000]
  while (tooMany - fits > Math.max(8, fits / 50)) {
    const middle = (fits + tooMany) >> 1
    if (tokensOfAll(capped(messages, middle, spared)) <= budget) fits = middle
    else tooMany = middle
  }
  return capped(messages, fits, spared)
}

/** User messages only, newest first (Codex without its summary). */
export const userOnly = (messages, budget) => {
  const kept = []
  let left = budget
  for (let index = messages.length - 1; index >= 0; index--) {
    if (messages[index].role !== "user") continue
    left -= tokensOf(messages[index])
    if (left < 0) break
    kept.unshift(messages[index])
  }
  return kept
}
