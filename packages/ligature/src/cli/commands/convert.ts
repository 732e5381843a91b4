/** `ligature convert`: any history as a complete request for one provider. */
import { LigatureError, phrase, pushAll } from "../../model/index.ts"
import { convert as convertValue, fileValueOf, hasLines, resolveCodec, type SessionCodec } from "../../convert/index.ts"
import type { DocumentPart } from "../../document/index.ts"
import type { Policies } from "../../rules/index.ts"
import {
  branchOption,
  type Command,
  type Context,
  dryRunOption,
  type ExitCode,
  folderOption,
  fromOption,
  openTipOption,
  outDirOption,
  outOption,
  policyOption,
  reportOption,
  salvageOption,
  viewOption,
} from "../frame/command.ts"
import { Destination } from "../output/destination.ts"
import { resolve } from "node:path"
import type { AbridgedFile } from "../../files/abridged/abridged-file.ts"
import { type Content, modeOfSources, piecesOf } from "../input/files.ts"
import { copyOf, outlineOf } from "../sessions/examine.ts"
import { installSession } from "../sessions/install-session.ts"
import { shortPath } from "../sessions/session-files.ts"
import { fileText } from "../output/file-text.ts"
import { jsonVersion } from "../print/json.ts"
import { printResume, printSessionPlace } from "../print/session-place.ts"
import { printNotSalvaged, printSummary, type Tally } from "../output/summary.ts"
import { reportedEntries, type ReportedConversation, type ReportedFile, traceReport } from "../output/report.ts"
import { policiesOf, policyHelp, styleOf, tipOf } from "../frame/settings.ts"
import { filePart, type Source } from "../input/source.ts"
import { type Target, targetOf } from "../output/target.ts"
import { UsageError } from "../frame/usage-error.ts"
import { filesOf, visitSources } from "../output/visit-sources.ts"

class ConvertRun {
  readonly #context: Context
  readonly #target: Target
  readonly #policies: Partial<Policies>
  readonly #files: readonly string[]
  readonly #reported: ReportedFile[] = []
  readonly #unprinted: Content[] = []
  readonly #abridged: AbridgedFile[] = []
  readonly #tally: Tally = { files: 0, conversations: 0, entries: [], losses: [] }

  constructor(context: Context) {
    this.#context = context
    this.#target = targetOf(context, "convert")
    this.#policies = policiesOf(context)
    this.#files = filesOf(context, "convert")
  }

