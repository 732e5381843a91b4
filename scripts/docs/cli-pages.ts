/** What the command line says, by running it: help pages, JSON shapes, and the sample output of the README. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { commandNames, commands } from "../../packages/ligature/src/cli/commands/index.ts"
import type { Io } from "../../packages/ligature/src/cli/frame/io.ts"
import { run } from "../../packages/ligature/src/cli/run.ts"
import { root } from "../source-files.ts"
import { fence, generatedNote, page, table } from "./markdown.ts"

export const sampleFile = "examples/damaged-session.json"

/** Standard output of one command; `input` is what it reads from stdin. */
export const outputOf = async (argv: readonly string[], input = "", env: Io["env"] = {}): Promise<string> => {
  let text = ""
  const io: Io = {
    stdout: { write: (more) => void (text += more), isTerminal: false, columns: undefined },
    stderr: { write: () => undefined, isTerminal: false, columns: undefined },
    stdin: (async function* () {
      yield input
    })(),
    cwd: root,
    env,
    now: () => 0,
  }
  await run(argv, io)
  return text.trimEnd()
}

const helpSection = async (words: readonly string[]): Promise<string> =>
  `${"#".repeat(words.length + 1)} ${words.join(" ")}\n\n${fence("text", await outputOf([...words, "--help"]))}`

/** A command, and after it the commands it has. */
const helpSections = async (name: string): Promise<string> => {
  const command = await commands[name]?.()
  const below = Object.keys(command?.subcommands ?? {}).map((each) => [name, each])
  return (await Promise.all([[name], ...below].map(helpSection))).join("\n\n")
}

const helpPage = async (): Promise<string> => {
  const sections = await Promise.all(commandNames.map(helpSections))
  return page(
    generatedNote("the help texts in src/cli"),
    "# Command line",
    fence("text", await outputOf(["--help"])),
    ...sections,
    "The JSON after `--json` and `--report`: [cli-json.md](cli-json.md).",
  )
}

export const commandTable = async (): Promise<string> =>
  table(
    ["command", "does"],
    await Promise.all(
      commandNames.map(async (name) => {
        const command = await commands[name]?.()
        return [`[${name}](docs/cli.md#${name})`, command?.summary ?? ""]
      }),
    ),
  )

/** Lists are cut to their first element (items to two: a message and an exchange), so that the shape can be seen. */
const shortened = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]: [string, unknown]) => [
      key,
      key === "items" && Array.isArray(each) ? each.slice(0, 2).map(shortened) : shortened(each),
    ]),
  )
}

const shapeOf = async (argv: readonly string[], input?: string): Promise<string> =>
  fence("json", timeless(JSON.stringify(shortened(JSON.parse(await outputOf(argv, input))), null, 2)))

/** Ids and times are new in each run; in a page they stand for themselves. */
const timeless = (text: string): string => {
  const ids = new Map<string, string>()
  return text
    .replace(/"([0-9a-hjkmnp-tv-z]{12})"/g, (_, id: string) => {
      if (!ids.has(id)) ids.set(id, `id${ids.size + 1}`)
      return `"${ids.get(id)}"`
    })
    .replace(/\b1[0-9]{12}\b/g, "1767322980000")
    .replace(/("modified": )"[^"]*"/g, '$1"2026-01-02T03:03:00.000Z"')
    .replace(/("fingerprint": )"[0-9a-f]{16}"/g, '$1"5f1c0e6b2a9d4873"')
}

// Where sessions are differs from machine to machine, so these are not printed by a run.

const rescueShape = {
  version: 1,
  command: "rescue",
  exitCode: 1,
  file: "session.jsonl",
  steps: [{ name: "repair", what: "2 changes (dangling-parent, unanswered-call)", writes: true }],
  tokens: { before: 1158, after: 1158 },
  applied: false,
  done: [],
}

const moveShape = {
  version: 1,
  command: "move",
  exitCode: 0,
  file: "session.jsonl",
  from: "claude-code",
  to: "pi",
  written: "/home/ada/.pi/agent/sessions/--home-ada-shop--/2026-01-02T03-03-00-000Z_ID.jsonl",
  dryRun: false,
  resume: "pi --session ID",
  folder: "/home/ada/shop",
  calls: { found: 6, of: 6 },
  texts: { found: 6, of: 6 },
  losses: [],
}

/** The shapes of commands on a store, one after the other on one store that is made for them. */
const storeShapes = async (): Promise<readonly string[]> => {
  const folder = mkdtempSync(join(tmpdir(), "ligature-docs-"))
  try {
    const env = { LIGATURE_STORE: folder }
    const sections: string[] = []
    for (const { title, text, argv, input } of storeSamples) {
      const words = argv.map((word) => (word === backupSample ? `${folder}/.backup` : word))
      const printed: unknown = JSON.parse(timeless(await outputOf([...words, "--json"], input, env)))
      const shape = fence("json", JSON.stringify(shortened(printed), null, 2))
      sections.push(`## ${title} --json`, ...(text === undefined ? [] : [text]), shape)
    }
    return sections
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Stands for a folder beside the store. */
const backupSample = "BACKUP"

interface StoreSample {
  readonly title: string
  readonly text?: string
  readonly argv: readonly string[]
  readonly input?: string
}

/** An answer that asks for a tool, as a provider gives it. */
const reply = JSON.stringify([
  { role: "user", content: "Deploy it" },
  { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "deploy", input: { to: "production" } }] },
])

