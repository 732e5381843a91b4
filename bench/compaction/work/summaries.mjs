/**
 * Beside real summaries: where a recorded agent compacted and its own model wrote the summary, what the summary says is
 * known, how many tokens it took, and what the agent did next. A strategy gets the same history and as many tokens.
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { argumentValues, fromMessages, textOf, textOfAll, withNumberedIds } from "../canonical.mjs"
import { halfOf } from "../cuts.mjs"
import { mean } from "../aggregate.mjs"
import { itemsOf } from "../metric/items.mjs"
import { neededAt } from "../metric/needed.mjs"
import { prepareNeeded, scoreText } from "../metric/score.mjs"
import { weightsFor } from "../metric/weights.mjs"
import { tokensOf, tokensOfAll } from "../tokens.mjs"
import { actionsAt, buildable } from "./actions.mjs"
import { answered, answersTo, factsOf, kinds, stale } from "./facts.mjs"

const fewestTokens = { context: 8000, summary: 300 }
const fewestTurns = 3

const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)],
  )

const marks = ["isCompactSummary", '"type":"compaction"', '"type": "compaction"', '"type":"compacted"', "isSummary"]
const couldHave = (bytes) => marks.some((mark) => bytes.includes(mark)) && bytes.subarray(0, 15).toString("latin1") !== "SQLite format 3"

const readAll = (bytes, name, { openDocument, decode, settle, flatten }) =>
  openDocument(bytes, { name }).parts.map((part) => {
    const source = flatten(settle(decode(part.format, part.value, { view: "whole" })).conversation).messages
    return { format: part.format, ...fromMessages(source) }
  })

/** The summaries of a conversation, each with what it stands for and what came next. */
const eventsOf = ({ messages }) => {
  const places = messages.flatMap(({ summary }, index) => (summary ? [index] : []))
  return places.flatMap((at, index) => {
    const strip = (list) =>
      list.map((message) => {
        const { summary, ...rest } = message
        return summary ? rest : message
      })
    const before = strip(messages.slice(index === 0 ? 0 : places[index - 1], at))
    const first = before.findIndex(({ role }) => role === "user")
    const after = strip(messages.slice(at + 1, places[index + 1]))
    if (first === -1 || after.filter(({ role }) => role === "assistant").length < fewestTurns) return []
    return [{ context: before.slice(first), summary: strip([messages[at]])[0], after }]
  })
}

const prepareEvent = ({ context, summary, after }, weightOf) => {
  const messages = withNumberedIds([...context, ...after])
  const at = context.length
  const items = messages.map((message) => itemsOf(textOf(message)))
  const argumentItems = messages.map(({ calls }) => new Set(calls ? itemsOf(calls.map(argumentValues).join("\n")).keys() : []))
  const prepared = { messages, items, argumentItems }
  const own = messages.slice(0, at)
  const given = { messages: own, texts: own.map(textOf), tokens: own.map((message) => tokensOf(message)) }
  const needed = neededAt(prepared, at, weightOf)
  return {
    context: own,
    summary,
    tokens: tokensOfAll([summary]),
    strict: prepareNeeded(given, needed.strict),
    loose: prepareNeeded(given, needed.loose),
    facts: factsOf(own),
    actions: actionsAt(prepared, at, weightOf),
  }
}

/** All events in some folders; `half`: of these projects alone. */
export const loadSummaries = (folders, { library, frequency, half, progress = () => {} }) => {
  const seen = new Set()
  const events = []
  for (const folder of folders) {
    for (const path of filesBelow(folder).sort()) {
      const id = path.slice(folder.length + 1)
      const group = id.split("/")[0]
      if (half !== undefined && halfOf({ group, id }) !== half) continue
      const bytes = readFileSync(path)
      if (!couldHave(bytes)) continue
      progress(id)
      for (const conversation of readAll(bytes, id.split("/").at(-1), library)) {
        for (const event of eventsOf(conversation)) {
          const hash = createHash("md5").update(event.summary.content).digest("hex")
          if (seen.has(hash) || tokensOfAll([event.summary]) < fewestTokens.summary) continue
          if (tokensOfAll(event.context) < fewestTokens.context) continue
          seen.add(hash)
          const weightOf = weightsFor(frequency, new Set(itemsOf(conversation.system).keys()))
          events.push({ id, format: conversation.format, ...prepareEvent(event, weightOf) })
        }
      }
    }
  }
  return events
}

const scoresOf = (event, messages) => {
  const text = textOfAll(messages)
  return {
    used: tokensOfAll(messages) / event.tokens,
    R: event.strict.length === 0 ? undefined : scoreText(text, event.strict).R,
    loose: event.loose.length === 0 ? undefined : scoreText(text, event.loose).R,
    next: buildable(event.actions, messages),
    stale: stale(event.facts, messages),
    ...answered(event.facts, messages),
  }
}

export const summaryMeasures = ["R", "loose", "next", "stale", "state", ...kinds, "used"]

/** Means over the events: of the summaries themselves, and of each way to write as many tokens. */
export const besideSummaries = async (events, ways) => {
  const rows = []
  for (const { title, compactMessages } of [{ title: "the agent's own summary" }, ...ways]) {
    const scores = []
    for (const event of events) {
      const needed = event.strict
      const messages = compactMessages
        ? (await compactMessages(event.context, event.tokens, { needed, answers: answersTo(event.facts), actions: event.actions })).messages
        : [event.summary]
      scores.push(scoresOf(event, messages))
    }
    rows.push({ title, scores, ...Object.fromEntries(summaryMeasures.map((key) => [key, mean(scores.map((each) => each[key]))])) })
  }
  return rows
}