  async run(): Promise<ExitCode> {
    const destination = await Destination.of(this.#context, this.#files)
    const { to, profile } = this.#target
    const code = await visitSources(this.#context, this.#files, {
      abridges: true,
      visit: (source, given) => this.#file(source, given, destination),
    })
    const target = { to, ...(profile && { profile: profile.name }) }
    await destination.writeReport({ version: jsonVersion, command: "convert", ...target, files: this.#reported }, this.#abridged)
    for (const content of this.#unprinted) this.#print(content)
    printSummary("converted", this.#tally, this.#context)
    return code
  }

  async #file(source: Source, given: string, destination: Destination): Promise<ExitCode> {
    if (source.isPartial && !this.#context.arguments.flag("salvage")) {
      printNotSalvaged(source, this.#context.err)
      return 2
    }
    const conversations: ReportedConversation[] = []
    const values: unknown[] = []
    const reports: (() => void)[] = []
    for (const [index, part] of source.parts.entries()) {
      const { value, reported, trace } = this.#conversation(source, part, source.labelOf(index))
      values.push(value)
      conversations.push(reported)
      reports.push(trace)
    }
    // An empty file was reported as a note; among many files it is not a failure.
    if (values.length === 0) return destination.kind === "folder" ? 0 : 2
    if (source.abridged) this.#abridged.push(source.abridged)
    const outputs = await this.#write(values, given, destination, source)
    for (const trace of reports) trace()
    this.#tally.files++
    this.#tally.conversations += values.length
    const written = conversations.map((each, index) => {
      const output = outputs[index]
      return output === undefined ? each : { ...each, output }
    })
    this.#reported.push({ file: source.name, problems: source.problems, conversations: written })
    return 0
  }

  #conversation(
    source: Source,
    part: DocumentPart,
    label: string,
  ): { readonly value: unknown; readonly reported: ReportedConversation; readonly trace: () => void } {
    const { to, profile } = this.#target
    const style = styleOf(this.#context)
    const session = this.#sessionOf(part)
    const { value, report, conversation } = convertValue(part.value, {
      ...source.decodeOptions(part),
      from: part.format,
      to: resolveCodec(to),
      tip: tipOf(this.#context),
      policies: this.#policies,
      ...(profile && { profile }),
      ...(style && { style }),
      ...(session && { session }),
    })
    const locate = source.locatorOf(part)
    for (const entry of report.entries) this.#tally.entries.push(entry)
    for (const loss of report.losses) this.#tally.losses.push(loss)
    const wantsReport = this.#context.arguments.flag("report")
    const reported: ReportedConversation = {
      path: part.path,
      ...(part.line !== undefined && { line: part.line }),
      from: part.format,
      to,
      ...(profile && { profile: profile.name }),
      messages: conversation.items.length,
      ...(wantsReport ? reportedEntries(report, locate) : { entries: [], losses: [] }),
    }
    return { value, reported, trace: () => traceReport(label, report, locate, this.#context) }
  }

  /** A new session belongs to the folder that is named, or to that of its source; to the current one where nobody says any. */
  #sessionOf(part: DocumentPart): { readonly folder: string } | undefined {
    const { arguments: given, io } = this.#context
    if (this.#target.session === undefined) return undefined
    const named = given.text("folder")
    if (named !== undefined) return { folder: resolve(io.cwd, named) }
    return given.flag("install") && outlineOf(part)?.folder === undefined ? { folder: io.cwd } : undefined
  }

  /** Each session in the place where its agent looks for it. */
  async #install(values: readonly unknown[], given: string, session: SessionCodec, source: Source): Promise<readonly string[]> {
    const { io, err, arguments: options } = this.#context
    const isDry = options.flag("dry-run")
    const paths: string[] = []
    for (const [index, converted] of values.entries()) {
      const part = source.parts[index]
      const isOwn = source.derived !== undefined && part?.format === session.format
      const value = (isOwn && part ? copyOf(part, converted) : undefined) ?? converted
      const place = session.session.place?.(fileValueOf(session, value))
      if (place === undefined)
        throw new LigatureError("cannot-write", phrase`It is not known where ${session.session.agent} keeps its sessions. Use -o FILE.`)
      const mode = await modeOfSources([given === "-" ? given : resolve(io.cwd, filePart(given, io.cwd))])
      const installed = await installSession(place, source.output(fileText(value, session)), mode, io, isDry)
      const { path, wasThere } = installed
      const shown = shortPath(path, io)
      err.line(wasThere ? phrase`${shown} is there already` : isDry ? phrase`${shown} would be written` : phrase`Written to ${shown}`)
      printResume(installed.place, err)
      paths.push(path)
    }
    return paths
  }

  async #write(values: readonly unknown[], given: string, destination: Destination, source: Source): Promise<readonly string[]> {
    const { session } = this.#target
    if (this.#context.arguments.flag("install")) {
      if (session === undefined)
        throw new UsageError(phrase`--install needs the session format of an agent`, phrase`For example: ${"--to claude-code"}`)
      if (destination.kind !== "stdout") throw new UsageError(phrase`Give only one of --install, -o and --out-dir`)
      return this.#install(values, given, session, source)
    }
    if (destination.kind !== "stdout") {
      const extension = session !== undefined && values.every((value) => hasLines(session, value)) ? ".jsonl" : ".json"
      const outputs = await destination.write(
        given,
        values.map((value) => source.output(fileText(value, session))),
        extension,
      )
      if (destination.isDry) for (const name of outputs) this.#context.err.line(phrase`${name} would be written`)
      this.#printPlaces(values, outputs)
      return outputs
    }
    const isOne = this.#files.length === 1 && values.length === 1
    if (!isOne && session !== undefined) {
      throw new UsageError(phrase`Only one session can be written to stdout`, phrase`Use --out-dir DIR: one file for each.`)
    }
    const texts = isOne ? values.map((value) => fileText(value, session)) : values.map((value) => `${JSON.stringify(value)}\n`)
    this.#printPlaces(values, [])
    // A reader that closes the pipe ends the program, so a report that was asked for is written first.
    if (destination.isDry) return []
    const contents = texts.map((text) => source.output(text))
    if (this.#context.arguments.flag("report")) pushAll(this.#unprinted, contents)
    else for (const content of contents) this.#print(content)
    return []
  }

  #print(content: Content): void {
    for (const piece of piecesOf(content)) this.#context.out.write(piece)
  }

  /** The new agent must find the session: where to put the file, and how to open it. */
  #printPlaces(values: readonly unknown[], outputs: readonly string[]): void {
    const { session } = this.#target
    const place = session?.session.place
    if (session === undefined || place === undefined || values.length > fewSessions || this.#files.length > fewSessions) return
    const { err } = this.#context
    values.forEach((value, index) => {
      err.line(err.palette.strong(outputs[index] ?? session.session.agent))
      printSessionPlace(place(fileValueOf(session, value)), err)
    })
  }
}

/** With more sessions, instructions for each would hide everything else. */
const fewSessions = 5

export const convert: Command = {
  summary: "convert a history to a request for another provider",
  usage: "FILE… --to FORMAT [--for PROFILE] [-o OUT | --out-dir DIR] [OPTIONS]",
  help: `Reads any format, repairs any damage, and writes a request body in the target format: {"system", "messages"},
{"messages"}, {"input"}, {"contents", "systemInstruction"}, … A source in the same format keeps its other fields (model,
tools). Content that the target format cannot represent is carried by convention where one exists, and reported: --report
writes everything as JSON.

One conversation goes to stdout as one JSON text; several as one per line. With --out-dir each output has the base
name of its input and the extension .json; an input with several conversations gives NAME.0001.json, NAME.0002.json,
… An unreadable file does not stop the others.

By default a tool call without a result at the end gets a placeholder result. --open-tip leaves it open.

Policies (the first value is the default):

${policyHelp}`,
  takesSessions: true,
  options: [
    { name: "to", value: "FORMAT", text: "format to write, or the name of a profile" },
    fromOption,
    branchOption,
    viewOption,
    { name: "for", value: "PROFILE", text: "target provider (default: the one the format is named after)" },
    outOption,
    outDirOption,
    { name: "install", text: "put the session where its agent looks for it, and print how to resume it" },
    folderOption,
    dryRunOption,
    openTipOption,
    { name: "style", value: "STYLE", text: "write all tool calls as blocks (json) or as text in tags (xml)" },
    policyOption,
    reportOption,
    salvageOption,
  ],
  examples: [
    ["ligature convert request.json --to openai-chat", "an Anthropic request for Chat Completions, to stdout"],
    ["ligature convert *.json --to mistral --out-dir converted --report report.json", "many files, with a report"],
    ["ligature convert task.json --to anthropic -o blocks.json", "tool calls in XML text become blocks"],
    ["ligature convert latest --to codex --install", "continue the newest session in another agent"],
    ["ligature convert log.jsonl --to gemini --out-dir out", "one output per request of a log"],
  ],
  run: (context) => new ConvertRun(context).run(),
}
