/** The page of results. */
import { fiveGroups, shortGroups } from "../aggregate.mjs"
import { asMarkdown, longContext, share } from "./tables.mjs"

/**
 * What is asked of the default strategy, and what the simple formula reached on the trajectories the goals were set on.
 * Those are not all here: beside the same formula on the trajectories at hand, a goal can be read as a gain.
 */
const goals = [
  { rho: 0.05, measure: "F", goal: 0.82, formula: 0.75 },
  { rho: 0.1, measure: "F", goal: 0.91, formula: 0.859 },
  { rho: 0.25, measure: "F", goal: 0.985, formula: 0.966 },
  { rho: 0.1, measure: "Rhc", goal: 0.82, formula: 0.733 },
]

const goalHead = [
  "",
  "goal",
  "AVG",
  "AVG5",
  "long, AVG",
  "AVG5",
  "formula there",
  "formula here, AVG",
  "AVG5",
  "gain asked",
  "gain, AVG",
  "AVG5",
]

/** Which kinds of agents have contexts that long is said too: a mean over fewer groups is another mean. */
const goalNote = (
  groups,
) => `"long": contexts of ${longContext.toLocaleString("en")} tokens and more, as most of those the goals were set on
have. ${groups.length} groups have them: ${groups.join(", ")}; ${groups.filter((group) => fiveGroups.includes(group)).length} of these are of the five kinds. The goals were set on other trajectories, on which the simple formula (lines by a simple formula, below) reached what stands under
"formula there". The gains are over that formula, there and here.`

const goalTable = (rows) => {
  const at = (strategy, rho) => rows.find((row) => row.strategy === strategy)?.budgets.find((each) => each.rho === rho)
  const body = goals.flatMap(({ rho, measure, goal, formula }) => {
    const [ours, plain] = [at("digest", rho), at("formula-lines", rho)]
    if (ours === undefined) return []
    const of = (found, mean) => found?.[mean][measure]
    const gain = (mean) => (plain === undefined ? undefined : of(ours, mean) - of(plain, mean))
    const long = [of(ours.long, "AVG"), of(ours.long, "AVG5")]
    const found = [
      of(ours, "AVG"),
      of(ours, "AVG5"),
      ...long,
      formula,
      of(plain, "AVG"),
      of(plain, "AVG5"),
      goal - formula,
      gain("AVG"),
      gain("AVG5"),
    ]
    return [[`${measure} at ${Math.round(rho * 100)} %`, ...[goal, ...found].map(share)]]
  })
  const groups = at("digest", goals[0].rho)?.long.groups.filter((group) => !shortGroups.includes(group)) ?? []
  return body.length === 0 ? "" : `## Goals of digest\n\n${asMarkdown({ head: goalHead, body })}\n\n${goalNote(groups)}\n\n`
}

export const page = ({ rows, tables }, { date, machine, command, duration, trajectories, cuts }) => `# Compaction: results

${date}, ${machine}. \`${command}\`, ${duration}. ${cuts} cuts of ${Object.values(trajectories).reduce((a, b) => a + b, 0)} trajectories:
${Object.entries(trajectories)
  .map(([group, count]) => `${group} ${count}`)
  .join(", ")}.
What the words mean is in [the page of the benchmark](../README.md). A run that missed a gate counts 0 in F, R, Rc, Rhc and shadow.

![F against the budget](recall.svg)

${goalTable(rows)}${tables.map(({ title, table }) => `## ${title}\n\n${asMarkdown(table)}`).join("\n\n")}
`