const storeSamples: readonly StoreSample[] = [
  {
    title: "log create",
    text: "`conversation` is an id in all of these. Times are milliseconds since 1970. Without `--title` there is no `title`.",
    argv: ["log", "create", "--id", "c1", "--title", "Release"],
  },
  {
    title: "log append",
    text:
      "`state` is that of the recovery plan: `clean`, `open-calls` or `damaged`; `openCalls` is what is open after the append. " +
      "`repeated`: this operation had been written before.",
    argv: ["log", "append", "c1", "-"],
    input: reply,
  },
  {
    title: "log import",
    text:
      "`exact` says that an export to the same format gives an equal value, `notKept` what the log does not keep, `report` " +
      "what was repaired, with the originals; `findings` is how much the reader of the format had to say.",
    argv: ["log", "import", sampleFile, "--id", "c2"],
  },
  {
    title: "log list",
    text: "`next`, where there is one, is what `--after` takes. `unreadable` lists `name` and `why`.",
    argv: ["log", "list"],
  },
  {
    title: "log show",
    text:
      "`items` as in [show](#show---json). `tip` is where the next entry goes, `at` where the shown path ends; `stale` names " +
      "summaries and hides that do not count on it. `damage` holds diagnostics of the log itself.",
    argv: ["log", "show", "c2"],
  },
  {
    title: "log recall",
    text: "As [recall](#recall---json), with the id of the conversation in place of the file.",
    argv: ["log", "recall", "c2", "1"],
  },
  { title: "log rename", argv: ["log", "rename", "c2", "The test"] },
  { title: "log rewind", text: "`before` is where the tip was: the way back.", argv: ["log", "rewind", "c2", "none"] },
  {
    title: "log branch",
    text: "With `--fork` it is `conversation` and `record`, as of [log create](#log-create---json).",
    argv: ["log", "branch", "c2"],
  },
  {
    title: "log unlock",
    text:
      "`holdings`: what keeps others out, each with `type` (`lease`, `lock`, `machine`) and `holder`; a lease also has `slot`, " +
      "`generation` and `expires`. The exit code is 1 if there is something and `--force` was not given.",
    argv: ["log", "unlock", "c2"],
  },
  {
    title: "log verify",
    text:
      "`lost`: what cannot be read or is not what was written; then the exit code is 1. `salvaged`: what cost nothing. " +
      "`findings`: places of the history that are settled on each load.",
    argv: ["log", "verify", "c2"],
  },
  {
    title: "log prune",
    text:
      "`before` is the time that `--older` comes to. `removed` has records as in [log list](#log-list---json). `kept` lists what was old enough and is " +
      "still there, each with `conversation`, `reason` and `message`; then the exit code is 1.",
    argv: ["log", "prune", "--older", "2020-01-01", "--dry-run"],
  },
  {
    title: "log backup",
    text:
      "`outcome` is `made`, `extended` or `same`; `fingerprint` is equal for equal conversations in whatever store; `damage` is what could not be read of the original. " +
      "`problems` lists what was not copied, with `conversation`, `reason` and `message`. `log restore --json` has the same fields.",
    argv: ["log", "backup", "c2", "-o", backupSample],
  },
  { title: "log remove", argv: ["log", "remove", "c2", "--yes"] },
  {
    title: "resume",
    text:
      "`ready` is false, and there is no `request`, while calls wait for approval (`plan.waiting` is `refused`); then the exit " +
      "code is 1. `plan` says how the conversation is, `append` what the request says beyond the log, `tip` where the log " +
      "ends (with `--append`: by now). `report` as in [the model](model.md#diagnostic-report-loss).",
    argv: ["resume", "c1", "--to", "anthropic", "--user", "Are we live?"],
  },
]

const refusal =
  "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01. Each `tool_use` " +
  "block must " +
  "have a corresponding `tool_result` block in the next message."

