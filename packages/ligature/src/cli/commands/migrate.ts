/** `ligature migrate`: rewrites a history whose tool calls are XML text, or mix two styles, in one style. */
import type { DocumentPart } from "../../document/index.ts"
import { migrate as migrateHistory, type MigratedHistory } from "../../convert/index.ts"
import { styleVersion } from "../../formats/engine/session.ts"
import { LigatureError, phrase, translated } from "../../model/index.ts"
import {
  type Command,
  type Context,
  type ExitCode,
  fromOption,
  jsonOption,
  outDirOption,
  outOption,
  reportOption,
} from "../frame/command.ts"
import { Destination } from "../output/destination.ts"
import { jsonVersion, printJson } from "../print/json.ts"
import { countedByRule } from "../output/report.ts"
import { count, cut } from "../frame/text.ts"
import { type Content, piecesOf } from "../input/files.ts"
import type { Source } from "../input/source.ts"
import { UsageError } from "../frame/usage-error.ts"
import { filesOf, visitSources } from "../output/visit-sources.ts"

type Style = "blocks" | "xml"

interface MigratedFile {
  readonly file: string
  readonly changed: boolean
  readonly output?: string
  readonly backup?: string
  readonly conversations: readonly MigratedHistory["report"][]
}

const styleOf = (context: Context): Style => {
  const named = context.arguments.text("to-style") ?? "blocks"
  if (named === "blocks" || named === "xml") return named
  throw new UsageError(phrase`--to-style is blocks or xml, not ${named}`)
}

const percent = (certainty: number): string => `${Math.round(certainty * 100)} %`

class MigrateRun {
  readonly #context: Context
  readonly #style: Style
  readonly #isDry: boolean
  readonly #files: readonly string[]
  readonly #migrated: MigratedFile[] = []

  constructor(context: Context) {
    this.#context = context
    this.#style = styleOf(context)
    this.#isDry = context.arguments.flag("dry-run")
    this.#files = filesOf(context, "migrate")
  }

