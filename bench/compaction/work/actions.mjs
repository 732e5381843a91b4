/**
 * Next actions: can the next calls of the recording be built from the view alone? A call needs its paths, file names,
 * addresses and ids, where the context knew them, and of an edit the exact lines it replaces. A name has to be there in its context (as for Rc): a bag of names says of no call what it needs. What a result or a user message shows
 * after the cut is known from there on. A call that needs nothing of the context is not counted.
 */
import { argumentValues, textOf } from "../canonical.mjs"
import { itemsOf } from "../metric/items.mjs"
import { isInContext, windowsOf } from "../metric/survival.mjs"
import { editsOf } from "./facts.mjs"

const horizon = 10
const typesNeeded = new Set(["path", "file", "url", "id"])
/** Longer lists are scripts and reports, not steps. */
const mostNeeded = 40

const bareLines = (text) => text.split("\n").map((line) => line.replace(/^\s*\d+(?:→|\t)/, "").trim())

/** What the next calls need: items, and lines to be replaced, each with what was shown meanwhile taken off. */
export const actionsAt = ({ messages, items }, cut, weightOf) => {
  const known = new Map()
  const lines = new Set()
  for (let index = 0; index < cut; index++) {
    for (const [item, type] of items[index]) if (typesNeeded.has(type) && weightOf(item) > 0) known.set(item, type)
    for (const line of bareLines(textOf(messages[index]))) lines.add(line)
  }
  const text = messages.slice(0, cut).map(textOf).join("\n")
  const windows = new Map()
  const windowsIn = (item) => {
    if (!windows.has(item)) windows.set(item, windowsOf(text, item))
    return windows.get(item)
  }
  const shown = new Set()
  const shownLines = new Set()
  const actions = []
  let calls = 0
  for (let index = cut; index < messages.length && calls < horizon; index++) {
    const message = messages[index]
    if (message.role !== "assistant") {
      for (const item of items[index].keys()) shown.add(item)
      for (const line of bareLines(textOf(message))) shownLines.add(line)
      continue
    }
    for (const call of message.calls ?? []) {
      if (calls++ >= horizon) break
      const edits = editsOf(call)
      const needed = [...itemsOf(edits.length > 0 ? (edits[0].path ?? "") : argumentValues(call))]
        .filter(([item]) => known.has(item) && !shown.has(item))
        .map(([item]) => ({ item, windows: windowsIn(item) }))
      const replaced = edits
        .flatMap(({ before }) => bareLines(before))
        .filter((line) => line.length >= 3 && lines.has(line) && !shownLines.has(line))
      if (needed.length + replaced.length === 0 || needed.length > mostNeeded) continue
      actions.push({ needed, lines: [...new Set(replaced)] })
    }
  }
  return actions
}

/** Share of the actions that can be built; undefined where none is counted. */
export const buildable = (actions, messages) => {
  if (actions.length === 0) return undefined
  const text = messages.map(textOf).join("\n")
  const lines = new Set(bareLines(text))
  // A heading may be in front of a line.
  const has = (line) => lines.has(line) || (line.length >= 12 && text.includes(line))
  const isBuilt = (action) => action.needed.every(({ item, windows }) => isInContext(text, item, windows)) && action.lines.every(has)
  return actions.filter(isBuilt).length / actions.length
}