const jsonPage = async (): Promise<string> =>
  page(
    generatedNote("the output of src/cli"),
    "# JSON of the command line",
    "`--json` prints one JSON value to stdout. Its shape is stable: fields are added, not renamed or removed, unless " +
      "`version` goes up. " +
      "`exitCode` is what the process exits with. Places have the `line` in the file, where it is known, and the " +
      "`path` inside its JSON. Characters that a terminal would obey or that nobody sees (controls, bidirectional marks, " +
      "zero-width characters) are written as `\\u` escapes.",
    `The samples below are printed for [${sampleFile}](../${sampleFile}); of each list, only the first element is ` +
      "shown, or the first two items.",
    "## check --json",
    "One entry per file, one per conversation in it, one per finding. `problems` are about the file itself (torn " +
      "lines, invalid bytes). " +
      "`certainty` says how sure the format is.",
    await shapeOf(["check", sampleFile, "--json"]),
    "## show --json",
    "The settled conversation: user and system messages, and exchanges with the outcome of each call.",
    await shapeOf(["show", sampleFile, "--json"]),
    "## stats --json",
    await shapeOf(["stats", sampleFile, "--json"]),
    "## compact --json, compact --stats",
    "What became of each item and why, and the numbers of the plan. `budget` is what the conversation may have, in tokens; `budgetBytes` is in its place where a size was given. " +
      "`names` counts those that matter most by kind, left and gone; `cost` says what the view costs once and saves per request, in tokens " +
      "at the price of input, and after how many requests it has paid for itself. " +
      "`tools` is the size of the tool definitions, which are part of neither `before` nor `after`: they count against a number of " +
      "tokens or bytes (`budget` is what they leave) and not against a share. " +
      "`durationMs` is what making the view took. `outcome` is `compacted`, `unchanged` or `refused`; then `reason` says " +
      "what would be needed, and the `why` of each item is `refused`. `alreadyCompacted` says that the history is a compacted view " +
      "itself, whose handles belong to its original. `written` names the format, " +
      "where a request was written (`-o`). Where one could not be written, `problems` says why (`cannot-write`).",
    await shapeOf(["compact", sampleFile, "--budget", "80%", "--json"]),
    "## recall --json",
    "`next` is the handle that goes on, where this was not all: of a page, or of a range of items (`#3-#7`).",
    await shapeOf(["recall", sampleFile, "2", "--json"]),
    "## doctor --json",
    "`state` is `healthy`, `open` (a call at the tip has no result yet), `warnings` or `errors`; only errors make the exit code 1. `causes` counts what was found by cause: " +
      "`notes` are how the agent writes, and what a repair would not change. `tokens` is there where a session may be too large to resume.",
    await shapeOf(["doctor", sampleFile, "--json"]),
    "## list --json",
    "Newest first, the sessions of the current folder before all others. `modified` is the time of the file.",
    await shapeOf(["list", sampleFile, "--json"]),
    "## rescue --json",
    "`tokens` are those that the agent sends next. `writes` says whether `--apply` does the step; then `done` has a sentence for each, and `resume` is the command that goes on. `busy` says why nothing can be written now.",
    fence("json", JSON.stringify(rescueShape, null, 2)),
    "With `--undo` it is `file`, `backup` and `undone`.",
    "## move --json",
    "`calls` and `texts`: how many of the source were found when the new session was read back.",
    fence("json", JSON.stringify(moveShape, null, 2)),
    "## diff --json",
    "Of each exchange in which something changed, everything that was said: `same`, `gone` or `new`.",
    await shapeOf(["diff", sampleFile, "examples/repaired-session.json", "--json"]),
    "## migrate --json",
    "`certainty` is how sure it is that a text was a call, 0 to 1; `unsure` is what a person should look at.",
    await shapeOf(["migrate", "examples/xml-task.json", "--dry-run", "--json"]),
    "## classify --json",
    "`places` is there with `--history`: where in the request the refusal is about, and why this place.",
    await shapeOf(["classify", "--json", "--history", sampleFile], refusal),
    ...(await storeShapes()),
    "## log export --report",
    "`--report FILE` writes `entries` and `losses`, as for convert:",
    fence(
      "json",
      JSON.stringify({ version: 1, command: "log export", conversation: "c1", to: "openai-chat", entries: [], losses: [] }, null, 2),
    ),
    "## rules --json",
    await shapeOf(["rules", "orphan-result", "--json"]),
    "## formats --json",
    await shapeOf(["formats", "--json"]),
    "## profiles --json",
    await shapeOf(["profiles", "--json"]),
    "## repair --report, convert --report",
    "`--report FILE` writes what was done to each conversation: `entries` as in [the " +
      "model](model.md#diagnostic-report-loss), with the " +
      "original of everything that changed, and `losses`. The shape around them:",
    fence(
      "json",
      JSON.stringify(
        {
          version: 1,
          command: "repair",
          files: [
            {
              file: "session.json",
              problems: [],
              conversations: [
                {
                  path: "/messages",
                  from: "anthropic",
                  to: "anthropic",
                  messages: 5,
                  entries: [],
                  losses: [],
                  output: "repaired.json",
                },
              ],
            },
          ],
        },
        null,
        2,
      ),
    ),
  )

export const cliPages = async (): Promise<ReadonlyMap<string, string>> =>
  new Map([
    ["docs/cli.md", await helpPage()],
    ["docs/cli-json.md", await jsonPage()],
  ])
