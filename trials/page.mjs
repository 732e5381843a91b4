/** The results of a trial as a page: one table per agent. */
const cell = (text) => text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim()

export const renderPage = (rows) =>
  [
    "# Agents that were run",
    "",
    "Made by `npm run test:agents`, which starts the agents themselves against fake providers on 127.0.0.1. *native*: a session of the agent's own",
    "is found by `ligature doctor`, read and healthy. *killed*: it was ended while a tool ran, repaired in place and resumed by the agent.",
    "*moved in*: a session of another format was converted, put where Ligature says and resumed with the command it prints; the request that",
    "reached the provider is valid and holds every text, call and result.",
    "",
    ...rows.flatMap(({ agent, version, trials }) => [
      `## ${agent.name}${version === undefined ? "" : ` ${version}`}`,
      "",
      ...(trials.length === 0
        ? ["Not installed here."]
        : [
            "| trial | | what was seen |",
            "| --- | --- | --- |",
            ...trials.map(({ label, ok, shown }) => `| ${label} | ${ok ? "✓" : "✗"} | ${cell(shown)} |`),
          ]),
      "",
    ]),
  ].join("\n")