  async run(): Promise<ExitCode> {
    const destination = await Destination.of(this.#context, this.#files)
    const code = await visitSources(this.#context, this.#files, {
      visit: (source, given) => this.#file(source, given, destination),
    })
    await destination.writeReport({ version: jsonVersion, command: "migrate", style: this.#style, files: this.#migrated })
    if (this.#context.arguments.flag("json")) {
      printJson("migrate", code, { style: this.#style, styleVersion, files: this.#migrated }, this.#context.out)
    }
    return code
  }

  async #file(source: Source, given: string, destination: Destination): Promise<ExitCode> {
    if (source.isPartial) {
      throw new LigatureError(
        "cannot-read",
        phrase`${source.name} could not be read completely. Repair it first: ligature repair --salvage`,
      )
    }
    if (source.derived !== undefined && destination.kind === "stdout" && given !== "-") {
      throw new LigatureError("cannot-write", phrase`${source.name} is ${source.derived} and cannot be migrated in place. Use -o OUT.`)
    }
    const replacements = new Map<DocumentPart, unknown>()
    const migrated = source.parts.map((part) => {
      const history = this.#part(source, part)
      if (history.changed) replacements.set(part, history.value)
      return history
    })
    const changed = replacements.size > 0
    const content = changed ? source.rebuilt(replacements) : source.unchanged
    // Checked in a dry run too: it must report what a real run would do.
    if (typeof content === "string" && changed)
      source.assertReads(
        content,
        migrated.map(({ format }) => format),
      )
    // A named output and stdout are written even if nothing changed.
    const isWanted = changed || destination.kind !== "stdout" || given === "-"
    const [output, backup] = isWanted && !this.#isDry ? await this.#write(source, given, content, destination) : []
    const written = { ...(output !== undefined && { output }), ...(backup !== undefined && { backup }) }
    const reports = migrated.map(({ report }) => report)
    const file: MigratedFile = { file: source.name, changed, ...written, conversations: reports }
    this.#migrated.push(file)
    if (!this.#context.arguments.flag("json")) this.#print(file)
    return 0
  }

  #part(source: Source, part: DocumentPart): MigratedHistory {
    const named = this.#context.arguments.list("tool")
    const tools = [...(source.decodeOptions(part).tools ?? []), ...named]
    try {
      return migrateHistory(part.value, { from: part.format, to: this.#style, ...(tools.length > 0 && { tools }) })
    } catch (error) {
      throw LigatureError.is(error) ? new LigatureError(error.code, phrase`${source.name}: ${translated(error.message)}`) : error
    }
  }

  /** In place by default, with a backup of the original: a migration is meant to be permanent. */
  async #write(source: Source, given: string, content: Content, destination: Destination): Promise<readonly string[]> {
    if (given === "-" && destination.kind === "stdout") {
      for (const piece of piecesOf(content)) this.#context.out.write(piece)
      return []
    }
    return destination.kind === "stdout" ? destination.replace(given, content, source.content) : destination.write(given, [content])
  }

  #print({ file, changed, output, backup, conversations }: MigratedFile): void {
    const { err } = this.#context
    const { palette, width } = err
    const calls = conversations.flatMap((report) => report.calls)
    const unsure = conversations.flatMap((report) => report.unsure)
    const invented = conversations.flatMap((report) => report.results).filter(({ from }) => from === "invented")
    const repairs = conversations.flatMap((report) => report.repairs)
    const where = output === undefined ? "" : `  → ${backup === undefined ? output : phrase`${output} (the original is ${backup})`}`
    const done = changed ? this.#changeText(calls.length) : this.#nothingText(calls.length)
    const what =
      invented.length === 0 ? done : phrase`${done}; ${count(invented.length, "placeholder result")} added for calls without a result`
    err.line(`${palette.good("✓")} ${phrase`${file}: ${changed ? what : done}`}${where}`)
    if (changed && repairs.length > 0) err.line(`  ${phrase`${count(repairs.length, "repair")} made: ${countedByRule(repairs)}`}`)
    if (this.#context.arguments.flag("verbose") || this.#isDry) {
      for (const { message, name, id, certainty, from } of calls) {
        err.line(cut(`  ${phrase`message ${message + 1}  ${`${name}  ${id}  ${from}`}  certainty ${percent(certainty)}`}`, width))
      }
    }
    for (const { message, name, certainty, became, why } of unsure) {
      const sure = percent(certainty)
      const text =
        became === "call"
          ? phrase`check message ${message + 1}: ${name} became a call, certainty ${sure}: ${translated(why)}`
          : phrase`check message ${message + 1}: ${name} became text, certainty ${sure}: ${translated(why)}`
      err.line(cut(palette.warning(`  ${text}`), width))
    }
  }

  #nothingText(calls: number): string {
    if (calls === 0) return phrase`nothing to do, no tool calls found`
    return this.#style === "xml" ? phrase`nothing to do, all calls are XML text` : phrase`nothing to do, all calls are blocks`
  }

  #changeText(calls: number): string {
    const number = count(calls, "call")
    if (this.#isDry) return this.#style === "xml" ? phrase`${number} would become XML text` : phrase`${number} would become blocks`
    return this.#style === "xml" ? phrase`${number} became XML text` : phrase`${number} became blocks`
  }
}

export const migrate: Command = {
  summary: "rewrite a history with tool calls in XML text in one consistent style",
  usage: "FILE… [--to-style blocks|xml] [--tool NAME]… [--dry-run] [-o OUT | --out-dir DIR] [OPTIONS]",
  help: `For histories in which tool calls are XML tags in the assistant's text, or whose style changed midway: every tool
call becomes a block, and the answer to it a tool result. Files of Cline, Roo and Kilo, requests and plain lists of messages
in the style of Anthropic or OpenAI can be migrated; use --from if the format cannot be detected. The report has a certainty
for each call; doubtful calls are printed.

Tags inside a value become an object where agents nest them (<args>, <follow_up>), and repeated tags become a list. Numbers,
booleans and lists get the type in the schema of the tool if the request declares one; otherwise they stay text. Use --tool
NAME to find calls that have no answer and no declaration in the request.

In the files of agents nothing else is changed, and hidden (condensed) messages are migrated too. Migrated messages have the
mark "ligature": {"version": ${styleVersion}} with everything needed to convert them back: --to-style xml restores the same
text, byte for byte. Requests and lists cannot have a mark, since providers reject unknown fields: converting back gives the
same calls in the usual layout. Damage that prevents a migration is repaired and reported.

Without -o or --out-dir the file itself is migrated, and the original is kept as FILE.bak. A second run changes nothing.
--dry-run only reports.`,
  takesSessions: true,
  options: [
    { name: "to-style", value: "STYLE", text: "blocks (default) or xml" },
    fromOption,
    { name: "tool", value: "NAME", repeatable: true, text: "name of a tool whose calls to find; repeatable" },
    { name: "dry-run", text: "report what would be done, and write nothing" },
    outOption,
    outDirOption,
    reportOption,
    jsonOption,
  ],
  examples: [
    ["ligature migrate tasks/*/api_conversation_history.json --dry-run", "what would be done"],
    ["ligature migrate api_conversation_history.json", "in place, with a backup"],
    ["ligature migrate request.json --from openai-chat -o blocks.json", "a list of messages with tool calls in text"],
    ["ligature migrate api_conversation_history.json --to-style xml -o old-style.json", "convert back to XML text"],
  ],
  run: (context) => new MigrateRun(context).run(),
}
