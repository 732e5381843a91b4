/**
 * One run of `ligature compact`: file by file, conversation by conversation. The results of a file are written before
 * anything is reported, so that success is reported only after it happened; findings are reported
 * either way.
 */
import type { DocumentPart } from "../../document/index.ts"
import { isCompactedView } from "../../compact/internal.ts"
import { settle } from "../../rules/index.ts"
import { LigatureError, type Loss, phrase, type Report, type ReportEntry, shellFile, shellOption } from "../../model/index.ts"
import type { Context, ExitCode } from "../frame/command.ts"
import { stdinLabel } from "../input/files.ts"
import { assertNoStore } from "../input/own-store.ts"
import type { Source } from "../input/source.ts"
import { asProblem, filesOf, visitSources } from "../output/visit-sources.ts"
import { Destination } from "../output/destination.ts"
import { pretty } from "../output/file-text.ts"
import { countedByRule, reportedEntries, traceReport } from "../output/report.ts"
import { jsonVersion, printJson } from "../print/json.ts"
import { printExplanation } from "../print/plan.ts"
import { printFailure } from "../print/problem.ts"
import { printLosses, printNotSalvaged } from "../output/summary.ts"
import { count } from "../frame/text.ts"
import { madeLines, warnAlreadyCompacted } from "./view-made.ts"
import { policiesOf, tipOf } from "../frame/settings.ts"
import { UsageError } from "../frame/usage-error.ts"
import { budgetOf, type CompactTarget, goallessStrategy, namedTarget, protectionFor, strategyOf } from "./compact-options.ts"
import { budgetBytes, encodeView, fitView, lineOf, type MadeView, meter } from "./made-view.ts"
import { viewJson } from "./view-json.ts"

/** What is kept of a conversation while the next one is processed: enough to write and report it. */
interface Finished {
  readonly json: Readonly<Record<string, unknown>>
  readonly isRefused: boolean
  /** Undefined: nothing is written. */
  readonly content: unknown
  readonly format: string | undefined
  readonly lines: readonly string[]
  readonly losses: readonly Loss[]
}

/** Exports a conversation of our own store as a file that can be compacted, with its full history. */
const exportFirst = "ligature log export ID --all --to FORMAT -o FILE"

export class CompactRun {
  readonly #context: Context
  readonly #files: readonly string[]
  readonly #target: CompactTarget | undefined
  readonly #reported: unknown[] = []

  constructor(context: Context) {
    const { arguments: given } = context
    this.#context = context
    this.#files = filesOf(context, "compact")
    this.#target = namedTarget(context)
    if (given.flag("budget")) budgetOf(context)
    strategyOf(context)
    policiesOf(context)
    if (given.flag("report") && given.flag("stats")) {
      throw new UsageError(phrase`Give only one of --report and --stats`, phrase`Both are the same file.`)
    }
    if (given.flag("explain") && given.flag("json")) {
      throw new UsageError(phrase`Give only one of --explain and --json`, phrase`--json contains what --explain shows for each item.`)
    }
    if (given.text("out") !== "-") return
    if (given.flag("json")) {
      const wayOut = phrase`Give -o a file, or --stats FILE instead of --json.`
      throw new UsageError(phrase`--json and -o - would both write to stdout`, wayOut)
    }
    if (given.flag("explain")) {
      throw new UsageError(phrase`--explain and -o - would both write to stdout`, phrase`Give -o a file, or omit --explain.`)
    }
  }

