/** `ligature check`: reports every violation with its place; changes nothing. */
import { objector } from "../../convert/check.ts"
import { checkSession } from "../../convert/session-check.ts"
import { check as findDamage } from "../../convert/index.ts"
import type { DocumentPart } from "../../document/index.ts"
import type { Profile } from "../../rules/index.ts"
import { type Diagnostic, phrase, shellFile, type Place, translated, type Transcript } from "../../model/index.ts"
import {
  branchOption,
  type Command,
  type Context,
  type ExitCode,
  fromOption,
  jsonOption,
  openTipOption,
  policyOption,
  profileOption,
  viewOption,
} from "../frame/command.ts"
import { paintSeverity, printDiagnostic } from "../print/diagnostic.ts"
import { printJson } from "../print/json.ts"
import { count, oneLine, wrap } from "../frame/text.ts"
import { countedByRule } from "../output/report.ts"
import { policiesOf, profileOf, tipOf } from "../frame/settings.ts"
import type { Source } from "../input/source.ts"
import { filesOf, type Problem, visitSources } from "../output/visit-sources.ts"
import { WirePlaces } from "../input/wire-places.ts"

const shownInFull = 20

/** Of findings that are the same, so many places are named. */
const placesShown = 8

interface Repeated {
  readonly finding: Diagnostic
  readonly at: readonly string[]
}

/** One conversation in the output of `--json`. */
interface CheckedConversation {
  readonly format: string
  readonly certainty: string
  readonly path: string
  readonly line?: number
  readonly messages: number
  readonly findings: readonly unknown[]
}

interface CheckedFile {
  readonly file: string
  readonly problems: readonly Problem[]
  readonly conversations: readonly CheckedConversation[]
}

/** A place in both forms: indices into the transcript, and line and path in the file. */
const withFilePlace = (place: Place, source: Source, part: DocumentPart, places: WirePlaces): unknown => {
  const { message, block } = place
  return {
    ...source.placeOf(place, part, places),
    ...(message !== undefined && { message }),
    ...(block !== undefined && { block }),
  }
}

/** The stretches of a session are one conversation; those of a log have conversations of their own. */
const joined = (
  before: readonly CheckedConversation[],
  more: readonly CheckedConversation[],
  { parts }: Source,
): readonly CheckedConversation[] => {
  const [first, second] = [before.at(-1), more[0]]
  if (first === undefined || second === undefined || parts[0]?.container !== "session") return [...before, ...more]
  const one = { ...first, messages: first.messages + second.messages, findings: [...first.findings, ...second.findings] }
  return [...before.slice(0, -1), one, ...more.slice(1)]
}

type Validate = (transcript: Transcript, part: DocumentPart) => readonly Diagnostic[]

class CheckRun {
  readonly #context: Context
  readonly #checked: CheckedFile[] = []
  readonly #isJson: boolean
  readonly #limit: number
  readonly #totals = { files: 0, conversations: 0, messages: 0, error: 0, warning: 0, info: 0 }
  /** By name: a long file comes in several stretches. */
  readonly #damaged = new Set<string>()
  readonly #explained = new Set<string>()
  /** What was printed of the file, so that the same is not printed again. */
  readonly #printed = new Set<string>()
  #shown = 0
  #hidden = 0
  #unreadable = 0
  /** Providers that would reject a conversation that violates no invariant, and how many conversations each. */
  readonly #objections = new Map<Profile, number>()

  constructor(context: Context) {
    this.#context = context
    this.#isJson = context.arguments.flag("json")
    this.#limit = context.arguments.flag("all") ? Number.POSITIVE_INFINITY : shownInFull
  }

