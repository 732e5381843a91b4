/** The tables of a run, as rows of texts: printed on the terminal and written as Markdown. */
import { mean, shortGroups, summarise } from "../aggregate.mjs"
import { intervalsOf } from "../bootstrap.mjs"
import { groupBy } from "../cuts.mjs"
import { itemTypes } from "../metric/items.mjs"
import { kinds } from "../work/facts.mjs"

export const share = (number) => (number === undefined ? "–" : number.toFixed(3).replace(/^0/, ""))
const percent = (number) => (number === undefined ? "–" : `${(100 * number).toFixed(1)} %`)
const budget = (rho) => `${Math.round(rho * 100)} %`

/** Tokens of a context that somebody would compact: below it there is room in every window. */
export const longContext = 16_000

/** Everything about one strategy at one budget. */
export const digestRuns = (results, rhos) =>
  results.map((result) => ({
    ...result,
    budgets: rhos.map((rho) => {
      const runs = result.runs.filter((run) => run.rho === rho)
      const missed = runs.filter((run) => run.missed.length > 0).length
      const long = summarise(runs.filter(({ context }) => context >= longContext))
      return {
        rho,
        count: runs.length,
        missed,
        intervals: intervalsOf(runs),
        ...summarise(runs),
        long: { AVG: long.AVG, AVG5: long.AVG5, groups: Object.keys(long.groups) },
      }
    }),
  }))

const at = (row, rho) => row.budgets.find((each) => each.rho === rho)

const withInterval = (value, interval) => (interval ? `${share(value)} [${share(interval[0])}, ${share(interval[1])}]` : share(value))

export const headlineTable = (rows, rhos, mean5) => ({
  head: ["strategy", ...rhos.map((rho) => `F ${budget(rho)}`), "remarks"],
  body: rows.map((row) => [
    row.title,
    ...row.budgets.map((each) => withInterval(each[mean5].F, each.intervals[mean5])),
    row.note ?? (row.isOurs ? "ours" : ""),
  ]),
})

export const measureTable = (rows, rhos, measure, mean5 = "AVG") => ({
  head: ["strategy", ...rhos.map(budget)],
  body: rows.map((row) => [row.title, ...row.budgets.map((each) => share(each[mean5][measure]))]),
})

/** What has no budget of its own, at the size it comes out at. */
export const nativeTable = (rows) => ({
  head: ["strategy", "F", "share of the context used"],
  body: rows
    .filter(({ isNative }) => isNative)
    .map(({ title, budgets }) => {
      const { AVG } = budgets.at(-1)
      return [title, share(AVG.raw), percent(AVG.used)]
    }),
})

