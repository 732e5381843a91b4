/** The page of results. */
import { asMarkdown, share } from "./tables.mjs"

/** What is asked of the default strategy. */
const goals = [
  { rho: 0.05, measure: "F", goal: 0.82 },
  { rho: 0.1, measure: "F", goal: 0.91 },
  { rho: 0.25, measure: "F", goal: 0.985 },
  { rho: 0.1, measure: "Rhc", goal: 0.82 },
]

const goalTable = (rows) => {
  const digest = rows.find(({ strategy }) => strategy === "digest")
  if (digest === undefined) return ""
  const body = goals.flatMap(({ rho, measure, goal }) => {
    const found = digest.budgets.find((each) => each.rho === rho)
    if (found === undefined) return []
    return [[`${measure} at ${Math.round(rho * 100)} %`, share(goal), share(found.AVG[measure]), share(found.AVG5[measure])]]
  })
  return `## Goals of digest\n\n${asMarkdown({ head: ["", "goal", "AVG", "AVG5"], body })}\n\n`
}

export const page = ({ rows, tables }, { date, machine, command, duration, trajectories, cuts }) => `# Compaction: results

${date}, ${machine}. \`${command}\`, ${duration}. ${cuts} cuts of ${Object.values(trajectories).reduce((a, b) => a + b, 0)} trajectories:
${Object.entries(trajectories).map(([group, count]) => `${group} ${count}`).join(", ")}.
What the words mean is in [the page of the benchmark](../README.md). A run that missed a gate counts 0 in F, R, Rc, Rhc and shadow.

![F against the budget](recall.svg)

${goalTable(rows)}${tables.map(({ title, table }) => `## ${title}\n\n${asMarkdown(table)}`).join("\n\n")}
`
