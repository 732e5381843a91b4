/** The tables of a run, and the page around them. */

const two = (value) => value.toFixed(2)
const megabytes = (bytes) => String(Math.round(bytes / 1e6))

const table = (title, notes, heads, rows) =>
  [`## ${title}`, "", ...notes, "", `| ${heads.join(" | ")} |`, `|${heads.map(() => "---|").join("")}`, ...rows, ""].join("\n")

const names = { stored: "Ligature, recording", unstored: "Ligature, no store", bare: "bare pipe" }
const nameOf = (server) => names[server] ?? server

const row = (cells) => `| ${cells.join(" | ")} |`

const kinds = { grows: "grows", new: "never seen" }

export const latencyTable = (rows, machine) =>
  table(
    "Added to a request",
    [
      machine,
      "",
      "Goals, as multiples of what the bare pipe adds: 1.2 at 210 KB and 1.3 at 2 MB where the conversation grows (with recording), 2.5 and 4 where it was never",
      "seen. CPU where it grows: 1.5 and 2. Every server has answered up to a hundred requests of other conversations before each row.",
    ],
    ["body", "conversation", "server", "p50 ms", "added ms", "× bare", "CPU ms", "× bare"],
    rows.map(({ size, kind, server, p50, added, addedToBare, cpu, cpuToBare }) =>
      row([size, kinds[kind], nameOf(server), two(p50), two(added), two(addedToBare), two(cpu), two(cpuToBare)]),
    ),
  )

export const streamTable = (rows, machine) =>
  table(
    "Added to a stream",
    [machine, "", "Goals: 0.5 ms more than the bare pipe to the first byte, 1 ms more for 95 of 100 events, also when converting."],
    ["body", "direction", "server", "first byte, added ms", "event lag p50 ms", "p95 ms"],
    rows.map(({ size, direction, server, first, lag50, lag95 }) =>
      row([size, direction, nameOf(server), two(first), two(lag50), two(lag95)]),
    ),
  )

export const memoryTable = (rows, machine) =>
  table(
    "Memory",
    [machine, "", "Goals: 150 MB after 10,000 requests of 210 KB, 400 MB at 32 × 2 MB at the same time."],
    ["server", "requests of 210 KB", "RSS after them, MB", "most at 32 × 2 MB, MB"],
    rows.map(({ server, requests, many, most }) => row([nameOf(server), requests, megabytes(many), megabytes(most)])),
  )

export const page = (tables) =>
  [
    "# What the gateway costs",
    "",
    "Written by `npm run bench:gateway -- --write`. All servers are processes of their own on one machine, asked in turns over 127.0.0.1, with the",
    "client and the provider beside them. *Added* is the median beyond the median of asking the provider directly; *× bare* is that of a pipe",
    "proxy of twenty lines on `node:http` in the same run. *grows*: each request has the last one and a turn more, under no name that would",
    "tell whose it is. *never seen*: each request begins a conversation. CPU is that of the server's process. Other gateways neither",
    "check nor keep histories. The values of the bare pipe show how quiet the machine was in that row.",
    "",
    ...tables,
  ].join("\n")
