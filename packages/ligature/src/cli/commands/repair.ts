/** `ligature repair`: the same file in the same format, valid. */
import { check, type Converted, convert, repair as repairValue } from "../../convert/index.ts"
import type { DocumentPart } from "../../document/index.ts"
import type { SessionPlace } from "../../formats/engine/session.ts"
import type { Profile } from "../../rules/index.ts"
import { LigatureError, phrase } from "../../model/index.ts"
import {
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
  profileOption,
  reportOption,
  salvageOption,
} from "../frame/command.ts"
import { Destination } from "../output/destination.ts"
import { jsonVersion } from "../print/json.ts"
import { printNotSalvaged, printSummary, type Tally } from "../output/summary.ts"
import { hang } from "../frame/text.ts"
import { countedByRule, type Locate, reportedEntries, type ReportedConversation, type ReportedFile, traceReport } from "../output/report.ts"
import { policiesOf, policyHelp, profileOf, tipOf } from "../frame/settings.ts"
import { resolve } from "node:path"
import { collectGarbage } from "../../files/disk/collect-garbage.ts"
import type { AbridgedFile } from "../../files/abridged/abridged-file.ts"
import { type Content, modeOfSources, piecesOf } from "../input/files.ts"
import { filePart, type Source } from "../input/source.ts"
import { installSession, pathOnThisMachine } from "../sessions/install-session.ts"
import { shortPath } from "../sessions/session-files.ts"
import { UsageError } from "../frame/usage-error.ts"
import { filesOf, visitSources } from "../output/visit-sources.ts"
import { WirePlaces } from "../input/wire-places.ts"
import { printResume } from "../print/session-place.ts"
import { copyOf, placeInDatabase, placeOf } from "../sessions/examine.ts"
import { inFolder } from "../sessions/session-folder.ts"

interface Repaired {
  readonly reported: ReportedConversation
  /** The new wire value; absent when there was nothing to repair. */
  readonly value?: unknown
}

/** A session of a database under other ids, as its agent imports it. */
interface Copy {
  readonly place: SessionPlace
  readonly text: string
}

const copyIn = (source: Source, values: ReadonlyMap<DocumentPart, unknown>): Copy => {
  const [part, ...others] = source.parts
  const value = part && others.length === 0 ? copyOf(part, values.get(part) ?? part.value) : undefined
  const place = part && value !== undefined ? placeOf(part, value) : undefined
  if (place === undefined)
    throw new LigatureError("cannot-write", phrase`${source.name} is ${source.derived ?? ""}. Use -o OUT, or: ligature convert`)
  return { place, text: `${JSON.stringify(value, null, 2)}\n` }
}

class RepairRun {
  readonly #context: Context
  readonly #files: readonly string[]
  readonly #profile: Profile | undefined
  readonly #reported: ReportedFile[] = []
  readonly #abridged: AbridgedFile[] = []
  readonly #tally: Tally = { files: 0, conversations: 0, entries: [], losses: [] }

  constructor(context: Context) {
    this.#context = context
    this.#profile = profileOf(context)
    this.#files = filesOf(context, "repair")
  }

