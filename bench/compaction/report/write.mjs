/** Prints a run and writes README.md, recall.svg, and latest.json, which stays out of the repository. No line of any trajectory gets into them. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { groupBy } from "../cuts.mjs"
import { page } from "./page.mjs"
import { plotRecall } from "./plot.mjs"
import {
  asText,
  countsTable,
  digestRuns,
  gatesTable,
  groupTable,
  growthTable,
  headlineTable,
  lengthTable,
  liveTable,
  measureTable,
  nativeTable,
  besideTable,
  stateTable,
  typeTable,
} from "./tables.mjs"

/** The budget that single-budget tables are about. */
export const middleOf = (rhos) => (rhos.includes(0.1) ? 0.1 : rhos[Math.floor(rhos.length / 2)])

const liveTitle = ({ window, trajectories, requests }) => `Live: window ${window}, ${trajectories} trajectories, ${requests} requests`

export const tablesOf = (results, live, { rhos, summaries }) => {
  const rows = digestRuns(results, rhos)
  const middle = middleOf(rhos)
  return {
    rows,
    middle,
    tables: [
      { key: "F", title: "F, mean over groups of long tasks (AVG), with 95 % intervals", table: headlineTable(rows, rhos, "AVG") },
      { key: "F5", title: "F, mean over the five kinds of agents (AVG5)", table: headlineTable(rows, rhos, "AVG5") },
      { key: "shadow", title: "Shadow: R by the second definition (AVG)", table: measureTable(rows, rhos, "shadow") },
      ...rhos
        .filter((rho) => rho === middle || rho === 0.05)
        .map((rho) => ({ key: "work", title: `State of the work at ${Math.round(rho * 100)} % (AVG)`, table: stateTable(rows, rho) })),
      ...(summaries
        ? [{ key: "beside", title: `Beside ${summaries.events.length} real summaries, at as many tokens`, table: besideTable(summaries) }]
        : []),
      { key: "Rhc", title: "Rhc: the hard part, in context (AVG)", table: measureTable(rows, rhos, "Rhc") },
      { key: "loose", title: "R of everything used later, shown again or not (AVG)", table: measureTable(rows, rhos, "loose") },
      { key: "short", title: "F of short chats", table: measureTable(rows, rhos, "F", "SHORT") },
      { key: "ungated", title: "F as if there were no gate but the budget (AVG)", table: measureTable(rows, rhos, "ungated") },
      { key: "used", title: "Share of the context used (AVG)", table: measureTable(rows, rhos, "used") },
      { key: "native", title: "F without any gate, of strategies that know no budget (AVG)", table: nativeTable(rows) },
      { key: "gates", title: "Gates", table: gatesTable(rows) },
      { key: "growth", title: "Ours: R of a cut when its budget grows to the next", table: growthTable(rows) },
      { key: "groups", title: `F at ${Math.round(middle * 100)} % by group (trajectories)`, table: groupTable(rows, middle) },
      { key: "lengths", title: "digest by the length of the context (AVG)", table: lengthTable(rows, rhos, "digest") },
      { key: "types", title: `F at ${Math.round(middle * 100)} % by type of item, over all items`, table: typeTable(rows, middle) },
      { key: "counts", title: "Ours: share used in three ways of counting, and milliseconds", table: countsTable(rows, rhos) },
      ...(live ? [{ key: "live", title: liveTitle(live), table: liveTable(live) }] : []),
    ],
  }
}

export const printTables = (results, live, options) => {
  for (const { title, table } of tablesOf(results, live, options).tables) console.log(`\n${title}\n${asText(table)}`)
}

const withoutText = (gate) => gate.replace(/^(provenance|failed):.*/, "$1")

const asRecord = ({ rows }, live, { about, cuts }) => ({
  ...about,
  trajectories: Object.fromEntries(
    [...groupBy(cuts, ({ group }) => group)].map(([group, list]) => [group, new Set(list.map((cut) => cut.trajectory)).size]),
  ),
  cuts: cuts.length,
  strategies: rows.map(({ title, strategy, note, budgets, runs }) => ({
    title,
    strategy,
    note,
    budgets,
    missed: runs.filter(({ missed }) => missed.length > 0).map(({ id, rho, missed }) => ({ id, rho, missed: missed.map(withoutText) })),
  })),
  live,
})

const rounded = (_, value) => (typeof value === "number" ? Math.round(value * 10_000) / 10_000 : value)

const plotted = [
  "digest",
  "generations",
  "oracle-lines",
  "formula-lines",
  "head-tail",
  "mask-oldest",
  "keep-first-last",
  "random-lines",
  "langchain-trim",
]

const linesFor = (rows, rhos) =>
  plotted.flatMap((name) => {
    const row = rows.find(({ strategy }) => strategy === name)
    if (row === undefined) return []
    const points = rhos.map((rho, index) => [rho, row.budgets[index].AVG.ungated])
    return [{ title: row.title, isDashed: name === "oracle-lines", points }]
  })

export const writeResults = (folder, results, live, options) => {
  mkdirSync(folder, { recursive: true })
  const made = tablesOf(results, live, options)
  const record = asRecord(made, live, options)
  writeFileSync(join(folder, "latest.json"), `${JSON.stringify(record, rounded, 1)}\n`)
  writeFileSync(join(folder, "README.md"), page(made, record))
  if (options.rhos.length < 2) return
  const count = Object.values(record.trajectories).reduce((a, b) => a + b, 0)
  const subtitle = `${record.cuts} cuts of ${count} recorded trajectories; mean over groups of long tasks; no gate but the budget`
  writeFileSync(join(folder, "recall.svg"), plotRecall(linesFor(made.rows, options.rhos), options.rhos, subtitle))
}
