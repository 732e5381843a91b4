/** `ligature migrate`: a history whose calls are XML in text, or of two styles, in one style for good. */
import type { DocumentPart } from "../../codecs/document/index.ts"
import { type Migrated, migratableFormats, migrateStyle, styleVersion } from "../../codecs/sessions/cline-api/index.ts"
import { isWire, LigatureError } from "../../model/index.ts"
import { type Command, type Context, type ExitCode, jsonOption, outDirOption, outOption, reportOption } from "../command.ts"
import { Destination } from "../output/destination.ts"
import { jsonVersion, printJson } from "../print/json.ts"
import { count, cut } from "../print/text.ts"
import type { Source } from "../input/source.ts"
import { UsageError } from "../usage-error.ts"
import { filesOf, visitSources } from "../input/visit-sources.ts"

type Style = "blocks" | "xml"

interface MigratedFile {
  readonly file: string
  readonly changed: boolean
  readonly output?: string
  readonly backup?: string
  readonly conversations: readonly Migrated["report"][]
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
    const replacements = new Map<DocumentPart, unknown>()
    const reports = source.parts.map((part) => {
      const { list, report, changed } = this.#part(source, part)
      if (changed) replacements.set(part, this.#replacement(part, list))
      return report
    })
    const changed = replacements.size > 0
    const [output, backup] = changed && !this.#isDry ? await this.#write(source, given, replacements, destination) : []
    const written = { ...(output !== undefined && { output }), ...(backup !== undefined && { backup }) }
    const migrated: MigratedFile = { file: source.name, changed, ...written, conversations: reports }
    this.#migrated.push(migrated)
    if (!this.#context.arguments.flag("json")) this.#print(migrated)
    return 0
  }

  #part(source: Source, part: DocumentPart): Migrated {
    if (!migratableFormats.includes(part.format)) {
      throw new LigatureError(
        "bad-option",
        `${source.name} is ${part.format}, which has one style of calls. migrate is for histories of Cline, Roo and Kilo.`,
      )
    }
    const tools = source.decodeOptions(part).tools
    const list = isWire(part.value) ? part.value["messages"] : part.value
    return migrateStyle(list, { to: this.#style, ...(tools && { tools }) })
  }

  #replacement(part: DocumentPart, list: readonly unknown[]): unknown {
    return isWire(part.value) ? { ...part.value, messages: list } : { messages: list }
  }

  /** In place by default, with a copy of the original kept: a migration is meant to last. */
  async #write(
    source: Source,
    given: string,
    replacements: ReadonlyMap<DocumentPart, unknown>,
    destination: Destination,
  ): Promise<readonly string[]> {
    const content = source.document.rebuild(replacements)
    source.assertReads(content)
    if (given === "-" && destination.kind === "stdout") {
      this.#context.out.write(content)
      return []
    }
    const original = source.derived === undefined ? source.content : undefined
    return destination.kind === "stdout"
      ? destination.replace(given, content, original)
      : destination.write(given, [content])
  }

  #print({ file, changed, output, backup, conversations }: MigratedFile): void {
    const { err } = this.#context
    const { palette, width } = err
    const calls = conversations.flatMap((report) => report.calls)
    const unsure = conversations.flatMap((report) => report.unsure)
    const invented = conversations.flatMap((report) => report.results).filter(({ from }) => from === "invented")
    if (!changed) {
      err.line(`${palette.good("✓")} ${file}: nothing to do, all calls are ${this.#style === "xml" ? "XML in text" : "blocks"}`)
    } else {
      const done = this.#isDry ? "would become" : "became"
      const where = this.#isDry ? "" : `  → ${output ?? ""}${backup === undefined ? "" : ` (the original is ${backup})`}`
      const what = `${count(calls.length, "call")} ${done} ${this.#style === "xml" ? "XML in text" : "blocks"}`
      const added = invented.length === 0 ? "" : `, ${count(invented.length, "outcome")} invented for calls without a result`
      err.line(`${palette.good("✓")} ${file}: ${what}${added}${where}`)
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
  usage: "FILE… [--to-style blocks|xml] [--dry-run] [-o OUT | --out-dir DIR] [OPTIONS]",
  help: `For histories of Cline, Roo and Kilo that were written when calls were XML tags in the assistant's text, or
that changed style half-way: every call becomes a block and its answer the result of that call, hidden (condensed)
messages included. Nothing else is changed. How sure the reader was is in the report, call by call; what was doubtful
is printed.

Without -o or --out-dir the file itself is migrated, and the original is kept as FILE.bak. Messages that were written
bear the mark "ligature": {"version": ${styleVersion}}, so that a second run changes nothing; --to-style xml is the way
back. --dry-run only tells.`,
  options: [
    { name: "to-style", value: "STYLE", text: "blocks (default) or xml" },
    { name: "dry-run", text: "say what would be done, and write nothing" },
    outOption,
    outDirOption,
    reportOption,
    jsonOption,
  ],
  examples: [
    ["ligature migrate tasks/*/api_conversation_history.json --dry-run", "what would be done"],
    ["ligature migrate api_conversation_history.json", "in place, with a backup"],
    ["ligature migrate api_conversation_history.json --to-style xml -o old-style.json", "the way back"],
  ],
  run: (context) => new MigrateRun(context).run(),
}
