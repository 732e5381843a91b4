/** `ligature classify`: what a provider's refusal means, what to do, and which place of the history it is about. */
import type { DocumentPart } from "../../document/index.ts"
import { check } from "../../rules/index.ts"
import { classify as classifyError, type Classification, locate } from "../../rules/classify/index.ts"
import { type Diagnostic, LigatureError, type Place, type Transcript } from "../../model/index.ts"
import { type Command, type Context, type ExitCode, fromOption, jsonOption } from "../frame/command.ts"
import { readInput } from "../input/files.ts"
import { messageLine } from "../print/block.ts"
import { printDiagnostic } from "../print/diagnostic.ts"
import { printJson } from "../print/json.ts"
import { printProblems } from "../print/problem.ts"
import { printProviderRule } from "../print/rule.ts"
import { count, cut, hang, oneLine } from "../frame/text.ts"
import { Source } from "../input/source.ts"
import { UsageError } from "../frame/usage-error.ts"
import { readingOf } from "../output/visit-sources.ts"
import { WirePlaces } from "../input/wire-places.ts"

/** What each action means, in words a person can act on. */
const actionWords: Readonly<Record<Classification["action"], string>> = {
  "allow-list-render": "Write the request anew, with only the fields the provider knows: convert does.",
  "change-params": "Change parameters of the request; the conversation is fine.",
  "fix-arguments": "Put the arguments of a call right: repair keeps the raw text beside them.",
  "fix-empty": "Fill or leave out what is empty: repair does.",
  "fix-media": "Replace the media by a note, or correct its type: repair and convert do.",
  "fix-roles": "Bring the roles into the order the provider wants: convert does.",
  "fix-server-state": "Something the server remembers no longer fits: send the history without referring to it.",
  "re-id": "Give calls and results other ids, on both sides: repair and convert do.",
  "recompute-cache-marks": "Set the cache marks anew.",
  "rename-or-drop-tool": "Rename the tool as the provider wants it, or leave it out.",
  "repair-pairing": "Bring calls and results together again: repair does.",
  "replay-reasoning-or-omit-ids": "Send the reasoning items along, or leave out the item ids: convert does.",
  "restore-signature-or-sentinel": "Restore the signature, or write the sentinel for a missing one: convert does.",
  "server-span": "Keep the halves of a server-side tool together, or leave both out: repair does.",
  "shorten-text": "Shorten the text: compact does.",
  "strip-or-restore-reasoning": "Leave out thinking the provider cannot verify, or restore it whole: convert does.",
}

interface HistoryPlace {
  readonly why: "named by index" | "names the id" | "breaks the rule" | "most likely"
  readonly line?: number
  readonly path: string
  readonly text: string
}

const textOf = async (context: Context): Promise<string> => {
  const [file = "-", ...more] = context.arguments.positionals
  if (more.length > 0) throw new UsageError("classify takes one FILE", "The history goes behind --history.")
  if (file === "-" && context.io.stdin.isTerminal === true) {
    const { err } = context
    err.line(err.palette.quiet("Paste the provider's error and end with Ctrl-D (a FILE can be given instead)."))
  }
  const text = await readInput(file, context.io).then(
    (bytes) => new TextDecoder().decode(bytes),
    (error: unknown) => {
      // Words where a file belongs are the error itself, pasted as an argument.
      if (/\s/.test(file.trim())) return file
      const reason = LigatureError.is(error) ? error.message : String(error)
      throw new UsageError(`${file}: ${reason}`, "Give a FILE that holds the error, its text in quotes, or pipe it in.")
    },
  )
  if (text.trim() === "") {
    throw new UsageError("There is no error text to classify", "Pipe it in, or give a FILE that holds it.")
  }
  return text
}

/** Findings that concern the refusal: the law behind it, or the ids it names. */
const isAbout = (finding: Diagnostic, { rule, ids }: Classification): boolean => {
  const law = "law" in rule.enforcedBy ? rule.enforcedBy.law : undefined
  const isSameRule = finding.rule === law || ("profile" in rule.enforcedBy && finding.rule === rule.enforcedBy.profile)
  const hasNamedId = finding.ids.some((id) => ids.includes(id))
  return ids.length > 0 ? hasNamedId : isSameRule
}

class History {
  readonly #source: Source
  readonly #found: Classification
  readonly #context: Context

  constructor(source: Source, found: Classification, context: Context) {
    this.#source = source
    this.#found = found
    this.#context = context
  }

  places(): readonly HistoryPlace[] {
    return this.#source.parts.flatMap((part) => this.#placesIn(part, this.#source.transcript(part)))
  }

