/** What the command line says, by running it: help pages, JSON shapes, and the sample output of the README. */
import { commandNames, commands } from "../../src/cli/commands/index.ts"
import type { Io } from "../../src/cli/io.ts"
import { run } from "../../src/cli/run.ts"
import { root } from "../source-files.ts"
import { fence, generatedNote, page, table } from "./markdown.ts"

export const sampleFile = "examples/damaged-session.json"

/** Standard output of one command; `input` is what it reads from stdin. */
export const outputOf = async (argv: readonly string[], input = ""): Promise<string> => {
  let text = ""
  const io: Io = {
    stdout: { write: (more) => void (text += more), isTerminal: false, columns: undefined },
    stderr: { write: () => undefined, isTerminal: false, columns: undefined },
    stdin: (async function* () {
      yield input
    })(),
    cwd: root,
    env: {},
  }
  await run(argv, io)
  return text.trimEnd()
}

const helpPage = async (): Promise<string> => {
  const sections = await Promise.all(
    commandNames.map(async (name) => `## ${name}\n\n${fence("text", await outputOf([name, "--help"]))}`),
  )
  return page(
    generatedNote("the help texts in src/cli"),
    "# Command line",
    fence("text", await outputOf(["--help"])),
    ...sections,
    "The JSON behind `--json` and `--report`: [cli-json.md](cli-json.md).",
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
  fence("json", JSON.stringify(shortened(JSON.parse(await outputOf(argv, input))), null, 2))

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
      "`path` inside its JSON.",
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
    "## doctor --json",
    "`health` is `healthy`, `open` (a call at the tip has no result yet) or `damaged`; `causes` counts what was found, by cause.",
    await shapeOf(["doctor", sampleFile, "--json"]),
    "## diff --json",
    "Of each exchange in which something changed, everything that was said: `same`, `gone` or `new`.",
    await shapeOf(["diff", sampleFile, "examples/repaired-session.json", "--json"]),
    "## migrate --json",
    "`certainty` is how sure it is that a text was a call, 0 to 1; `unsure` is what a person should look at.",
    await shapeOf(["migrate", "examples/xml-task.json", "--dry-run", "--json"]),
    "## classify --json",
    "`places` is there with `--history`: where in the request the refusal is about, and why this place.",
    await shapeOf(["classify", "--json", "--history", sampleFile], refusal),
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
