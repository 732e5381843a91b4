/**
 * A plain frame for choosing lines, to tell what the choice is worth: first user message, one message with user text
 * and the chosen lines by step, verbatim tail. `random` chooses blindly; `oracle` is told what will be needed and is
 * the upper end of what choosing lines can reach; what is left it fills with the newest lines.
 */
import { randomFrom } from "../../bootstrap.mjs"
import { textOf, textOfAll } from "../../canonical.mjs"
import { isIn } from "../../metric/survival.mjs"
import { o200k, tokensOfAll } from "../../tokens.mjs"
import { groupsOf } from "../exchanges.mjs"

const headShare = 0.24
const userShare = 0.3
const tailShare = 0.35
const longestLine = 240
const title = "[Record of earlier history; not instructions]"

/** A long line in stretches, marked where they are cut. */
const piecesOf = (line) => {
  if (line.length <= longestLine) return [line]
  const pieces = []
  for (let start = 0; start < line.length; ) {
    const space = line.lastIndexOf(" ", start + longestLine)
    const end = start + longestLine >= line.length ? line.length : space > start + 40 ? space : start + longestLine
    pieces.push(`${start > 0 ? "…" : ""}${line.slice(start, end).trim()}${end < line.length ? "…" : ""}`)
    start = end
  }
  return pieces
}

const linesOf = (text) => text.split("\n").flatMap((line) => (line.trim() === "" ? [] : piecesOf(line.trim())))

/** The newest groups that fit. User text behind the newest exchange is left to the lines where both do not. */
const tailOf = (groups, budget) => {
  let left = tailShare * budget
  const newest = groups.findLastIndex(([first]) => first.role === "assistant")
  const mustKeep = newest !== -1 && tokensOfAll(groups[newest]) <= left
  if (mustKeep) left -= tokensOfAll(groups[newest])
  const tail = new Set(mustKeep ? [newest] : [])
  for (let index = groups.length - 1; index >= 0; index--) {
    if (tail.has(index)) continue
    left -= tokensOfAll(groups[index])
    if (left < 0 && index < newest) break
    if (left < 0) left += tokensOfAll(groups[index])
    else tail.add(index)
  }
  return tail
}

/** What stays whole, what lines compete, and what user text is taken first. */
const frame = (messages, budget) => {
  const groups = groupsOf(messages)
  const kept = tailOf(groups, budget)
  const tail = groups.filter((_, index) => kept.has(index)).flat()
  const hasHead = !kept.has(0) && messages[0].role === "user" && tokensOfAll(groups[0]) <= headShare * budget
  const head = hasHead ? groups[0] : []
  const covered = [...groups.entries()].filter(([index]) => !kept.has(index) && (index > 0 || !hasHead))
  let left = userShare * budget - tokensOfAll(head)
  const user = []
  const candidates = []
  for (const [step, group] of covered.toReversed()) {
    let index = 0
    for (const message of group) {
      for (const line of linesOf(textOf(message))) {
        const tokens = o200k(line) + 1
        const entry = { step, index: index++, line, tokens, isUser: message.role === "user" }
        if (!entry.isUser || left <= 0) {
          candidates.push(entry)
          continue
        }
        left -= tokens
        user.push(entry)
      }
    }
  }
  const endsWithUser = messages.at(-1).role === "user" && !kept.has(groups.length - 1)
  return { head, tail, user, candidates, endsWithUser }
}

/** Where the user has the last word and it did not fit, the record with its lines is that word. */
const render = ({ head, tail, endsWithUser }, chosen) => {
  const ordered = [...chosen].sort((a, b) => a.step - b.step || a.index - b.index)
  const lines = [title]
  let step
  for (const entry of ordered) {
    if (entry.step !== step) lines.push(`#${entry.step + 1}`)
    step = entry.step
    lines.push(entry.line)
  }
  const record = { role: "user", content: lines.join("\n"), summary: true }
  if (!endsWithUser) return [...head, record, ...tail]
  const opening = head.length > 0 ? head : [{ role: "user", content: title, summary: true }]
  return [...opening, ...tail, record]
}

const perStep = 4

/** Takes lines in the order given while they fit; then gives some back until the whole does. */
const fill = (parts, budget, order) => {
  const chosen = [...parts.user]
  const steps = new Set(chosen.map(({ step }) => step))
  let left = budget - tokensOfAll(render(parts, chosen))
  for (const entry of order) {
    const cost = entry.tokens + (steps.has(entry.step) ? 0 : perStep)
    if (cost > left) continue
    left -= cost
    steps.add(entry.step)
    chosen.push(entry)
  }
  let view = render(parts, chosen)
  while (chosen.length > 0 && tokensOfAll(view) > budget) {
    chosen.pop()
    view = render(parts, chosen)
  }
  return view
}


export const randomLines = (messages, budget) => {
  const parts = frame(messages, budget)
  const next = randomFrom(messages.length * 7919 + budget)
  const order = parts.candidates.map((entry) => ({ entry, at: next() })).sort((a, b) => a.at - b.at)
  return fill(parts, budget, order.map(({ entry }) => entry))
}

const bestCover = (candidates, needed) => {
  const holds = new Map()
  for (const { item, weight } of needed) {
    for (const entry of candidates) {
      if (!entry.line.includes(item) || !isIn(entry.line, item)) continue
      holds.set(entry, [...(holds.get(entry) ?? []), { item, weight }])
    }
  }
  const order = []
  const open = new Set(needed.map(({ item }) => item))
  while (open.size > 0 && holds.size > 0) {
    let [best, bestValue] = [undefined, 0]
    for (const [entry, items] of holds) {
      const value = items.reduce((sum, { item, weight }) => sum + (open.has(item) ? weight : 0), 0) / (entry.tokens + 1.6)
      if (value > bestValue) [best, bestValue] = [entry, value]
    }
    if (best === undefined) break
    for (const { item } of holds.get(best)) open.delete(item)
    holds.delete(best)
    order.push(best)
  }
  return order
}

export const oracleLines = (messages, budget, { needed }) => {
  const parts = frame(messages, budget)
  const kept = `${textOfAll([...parts.head, ...parts.tail])}\n${parts.user.map(({ line }) => line).join("\n")}`
  const cover = bestCover(parts.candidates, needed.filter(({ item }) => !isIn(kept, item)))
  const taken = new Set(cover)
  return fill(parts, budget, [...cover, ...parts.candidates.filter((entry) => !taken.has(entry))])
}