export const gatesTable = (rows) => {
  const kindOf = (gate) => gate.replace(/^(provenance|failed|invalid: [^(]*[^( ])\b.*$/, "$1")
  return {
    head: ["strategy", "runs", "missed a gate", "which"],
    body: rows.map(({ title, runs }) => {
      const missed = runs.filter((run) => run.missed.length > 0)
      const kinds = [
        ...groupBy(
          missed.flatMap((run) => [...new Set(run.missed.map(kindOf))]),
          (gate) => gate,
        ),
      ]
      const words = kinds.sort((a, b) => b[1].length - a[1].length).map(([gate, list]) => `${gate} ${list.length}`)
      return [title, String(runs.length), String(missed.length), words.join(", ")]
    }),
  }
}

/**
 * Whether more room ever means less: each cut at each budget beside the same cut at the next smaller one. A run that
 * missed a gate counts 0, so a fall may say no more than that a gate asks for more where there is more room.
 */
export const growthTable = (rows) => ({
  head: ["strategy", "steps", "R rose", "R fell", "of these for a missed gate", "the others by, at most"],
  body: rows
    .filter(({ isOurs }) => isOurs)
    .map(({ title, runs }) => {
      const steps = [...groupBy(runs, ({ id }) => id).values()].flatMap((list) => {
        const sorted = [...list].sort((a, b) => a.rho - b.rho)
        return sorted.slice(1).map((run, index) => ({ change: run.R - sorted[index].R, isGated: run.missed.length > 0 }))
      })
      const rose = steps.filter(({ change }) => change > 1e-9)
      const fell = steps.filter(({ change }) => change < -1e-9)
      const own = fell.filter(({ isGated }) => !isGated).map(({ change }) => -change)
      const most = own.length === 0 ? "–" : share(Math.max(...own))
      return [title, steps.length, rose.length, fell.length, fell.length - own.length, most].map(String)
    }),
})

export const groupTable = (rows, rho) => {
  const groups = [...new Set(rows.flatMap((row) => Object.keys(at(row, rho).groups)))].sort()
  const count = (group) => at(rows[0], rho).groups[group]?.trajectories ?? 0
  return {
    head: ["strategy", ...groups.map((group) => `${group} (${count(group)})`)],
    body: rows.map((row) => [row.title, ...groups.map((group) => share(at(row, rho).groups[group]?.F))]),
  }
}

const lengths = [
  { title: "below 5,000", from: 0, to: 5000 },
  { title: "5,000 to 16,000", from: 5000, to: longContext },
  { title: "16,000 to 40,000", from: longContext, to: 40_000 },
  { title: "40,000 and more", from: 40_000, to: Number.POSITIVE_INFINITY },
]

/** What the size of a context changes: a tenth of a short one is a few lines. Long tasks only. */
export const lengthTable = (rows, rhos, strategy) => {
  const runs = rows.find((row) => row.strategy === strategy)?.runs ?? []
  return {
    head: ["tokens of the context", "cuts", ...rhos.map((rho) => `F ${budget(rho)}`), "Rhc 10 %"],
    body: lengths.map(({ title, from, to }) => {
      const own = runs.filter(({ context, group }) => context >= from && context < to && !shortGroups.includes(group))
      const meansAt = (rho) => summarise(own.filter((run) => run.rho === rho)).AVG
      const cuts = new Set(own.map(({ id }) => id)).size
      return [title, String(cuts), ...rhos.map((rho) => share(meansAt(rho).F)), share(meansAt(0.1).Rhc)]
    }),
  }
}

const workHead = {
  state: "all kinds",
  next: "next actions",
  stale: "stale lines",
  others: "other requests",
  tests: "test status",
  current: "current text",
  todos: "open todos",
  ids: "ids given",
}
const workTitle = (key) => workHead[key] ?? key

/** Questions about the state of the work, by kind, at one budget; without gates, since a cheat is to be seen. */
export const stateTable = (rows, rho) => ({
  head: ["strategy", "all kinds", ...kinds.map(workTitle), "next actions", "stale lines"],
  body: rows.map((row) => {
    const { AVG } = at(row, rho)
    return [row.title, ...["state", ...kinds, "next"].map((key) => share(AVG[key])), percent(AVG.stale)]
  }),
})

export const besideTable = ({ rows }) => ({
  head: ["same history, same tokens", "R strict", "R loose", ...kinds.map(workTitle), "next actions", "stale lines", "tokens"],
  body: rows.map((row) => [
    row.title,
    ...["R", "loose", ...kinds, "next"].map((key) => share(row[key])),
    percent(row.stale),
    percent(row.used),
  ]),
})

export const typeTable = (rows, rho) => ({
  head: ["strategy", ...itemTypes],
  body: rows.map((row) => {
    const runs = row.runs.filter((run) => run.rho === rho)
    return [
      row.title,
      ...itemTypes.map((type) => {
        const sums = runs.flatMap((run) => (run.types[type] ? [run.types[type]] : []))
        const whole = sums.reduce((total, [weight]) => total + weight, 0)
        const kept = sums.reduce((total, [, survived, inContext]) => total + (survived + inContext) / 2, 0)
        return share(whole === 0 ? undefined : kept / whole)
      }),
    ]
  }),
})

export const countsTable = (rows, rhos) => ({
  head: ["strategy", ...rhos.flatMap((rho) => [`o200k ${budget(rho)}`, "cl100k", "JSON body", "ms"])],
  body: rows
    .filter(({ isOurs }) => isOurs)
    .map((row) => [
      row.title,
      ...rhos.flatMap((rho) => {
        const runs = row.runs.filter((run) => run.rho === rho)
        const of = (key) => percent(mean(runs.map((run) => run[key])))
        return [of("used"), of("usedCl100k"), of("usedWire"), (mean(runs.map((run) => run.milliseconds)) ?? 0).toFixed(0)]
      }),
    ]),
})

export const liveTable = ({ rows }) => ({
  head: ["policy", "cost vs never", "cache hit", "compactions", "prefix kept", "R", "R late", "invalid", "over window"],
  body: rows.map((row) =>
    row.failure !== undefined
      ? [row.name, `failed: ${row.failure.split("\n")[0]}`, "", "", "", "", "", "", ""]
      : [
          row.name,
          row.cost.toFixed(2),
          percent(row.hit),
          row.compactions.toFixed(1),
          percent(row.prefix),
          share(row.R),
          share(row.late),
          String(row.invalid),
          String(row.over),
        ],
  ),
})

export const asText = ({ head, body }) => {
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((row) => row[column].length)))
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))
  const line = (row) => row.map(pad).join("  ").trimEnd()
  return [line(head), ...body.map(line)].join("\n")
}

export const asMarkdown = ({ head, body }) => {
  const line = (row) => `| ${row.join(" | ")} |`
  return [line(head), line(head.map((_, column) => (column === 0 ? "---" : "--:"))), ...body.map(line)].join("\n")
}
