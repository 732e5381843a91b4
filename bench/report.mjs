/** The measured numbers as Markdown tables, each beside its goal: one text for the terminal and for the page. */
import { growthExponent } from "./measure.mjs"

export const goals = {
  same: 1.15,
  aim: 1.05,
  other: { 20: 1.5, 24: 1.25 },
  exponent: 1.15,
  start: 40,
  checkBeyondNode: 60,
  doctor: 2,
  longFileMegabytes: 300,
  record: 3,
  lastToFirst: 1.3,
  bytesToContent: 1.1,
  durable: 1.5,
  bareToOurs: 1.5,
}

const otherGoal = (major) => goals.other[major < 22 ? 20 : 24]

const table = (head, rows) => [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const number = (value, digits = 2) => value.toFixed(digits)

const sized = (size) => size.toLocaleString("en")

const milliseconds = (time) => (time >= 10_000 ? `${number(time / 1000, 1)} s` : `${number(time, time < 10 ? 2 : 0)} ms`)

/** Bold is beyond the goal. */
const judged = (value, goal, digits = 2, unit = "") => {
  const text = `${number(value, digits)}${unit}`
  return value <= goal ? text : `**${text}**`
}

/** `way`: "text" or "values". */
const ratioTable = ({ ours, major }, way) => {
  const formats = [...new Set(ours.map(({ format }) => format))]
  const rows = ours.map(({ format, size, characters, whole }) => [
    format,
    sized(size),
    `${number(characters / 1e6)} M`,
    milliseconds(whole.floor),
    ...formats.map((target) => {
      const goal = target === format ? goals.same : otherGoal(major)
      return `${judged(whole[`${way} ${target}`] / whole.floor, goal)}${target === format ? " =" : ""}`
    }),
  ])
  return table(["from", "messages", "characters", "JSON floor", ...formats.map((format) => `to ${format}`)], rows)
}

const ratios = (measured) =>
  [
    "### The whole way, as a multiple of JSON.parse + JSON.stringify",
    "",
    "parse + decode + check + settle + encode + write, text to text, as `convertText` does it; `=` marks the own format. Goals: own format " +
      `≤ ${goals.same} (aim ${goals.aim}), others ≤ ${otherGoal(measured.major)}. Bold misses its goal. A request in which nothing ` +
      "changed is the very object that was parsed, so its text need not be written again; in another one, long strings keep the " +
      "spelling they have in the text. Every text is looked at, the floor's too: an engine may give a tree of pieces, which is no " +
      "text yet. What the target cannot say (`report.losses`) is found when somebody looks at it; that costs what the stages below say.",
    "",
    ratioTable(measured, "text"),
    "",
    "The same through values, for who holds no text or wants none: `JSON.stringify` writes everything anew.",
    "",
    ratioTable(measured, "values"),
  ].join("\n")

/** Results from before they were measured have none. */
const realBodies = ({ bodies = [], major }) => {
  if (bodies.length === 0) return undefined
  const targets = Object.keys(bodies[0].times).filter((name) => name !== "floor")
  const goalOf = (target) => (target === "anthropic" ? goals.same : otherGoal(major))
  const rowOf = (label, list) => {
    const sum = (name) => list.reduce((total, { times }) => total + times[name], 0)
    const characters = list.reduce((total, body) => total + body.characters, 0)
    const messages = list.reduce((total, body) => total + body.messages, 0)
    return [
      label,
      sized(messages),
      `${number(characters / 1e6)} M`,
      milliseconds(sum("floor")),
      ...targets.map((target) => judged(sum(target) / sum("floor"), goalOf(target))),
    ]
  }
  return [
    "### Real bodies, as a multiple of JSON.parse + JSON.stringify",
    "",
    "Anthropic requests as real Claude Code sessions of a megabyte and more send them next, from `LIGATURE_CORPUS`; `convertText`, text to text. " +
      `Goals: own format ≤ ${goals.same}, others ≤ ${otherGoal(major)}.`,
    "",
    table(
      ["body", "messages", "characters", "JSON floor", ...targets.map((target) => `to ${target}`)],
      [...bodies.map((body, index) => rowOf(String(index + 1), [body])), rowOf("all", bodies)],
    ),
  ].join("\n")
}

const stages = ({ ours }) => {
  const own = ["parse", "decode", "check", "check for profile", "settle", "settle after check"]
  const formats = [...new Set(ours.map(({ format }) => format))]
  const targets = formats.flatMap((format) => [`encode ${format}`, `losses ${format}`])
  const names = [...own, ...targets, "stringify"]
  const rows = ours.map(({ format, size, stages: times }) => [
    format,
    sized(size),
    ...names.map((name) => number((times[name] * 1000) / size)),
  ])
  return ["### Each stage alone, µs per message", "", table(["from", "messages", ...names], rows)].join("\n")
}

const growth = ({ ours }) => {
  const formats = [...new Set(ours.map(({ format }) => format))]
  const rows = formats.map((format) => {
    const points = ours.filter((entry) => entry.format === format)
    const of = (time) => growthExponent(points.map((entry) => [entry.size, time(entry)]))
    const targets = formats.map((target) =>
      judged(
        of(({ whole }) => whole[`text ${target}`]),
        goals.exponent,
      ),
    )
    const work = of(({ stages: s }) => s.decode + s.check + s["settle after check"] + s[`encode ${format}`])
    return [format, number(of(({ whole }) => whole.floor)), ...targets, number(work)]
  })
  const head = ["from", "JSON floor", ...formats.map((format) => `to ${format}`), "our stages alone, own format"]
  const goal = `Text to text. 1 is linear, 2 quadratic. Goal: ≤ ${goals.exponent}. The floor's own exponent is what the machine adds.`
  return ["### Growth exponent", "", goal, "", table(head, rows)].join("\n")
}

const heap = ({ ours }) => {
  const rows = ours
    .filter(({ size }) => size >= 1000)
    .map(({ format, size, heap: bytes }) => [
      format,
      sized(size),
      ...["json", "transcript", "conversation", "request"].map((name) => sized(Math.round(bytes[name] / size))),
    ])
  const head = ["from", "messages", "parsed JSON", "+ transcript", "+ conversation", "+ own request"]
  return ["### Heap, bytes per message that stay in use", "", table(head, rows)].join("\n")
}

const peers = ({ peers: measured, major }) => {
  if (measured.length === 0) return undefined
  const sizes = [...new Set(measured.map(({ size }) => size))]
  const names = [...new Set(measured.map(({ task }) => task))]
  const rows = names.map((name) => {
    const points = measured.filter(({ task }) => task === name)
    const done = points.filter(({ skipped }) => !skipped)
    const cells = sizes.map((size) => {
      const point = points.find((entry) => entry.size === size)
      if (!point) return "–"
      return point.skipped ? `left out (about ${milliseconds(point.expected)})` : milliseconds(point.time)
    })
    const exponent = done.length > 1 ? number(growthExponent(done.map(({ size, time }) => [size, time]))) : "–"
    return [name, ...cells, exponent]
  })
  const note = major < 22 ? "The AI SDK and Mastra need Node 22 or newer: see the other run. " : ""
  return [
    "### Beside other libraries, on the same history",
    "",
    `${note}Values in memory, no JSON text. They do other things than we do, and less: the numbers say how each grows.`,
    "",
    table(["task", ...sizes.map(sized), "exponent"], rows),
  ].join("\n")
}

const cpuOfCheck = ({ node, check }) => {
  const goal = 2 * node + goals.checkBeyondNode
  return (
    `CPU time of \`ligature check\` on a request of three messages: ${judged(check, goal, 0, " ms")}, of \`node -e 0\` ${number(node, 0)} ms. ` +
    `Goal: ≤ 2 × that + ${goals.checkBeyondNode} ms.`
  )
}

const start = ({ start: times }) => {
  if (!times) return "### Start of the command line\n\nNot measured: there is no compiled command line."
  const more = times.command - times.node
  return [
    "### Start of the command line",
    "",
    `\`node -e 0\` ${number(times.node, 0)} ms, \`ligature --version\` ${number(times.command, 0)} ms: ` +
      `${judged(more, goals.start, 0, " ms")} more. Goal: ≤ ${goals.start} ms.`,
    ...(times.cpu ? ["", cpuOfCheck(times.cpu)] : []),
  ].join("\n")
}

const sessions = ({ doctor, longFile }) => {
  if (!doctor && !longFile) return undefined
  const lines = ["### Sessions of agents", ""]
  if (doctor) {
    lines.push(
      `\`ligature doctor\` over ${sized(doctor.files)} files, copies of real ones (${number(doctor.bytes / 1e6, 0)} MB): ` +
        `${number(doctor.doctor.cpu)} s of CPU, ${judged(doctor.ratio, goals.doctor)} × reading the same bytes line by line with ` +
        `JSON.parse (${number(doctor.floor.cpu)} s); a second run, which reads only what changed, ${number(doctor.again.cpu)} s. ` +
        `Both sides are processes of their own. Goal: ≤ ${goals.doctor} ×.`,
      "",
    )
  }
  if (longFile) {
    lines.push(
      `Check of one session file of ${number(longFile.bytes / 1e6, 0)} MB (${sized(longFile.records)} records): ` +
        `${milliseconds(longFile.milliseconds)}, at most ${judged(longFile.memory / 1e6, goals.longFileMegabytes, 0, " MB")} ` +
        `of memory. Goal: ≤ ${goals.longFileMegabytes} MB.`,
    )
  }
  return lines.join("\n").trimEnd()
}

const streams = ({ record }) => {
  if (record.length === 0) return undefined
  const rows = record
    .filter(({ argumentBytes }) => argumentBytes >= 1e6)
    .map((row) => [
      row.format,
      `${row.argumentBytes / 1e6} MB`,
      milliseconds(row.milliseconds.concatenate),
      judged(row.recordToConcatenation, goals.record),
      judged(row.quietToConcatenation, goals.record),
      row.draftToConcatenation === undefined ? "–" : number(row.draftToConcatenation),
    ])
  return [
    "### Recording a stream",
    "",
    "One tool argument in deltas of 12 characters, recorded and parsed, as a multiple of joining the deltas alone. " +
      `Goal: ≤ ${goals.record} at 1 MB.`,
    "",
    table(
      [
        "format",
        "argument",
        "joined alone",
        "recorded, with events for a screen",
        "without events",
        "with a look at the draft after every hundredth",
      ],
      rows,
    ),
  ].join("\n")
}

const stores = ({ stores: measured, storePeers }) => {
  if (measured.length === 0) return undefined
  const rows = measured.map((row) =>
    row.skipped
      ? [row.store, `left out: ${row.skipped}`, ...Array.from({ length: 7 }, () => "–")]
      : [
          row.store,
          sized(row.entries),
          `${number(row.appendMicroseconds, 0)} µs`,
          judged(row.lastToFirst, goals.lastToFirst),
          judged(row.bytesToContent, goals.bytesToContent),
          `${number(row.durableAppendMicroseconds, 0)} µs`,
          judged(row.durableToBare, goals.durable),
          `${number(row.loadMicrosecondsPerEntry, 0)} µs`,
          `${number(row.tail40Milliseconds, 1)} ms`,
        ],
  )
  const head = [
    "store",
    "entries",
    "append",
    "last to first",
    "bytes to content",
    "durable append",
    "to a bare one",
    "load per entry",
    "newest 40",
  ]
  const parts = [
    "### Keeping a conversation",
    "",
    `Entries of 2 kB, one by one. Goals: the last thousand to the first ≤ ${goals.lastToFirst}, bytes on disk ≤ ${goals.bytesToContent} × content, ` +
      `a durable append ≤ ${goals.durable} × a bare write and flush (for databases: a bare insert and commit) in the same run.`,
    "",
    table(head, rows),
  ]
  if (storePeers.length > 0) {
    const beside = storePeers.map((row) => [
      row.way,
      row.complete ? sized(row.messages) : `${sized(row.messages)} (time was up)`,
      `${number(row.firstMicroseconds, 0)} µs`,
      `${number(row.lastMicroseconds, 0)} µs`,
      row.megabytes === undefined ? "in memory" : `${number(row.megabytes, 1)} MB`,
      row.bytesToContent === undefined ? "–" : number(row.bytesToContent),
    ])
    const columns = ["way", "messages", "append, first ones", "append, last ones", "on disk", "bytes to content"]
    parts.push("", "Beside others, messages of 1 kB one by one, 20 seconds each at most:", "", table(columns, beside))
  }
  return parts.join("\n")
}

/** Results from before it was measured have none. */
const postgres = ({ postgres: measured = [] }) => {
  const rows = measured.flatMap((row) =>
    row.skipped
      ? []
      : [
          [
            row.processes,
            row.agents,
            sized(row.barePerSecond),
            sized(row.appendsPerSecond),
            judged(row.bareToOurs, goals.bareToOurs),
            `${number(row.bareP50, 1)} / ${number(row.bareP99, 1)} ms`,
            `${number(row.p50, 1)} / ${number(row.p99, 1)} ms`,
          ],
        ],
  )
  if (rows.length === 0) return undefined
  return [
    "### Appends to PostgreSQL, many at once",
    "",
    "Agents append entries of 2 kB one after the other, and each waits until its entry is on the server's disk; beside them bare inserts of the same rows, one statement " +
      `each, over the same client with as many connections (${number(10, 0)} per process). Goal: ≤ ${goals.bareToOurs} × fewer than bare inserts.`,
    "",
    table(["processes", "agents in each", "bare inserts / s", "appends / s", "bare to ours", "bare p50 / p99", "append p50 / p99"], rows),
  ].join("\n")
}

/** One run on one Node. */
export const renderRun = (run) =>
  [
    `## Node ${run.node}`,
    ratios(run),
    realBodies(run),
    growth(run),
    stages(run),
    heap(run),
    peers(run),
    streams(run),
    stores(run),
    postgres(run),
    sessions(run),
    start(run),
  ]
    .filter((part) => part !== undefined)
    .join("\n\n")

export const renderPage = (runs, { date, machine, command }) =>
  [
    "# Benchmark results",
    "",
    `Measured ${date} with \`${command}\` on ${machine}.`,
    `Load average when each run began: ${runs.map(({ node, load }) => `${number(load)} (Node ${node})`).join(", ")}.`,
    "",
    "Times are the fastest of several runs taken in turn. Large histories run for seconds and only a few times, so on a",
    "busy machine their ratios swing by half and more: trust a page whose load is well below the number of processors.",
    "The history is generated (`bench/generate.mjs`): the same seed, the same bytes. Every run first checks that the",
    "history is healthy and comes back byte for byte.",
    "",
    runs.map(renderRun).join("\n\n"),
    "",
  ].join("\n")
