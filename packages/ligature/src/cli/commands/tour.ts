/** `ligature` without arguments: repairs damaged histories that come with the package. */
import { encode, decode, defaultProfile, resolveCodec, type WireFormat } from "../../convert/index.ts"
import { check, type ProfileName, settle } from "../../rules/index.ts"
import { phrase, type ReportEntry, translated } from "../../model/index.ts"
import { packageFile } from "../../files/package-file.ts"
import type { Command, ExitCode, Printer } from "../frame/command.ts"
import { conversationRows, legend, type Row, renderRow, transcriptRows } from "../print/timeline.ts"
import { count, hang, pad, wrap } from "../frame/text.ts"

interface Fixture {
  readonly format: string
  readonly tip: "open" | "closed"
  readonly input: unknown
}

interface Stop {
  readonly fixture: string
  /** Called when printed: the language is chosen by then. */
  readonly title: () => string
  readonly story: () => string
  /** The provider it is converted for. */
  readonly target: WireFormat & ProfileName
  /** The format of a reader that does not recognise tool calls in text. */
  readonly readAs?: WireFormat
}

/** The most frequent kinds of damage: an abort, a truncation, reused ids, tool calls as text. Each for another provider. */
const stops: readonly Stop[] = [
  {
    fixture: "aborted-parallel-one-finished",
    title: () => phrase`Three parallel tool calls were aborted; only the second one had finished`,
    story: () => phrase`The user pressed stop while three tools were running; one had finished. Every provider rejects this history.`,
    target: "openai-chat",
  },
  {
    fixture: "orphan-run-after-slice",
    title: () => phrase`A truncation left two tool results without their tool calls`,
    story: () => phrase`To save tokens, an agent kept only the last messages, and cut between a tool call and its results.`,
    target: "anthropic",
  },
  {
    fixture: "recycled-id-across-turns",
    title: () => phrase`A local server gives every tool call the same id`,
    story: () => phrase`Tool call ids start again in every turn. Matching results by id alone pairs the wrong ones.`,
    target: "gemini",
  },
  {
    fixture: "xml-half-and-half",
    title: () => phrase`The style of tool calls changed from tags to blocks in the middle of the task`,
    story: () => phrase`An agent first wrote tool calls as XML text, then as blocks. Now every tool call is a block.`,
    target: "openai-responses",
    readAs: "anthropic",
  },
]

const load = (name: string): Fixture => JSON.parse(packageFile(`fixtures/damaged/${name}.json`)) as Fixture

const narrowest = 96

const printBeside = (left: readonly Row[], right: readonly Row[], out: Printer): void => {
  const { palette } = out
  const isWide = out.width >= narrowest
  const half = isWide ? Math.floor((out.width - 3) / 2) : out.width
  const lines = (rows: readonly Row[]): readonly string[] =>
    rows.flatMap((row) => renderRow(row, half, palette, { sizes: false, lines: 3 }))
  const before = [palette.strong(`  ${phrase`before`}`), ...lines(left)]
  const after = [palette.strong(`  ${phrase`after`}`), ...lines(right)]
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

const printLabelled = (label: string, text: string, out: Printer): void => {
  for (const line of hang(`  ${pad(label, 7)}`, text, out.width)) out.line(line)
}

const printStop = (number: number, stop: Stop, out: Printer): void => {
  const { palette } = out
  const { story, target } = stop
  const { format, tip, input } = load(stop.fixture)
  const transcript = decode(resolveCodec(format), input)
  const findings = check(transcript, { tip })
  const { conversation, report } = settle(transcript, { tip })
  const { value: request } = encode(conversation, target)
  const verdict = check(decode(resolveCodec(defaultProfile(target)?.format ?? target), request), { profile: target })
  out.line(palette.accent("─".repeat(out.width)))
  for (const line of hang(`${number}. `, phrase`${stop.title()} (${format})`, out.width)) out.line(palette.strong(line))
  for (const line of wrap(story(), out.width - 3)) out.line(`   ${line}`)
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
    const text = phrase`${rule}: ${translated(what)}`
    printLabelled(paint(phrase`wrong`), same > 1 ? phrase`${text} (and ${same - 1} more)` : text, out)
  }
  for (const [kind, what, times] of done(report.entries)) {
    const text = times > 1 ? phrase`${translated(what)} (${times} times)` : translated(what)
    printLabelled(palette.good(phrase`fixed`), `${text} · ${kind}`, out)
  }
  const result = verdict.length === 0 ? palette.good(phrase`valid`) : palette.error(phrase`${count(verdict.length, "finding")} left`)
  printLabelled(palette.accent(phrase`next`), phrase`as a request for ${target}: ${result}`, out)
  out.line()
}

const printNext = (out: Printer): void => {
  const { palette } = out
  const tries: readonly (readonly [string, string])[] = [
    ["ligature doctor", phrase`check the sessions of all agents on this machine`],
    ["ligature check FILE", phrase`what is wrong with your history, and where`],
    ["ligature repair FILE -o OUT", phrase`the same file, valid`],
    ["ligature convert FILE --to openai-chat", phrase`as a request for another provider`],
    ["ligature compact FILE --budget 10%", phrase`the same history in a tenth of the tokens`],
    ["ligature show FILE", phrase`a history as a timeline`],
    ["ligature classify --history FILE", phrase`what a provider's error means (paste it)`],
    ["ligature rules", phrase`the rules, and what each provider requires`],
    ["ligature --help", phrase`everything else`],
  ]
  out.line(palette.accent("─".repeat(out.width)))
  out.line(palette.strong(phrase`Try next`))
  for (const [command, what] of tries) {
    const lines = hang(`  ${pad(command, 42)}`, what, out.width)
    for (const line of lines) out.line(line.replace(command, palette.accent(command)))
  }
  const more = phrase`From a checkout: ${"npm start -- check FILE"}. More damaged histories: ${"fixtures/damaged/"}`
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
    const motto = phrase`Ligature: a tool call and its result are one unit, and stay together.`
    const [first = "", ...rest] = wrap(motto, out.width)
    out.line(first.replace("Ligature", palette.strong("Ligature")))
    for (const line of rest) out.line(line)
    for (const line of wrap(phrase`Four histories of tool-calling agents: what was wrong, and how it was fixed.`, out.width)) out.line(line)
    for (const line of wrap(phrase`Outcomes of tool calls:  ${legend()}`, out.width)) out.line(palette.quiet(line))
    stops.forEach((stop, index) => printStop(index + 1, stop, out))
    printNext(out)
    return 0
  },
}
