/** `ligature` without arguments: the product at work on damaged histories that come with the package. */
import { encode, decode, defaultProfile, resolveCodec, type WireFormat } from "../../convert/index.ts"
import { check, type ProfileName, settle } from "../../rules/index.ts"
import type { ReportEntry } from "../../model/index.ts"
import { packageFile } from "../frame/package-file.ts"
import type { Command, ExitCode, Printer } from "../frame/command.ts"
import { conversationRows, legend, type Row, renderRow, transcriptRows } from "../print/timeline.ts"
import { count, hang, pad, wrap } from "../frame/text.ts"

interface Fixture {
  readonly title: string
  readonly format: string
  readonly tip: "open" | "closed"
  readonly input: unknown
}

interface Stop {
  readonly fixture: string
  readonly story: string
  /** The provider it is written for. */
  readonly target: WireFormat & ProfileName
  /** What the history looks like to a reader that sees no calls in text. */
  readonly readAs?: WireFormat
}

/** One case each of what happens most: an abort, a cut, recycled ids, calls as text. Each goes to another provider. */
const stops: readonly Stop[] = [
  {
    fixture: "aborted-parallel-one-finished",
    story: "The user pressed stop while three tools ran; one had finished. Every provider refuses this now.",
    target: "openai-chat",
  },
  {
    fixture: "orphan-run-after-slice",
    story: "To save tokens, an agent kept only the last messages, and cut between a call and its results.",
    target: "anthropic",
  },
  {
    fixture: "recycled-id-across-turns",
    story: "Ids start again in every turn. Whoever matches results by id alone mixes them up.",
    target: "gemini",
  },
  {
    fixture: "xml-half-and-half",
    story: "An agent asked for tools in XML text, then learned real calls. Now every call is a block.",
    target: "openai-responses",
    readAs: "anthropic",
  },
]

const load = (name: string): Fixture =>
  JSON.parse(packageFile(`fixtures/damaged/${name}.json`)) as Fixture

const narrowest = 96

const printBeside = (left: readonly Row[], right: readonly Row[], out: Printer): void => {
  const { palette } = out
  const isWide = out.width >= narrowest
  const half = isWide ? Math.floor((out.width - 3) / 2) : out.width
  const lines = (rows: readonly Row[]): readonly string[] =>
    rows.flatMap((row) => renderRow(row, half, palette, { sizes: false, lines: 3 }))
  const before = [palette.strong("  before"), ...lines(left)]
  const after = [palette.strong("  after"), ...lines(right)]
  if (!isWide) {
    for (const line of [...before, "", ...after]) out.line(line.trimEnd())
    return
  }
  for (let index = 0; index < Math.max(before.length, after.length); index++) {
    out.line(`${pad(before[index] ?? "", half)} ${palette.quiet("│")} ${after[index] ?? ""}`.trimEnd())
  }
}

const done = (entries: readonly ReportEntry[]): readonly (readonly [string, string, number])[] => {
  const counts = new Map<string, [string, string, number]>()
  for (const { rule, kind, what } of entries) {
    const key = `${rule} ${what}`
    const known = counts.get(key)
    if (known) known[2]++
    else counts.set(key, [kind, what, 1])
  }
  return [...counts.values()]
}

const printStop = (number: number, stop: Stop, out: Printer): void => {
  const { palette } = out
  const { story, target } = stop
  const { format, tip, input, title } = load(stop.fixture)
  const transcript = decode(resolveCodec(format), input)
  const findings = check(transcript, { tip })
  const { conversation, report } = settle(transcript, { tip })
  const { value: request } = encode(conversation, target)
  const verdict = check(decode(resolveCodec(defaultProfile(target)?.format ?? target), request), { profile: target })
  out.line(palette.accent("─".repeat(out.width)))
  for (const line of hang(`${number}. `, `${title} (${format})`, out.width)) out.line(palette.strong(line))
  for (const line of wrap(story, out.width - 3)) out.line(`   ${line}`)
  out.line()
  const before = stop.readAs === undefined ? transcript : decode(stop.readAs, input)
  // Another reader counts blocks differently; the message is the same.
  const coarse = findings.map((each) => ({ ...each, place: { message: each.place.message ?? 0 } }))
  const marked = stop.readAs === undefined ? findings : coarse
  printBeside(transcriptRows(before, marked), conversationRows(conversation, { ids: true }), out)
  out.line()
  const seen = new Set<string>()
  for (const { rule, severity, what } of findings) {
    const same = findings.filter((each) => each.rule === rule).length
    if (seen.has(rule)) continue
    seen.add(rule)
    const paint = severity === "error" ? palette.error : palette.warning
    const words = hang("         ", `${rule}: ${what}${same > 1 ? ` (and ${same - 1} more)` : ""}`, out.width)
    words.forEach((line, index) => out.line(index === 0 ? `  ${paint("wrong")}${line.slice(7)}` : line))
  }
  for (const [kind, what, times] of done(report.entries)) {
    const lines = hang("         ", `${what}${times > 1 ? ` (${times} times)` : ""} · ${kind}`, out.width)
    lines.forEach((line, index) => out.line(index === 0 ? `  ${palette.good("done ")}${line.slice(7)}` : line))
  }
  const result = verdict.length === 0 ? "valid" : `${count(verdict.length, "finding")} left`
  const painted = verdict.length === 0 ? palette.good(result) : palette.error(result)
  out.line(`  ${palette.accent("next ")}  as a request for ${target}: ${painted}`)
  out.line()
}

const printNext = (out: Printer): void => {
  const { palette } = out
  const tries: readonly (readonly [string, string])[] = [
    ["ligature doctor", "how the sessions of the agents on this machine are"],
    ["ligature check FILE", "what is wrong with a history of yours, and where"],
    ["ligature repair FILE -o OUT", "the same file, lawful"],
    ["ligature convert FILE --to openai-chat", "as a request for another provider"],
    ["ligature compact FILE --budget 10%", "the same history in a tenth of the tokens"],
    ["ligature show FILE", "a history as a timeline"],
    ["ligature classify --history FILE", "what a provider's error means (paste it)"],
    ["ligature rules", "the laws, and what each provider demands"],
    ["ligature --help", "everything else"],
  ]
  out.line(palette.accent("─".repeat(out.width)))
  out.line(palette.strong("Try next"))
  for (const [command, what] of tries) {
    const lines = hang(`  ${pad(command, 42)}`, what, out.width)
    for (const line of lines) out.line(line.replace(command, palette.accent(command)))
  }
  const more = "From a checkout: npm start -- check FILE. More damaged histories: fixtures/damaged/"
  for (const line of hang("  ", more, out.width)) out.line(palette.quiet(line))
}

export const tour: Command = {
  summary: "a tour: damaged histories, before and after",
  usage: "",
  help: "Shows what Ligature does, on histories that come with the package.",
  options: [],
  examples: [],
  run: async ({ out }): Promise<ExitCode> => {
    const { palette } = out
    const motto = "Ligature: a call and its result are one glyph, and nothing takes them apart."
    const [first = "", ...rest] = wrap(motto, out.width)
    out.line(first.replace("Ligature", palette.strong("Ligature")))
    for (const line of rest) out.line(line)
    out.line("Four histories of tool-calling agents: what was wrong, what was done.")
    for (const line of wrap(`Outcomes of calls:  ${legend()}`, out.width)) out.line(palette.quiet(line))
    stops.forEach((stop, index) => printStop(index + 1, stop, out))
    printNext(out)
    return 0
  },
}
