/** `ligature migrate`: a history whose calls are XML in text, or of two styles, in one style for good. */
import type { DocumentPart } from "../../document/index.ts"
import { migrate as migrateHistory, type MigratedHistory } from "../../convert/index.ts"
import { styleVersion } from "../../formats/engine/session.ts"
import { LigatureError } from "../../model/index.ts"
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
  throw new UsageError(`--to-style is blocks or xml, not ${named}`)
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
      throw new LigatureError("cannot-read", `${source.name} could not be read as a whole; repair it first: ligature repair --salvage`)
    }
    if (source.derived !== undefined && destination.kind === "stdout" && given !== "-") {
      throw new LigatureError("cannot-write", `${source.name} is ${source.derived}, and cannot be migrated in place. Use -o OUT.`)
    }
    const replacements = new Map<DocumentPart, unknown>()
    const migrated = source.parts.map((part) => {
      const history = this.#part(source, part)
      if (history.changed) replacements.set(part, history.value)
      return history
    })
    const changed = replacements.size > 0
    const content = changed ? source.document.rebuild(replacements) : source.unchanged
    // Tried also where nothing is written: what a dry run promises is what a run does.
    if (typeof content === "string" && changed) source.assertReads(content, migrated.map(({ format }) => format))
    // Whoever named an output, or reads stdout, gets it also where there was nothing to do.
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
      throw LigatureError.is(error) ? new LigatureError(error.code, `${source.name}: ${error.message}`) : error
    }
  }

  /** In place by default, with a copy of the original kept: a migration is meant to last. */
  async #write(
    source: Source,
    given: string,
    content: string | Uint8Array,
    destination: Destination,
  ): Promise<readonly string[]> {
    if (given === "-" && destination.kind === "stdout") {
      this.#context.out.write(content)
      return []
    }
    return destination.kind === "stdout"
      ? destination.replace(given, content, source.content)
      : destination.write(given, [content])
  }

  #print({ file, changed, output, backup, conversations }: MigratedFile): void {
    const { err } = this.#context
    const { palette, width } = err
    const calls = conversations.flatMap((report) => report.calls)
    const unsure = conversations.flatMap((report) => report.unsure)
    const invented = conversations.flatMap((report) => report.results).filter(({ from }) => from === "invented")
    const repairs = conversations.flatMap((report) => report.repairs)
    const style = this.#style === "xml" ? "XML in text" : "blocks"
    const where = output === undefined ? "" : `  → ${output}${backup === undefined ? "" : ` (the original is ${backup})`}`
    if (!changed) {
      const why = calls.length === 0 ? "no tool calls found" : `all calls are ${style}`
      err.line(`${palette.good("✓")} ${file}: nothing to do, ${why}${where}`)
    } else {
      const done = this.#isDry ? "would become" : "became"
      const what = `${count(calls.length, "call")} ${done} ${style}`
      const added = invented.length === 0 ? "" : `, ${count(invented.length, "placeholder result")} added for calls without a result`
      err.line(`${palette.good("✓")} ${file}: ${what}${added}${where}`)
      if (repairs.length > 0) err.line(`  ${count(repairs.length, "repair")} on the way: ${countedByRule(repairs)}`)
    }
    if (this.#context.arguments.flag("verbose") || this.#isDry) {
      for (const { message, name, id, certainty, from } of calls) {
        err.line(cut(`  message ${message + 1}  ${name}  ${id}  ${from}  ${percent(certainty)} sure`, width))
      }
    }
    for (const { message, name, certainty, became, why } of unsure) {
      err.line(cut(palette.warning(`  look at message ${message + 1}: ${name} became ${became === "call" ? "a call" : "text"}, ${percent(certainty)} sure: ${why}`), width))
    }
  }
}

export const migrate: Command = {
  summary: "give a history whose calls are XML in text one consistent style",
  usage: "FILE… [--to-style blocks|xml] [--tool NAME]… [--dry-run] [-o OUT | --out-dir DIR] [OPTIONS]",
  help: `For histories in which calls are XML tags in the assistant's text, or that changed style half-way: every call
becomes a block and its answer the result of that call. Files of Cline, Roo and Kilo, requests and plain lists of
messages, like Anthropic's or like OpenAI's, can be migrated; use --from where the format cannot be detected. How sure
the reader was is in the report, call by call; what was doubtful is printed.

Tags inside a value become an object where agents nest them (<args>, <follow_up>), and tags that repeat a list. Numbers,
booleans and lists get the type that the schema of the tool wants, where the request declares one; otherwise they stay text. A call
that nothing answers and no request declares is found with --tool NAME.

In files of agents nothing else is changed, hidden (condensed) messages are migrated too, and messages that were written
have the mark "ligature": {"version": ${styleVersion}} with all that the way back needs: --to-style xml gives the same text
again, byte for byte. Requests and lists have no room for a mark, since providers reject unknown fields: the way back gives
the same calls in the usual layout. Damage that is in the way of a migration is repaired there, and reported.

Without -o or --out-dir the file itself is migrated, and the original is kept as FILE.bak. A second run changes nothing.
--dry-run only tells.`,
  options: [
    { name: "to-style", value: "STYLE", text: "blocks (default) or xml" },
    fromOption,
    { name: "tool", value: "NAME", repeatable: true, text: "a tool there is: finds calls of it; may be repeated" },
    { name: "dry-run", text: "say what would be done, and write nothing" },
    outOption,
    outDirOption,
    reportOption,
    jsonOption,
  ],
  examples: [
    ["ligature migrate tasks/*/api_conversation_history.json --dry-run", "what would be done"],
    ["ligature migrate api_conversation_history.json", "in place, with a backup"],
    ["ligature migrate request.json --from openai-chat -o blocks.json", "a list of messages with calls in text"],
    ["ligature migrate api_conversation_history.json --to-style xml -o old-style.json", "the way back"],
  ],
  run: (context) => new MigrateRun(context).run(),
}
