/**
 * Confidence intervals by resampling trajectories within their groups, from a fixed seed: the same numbers on every
 * run.
 */
import { fiveGroups, mean, shortGroups, trajectoryMeans } from "./aggregate.mjs"
import { groupBy } from "./cuts.mjs"

export const randomFrom = (seed) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}

const rounds = 1000

const resampled = (list, next) => list.map(() => list[Math.floor(next() * list.length)])

const interval = (groups, next) => {
  const means = []
  for (let round = 0; round < rounds; round++) means.push(mean(groups.map((list) => mean(resampled(list, next)))))
  means.sort((a, b) => a - b)
  return [means[Math.floor(rounds * 0.025)], means[Math.floor(rounds * 0.975)]]
}

/** 95 % intervals of the two headline means of `measure`. */
export const intervalsOf = (runs, measure = "F") => {
  const byGroup = [...groupBy(trajectoryMeans(runs), ({ group }) => group)].map(([group, rows]) => ({
    group,
    values: rows.map((row) => row[measure]).filter((value) => value !== undefined),
  }))
  const of = (isWanted) => {
    const lists = byGroup.filter(({ group, values }) => isWanted(group) && values.length > 0).map(({ values }) => values)
    return lists.length === 0 ? undefined : interval(lists, randomFrom(20_260_101))
  }
  return { AVG: of((group) => !shortGroups.includes(group)), AVG5: of((group) => fiveGroups.includes(group)) }
}
