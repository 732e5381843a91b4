/**
 * A plain frame for choosing lines, to tell what the choice is worth: first user message, one message with user text
 * and the chosen lines by step, verbatim tail. `random` chooses blindly; `formula` by a simple published formula over the
 * metric's own items, the least a digest has to beat; `oracle` is told what will be needed and is the upper end of what
 * choosing lines can reach; what is left it fills with the newest lines.
 */
import { randomFrom } from "../../bootstrap.mjs"
import { textOf, textOfAll } from "../../canonical.mjs"
import { isCommonKnowledge } from "../../metric/common-knowledge.mjs"
import { eachItem } from "../../metric/items.mjs"
import { isIn } from "../../metric/survival.mjs"
import { o200k, tokensOfAll } from "../../tokens.mjs"
import { says, squeeze } from "../../work/facts.mjs"
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
  for (let start = 0; start < line.length;) {
    const space = line.lastIndexOf(" ", start + longestLine)
    const end = start + longestLine >= line.length ? line.length : space > start + 40 ? space : start + longestLine
    pieces.push(`${start > 0 ? "…" : ""}${line.slice(start, end).trim()}${end < line.length ? "…" : ""}`)
    start = end
  }
  return pieces
}

const linesOf = (text) => text.split("\n").flatMap((line) => (line.trim() === "" ? [] : piecesOf(line.trim())))

/** The newest groups that fit. User text after the newest exchange is left to the lines where both do not. */
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
  return fill(
    parts,
    budget,
    order.map(({ entry }) => entry),
  )
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
  const cover = bestCover(
    parts.candidates,
    needed.filter(({ item }) => !isIn(kept, item)),
  )
  const taken = new Set(cover)
  return fill(parts, budget, [...cover, ...parts.candidates.filter((entry) => !taken.has(entry))])
}

/** Is told what answers each question about the state, and what the next calls are made of: the upper end of both measures. */
export const oracleWork = (messages, budget, { answers, actions }) => {
  const parts = frame(messages, budget)
  const open = [
    ...answers,
    ...actions.flatMap((action) => [
      ...action.needed.map(({ item }) => ({ any: [squeeze(item)] })),
      ...action.lines.map((line) => ({ any: [squeeze(line)] })),
    ]),
  ]
  const cover = []
  const taken = new Set()
  for (const question of open) {
    const best = parts.candidates.filter((entry) => !taken.has(entry) && says(question, entry.line)).sort((a, b) => a.tokens - b.tokens)
    for (const entry of question.runs ? best : best.slice(0, 1)) {
      taken.add(entry)
      cover.push(entry)
    }
  }
  return fill({ ...parts, user: [] }, budget, [...cover, ...parts.user, ...parts.candidates.filter((entry) => !taken.has(entry))])
}

/** How often each item was said by whom, and when last. */
const usesOf = (messages) => {
  const uses = new Map()
  const note = (text, source, step) => {
    for (const line of text.split("\n")) {
      eachItem(line, (item) => {
        const use = uses.get(item) ?? { arguments: 0, text: 0, user: 0, results: 0, last: 0 }
        use[source]++
        use.last = step
        uses.set(item, use)
      })
    }
  }
  for (const [step, group] of groupsOf(messages).entries()) {
    for (const message of group) {
      if (message.role === "user") note(message.content, "user", step)
      else if (message.role === "tool") note(message.content, "results", step)
      else {
        note(message.content, "text", step)
        for (const { arguments: given } of message.calls ?? [])
          note(textOf({ role: "assistant", content: "", calls: [{ name: "", arguments: given }] }), "arguments", step)
      }
    }
  }
  return uses
}

const valueOf = (item, use, steps) => {
  if (isCommonKnowledge(item)) return 0
  const said = 1 + 2 * Math.log1p(use.arguments) + Math.log1p(use.text) + (use.user > 0 ? 1 : 0)
  const isFleeting = use.arguments + use.text + use.user === 0 && use.results === 1
  return said * 0.97 ** (steps - use.last) * (isFleeting ? 0.3 : 1)
}

const secondCover = 0.15

export const formulaLines = (messages, budget) => {
  const parts = frame(messages, budget)
  const steps = groupsOf(messages).length - 1
  const covers = new Map()
  const cover = (line) => eachItem(line, (item) => covers.set(item, (covers.get(item) ?? 0) + 1))
  for (const line of textOfAll([...parts.head, ...parts.tail]).split("\n")) cover(line)
  for (const { line } of parts.user) cover(line)
  for (const [item] of covers) covers.set(item, 2)
  const uses = usesOf(messages)
  const values = new Map([...uses].map(([item, use]) => [item, valueOf(item, use, steps)]))
  const open = parts.candidates.flatMap((entry) => {
    const items = new Set()
    eachItem(entry.line, (item) => items.add(item))
    return items.size === 0 ? [] : [{ entry, items: [...items], density: Number.POSITIVE_INFINITY }]
  })
  const density = ({ entry, items }) => {
    const gain = (item) => (values.get(item) ?? 0) * ([1, secondCover][covers.get(item) ?? 0] ?? 0)
    return items.reduce((sum, item) => sum + gain(item), 0) / (entry.tokens + 1.6)
  }
  for (const each of open) each.density = density(each)
  const order = []
  // Lazily: a density only falls, so the best of the old ones is measured again until it stays the best.
  open.sort((a, b) => a.density - b.density)
  for (let best = open.pop(); best !== undefined; best = open.pop()) {
    const now = density(best)
    if (now <= 0) continue
    if (now < best.density - 1e-12) {
      best.density = now
      let [low, high] = [0, open.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if (open[middle].density <= now) low = middle + 1
        else high = middle
      }
      open.splice(low, 0, best)
      continue
    }
    order.push(best.entry)
    for (const item of best.items) covers.set(item, (covers.get(item) ?? 0) + 1)
  }
  return fill(parts, budget, order)
}