  /** Prints the findings about the refusal; returns how many there were. */
  printFindings(): number {
    let printed = 0
    for (const [index, part] of this.#source.parts.entries()) {
      const transcript = this.#source.transcript(part)
      const places = new WirePlaces(part, transcript)
      for (const finding of check(transcript)) {
        if (!isAbout(finding, this.#found) || printed >= 5) continue
        printed++
        const place = this.#source.placeOf(finding.place, part, places)
        printDiagnostic(finding, { file: this.#source.labelOf(index), place, transcript, places }, this.#context.out)
      }
    }
    return printed
  }

  #placesIn(part: DocumentPart, transcript: Transcript): readonly HistoryPlace[] {
    const places = new WirePlaces(part, transcript)
    const found: HistoryPlace[] = []
    const add = (why: HistoryPlace["why"], place: Place): void => {
      const message = transcript.messages[place.message ?? -1]
      if (!message) return
      const text = cut(messageLine(message, place.block ?? 0), 160)
      found.push({ why, ...this.#source.placeOf(place, part, places), text })
    }
    const { place: named } = this.#found
    const located = locate({ ids: [], rule: this.#found.rule, ...(named && { place: named }) }, transcript, part.value)
    if (located?.by === "path") add("named by index", located.place)
    if (located?.by === "likely" && this.#found.ids.length === 0) add("most likely", located.place)
    const ids = new Set(this.#found.ids)
    transcript.messages.forEach(({ blocks }, index) => {
      blocks.forEach((each, number) => {
        const id = each.type === "call" ? each.id : each.type === "result" ? each.callId : undefined
        if (id !== undefined && ids.has(id)) add("names the id", { message: index, block: number })
      })
    })
    for (const finding of check(transcript)) if (isAbout(finding, this.#found)) add("breaks the rule", finding.place)
    return found
  }
}

const historyOf = async (found: Classification, context: Context): Promise<History | undefined> => {
  const name = context.arguments.text("history")
  if (name === undefined) return undefined
  if (name === "-" && context.arguments.positionals.length === 0) {
    throw new UsageError("stdin cannot be both the error and the history", "Give one of them as a file.")
  }
  // What was refused is what an agent sends, not all that its session has.
  const source = await Source.read(name, { view: "effective", ...readingOf(context) }, context.io)
  printProblems(source, context.err, { withNotes: false })
  return source.isUnreadable ? undefined : new History(source, found, context)
}

const print = (found: Classification, history: History | undefined, context: Context): void => {
  const { out } = context
  const { palette } = out
  printProviderRule({ ...found.rule, texts: [], alsoSeen: [] }, out)
  out.line()
  const remark = (name: string, text: string): void => {
    const label = `  ${name.padEnd(8)} `
    hang(label, text, out.width).forEach((line, index) => {
      out.line(index === 0 ? `${palette.accent(label)}${line.slice(label.length)}` : line)
    })
  }
  remark("said", cut(oneLine(found.text), out.width * 3))
  remark("action", actionWords[found.action])
  if (found.place) remark("place", `${oneLine(found.place.path)} (as the provider counts)`)
  if (found.ids.length > 0) remark("ids", oneLine(found.ids.join(", ")))
  const others = found.all.slice(1).map(({ id }) => id)
  if (others.length > 0) remark("or", others.join(", "))
  out.line()
  if (!history) {
    out.line(palette.quiet("--history FILE finds the place in the request that was refused."))
    return
  }
  const places = history.places().filter(({ why }) => why !== "breaks the rule")
  if (places.length > 0) {
    out.line(palette.strong("In the history"))
    for (const { why, line, path, text } of places.slice(0, 10)) {
      out.line(`  ${palette.accent("-->")} ${line === undefined ? "" : `line ${line}  `}${path}  ${palette.quiet(why)}`)
      out.line(`      ${cut(text, out.width - 6)}`)
    }
    if (places.length > 10) out.line(palette.quiet(`  … and ${count(places.length - 10, "more place")}`))
    out.line()
  }
  const printed = history.printFindings()
  if (places.length + printed > 0) return
  out.line("The history holds nothing that this refusal is about: it may be another request's.")
}

export const classify: Command = {
  summary: "say what a provider's error means, and which place it is about",
  usage: "[ERROR-FILE | 'TEXT'] [--history FILE] [--from FORMAT] [--json]",
  help: `Reads the text of an error from stdin, a file or the command line: a provider's JSON body, a log line, a
stack trace. Names the demand that was broken, what to do about it, and the place and ids the provider names. With
--history, finds them in the request that was refused.

Exit code 0: recognised. 1: not an error about the conversation (a rate limit, an outage), or one nobody has seen
yet.`,
  options: [
    { name: "history", value: "FILE", text: "the request that was refused" },
    fromOption,
    jsonOption,
  ],
  examples: [
    ["pbpaste | ligature classify", "from the clipboard"],
    ["ligature classify error.log --history request.json", "with the exact place"],
  ],
  run: async (context): Promise<ExitCode> => {
    const text = await textOf(context)
    const found = classifyError(text)
    const history = found && (await historyOf(found, context))
    const isUnread = found !== undefined && history === undefined && context.arguments.flag("history")
    const code: ExitCode = found === undefined ? 1 : isUnread ? 2 : 0
    if (context.arguments.flag("json")) {
      const { rule, all = [], action, place, ids = [] } = found ?? {}
      const fields = {
        recognised: found !== undefined,
        ...(rule && { rule: rule.id, demand: rule.demand, repair: rule.repair, enforcedBy: rule.enforcedBy }),
        all: all.map(({ id }) => id),
        ...(action && { action }),
        ...(place && { place }),
        ids,
        ...(history && { places: history.places() }),
      }
      printJson("classify", code, fields, context.out)
    } else if (found) print(found, history, context)
    else {
      context.out.line("This is not a refusal that the rule book knows.")
      const other = "a rate limit, an overload, credentials, a proxy's page"
      context.out.line(`It may not be about the conversation at all: ${other}.`)
      context.out.line(context.out.palette.quiet("ligature check FILE --for PROFILE judges the request itself."))
    }
    return code
  },
}