  async run(): Promise<ExitCode> {
    const destination = await Destination.of(this.#context, this.#files, { replacesSessions: true })
    if (destination.kind === "stdout" && this.#files.length > 1) {
      throw new UsageError(
        phrase`repair writes one file to stdout, got ${this.#files.length}`,
        phrase`Use --out-dir DIR, or --in-place, which keeps a .bak of each.`,
      )
    }
    const code = await visitSources(this.#context, this.#files, {
      abridges: true,
      visit: (source, given) => this.#file(source, given, destination),
    })
    await destination.writeReport({ version: jsonVersion, command: "repair", files: this.#reported }, this.#abridged)
    printSummary("repaired", this.#tally, this.#context)
    return code
  }

  async #file(source: Source, given: string, destination: Destination): Promise<ExitCode> {
    if (source.isPartial && !this.#context.arguments.flag("salvage")) {
      printNotSalvaged(source, this.#context.err)
      return 2
    }
    const replacements = new Map<DocumentPart, unknown>()
    const conversations: ReportedConversation[] = []
    for (const [index, part] of source.parts.entries()) {
      const { reported, value } = this.#conversation(source, part, source.labelOf(index))
      conversations.push(reported)
      const folder = this.#context.arguments.text("folder")
      const moved = folder === undefined ? value : inFolder(part, value ?? part.value, folder, this.#context.io)
      if (moved !== undefined && (value !== undefined || moved !== part.value)) replacements.set(part, moved)
    }
    // A file that needs no repair keeps every byte, including invalid UTF-8.
    const isSame = replacements.size === 0
    const copy = destination.kind === "in-place" && source.derived !== undefined ? copyIn(source, replacements) : undefined
    const rebuilt = isSame ? undefined : (copy?.text ?? source.rebuilt(replacements))
    const code = rebuilt === undefined ? 0 : this.#verify(source, rebuilt)
    const content = rebuilt === undefined ? (copy?.text ?? source.unchanged) : source.output(rebuilt)
    if (source.abridged) this.#abridged.push(source.abridged)
    if (code !== 0) this.#tally.damaged = (this.#tally.damaged ?? 0) + 1
    const outputs = await this.#write(source, given, content, isSame, replacements, destination)
    this.#tally.files++
    this.#tally.conversations += source.parts.length
    const [output] = outputs
    const written = conversations.map((each) => (output === undefined ? each : { ...each, output }))
    this.#reported.push({ file: source.name, problems: source.problems, conversations: written })
    return code
  }

  #conversation(source: Source, part: DocumentPart, label: string): Repaired {
    const transcript = source.transcript(part)
    const irregular = transcript.diagnostics?.filter(({ severity }) => severity !== "info").length ?? 0
    const { value, report } = this.#repaired(source, part)
    const places = new WirePlaces(part, transcript)
    const locate: Locate = (place) => (place.message === undefined ? undefined : source.placeOf(place, part, places))
    traceReport(label, report, locate, this.#context)
    for (const entry of report.entries) this.#tally.entries.push(entry)
    // Without changes nothing is lost, and looking for losses costs more than the repair.
    if (report.entries.length > 0) for (const loss of report.losses) this.#tally.losses.push(loss)
    const wantsReport = this.#context.arguments.flag("report")
    const reported: ReportedConversation = {
      path: part.path,
      ...(part.line !== undefined && { line: part.line }),
      from: part.format,
      to: part.format,
      ...(this.#profile && { profile: this.#profile.name }),
      messages: transcript.messages.length,
      ...(wantsReport ? reportedEntries(report, locate) : { entries: [], losses: [] }),
    }
    // A torn file is always rewritten: this removes its damaged lines.
    const isSame = report.entries.length + irregular === 0 && !source.isPartial && !source.isTorn
    return isSame ? { reported } : { reported, value }
  }

  /** Without a profile, valid for the provider it came from; unknown fields stay as they are. */
  #repaired(source: Source, part: DocumentPart): Converted {
    const profile = this.#profile
    const policies = policiesOf(this.#context)
    const reading = { policies, tip: this.#tipOf(part), ...source.decodeOptions(part) }
    if (profile === undefined) return repairValue(part.value, { ...reading, from: part.format, excerpt: part.container === "reply" })
    if (part.container === "session") return repairValue(part.value, { ...reading, from: part.format, mediaFor: profile })
    if (profile.format !== part.format) {
      const instead = `ligature convert --for ${profile.name}`
      throw new LigatureError(
        "bad-option",
        phrase`Profile ${profile.name} needs format ${profile.format}; this is ${part.format}. Use: ${instead}`,
      )
    }
    return convert(part.value, { ...reading, from: part.format, to: part.format, profile })
  }

  /** A reply is the newest message: its tool calls are answered in the next entry, or in the next request, not here. */
  #tipOf(part: DocumentPart): "open" | "closed" {
    return part.appended === undefined ? tipOf(this.#context, part) : "open"
  }

  /** Checked as a reader will find it: a repair that leaves damage must never look like success. */
  #verify(source: Source, content: string): ExitCode {
    if (source.abridged) collectGarbage()
    const again = source.again(content)
    const findings = again.parts.flatMap((part) => check(again.transcript(part), { tip: this.#tipOf(part) }))
    const left = findings.filter(({ severity }) => severity === "error")
    if (left.length === 0) return 0
    const isLog = source.parts.some(({ appended }) => appended !== undefined)
    const why = isLog
      ? phrase`The replies in a log are not changed. ligature convert --out-dir writes each conversation completely.`
      : phrase`Please report this file.`
    const { err } = this.#context
    const text = phrase`${source.name} (${countedByRule(left)}). ${why}`
    for (const line of hang(phrase`still damaged: `, text, err.width)) err.line(line)
    return 1
  }

  async #write(
    source: Source,
    given: string,
    content: Content,
    isSame: boolean,
    values: ReadonlyMap<DocumentPart, unknown>,
    destination: Destination,
  ): Promise<readonly string[]> {
    const { out, err } = this.#context
    if (destination.kind === "stdout") {
      if (!destination.isDry) for (const piece of piecesOf(content)) out.write(piece)
      return []
    }
    if (destination.kind === "in-place" && isSame) {
      this.#printResume(source, values)
      return []
    }
    if (destination.kind === "in-place" && source.derived !== undefined) return this.#copy(copyIn(source, values), destination)
    if (destination.kind === "in-place") {
      const elsewhere = await this.#install(source, given, content, values, destination)
      if (elsewhere !== undefined) return [elsewhere]
    }
    const outputs = await destination.write(given, [content], undefined, source.original)
    const [name = "", backup = ""] = outputs
    if (destination.kind !== "in-place") {
      if (destination.isDry) err.line(phrase`${name} would be written`)
      return outputs
    }
    err.line(
      destination.isDry
        ? phrase`${name} would be repaired; the original would be kept as ${backup}`
        : phrase`${name}: repaired; the original is ${backup}`,
    )
    this.#printResume(source, values)
    return outputs
  }

  /** A session that moved to another project folder belongs to another place; where it was, it stays as it is. */
  async #install(
    source: Source,
    given: string,
    content: Content,
    values: ReadonlyMap<DocumentPart, unknown>,
    { isDry }: Destination,
  ): Promise<string | undefined> {
    const { io, err, sessions, arguments: options } = this.#context
    if (options.text("folder") === undefined || !sessions.has(given)) return undefined
    const [part] = source.parts
    const place = part && source.parts.length === 1 ? placeOf(part, values.get(part)) : undefined
    const path = place && pathOnThisMachine(place, io)
    const from = resolve(io.cwd, filePart(given, io.cwd))
    if (place === undefined || path === undefined || path === from) return undefined
    await installSession(place, content, await modeOfSources([from]), io, isDry)
    err.line(
      isDry
        ? phrase`would be written to ${shortPath(path, io)}; the original would stay`
        : phrase`Written to ${shortPath(path, io)}; the original stays at ${shortPath(from, io)}`,
    )
    printResume(place, err)
    return path
  }

  /** A database is only read: the repaired session becomes one more in it, and the damaged one stays. */
  async #copy({ place, text }: Copy, { isDry }: Destination): Promise<readonly string[]> {
    const { io, err } = this.#context
    const { path, place: there } = await installSession(place, text, 0o600, io, isDry)
    err.line(
      isDry ? phrase`would be written to ${shortPath(path, io)}; the original would stay` : phrase`Written to ${shortPath(path, io)}`,
    )
    printResume(there, err)
    return [path]
  }

  /** A session that is where its agent looks for it goes on at once. */
  #printResume(source: Source, values: ReadonlyMap<DocumentPart, unknown>): void {
    const [part, ...others] = source.parts
    if (part === undefined || others.length > 0) return
    const place = source.derived === undefined ? placeOf(part, values.get(part) ?? part.value) : placeInDatabase(part)
    if (place) printResume(place, this.#context.err)
  }
}

export const repair: Command = {
  summary: "make a damaged history valid, in its own format",
  usage: "FILE… [-o OUT | --out-dir DIR | --in-place] [--policy NAME=VALUE]… [OPTIONS]",
  help: `Repairs every conversation of a file and writes the file again: undamaged content keeps its bytes, and everything
around the conversations (model, tools, other lines of a log) stays as it is. Results move next to their tool calls, an
unanswered tool call gets a placeholder result, a result without a tool call becomes text: nothing is lost without an entry
in the report.

Without -o, --out-dir or --in-place the repaired file goes to stdout; a session that is named by its id, or as latest, is
repaired in place. --in-place first saves the original as FILE.bak and never replaces an existing .bak; for a session, the
command that resumes it is printed. --folder moves a session to another project folder. With --for, the file also meets the
requirements of this provider; in the session of an agent, only images and documents do.

An image that its provider rejects makes every further request of a session fail, so repair replaces it with a note. The
original is in the input file (FILE.bak with --in-place) and in the report.

Policies (the first value is the default):

${policyHelp}`,
  takesSessions: true,
  options: [
    outOption,
    outDirOption,
    { name: "in-place", text: "replace the file itself; the original is kept as FILE.bak" },
    folderOption,
    dryRunOption,
    policyOption,
    reportOption,
    fromOption,
    profileOption,
    openTipOption,
    salvageOption,
  ],
  examples: [
    ["ligature repair latest", "the newest session of this project, in place"],
    ["ligature repair request.json -o repaired.json", "one file"],
    ["ligature repair sessions/*.json --in-place --report report.json", "many, with backups and a report"],
    ["ligature repair request.json --policy unansweredCall=drop-message", "remove messages with unanswered tool calls"],
    ["ligature repair request.json --verbose > /dev/null", "list each repair without writing a file"],
  ],
  run: (context) => new RepairRun(context).run(),
}