  get #isWritten(): boolean {
    const { arguments: given } = this.#context
    return given.flag("out") || given.flag("out-dir") || !(given.flag("explain") || given.flag("json"))
  }

  async run(): Promise<ExitCode> {
    const { arguments: given, out, err } = this.#context
    const instead = phrase`Give another file: ligature recall reads from the original.`
    const destination = await Destination.of(this.#context, this.#files, { instead })
    const goalless = goallessStrategy(this.#context)
    if (goalless !== undefined) {
      err.line(`${err.palette.warning("!")} ${phrase`--goal has no effect on ${goalless}: only digest and generations use it`}`)
    }
    const isJson = given.flag("json")
    const code = await visitSources(this.#context, this.#files, {
      visit: (source, file) => this.#file(source, file, destination),
      unreadable: (file, problems) => {
        this.#reported.push({ file, problems, conversations: [] })
      },
      isPrinting: !isJson,
      admit: (file) => assertNoStore(file, exportFirst, this.#context.io),
    })
    if (isJson) printJson("compact", code, { files: this.#reported }, out)
    await destination.writeReport({ version: jsonVersion, command: "compact", files: this.#reported })
    return code
  }

  async #file(source: Source, file: string, destination: Destination): Promise<ExitCode> {
    const { arguments: given, err } = this.#context
    if (source.isPartial && !given.flag("salvage")) {
      this.#reported.push({ file: source.name, problems: source.problems, conversations: [] })
      printNotSalvaged(source, err)
      return 2
    }
    destination.assertTakes(file, source.parts.length)
    const finished = source.parts.map((part, index) => this.#finish(source, part, index))
    const failure = await this.#write(finished, file, destination)
    const conversations = finished.map(({ json, format }) => ({
      ...json,
      ...(format !== undefined && failure === undefined && { written: format }),
    }))
    const problems = [...source.problems, ...(failure ? [asProblem(failure)] : [])]
    this.#reported.push({ file: source.name, problems, conversations })
    if (failure) {
      if (!given.flag("json")) printFailure(source.name, failure, err)
      return 2
    }
    if (source.parts.length === 0) return 2
    return finished.some(({ isRefused }) => isRefused) ? 1 : 0
  }

  /** One conversation, from the history to what is written and printed. */
  #finish(source: Source, part: DocumentPart, index: number): Finished {
    const { arguments: given, err } = this.#context
    const made = this.#make(source, part, index)
    if (made.isAlreadyCompacted) warnAlreadyCompacted(made.label, err)
    if (given.flag("explain")) this.#explain(made, part)
    const request = this.#isWritten ? made.request : undefined
    const { entries, rules } = this.#repairs(source, part, made, request?.report)
    return {
      json: { ...viewJson(made, part), repairs: entries, losses: request?.report.losses ?? [] },
      isRefused: made.plan.outcome === "refused",
      content: request?.value,
      format: request?.target.format,
      lines: [...madeLines(made, part.format, this.#isWritten, err), ...this.#repairLines(rules)],
      losses: request?.report.losses ?? [],
    }
  }

  #make(source: Source, part: DocumentPart, index: number): MadeView {
    const policies = policiesOf(this.#context)
    const { conversation, report: settled } = settle(source.transcript(part), { tip: tipOf(this.#context), policies })
    const goal = this.#context.arguments.text("goal")
    const strategy = strategyOf(this.#context)
    const options = {
      budget: budgetOf(this.#context, part),
      meter,
      protect: protectionFor(this.#context, conversation.items),
      ...(strategy && { strategy }),
      ...(goal !== undefined && { goal }),
      ...(part.tools !== undefined && { tools: part.tools }),
    }
    const { io, status } = this.#context
    const label = source.labelOf(index)
    // A history of fifty megabytes takes more than ten seconds, and nothing can be printed in the meantime.
    if (status.isSeen) status.show(phrase`compacting ${label}, ${count(conversation.items.length, "item")} …`)
    const started = io.now()
    const fitted = fitView(conversation, options, (view) => encodeView(view, part, this.#target, policies), this.#isWritten)
    const durationMs = io.now() - started
    status.clear()
    return {
      ...fitted,
      label,
      named: this.#named(source, index),
      conversation,
      durationMs,
      tools: meter.sizeOfTools(part.tools),
      isAlreadyCompacted: isCompactedView(conversation),
      settled,
    }
  }

  /** The arguments that name this conversation, with everything that decides which one is read. */
  #named({ name, parts }: Source, index: number): string {
    const { arguments: given } = this.#context
    const named = [name === stdinLabel ? "FILE" : shellFile(name)]
    if (parts.length > 1) named.push("--conversation", String(index + 1))
    for (const option of ["from", "branch", "view"]) {
      const value = given.text(option)
      if (value !== undefined) named.push(shellOption(`--${option}`, value))
    }
    return named.join(" ")
  }

  /** Changes by settling the history and encoding it for its target, apart from the compaction. */
  #repairs(
    source: Source,
    part: DocumentPart,
    { label, settled }: MadeView,
    encoded: Report | undefined,
  ): { readonly entries: readonly unknown[]; readonly rules: readonly ReportEntry[] } {
    const report: Report = {
      entries: [...settled.entries, ...(encoded?.entries ?? [])],
      losses: [...settled.losses, ...(encoded?.losses ?? [])],
    }
    const locate = source.locatorOf(part)
    traceReport(label, report, locate, this.#context)
    return { entries: reportedEntries(report, locate).entries, rules: report.entries }
  }

  #repairLines(rules: readonly ReportEntry[]): readonly string[] {
    const { err, arguments: given } = this.#context
    if (rules.length === 0) return []
    const repairs = count(rules.length, "repair")
    const isListed = given.flag("verbose") || given.flag("stats")
    const text = isListed
      ? phrase`${repairs} made before compacting: ${countedByRule(rules)}`
      : phrase`${repairs} made before compacting: ${countedByRule(rules)}; --verbose lists each`
    return [`${err.palette.warning("!")} ${text}`]
  }

  /** Writes and reports the results of a file; returns the error if they could not be written. */
  async #write(finished: readonly Finished[], file: string, destination: Destination): Promise<LigatureError | undefined> {
    const { arguments: given, out, err } = this.#context
    const isLine = this.#context.arguments.flag("budget") && budgetBytes(budgetOf(this.#context)) !== undefined
    const texts = finished.map(({ content }) => {
      if (content === undefined) return undefined
      const isAmongOthers = destination.kind === "stdout" && (this.#files.length > 1 || finished.length > 1)
      return isLine || isAmongOthers ? lineOf(content) : pretty(content)
    })
    try {
      const names = await destination.write(file, texts, ".json")
      if (!given.flag("json")) for (const line of finished.flatMap(({ lines }) => lines)) err.line(line)
      for (const { losses } of finished) printLosses(losses, err)
      for (const name of names)
        err.line(err.palette.quiet(`  ${destination.isDry ? phrase`Would be written to ${name}` : phrase`Written to ${name}`}`))
    } catch (error) {
      if (LigatureError.is(error)) return error
      throw error
    }
    if (destination.kind === "stdout" && !destination.isDry) for (const text of texts) if (text !== undefined) out.write(text)
    return undefined
  }

  #explain(made: MadeView, part: DocumentPart): void {
    const { out } = this.#context
    out.line(`${out.palette.strong(made.label)}  ${part.format}`)
    out.line()
    const areToolsCounted = typeof budgetOf(this.#context, part) !== "string"
    printExplanation({ ...made, meter, areToolsCounted }, out)
    out.line()
  }
}
