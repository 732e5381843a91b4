/** From runs to numbers: the mean over the cuts of a trajectory, over the trajectories of a group, over the groups. */
import { groupBy } from "./cuts.mjs"
import { kinds } from "./work/facts.mjs"

export const measures = ["F", "R", "Rc", "Rh", "Rhc", "Ra", "loose", "shadow", "used", "ungated", "raw", "state", "next", "stale", ...kinds]

/**
 * Five kinds of agents with long tasks, one mean each: the report's headline average, on what this corpus has of them.
 */
export const fiveGroups = ["claude-code", "openai-messages", "pi", "openai-responses", "swe-agent"]

/**
 * Customer-service chats of a few thousand tokens: ten percent of one is not enough for anything, so they stand apart.
 */
export const shortGroups = ["tau-bench", "tau2"]

export const mean = (numbers) => {
  const known = numbers.filter((number) => number !== undefined && !Number.isNaN(number))
  return known.length === 0 ? undefined : known.reduce((sum, each) => sum + each, 0) / known.length
}

const means = (rows) => Object.fromEntries(measures.map((measure) => [measure, mean(rows.map((row) => row[measure]))]))

export const trajectoryMeans = (runs) =>
  [...groupBy(runs, (run) => run.trajectory)].map(([trajectory, rows]) => ({
    trajectory,
    group: rows[0].group,
    ...means(rows),
  }))

/** Means of one strategy at one budget. */
export const summarise = (runs) => {
  const trajectories = trajectoryMeans(runs)
  const groups = Object.fromEntries(
    [...groupBy(trajectories, (row) => row.group)].map(([group, rows]) => [group, { trajectories: rows.length, ...means(rows) }]),
  )
  const over = (names) => means(names.flatMap((name) => (groups[name] ? [groups[name]] : [])))
  const long = Object.keys(groups).filter((group) => !shortGroups.includes(group))
  return { groups, AVG: over(long), AVG5: over(fiveGroups), SHORT: over(shortGroups), ALL: means(trajectories) }
}
