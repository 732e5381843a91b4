/** `ligature compact`: the view of a history that fits into a budget, as a ready request. */
import { encode, findCodec, isSessionCodec, resolveCodec } from "../../codecs/index.ts"
import type { DocumentPart } from "../../codecs/document/index.ts"
import { compact as compactConversation, estimateMeter, handleOf, type Plan, prepare } from "../../compact/index.ts"
import { settle } from "../../laws/index.ts"
import { costOf } from "../../loop/compaction/policy.ts"
import { defaultSettings } from "../../loop/compaction/settings.ts"
import { countNames } from "../../loop/compaction/statistics.ts"
import type { Conversation, Item, Report } from "../../model/index.ts"
import {
  branchOption,
  type Command,
  type Context,
  type ExitCode,
  fromOption,
  jsonOption,
  openTipOption,
  outDirOption,
  outOption,
  salvageOption,
  viewOption,
} from "../command.ts"
import { Destination } from "../destination.ts"
import { pretty } from "../file-text.ts"
import { stdinLabel } from "../files.ts"
import { amountText, decisionAt, figure, type Limit, printExplanation, sizeAfter } from "../print/compaction.ts"
import { jsonVersion, printJson } from "../print/json.ts"
import { printLosses, printNotSalvaged } from "../print/summary.ts"
import { count } from "../print/text.ts"
import { countedByRule, type Locate, reportedEntries, traceReport } from "../report.ts"
import { tipOf } from "../settings.ts"
import type { Source } from "../source.ts"
import { UsageError } from "../usage-error.ts"
import { filesOf, visitSources } from "../visit-sources.ts"
import { WirePlaces } from "../wire-places.ts"
import {
  budgetOf,
  type CompactTarget,
  namedTarget,
  protectionFor,
  strategyNames,
  strategyOf,
  targetFor,
} from "./compact-options.ts"

const meter = estimateMeter

interface Repairs {
  readonly entries: readonly unknown[]
  readonly rules: Report["entries"]
}

interface Done {
  readonly label: string
  /** The words behind `ligature recall` that name the conversation. */
  readonly named: string
  readonly conversation: Conversation
  readonly view: Conversation
  readonly plan: Plan
  readonly limit: Limit
  readonly durationMs: number
  readonly isProtected: (item: Item, index: number) => boolean
  /** What was wrong with the history, and what became of it. */
  readonly settled: Report
}

const decisionsOf = ({ conversation, plan, isProtected }: Done): readonly unknown[] =>
  conversation.items.map((item, index) => {
    const decision = decisionAt(plan, index)
    const { tokens } = meter.sizeOfItem(item)
    return {
      handle: handleOf(index),
      role: item.role,
      decision: decision.kind,
      why: decision.kind === "keep" ? (isProtected(item, index) ? "protected" : "fits") : decision.why,
      tokens,
      tokensAfter: sizeAfter(decision, item, meter).tokens,
      ...(decision.kind === "edit" && { elided: decision.elided }),
    }
  })

/** As a shell takes it for one word. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

const rounded = (value: number): number => Math.round(value * 10) / 10

/** The numbers of the plan, and of a view that was made also which names are left and what it costs and saves. */
const statisticsOf = ({ conversation, view, plan, durationMs }: Done): unknown => {
  const { outcome } = plan
  const statistics = { ...plan.statistics, durationMs: rounded(durationMs) }
  if (outcome !== "compacted") return statistics
  const { before, after, prefixKept } = statistics
  const { requests, once, perRequest } = costOf({ before: before.tokens, after: after.tokens, prefixKept }, defaultSettings)
  const cost = { requests: rounded(requests), once: rounded(once), perRequest: rounded(perRequest) }
  return { ...statistics, names: countNames(conversation, view), cost }
}

class CompactRun {
  readonly #context: Context
  readonly #files: readonly string[]
  readonly #target: CompactTarget | undefined
  readonly #reported: unknown[] = []

