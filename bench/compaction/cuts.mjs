/** All cuts of all trajectories that need enough, with everything the metric wants to know beforehand. */
import { textOf } from "./canonical.mjs"
import { cutsOf, neededAt } from "./metric/needed.mjs"
import { prepareNeeded } from "./metric/score.mjs"
import { prepareShadow, shadowFrequency } from "./metric/shadow.mjs"
import { documentFrequency, weightsFor } from "./metric/weights.mjs"

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0)

const contextOf = (trajectory, cut) => {
  const messages = trajectory.messages.slice(0, cut)
  return { messages, texts: messages.map(textOf), tokens: trajectory.tokens.slice(0, cut) }
}

/** `limit`: at most so many trajectories of each group, evenly spread. */
export const spread = (list, limit) => {
  if (limit === undefined || list.length <= limit) return list
  return Array.from({ length: limit }, (_, index) => list[Math.floor((index * list.length) / limit)])
}

export const groupBy = (list, keyOf) => {
  const groups = new Map()
  for (const each of list) {
    const key = keyOf(each)
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  return groups
}

/** Frequencies always come from all trajectories, so that a subset is scored as the whole is. */
export const prepareCuts = (all, { groups, limit, shadow = true, loose = true } = {}) => {
  const frequency = documentFrequency(all)
  const shadows = shadow ? shadowFrequency(all) : undefined
  const wanted = [...groupBy(all, ({ group }) => group)]
    .filter(([group]) => groups === undefined || groups.includes(group))
    .flatMap(([, list]) => spread(list, limit))
  const cuts = []
  for (const trajectory of wanted) {
    const weightOf = weightsFor(frequency, trajectory.systemItems)
    for (const at of cutsOf(trajectory)) {
      const needed = neededAt(trajectory, at, weightOf)
      if (!needed.isEnough) continue
      const context = contextOf(trajectory, at)
      cuts.push({
        id: `${trajectory.id}@${at}`,
        group: trajectory.group,
        trajectory: trajectory.id,
        context,
        total: sum(context.tokens),
        needed: prepareNeeded(context, needed.strict),
        loose: loose ? prepareNeeded(context, needed.loose) : [],
        shadow: shadow ? prepareShadow(trajectory, at, shadows) : [],
      })
    }
  }
  return cuts
}
