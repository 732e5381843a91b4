/** What the trial showed, as a page: one row for each agent, then one table each. Agents that were not run now keep what the page had. */
const cell = (text) => text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim()

const intro = `# Agents that were run

Written by \`npm run test:agents\`, which starts the agents themselves against fake providers on 127.0.0.1, each in a home of its own, with telemetry
and updates off. *native*: a session of the agent's own, with parallel calls, is found by \`ligature doctor\`, read and healthy. *killed*: the agent was
ended while a tool ran; the session was repaired in place and resumed by the agent. *moved in*: a session of another format was converted, put where
Ligature says and resumed with the command it prints; the request that reached the provider was taken by it and has every text, call and result.
*compacted*: a session was compacted into the agent's own format and resumed; the request is as much smaller as was promised. An agent whose
sessions are only read has the first two.
`

const overviewHead = [
  "| agent | version | run on | native | killed | moved in | compacted | what the agent itself does to a session |",
  "|---|---|---|---|---|---|---|---|",
]

const anchorOf = (title) =>
  title
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-")

/** "✓", or how many of several; "–" where there was no such trial. */
const verdict = (trials, name) => {
  const of = trials.filter(({ label }) => label.startsWith(name))
  const good = of.filter(({ ok }) => ok).length
  if (of.length === 0) return "–"
  return of.length === 1 ? (good === 1 ? "✓" : "✗") : `${good === of.length ? "✓" : "✗"} ${good} of ${of.length}`
}

const titleOf = ({ agent, version }) => `${agent.name} ${version}`

const overviewRow = (row) => {
  const { agent, version, date, trials } = row
  const shortened = trials.reduce((sum, { shown }) => sum + Number(/(\d+) of them shortened/.exec(shown)?.[1] ?? 0), 0)
  const habits = [...(agent.habits ?? []), ...(shortened > 0 ? [`shortened ${shortened} results in these trials`] : [])].join("; ")
  const verdicts = ["native", "killed", "moved in", "compacted"].map((name) => verdict(trials, name))
  return `| [${agent.name}](#${anchorOf(titleOf(row))}) | ${version} | ${date} | ${verdicts.join(" | ")} | ${cell(habits)} |`
}

const section = (row) =>
  [
    `## ${titleOf(row)}`,
    "",
    "| trial | | what was seen |",
    "|---|---|---|",
    ...row.trials.map(({ label, ok, shown }) => `| ${label} | ${ok ? "✓" : "✗"} | ${cell(shown)} |`),
    "",
  ].join("\n")

/** What an earlier page has of an agent. */
const earlier = (page, name) => {
  const row = page.split("\n").find((line) => line.startsWith(`| [${name}](`))
  const text = page.split(/^(?=## )/m).find((part) => part.slice(3).replace(/ \S+$/m, "").startsWith(`${name}\n`))
  return row && text ? { row, text: text.replace(/\n+$/, "\n") } : undefined
}

/**
 * `rows`: `{ agent, version, date, trials }` of the agents that were run now. `before`: the page as it was. `absent`:
 * `[name, reason]` of agents that cannot be installed.
 */
export const renderPage = (rows, { agents, absent, before = "" }) => {
  const parts = agents.flatMap((agent) => {
    const row = rows.find((each) => each.agent === agent)
    if (row === undefined) return earlier(before, agent.name) ?? []
    if (row.version === undefined) return { row: `| ${agent.name} | not installed | | | | | | |`, text: "" }
    return { row: overviewRow(row), text: section(row) }
  })
  return [
    intro,
    ...overviewHead,
    ...parts.map(({ row }) => row),
    "",
    "## Not run",
    "",
    ...absent.map(([name, reason]) => `- ${name}: ${reason}`),
    "",
    ...parts.map(({ text }) => text).filter((text) => text !== ""),
  ].join("\n")
}
