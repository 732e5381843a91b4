/** `ligature classify`: what a provider's error means, what to do, and which place in the history it is about. */
import type { DocumentPart } from "../../document/index.ts"
import { check } from "../../rules/index.ts"
import { classify as classifyError, type Classification, locate } from "../../rules/classify/index.ts"
import { type Diagnostic, LigatureError, phrase, type Place, type Transcript } from "../../model/index.ts"
import { type Command, type Context, type ExitCode, fromOption, jsonOption } from "../frame/command.ts"
import { readInput } from "../input/files.ts"
import { messageLine } from "../print/block.ts"
import { printDiagnostic } from "../print/diagnostic.ts"
import { printJson } from "../print/json.ts"
import { printProblems } from "../print/problem.ts"
import { printProviderRule } from "../print/rule.ts"
import { count, cut, hang, oneLine, pad } from "../frame/text.ts"
import { Source } from "../input/source.ts"
import { UsageError } from "../frame/usage-error.ts"
import { readingOf } from "../output/visit-sources.ts"
import { WirePlaces } from "../input/wire-places.ts"

/** Each action as advice to a person. Called when printed: the language is chosen by then. */
const actionTexts: Readonly<Record<Classification["action"], () => string>> = {
  "allow-list-render": () => phrase`Send only fields that the provider supports: convert writes such a request.`,
  "change-params": () => phrase`Change parameters of the request; the conversation is valid.`,
  "fix-arguments": () => phrase`Correct the arguments of a tool call: repair does this and keeps the raw text.`,
  "fix-empty": () => phrase`Fill or remove empty content: repair does this.`,
  "fix-media": () => phrase`Replace the media with a note, or correct its type: repair and convert do this.`,
  "fix-roles": () => phrase`Put the roles in the order that the provider requires: convert does this.`,
  "fix-server-state": () => phrase`State on the server no longer matches: send the history without referring to it.`,
  "re-id": () => phrase`Give tool calls and their results new ids: repair and convert do this.`,
  "recompute-cache-marks": () => phrase`Set the cache markers again.`,
  "rename-or-drop-tool": () => phrase`Give the tool a name that the provider accepts, or remove it.`,
  "repair-pairing": () => phrase`Pair tool calls with their results again: repair does this.`,
  "replay-reasoning-or-omit-ids": () => phrase`Send the reasoning items too, or omit the item ids: convert does this.`,
  "restore-signature-or-sentinel": () => phrase`Restore the signature, or write the sentinel for a missing one: convert does this.`,
  "server-span": () => phrase`Keep both halves of a server-side tool call, or remove both: repair does this.`,
  "shorten-text": () => phrase`Shorten the text: compact does this.`,
  "strip-or-restore-reasoning": () => phrase`Remove thinking that the provider cannot verify, or restore it completely: convert does this.`,
}

interface HistoryPlace {
  readonly why: "named by index" | "names the id" | "breaks the rule" | "most likely"
  readonly line?: number
  readonly path: string
  readonly text: string
}

const reasons: Readonly<Record<HistoryPlace["why"], () => string>> = {
  "named by index": () => phrase`named by index`,
  "names the id": () => phrase`has this id`,
  "breaks the rule": () => phrase`violates the rule`,
  "most likely": () => phrase`most likely`,
}

const textOf = async (context: Context): Promise<string> => {
  const [file = "-", ...more] = context.arguments.positionals
  if (more.length > 0) throw new UsageError(phrase`classify takes one FILE`, phrase`Give the history with --history.`)
  if (file === "-" && context.io.stdin.isTerminal === true) {
    const { err } = context
    err.hint(phrase`Paste the provider's error and end with Ctrl-D (or give a FILE instead).`)
  }
  const text = await readInput(file, context.io).then(
    (bytes) => new TextDecoder().decode(bytes),
    (error: unknown) => {
      // An argument with spaces that is not a file is the error text itself.
      if (/\s/.test(file.trim())) return file
      const reason = LigatureError.is(error) ? error.message : String(error)
      throw new UsageError(phrase`${file}: ${reason}`, phrase`Give a FILE that contains the error, or its text in quotes, or pipe it in.`)
    },
  )
  if (text.trim() === "") {
    throw new UsageError(phrase`No error text to classify`, phrase`Pipe it in, or give a FILE that contains it.`)
  }
  return text
}

/** Findings about the error: those of the same rule, or with the ids that it names. */
const isAbout = (finding: Diagnostic, { rule, ids }: Classification): boolean => {
  const invariant = "invariant" in rule.enforcedBy ? rule.enforcedBy.invariant : undefined
  const isSameRule = finding.rule === invariant || ("profile" in rule.enforcedBy && finding.rule === rule.enforcedBy.profile)
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

  /** Prints the findings about the error; returns how many there were. */
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
    throw new UsageError(phrase`stdin cannot be both the error and the history`, phrase`Give one of them as a file.`)
  }
  // The provider rejected what the agent sent, not the whole session.
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
    const label = `  ${pad(name, 8)} `
    hang(label, text, out.width).forEach((line, index) => {
      out.line(index === 0 ? `${palette.accent(label)}${line.slice(label.length)}` : line)
    })
  }
  remark(phrase`error`, cut(oneLine(found.text), out.width * 3))
  remark(phrase`action`, actionTexts[found.action]())
  if (found.place) remark(phrase`place`, phrase`${oneLine(found.place.path)} (as the provider counts)`)
  if (found.ids.length > 0) remark(phrase`ids`, oneLine(found.ids.join(", ")))
  const others = found.all.slice(1).map(({ id }) => id)
  if (others.length > 0) remark(phrase`or`, others.join(", "))
  out.line()
  if (!history) {
    out.line(palette.quiet(phrase`--history FILE finds the place in the rejected request.`))
    return
  }
  const places = history.places().filter(({ why }) => why !== "breaks the rule")
  if (places.length > 0) {
    out.line(palette.strong(phrase`In the history`))
    for (const { why, line, path, text } of places.slice(0, 10)) {
      out.line(
        `  ${palette.accent("-->")} ${line === undefined ? "" : `${phrase`line ${line}`}  `}${path}  ${palette.quiet(reasons[why]())}`,
      )
      out.line(`      ${cut(text, out.width - 6)}`)
    }
    if (places.length > 10) out.line(palette.quiet(`  ${phrase`… and ${count(places.length - 10, "more place")}`}`))
    out.line()
  }
  const printed = history.printFindings()
  if (places.length + printed > 0) return
  out.line(phrase`The history contains nothing that this error is about: it may belong to another request.`)
}

export const classify: Command = {
  summary: "explain a provider's error, and find the place it is about",
  usage: "[ERROR-FILE | 'TEXT'] [--history FILE] [--from FORMAT] [--json]",
  help: `Reads the text of an error from stdin, a file or the command line: a provider's JSON body, a log line, a
stack trace. Prints the requirement that was violated, what to do about it, and the place and ids in the error. With
--history, finds them in the rejected request.

Exit code 0: recognised. 1: not an error about the conversation (a rate limit, an outage), or an unknown one.`,
  options: [{ name: "history", value: "FILE", text: "the rejected request" }, fromOption, jsonOption],
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
      context.out.line(phrase`Unknown error.`)
      context.out.line(
        phrase`It may not be about the conversation, but a rate limit, an overload, credentials or the error page of a proxy.`,
      )
      context.out.hint(phrase`ligature check FILE --for PROFILE validates the request itself.`)
    }
    return code
  },
}