  constructor(context: Context) {
    this.#context = context
    this.#files = filesOf(context, "compact")
    this.#target = namedTarget(context)
    budgetOf(context)
    strategyOf(context)
    if (context.arguments.flag("explain") && context.arguments.flag("json")) {
      throw new UsageError("Give one of --explain and --json", "--json says for each item what --explain shows.")
    }
    if (context.arguments.flag("json") && context.arguments.text("out") === "-") {
      throw new UsageError("--json and -o - would both write to stdout", "Give -o a file, or --stats FILE instead of --json.")
    }
  }

  get #isWritten(): boolean {
    const { arguments: given } = this.#context
    return given.flag("out") || given.flag("out-dir") || !(given.flag("explain") || given.flag("json"))
  }

  async run(): Promise<ExitCode> {
    const { arguments: given, out } = this.#context
    const instead = "Give another file: the original is what ligature recall reads from."
    const destination = await Destination.of(this.#context, this.#files, instead)
    const isJson = given.flag("json")
    const code = await visitSources(this.#context, this.#files, {
      visit: (source, file) => this.#file(source, file, destination),
      ...(isJson && {
        unreadable: (file, problems) => {
          this.#reported.push({ file, problems, conversations: [] })
        },
      }),
    })
    await destination.writeReport({ version: jsonVersion, command: "compact", files: this.#reported })
    if (isJson) printJson("compact", code, { files: this.#reported }, out)
    return code
  }

  async #file(source: Source, file: string, destination: Destination): Promise<ExitCode> {
    const { arguments: given, err } = this.#context
    if (source.isPartial && !given.flag("salvage")) {
      printNotSalvaged(source, err)
      return 2
    }
    const conversations: unknown[] = []
    const values: { readonly value: unknown; readonly target: CompactTarget; readonly report: Report }[] = []
    let code: ExitCode = 0
    for (const [index, part] of source.parts.entries()) {
      const done = this.#compact(source, part, index)
      if (given.flag("explain")) this.#explain(done, part)
      const isRefused = done.plan.outcome === "refused"
      const written = this.#isWritten && !isRefused ? this.#encode(done, part) : undefined
      if (written) values.push(written)
      const repairs = this.#repairs(source, part, done, written?.report)
      const { strategy, outcome, reason } = done.plan
      conversations.push({
        format: part.format,
        path: part.path,
        ...(part.line !== undefined && { line: part.line }),
        ...(done.limit.measure === "tokens" ? { budget: done.limit.amount } : { budgetBytes: done.limit.amount }),
        strategy,
        outcome,
        ...(reason !== undefined && { reason }),
        statistics: statisticsOf(done),
        items: decisionsOf(done),
        ...(written && { written: written.target.format }),
        repairs: repairs.entries,
      })
      if (isRefused) code = 1
      if (!given.flag("json")) {
        this.#say(done, part, written?.target)
        this.#sayRepairs(repairs.rules)
      }
    }
    for (const { report } of values) printLosses(report.losses, err)
    await this.#write(values.map(({ value }) => value), file, destination)
    this.#reported.push({ file: source.name, problems: source.problems, conversations })
    return source.parts.length === 0 ? 2 : code
  }

  #compact(source: Source, part: DocumentPart, index: number): Done {
    const { conversation, report: settled } = settle(source.transcript(part), { tip: tipOf(this.#context) })
    const goal = this.#context.arguments.text("goal")
    const strategy = strategyOf(this.#context)
    const options = {
      budget: budgetOf(this.#context),
      meter,
      protect: protectionFor(this.#context, conversation.items),
      ...(strategy && { strategy }),
      ...(goal !== undefined && { goal }),
      ...(part.tools !== undefined && { tools: part.tools }),
    }
    const { limit, context } = prepare(conversation, options)
    const { io, status } = this.#context
    // A history of fifty megabytes takes ten seconds and more, and nothing can be said meanwhile.
    if (status.isSeen) status.show(`compacting ${source.labelOf(index)}, ${count(conversation.items.length, "item")} …`)
    const started = io.now()
    const { conversation: view, plan } = compactConversation(conversation, options)
    const durationMs = io.now() - started
    status.clear()
    const named = this.#named(source, index)
    return {
      label: source.labelOf(index),
      named,
      conversation,
      view,
      plan,
      limit: limit.bytes === Number.POSITIVE_INFINITY
        ? { measure: "tokens", amount: limit.tokens }
        : { measure: "bytes", amount: limit.bytes },
      durationMs,
      isProtected: context.isProtected,
      settled,
    }
  }

  /** The words that name this conversation, with everything that decides which one is read. */
  #named({ name, parts }: Source, index: number): string {
    const { arguments: given } = this.#context
    const words = [name === stdinLabel ? "FILE" : name]
    if (parts.length > 1) words.push("--conversation", String(index + 1))
    for (const option of ["from", "branch", "view"]) {
      const value = given.text(option)
      if (value !== undefined) words.push(`--${option}`, value)
    }
    return words.map(quoted).join(" ")
  }

  #encode(
    { view }: Done,
    part: DocumentPart,
  ): { readonly value: unknown; readonly target: CompactTarget; readonly report: Report } {
    const target = targetFor(part.format, this.#target)
    if (target.profile === undefined) {
      return {
        value: resolveCodec(target.format).encode(view, { extras: "keep" }),
        target,
        report: { entries: [], losses: [] },
      }
    }
    const { request, report } = encode(view, target.profile)
    return { value: request, target, report }
  }

  /** What settling the history and writing it for its target changed, apart from the compaction. */
  #repairs(source: Source, part: DocumentPart, { label, settled }: Done, encoded: Report | undefined): Repairs {
    const report: Report = {
      entries: [...settled.entries, ...(encoded?.entries ?? [])],
      losses: [...settled.losses, ...(encoded?.losses ?? [])],
    }
    let places: WirePlaces | undefined
    const locate: Locate = (place) => {
      if (place.message === undefined) return undefined
      places ??= new WirePlaces(part, source.transcript(part))
      return source.placeOf(place, part, places)
    }
    traceReport(label, report, locate, this.#context)
    return { entries: reportedEntries(report, locate).entries, rules: report.entries }
  }

  #sayRepairs(rules: Repairs["rules"]): void {
    const { err, arguments: given } = this.#context
    if (rules.length === 0) return
    const more = given.flag("verbose") || given.flag("stats") ? "" : "; --verbose names each"
    err.line(`${err.palette.warning("!")} ${count(rules.length, "repair")} on the way: ${countedByRule(rules)}${more}`)
  }

  async #write(values: readonly unknown[], file: string, destination: Destination): Promise<void> {
    if (values.length === 0) return
    const { out, err } = this.#context
    if (destination.kind === "stdout") {
      const isOne = this.#files.length === 1 && values.length === 1
      for (const value of values) out.write(isOne ? pretty(value) : `${JSON.stringify(value)}\n`)
      return
    }
    for (const name of await destination.write(file, values.map(pretty), ".json")) err.line(
      err.palette.quiet(`  written to ${name}`),
    )
  }

  #explain(done: Done, part: DocumentPart): void {
    const { out } = this.#context
    out.line(`${out.palette.strong(done.label)}  ${part.format}`)
    out.line()
    printExplanation({ ...done, meter }, out)
    out.line()
  }

  /** One line of numbers, and what was written: a session file is never touched. */
  #say({ label, named, plan, limit, conversation }: Done, part: DocumentPart, target: CompactTarget | undefined): void {
    const { err } = this.#context
    const { palette } = err
    const { before, after } = plan.statistics
    const { measure, amount } = limit
    const said = (value: number): string => amountText(value, measure)
    if (plan.outcome === "refused") {
      err.line(`${palette.error("refused")}: ${label}: ${plan.reason ?? "nothing fits"}`)
      err.line(palette.quiet("  Nothing was written. Give a larger --budget, or another --strategy."))
      return
    }
    if (plan.outcome === "unchanged") {
      err.line(`${palette.good("✓")} ${label} fits as it is: ${figure(before[measure], measure)} of ${said(amount)}`)
    } else {
      const share = `${Math.round((after[measure] / Math.max(1, before[measure])) * 1000) / 10} %`
      err.line(
        `${palette.good("✓")} ${label}: ${figure(before[measure], measure)} → ${said(after[measure])} ` +
          `(${share}) by ${plan.strategy}`,
      )
    }
    const codec = findCodec(part.format)
    const isSession = codec !== undefined && isSessionCodec(codec)
    if (target !== undefined) {
      const untouched = isSession ? "; the session file itself is untouched" : ""
      err.line(palette.quiet(`  writes a request in the format ${target.format}${untouched}`))
    }
    const elided = plan.decisions.findIndex(({ kind }) => kind !== "keep")
    if (plan.outcome === "compacted" && elided >= 0 && elided < conversation.items.length) {
      err.line(palette.quiet(`  what is elided comes back with: ligature recall ${named} ${elided + 1}`))
    }
  }
}

export const compact: Command = {
  summary: "fit a history into a budget, as a ready request; nothing is lost for good",
  usage: "FILE… --budget N|P%|SIZE [--strategy S] [--goal TEXT] [--to FORMAT] [-o OUT] [--explain] [OPTIONS]",
  help: `Makes the view of a history that fits into a budget, and writes it as a request. Exchanges are kept, shortened
or elided whole: no call loses its result. The first and the latest request stay verbatim where they fit, else their
lines are told; pending work stays. What is elided is named by a handle (#12, #12.2), and ligature recall reads it back
from the original file, which is never changed.

The budget is in tokens (32000, 32k), a share of the conversation (10%), or the size of the request (20MB, 500kB) where a
provider refused it as too large. Tokens are estimates, a little on the high side; tool definitions of the request count
too.

Strategies: digest (default) keeps the lines that will probably be needed, and a verbatim tail. generations is a digest
in chunks that stay when the history grows, for prompt caches. window keeps both ends. mask turns old results into
stubs. cap shortens large results. dedupe drops what was read twice. truncate drops the older half. Joined by + they
work one behind the other: dedupe+mask+window.

A request comes out in the format it went in. Of a session file a request is written too, in the format of the
provider behind its agent; --to chooses another one. --explain shows what became of each item and why, and the budget
as a bar, and writes nothing unless -o says where. Exit code 1: no view fits.`,
  options: [
    { name: "budget", value: "N", text: "tokens (32000, 32k), share of the conversation (10%) or bytes (20MB, 500kB)" },
    { name: "strategy", value: "S", text: `${strategyNames.join(", ")}; joined by + they work one behind the other` },
    { name: "keep-first", value: "N", text: "the first N messages stay (window), the first N items (others)" },
    { name: "keep-last", value: "N", text: "the last N messages stay (window), results (mask), items (others)" },
    { name: "goal", value: "TEXT", text: "what the agent is about to do: what belongs to it is kept first" },
    { name: "to", value: "FORMAT", text: "the format of the request; the name of a profile will do as well" },
    fromOption,
    branchOption,
    viewOption,
    openTipOption,
    outOption,
    outDirOption,
    { name: "explain", text: "show for each item what became of it and why, and how the budget is used" },
    { name: "stats", value: "FILE", text: "write the numbers and the decision about each item as JSON" },
    jsonOption,
    salvageOption,
  ],
  examples: [
    ["ligature compact request.json --budget 32k -o small.json", "a request of at most 32,000 tokens"],
    ["ligature compact session.jsonl --budget 10% --explain", "what would become of a session"],
    [
      'ligature compact session.jsonl --budget 20k --goal "write the release notes" --to gemini',
      "for another provider and task",
    ],
    ["ligature compact request.json --budget 50% --strategy dedupe+mask", "without choosing lines"],
  ],
  run: (context) => new CompactRun(context).run(),
}
