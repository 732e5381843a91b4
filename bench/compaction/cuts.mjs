/** All cuts of all trajectories that need enough, with everything the metric wants to know beforehand. */
import { createHash } from "node:crypto"
import { textOf } from "./canonical.mjs"
import { cutsOf, neededAt } from "./metric/needed.mjs"
import { prepareNeeded } from "./metric/score.mjs"
import { prepareShadow, shadowFrequency } from "./metric/shadow.mjs"
import { documentFrequency, weightsFor } from "./metric/weights.mjs"
import { actionsAt } from "./work/actions.mjs"
import { factsOf } from "./work/facts.mjs"

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

/** A project of a shared folder is named by its files (`owner+name-12.json`), else by its folder. */
const projectOf = ({ group, id }) => (/([\w.-]+\+[\w.-]+?)-\d+\./.exec(id)?.[1] ?? group).replace("+", "-")

/**
 * One half of the projects is for developing, the other for testing: what is chosen by looking at the first is measured with the
 * second, and only that is quoted. All trajectories of a project are in one half. Which byte of the hash decides was chosen,
 * before anything was measured, so that both halves have several kinds of agents.
 */
export const halfOf = (trajectory) => (createHash("md5").update(projectOf(trajectory)).digest()[14] % 2 === 0 ? "testing" : "developing")

/** Frequencies always come from all trajectories, so that a subset is scored as the whole is. */
export const prepareCuts = (all, { groups, limit, half, shadow = true, loose = true } = {}) => {
  const frequency = documentFrequency(all)
  const shadows = shadow ? shadowFrequency(all) : undefined
  const offered = half === undefined ? all : all.filter((each) => halfOf(each) === half)
  const wanted = [...groupBy(offered, ({ group }) => group)]
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
        facts: factsOf(context.messages),
        actions: actionsAt(trajectory, at, weightOf),
        shadow: shadow ? prepareShadow(trajectory, at, shadows) : [],
      })
    }
  }
  return cuts
}
