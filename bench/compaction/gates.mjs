/**
 * What a compacted history must be, whatever it remembers: valid, within the budget, with the user's words, with the
 * newest exchange as it was, made of whole lines of the original, and the same on every run. One missed gate and the
 * run scores 0.
 */
import { sameMessage, textOfAll } from "./canonical.mjs"
import { o200k, tokensOfAll } from "./tokens.mjs"
import { groupsOf } from "./strategies/exchanges.mjs"

const userShare = 0.3
const userKept = 0.95
const newestShare = 0.35

/** Pairing on the list itself: every call answered once by the messages right after it, no result without its call. */
export const pairingFaults = (messages) => {
  const faults = new Set()
  let open = new Map()
  for (const message of messages) {
    if (message.role === "tool") {
      if (!open.delete(message.call)) faults.add("orphan result")
      continue
    }
    if (open.size > 0) faults.add("unanswered call")
    open = new Map((message.calls ?? []).map((call) => [call.id, call]))
  }
  if (open.size > 0) faults.add("unanswered call")
  if (messages.length === 0) faults.add("empty")
  else if (messages[0].role !== "user") faults.add("first message is not the user's")
  return faults
}

const pieceLength = 80
const shortestStretch = 12

/** A line as pieces that may be kept or lost each: short stretches of words. */
const piecesOf = (line) => {
  const pieces = []
  for (const word of line.split(/\s+/)) {
    const last = pieces.at(-1)
    if (word === "") continue
    if (last !== undefined && last.length + word.length < pieceLength) pieces[pieces.length - 1] = `${last} ${word}`
    else pieces.push(word)
  }
  return pieces
}

/** Wrapped and indented otherwise, a text still says the same. */
const squeeze = (text) => text.replace(/[\s…]+/g, "")

/** Tokens of the longest beginning of the piece that is still there. */
const tokensKept = (text, piece) => {
  const said = squeeze(piece)
  if (text.includes(said)) return o200k(piece)
  let [has, lacks] = [0, said.length]
  while (lacks - has > 1) {
    const middle = (has + lacks) >> 1
    if (text.includes(said.slice(0, middle))) has = middle
    else lacks = middle
  }
  // A few letters are in any text.
  return has < shortestStretch ? 0 : (o200k(piece) * has) / said.length
}

/** Tokens of user text, one for the end of each line, and how many of them the compacted history still says. */
export const userText = (context, text) => {
  const said = squeeze(text)
  let [all, kept] = [0, 0]
  for (const { role, content } of context) {
    if (role !== "user") continue
    for (const line of content.split("\n")) {
      const before = all - kept
      for (const piece of piecesOf(line)) {
        all += o200k(piece)
        kept += tokensKept(said, piece)
      }
      all++
      if (all - 1 - kept <= before) kept++
    }
  }
  return { all, kept }
}

/** Whether the newest exchange is there as it was, whole and in its structure. */
const keepsNewest = (context, messages, budget) => {
  const newest = groupsOf(context).findLast(([first]) => first.role === "assistant")
  if (newest === undefined || tokensOfAll(newest) > newestShare * budget) return true
  const last = messages.findLastIndex((message) => sameMessage(message, newest[0]))
  return last !== -1 && newest.every((message, index) => messages[last + index] && sameMessage(message, messages[last + index]))
}

/** Names of the gates a run misses. `judge` adds what providers demand; `provenance` what the strategy may write. */
export const missedGates = (cut, budget, { messages, isSame, failure }, { judge, provenance } = {}) => {
  if (failure !== undefined) return [`failed: ${failure.split("\n")[0]}`]
  const { context } = cut
  const before = (cut.faults ??= pairingFaults(context.messages))
  const missed = [...pairingFaults(messages)].filter((fault) => !before.has(fault)).map((fault) => `invalid: ${fault}`)
  if (missed.length === 0 && judge) missed.push(...judge(cut, messages))
  if (tokensOfAll(messages) > budget) missed.push("over budget")
  const { all, kept } = userText(context.messages, textOfAll(messages))
  if (kept < userKept * Math.min(all, userShare * budget)) missed.push("user text")
  if (!keepsNewest(context.messages, messages, budget)) missed.push("newest exchange")
  if (provenance) missed.push(...provenance(cut, messages))
  if (isSame === false) missed.push("not deterministic")
  return missed
}
