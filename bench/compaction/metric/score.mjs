/** One compacted text against what its cut needs: R, Rc and F = (R + Rc) / 2, all of it, the hard part, and by type. */
import { isComposable, isIn, isInContext, occurrences, windowsOf } from "./survival.mjs"

const newestShare = 0.1

/** An item is hard when it was last seen before the newest tenth of the tokens, and not in the first user message. */
const hardness = (context, starts, tokens) => {
  const total = starts.at(-1) + tokens.at(-1)
  const first = context.messages.findIndex(({ role }) => role === "user")
  return ({ item }) => {
    if (first !== -1 && isIn(context.texts[first], item)) return false
    for (let index = context.texts.length - 1; index >= 0; index--) {
      const text = context.texts[index]
      let last = -1
      for (const at of occurrences(text, item)) last = at
      if (last === -1) continue
      return starts[index] + (last / text.length) * tokens[index] < (1 - newestShare) * total
    }
    return true
  }
}

/** What does not depend on the strategy: windows of each needed item in the context, and whether it is hard. */
export const prepareNeeded = (context, needed) => {
  const starts = []
  let sum = 0
  for (const tokens of context.tokens) {
    starts.push(sum)
    sum += tokens
  }
  const isHard = hardness(context, starts, context.tokens)
  const text = context.texts.join("\n")
  return needed.map((use) => ({ ...use, isHard: isHard(use), windows: windowsOf(text, use.item) }))
}

const share = (part, whole) => (whole === 0 ? undefined : part / whole)

export const scoreText = (text, needed) => {
  const sums = { all: [0, 0, 0], hard: [0, 0, 0], arguments: [0, 0, 0] }
  const types = {}
  const lost = []
  for (const { item, type, weight, isHard, isArgument, windows } of needed) {
    const isWhole = isIn(text, item)
    const survives = isWhole || (type === "path" && isComposable(text, item))
    const inContext = isWhole && isInContext(text, item, windows)
    if (!inContext) lost.push({ item, type, weight, isHard, survives })
    const rows = [sums.all, (types[type] ??= [0, 0, 0])]
    if (isHard) rows.push(sums.hard)
    if (isArgument) rows.push(sums.arguments)
    for (const row of rows) {
      row[0] += weight
      if (survives) row[1] += weight
      if (inContext) row[2] += weight
    }
  }
  const [whole, kept, keptInContext] = sums.all
  const R = share(kept, whole) ?? 0
  const Rc = share(keptInContext, whole) ?? 0
  return {
    R,
    Rc,
    F: (R + Rc) / 2,
    Rh: share(sums.hard[1], sums.hard[0]),
    Rhc: share(sums.hard[2], sums.hard[0]),
    Ra: share(sums.arguments[1], sums.arguments[0]),
    types,
    lost,
  }
}
