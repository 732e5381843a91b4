/** `ligature` without arguments: the product at work on damaged histories that come with the package. */
import { readFileSync } from "node:fs"
import { encode, decode, defaultProfile } from "../../codecs/index.ts"
import { check, settle } from "../../laws/index.ts"
import type { ReportEntry } from "../../model/index.ts"
import type { Command, ExitCode, Printer } from "../command.ts"
import { conversationRows, legend, type Row, renderRow, transcriptRows } from "../print/timeline.ts"
import { count, cut, pad, wrap } from "../print/text.ts"

interface Fixture {
  readonly title: string
  readonly format: string
  readonly tip: "open" | "closed"
  readonly input: unknown
}

/** One case each of what happens most: an abort, a cut, recycled ids, calls as text. Each goes to another provider. */
const stops: readonly (readonly [fixture: string, story: string, target: string])[] = [
  [
    "aborted-parallel-one-finished",
    "The user pressed stop while three tools ran. One had finished. Every provider now refuses the history.",
    "openai-chat",
  ],
  [
    "orphan-run-after-slice",
    "To save tokens, an agent kept only the last messages. The cut went between a call and its results.",
    "anthropic",
  ],
  [
    "recycled-id-across-turns",
    "A server counts its call ids from zero in every turn. Matching by id alone would mix the results up.",
    "gemini",
  ],
  [
    "xml-calls-with-text-results",
    "An agent that asks for tools in XML text, answered in text. It moves to a provider with real tool calls.",
    "openai-responses",
  ],
]

const load = (name: string): Fixture =>
  JSON.parse(readFileSync(new URL(`../../../fixtures/damaged/${name}.json`, import.meta.url), "utf8")) as Fixture

const narrowest = 96

const printBeside = (left: readonly Row[], right: readonly Row[], out: Printer): void => {
  const { palette } = out
  const options = { sizes: false }
  if (out.width < narrowest) {
    out.line(palette.strong("  before"))
    for (const row of left) out.line(`  ${renderRow(row, out.width - 2, palette, options).trimEnd()}`)
    out.line(palette.strong("  after"))
    for (const row of right) out.line(`  ${renderRow(row, out.width - 2, palette, options).trimEnd()}`)
    return
  }
  const half = Math.floor((out.width - 3) / 2)
  out.line(`${pad(palette.strong("  before"), half)} ${palette.quiet("│")} ${palette.strong("  after")}`)
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const one = left[index]
    const other = right[index]
    const before = one === undefined ? " ".repeat(half) : renderRow(one, half, palette, options)
    const after = other === undefined ? "" : renderRow(other, half, palette, options).trimEnd()
    out.line(`${before} ${palette.quiet("│")} ${after}`.trimEnd())
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

const printStop = (number: number, [name, story, target]: (typeof stops)[number], out: Printer): void => {
  const { palette } = out
  const { format, tip, input, title } = load(name)
  const transcript = decode(format, input)
  const findings = check(transcript, { tip })
  const { conversation, report } = settle(transcript, { tip })
  const { request } = encode(conversation, target)
  const verdict = check(decode(defaultProfile(target)?.format ?? target, request), { profile: target })
  out.line(palette.accent("─".repeat(out.width)))
  out.line(`${palette.strong(`${number}. ${title}`)}  ${palette.quiet(format)}`)
  for (const line of wrap(story, out.width - 3)) out.line(`   ${line}`)
  out.line()
  printBeside(transcriptRows(transcript, findings), conversationRows(conversation, { turns: false }), out)
  out.line()
  const seen = new Set<string>()
  for (const { rule, severity, what } of findings) {
    const same = findings.filter((each) => each.rule === rule).length
    if (seen.has(rule)) continue
    seen.add(rule)
    const paint = severity === "error" ? palette.error : palette.warning
    out.line(`  ${paint("wrong")}  ${cut(`${rule}: ${what}${same > 1 ? ` (and ${same - 1} more)` : ""}`, out.width - 9)}`)
  }
  for (const [kind, what, times] of done(report.entries)) {
    out.line(`  ${palette.good("done ")}  ${what}${times > 1 ? ` (${times} times)` : ""} ${palette.quiet(`· ${kind}`)}`)
  }
  const result = verdict.length === 0 ? "valid" : `${count(verdict.length, "finding")} left`
  out.line(`  ${palette.accent("next ")}  as a request for ${target}: ${verdict.length === 0 ? palette.good(result) : palette.error(result)}`)
  out.line()
}

const printNext = (out: Printer): void => {
  const { palette } = out
  const tries: readonly (readonly [string, string])[] = [
    ["ligature check FILE", "what is wrong with a history of yours, and where"],
    ["ligature repair FILE -o OUT", "the same file, lawful"],
    ["ligature convert FILE --to openai-chat", "as a request for another provider"],
    ["ligature show FILE", "a history as a timeline"],
    ["ligature classify --history FILE", "what a provider's error means (paste it)"],
    ["ligature rules", "the laws, and what each provider demands"],
    ["ligature --help", "everything else"],
  ]
  out.line(palette.accent("─".repeat(out.width)))
  out.line(palette.strong("Try next"))
  for (const [command, what] of tries) out.line(`  ${palette.accent(pad(command, 42))}${what}`)
  out.line(palette.quiet("  From a checkout: npm start -- check FILE. More damaged histories: fixtures/damaged/"))
}

export const tour: Command = {
  summary: "a tour: damaged histories, before and after",
  usage: "",
  help: "Shows what Ligature does, on histories that come with the package.",
  options: [],
  examples: [],
  run: async ({ out }): Promise<ExitCode> => {
    const { palette } = out
    out.line(`${palette.strong("Ligature")}  A call and its result are one glyph, and nothing takes them apart.`)
    out.line(palette.quiet(`${count(stops.length, "damaged history", "damaged histories")}, what was wrong, what was done.   ${legend}`))
    stops.forEach((stop, index) => printStop(index + 1, stop, out))
    printNext(out)
    return 0
  },
}