  async run(): Promise<ExitCode> {
    const files = filesOf(this.#context, "check")
    const profile = profileOf(this.#context)
    const policies = policiesOf(this.#context)
    const validate: Validate = (transcript, part) =>
      findDamage(transcript, { tip: tipOf(this.#context, part), policies, ...(profile && { profile }) })
    const unreadable = (file: string, problems: readonly Problem[]): void => {
      this.#checked.push({ file, problems, conversations: [] })
    }
    const code = await visitSources(this.#context, files, {
      visit: async (source) => this.#file(source, validate, false),
      visitMore: async (source) => this.#file(source, validate, true),
      ...(this.#isJson && { unreadable }),
    })
    this.#unreadable = files.length - this.#totals.files
    this.#end(code)
    return code
  }

  /** `isMore`: a further stretch of a file that is too long for memory. */
  #file(source: Source, validate: Validate, isMore: boolean): ExitCode {
    const all: Diagnostic[] = []
    const unprinted: Diagnostic[] = []
    const conversations: CheckedConversation[] = []
    const repeated = new Map<string, Repeated>()
    if (!isMore) this.#totals.files++
    if (!isMore) this.#printed.clear()
    for (const [index, part] of source.parts.entries()) {
      const transcript = source.transcript(part)
      const findings = [...validate(transcript, part), ...this.#media(source, part, transcript)]
      if (!isMore || part.container !== "session") this.#totals.conversations++
      this.#totals.messages += transcript.messages.length
      for (const { severity } of findings) this.#totals[severity]++
      for (const finding of findings) all.push(finding)
      // Nobody sends a reply without its request.
      if (findings.length === 0 && !this.#isJson && part.container !== "reply") this.#noteObjection(transcript)
      const places = new WirePlaces(part, transcript)
      if (this.#isJson) {
        const { format, certainty, path, line } = part
        conversations.push({
          format,
          certainty,
          path,
          ...(line !== undefined && { line }),
          messages: transcript.messages.length,
          findings: findings.map((finding) => ({
            ...finding,
            place: withFilePlace(finding.place, source, part, places),
          })),
        })
        continue
      }
      for (const finding of findings) {
        // Peculiarities of an agent's files are not damage; --all shows them.
        if (finding.severity === "info" && this.#limit === shownInFull) continue
        const place = source.placeOf(finding.place, part, places)
        const where = { file: source.labelOf(index), place, transcript, places }
        const heading = `${finding.severity}[${finding.rule}]: ${oneLine(translated(finding.what))}`
        if (this.#printed.has(heading) && this.#limit === shownInFull) {
          const { at } = repeated.get(heading) ?? { at: [] }
          repeated.set(heading, {
            finding,
            at: [...at, place.line === undefined || source.document.syntax === "json" ? place.path : `${where.file}:${place.line}`],
          })
          continue
        }
        if (this.#shown >= this.#limit) {
          unprinted.push(finding)
          continue
        }
        this.#shown++
        this.#printed.add(heading)
        printDiagnostic(finding, where, this.#context.out, { brief: this.#explained.has(finding.rule) })
        this.#explained.add(finding.rule)
      }
    }
    if (this.#isJson) this.#addToJson(source, conversations, isMore)
    else {
      for (const each of repeated.values()) this.#printRepeated(each)
      this.#printRest(source, unprinted, all.length)
    }
    const isDamaged = all.some(({ severity }) => severity !== "info")
    if (isDamaged || source.problems.some(({ severity }) => severity === "damage")) this.#damaged.add(source.name)
    if (source.problems.some(({ kind }) => kind === "truncated-json" || kind === "invalid-json")) return 2
    const hasDamage = source.problems.some(({ severity }) => severity === "damage")
    return hasDamage || all.some(({ severity }) => severity !== "info") ? 1 : 0
  }

  /** Images that a session's own provider rejects; with --for, the rules of the given provider apply instead. */
  #media(source: Source, part: DocumentPart, transcript: Transcript): readonly Diagnostic[] {
    if (part.container !== "session" || this.#context.arguments.text("for") !== undefined) return []
    return checkSession(part.value, transcript, source.decodeOptions(part))
  }

  #noteObjection(transcript: Transcript): void {
    if (this.#context.arguments.text("for") !== undefined) return
    const profile = objector(transcript, { tip: tipOf(this.#context) })
    if (profile) this.#objections.set(profile, (this.#objections.get(profile) ?? 0) + 1)
  }

  #addToJson(source: Source, conversations: readonly CheckedConversation[], isMore: boolean): void {
    const { name: file, problems } = source
    const last = isMore ? this.#checked.pop() : undefined
    this.#checked.push({
      file,
      problems: last ? [...last.problems, ...problems] : problems,
      conversations: last ? joined(last.conversations, conversations, source) : conversations,
    })
  }

  /** The same again, elsewhere in the file. */
  #printRepeated({ finding: { severity, rule, what }, at }: Repeated): void {
    const { out } = this.#context
    const places = at.slice(0, placesShown).join(", ")
    const more = at.length > placesShown ? ", …" : ""
    out.line(`${paintSeverity(severity, `${severity}[${rule}]`, out)}: ${out.palette.strong(oneLine(translated(what)))}`)
    out.line(`  ${out.palette.accent("-->")} ${phrase`${count(at.length, "more time")}: ${`${places}${more}`}`}`)
    out.line()
  }

  /** One line for what was not printed in full. */
  #printRest(source: Source, rest: readonly Diagnostic[], found: number): void {
    if (rest.length === 0) return
    this.#hidden += rest.length
    const { out } = this.#context
    const more = rest.length < found ? count(rest.length, "more finding") : count(rest.length, "finding")
    for (const line of wrap(phrase`${source.name}: ${more} (${countedByRule(rest)})`, out.width)) out.line(line)
  }

  #result(found: readonly string[]): string {
    const { files, conversations, messages } = this.#totals
    const damagedFiles = this.#damaged.size
    const read = phrase`${count(files, "file")}, ${count(conversations, "conversation")}, ${count(messages, "message")}`
    if (files === 0) return phrase`Nothing checked`
    const { error, warning, info } = this.#totals
    if (info > 0 && error + warning + damagedFiles === 0) {
      const notes = this.#limit === shownInFull ? phrase`${count(info, "note")}, shown by --all` : count(info, "note")
      return `${this.#context.out.palette.good("✓")} ${phrase`${read}: no damage found`}; ${notes}`
    }
    if (found.length > 0) return phrase`${read}: ${found.reduce((all, each) => phrase`${all}, ${each}`)} in ${count(damagedFiles, "file")}`
    if (damagedFiles > 0) return phrase`${read}: no damage in the readable part; see the warnings above`
    return `${this.#context.out.palette.good("✓")} ${phrase`${read}: no damage found`}`
  }

  #end(code: ExitCode): void {
    const { out } = this.#context
    const { conversations, messages, error, warning, info } = this.#totals
    if (this.#isJson) {
      const found = { errors: error, warnings: warning, infos: info }
      const summary = { files: this.#checked.length, conversations, messages, ...found }
      printJson("check", code, { summary, files: this.#checked }, out)
      return
    }
    if (this.#hidden > 0) {
      const rest = count(this.#hidden, "finding")
      out.hint(phrase`${rest} not shown in full; --all shows every one`)
      out.line()
    }
    const found = [
      error > 0 ? out.palette.error(count(error, "error")) : "",
      warning > 0 ? out.palette.warning(count(warning, "warning")) : "",
      info > 0 ? count(info, "note") : "",
    ].filter((part) => part !== "")
    const result = this.#result(found)
    const unreadable = out.palette.error(phrase`${count(this.#unreadable, "file")} could not be read`)
    out.line(this.#unreadable === 0 ? result : phrase`${result}; ${unreadable}`)
    for (const [{ name, title }, times] of this.#objections) {
      const rejected = count(times, "conversation")
      const text = phrase`${title} would reject ${rejected} although no invariant is violated: ${`ligature check FILE --for ${name}`} shows why, ${"ligature repair FILE"} fixes it.`
      for (const line of wrap(text, out.width)) out.line(line)
    }
    if (error + warning === 0) return
    const { arguments: given, sessions } = this.#context
    const profile = given.text("for")
    const [file, ...others] = given.positionals
    const name = file === undefined || file === "-" || others.length > 0 ? "FILE" : shellFile(file)
    const place = file !== undefined && sessions.has(file) ? "--in-place" : "-o OUT"
    const remedy = profile === undefined ? `repair ${name} ${place}` : `convert ${name} --for ${profile} -o OUT`
    out.hint(phrase`ligature rules RULE explains a rule; ${`ligature ${remedy}`} repairs all of this.`)
  }
}

export const check: Command = {
  summary: "report what is wrong with a history, and where",
  usage: "FILE… [--from FORMAT] [--for PROFILE] [--open-tip] [--policy NAME=VALUE]… [--json] [--all]",
  help: `Validates each conversation against the invariants that hold for every provider (every tool call has exactly one
result, nothing comes between a tool call and its results, …) and, with --for, against the requirements of one provider.
Each finding shows its place, the messages around it, and what repair would do; the same finding again, only its place.
Nothing is changed.

A tool call without a result at the end of a history is a finding too; with --open-tip it counts as still running.

Exit code 0: no damage. 1: findings. 2: a file could not be read.`,
  takesSessions: true,
  options: [
    fromOption,
    branchOption,
    viewOption,
    profileOption,
    openTipOption,
    policyOption,
    jsonOption,
    { name: "all", text: `show every finding in full, not only the first ${shownInFull}` },
  ],
  examples: [
    ["ligature check request.json", "one request"],
    ["ligature check logs/*.jsonl --for anthropic", "would Anthropic accept these?"],
    ["curl -s localhost:8080/last-request | ligature check -", "from a pipe"],
    ["ligature check session.json --json | jq '.files[].conversations[].findings[].rule'", "for scripts"],
  ],
  run: (context) => new CheckRun(context).run(),
}
