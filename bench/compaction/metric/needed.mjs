/**
 * What a cut needs: the items of the context that the agent says later.
 *
 *   strict   in assistant text or arguments after the cut, before any result or user message there shows them again
 *            (a path is also shown again when its base name is)
 *   loose    the same, shown again or not
 *
 * Only the next `horizon` assistant turns count.
 */
export const horizon = 60
const fewest = 5

export const baseName = (path) => path.slice(path.lastIndexOf("/") + 1)

const expose = (items, exposed) => {
  for (const [item, type] of items) {
    exposed.add(item)
    if (type === "path") exposed.add(baseName(item))
  }
}

/** `prepared` is a trajectory with `items` (a Map per message) and `argumentItems` (a Set per message). */
export const neededAt = (prepared, cut, weightOf) => {
  const { messages, items, argumentItems } = prepared
  const context = new Map()
  for (let index = 0; index < cut; index++) {
    for (const [item, type] of items[index]) if (!context.has(item)) context.set(item, type)
  }
  const strict = new Map()
  const loose = new Map()
  const exposed = new Set()
  let turns = 0
  for (let index = cut; index < messages.length; index++) {
    if (messages[index].role !== "assistant") {
      expose(items[index], exposed)
      continue
    }
    if (++turns > horizon) break
    for (const [item] of items[index]) {
      const type = context.get(item)
      if (type === undefined || loose.has(item)) continue
      const weight = weightOf(item)
      if (weight === 0) continue
      const use = { item, type, weight, isArgument: argumentItems[index].has(item) }
      loose.set(item, use)
      if (!exposed.has(item) && !(type === "path" && exposed.has(baseName(item)))) strict.set(item, use)
    }
  }
  return { strict: [...strict.values()], loose: [...loose.values()], isEnough: strict.size >= fewest }
}

const shares = [0.4, 0.6, 0.8]

/** Indices of the first assistant message after 40, 60 and 80 % of the tokens; each once. */
export const cutsOf = ({ messages, tokens }) => {
  const total = tokens.reduce((sum, each) => sum + each, 0)
  const cuts = new Set()
  for (const share of shares) {
    let before = 0
    for (let index = 0; index < messages.length; index++) {
      if (before >= share * total && messages[index].role === "assistant") {
        cuts.add(index)
        break
      }
      before += tokens[index]
    }
  }
  return [...cuts]
}
