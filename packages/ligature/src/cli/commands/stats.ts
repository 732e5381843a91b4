/** `ligature stats`: the contents of histories, in numbers. */
import { estimateMeter } from "../../compact/index.ts"
import { check, settle } from "../../rules/index.ts"
import { type OutcomeKind, phrase, translated } from "../../model/index.ts"
import { branchOption, type Command, type Context, type ExitCode, fromOption, jsonOption, viewOption } from "../frame/command.ts"
import { printJson } from "../print/json.ts"
import { type Column, printTable } from "../print/table.ts"
import { count, size, wrap } from "../frame/text.ts"
import type { Source } from "../input/source.ts"
import { addTallies, type ConversationTally, tallyOf, toolsByUse } from "../output/tally.ts"
import { type ReportedUsage, reportedUsage } from "../sessions/reported-usage.ts"
import { addShares, noShares, type ShareName, shareNames, sharesOf, type TokenShares } from "../output/token-shares.ts"
import { filesOf, type Problem, visitSources } from "../output/visit-sources.ts"

interface FileStats {
  readonly file: string
  readonly formats: readonly string[]
  readonly conversations: number
  readonly findings: number
  /** Estimated size of a request with this history, without tools. */
  readonly tokens: number
  readonly shares: TokenShares
  readonly usage?: ReportedUsage
  readonly tally: ConversationTally
  readonly problems: readonly Problem[]
}

const toolsShown = 12

const statsOf = (source: Source): FileStats => {
  let findings = 0
  let tokens = 0
  const shares = noShares()
  const usages: ReportedUsage[] = []
  const tallies = source.parts.map((part) => {
    const transcript = source.transcript(part)
    findings += check(transcript, { tip: "open" }).length
    const { conversation } = settle(transcript, { tip: "open" })
    for (const item of conversation.items) tokens += estimateMeter.sizeOfItem(item).tokens
    addShares(shares, sharesOf(conversation, part.tools))
    const usage = reportedUsage(part.value)
    if (usage) usages.push(usage)
    return tallyOf(conversation, transcript.messages.length)
  })
  return {
    file: source.name,
    formats: [...new Set(source.parts.map(({ format }) => format))],
    conversations: source.parts.length,
    findings,
    tokens,
    shares,
    ...(usages.length > 0 && { usage: addUsages(usages) }),
    tally: addTallies(tallies),
    problems: source.problems,
  }
}

const addUsages = (usages: readonly ReportedUsage[]): ReportedUsage => {
  const sum: ReportedUsage = { requests: 0, input: 0, cached: 0, output: 0, largest: 0 }
  for (const usage of usages) for (const key of ["requests", "input", "cached", "output"] as const) sum[key] += usage[key]
  for (const { largest } of usages) sum.largest = Math.max(sum.largest, largest)
  return sum
}

const shareTexts: Readonly<Record<ShareName, () => string>> = {
  system: () => phrase`system`,
  tools: () => phrase`tools`,
  summaries: () => phrase`summaries`,
  user: () => phrase`user`,
  assistant: () => phrase`assistant`,
  thinking: () => phrase`thinking`,
  calls: () => phrase`calls`,
  results: () => phrase`results`,
  media: () => phrase`media`,
}

/** Where the tokens are, largest share first, and what providers reported. */
const printShares = (files: readonly FileStats[], { out }: Context): void => {
  const shares = noShares()
  for (const file of files) addShares(shares, file.shares)
  const all = shareNames.reduce((sum, name) => sum + shares[name], 0)
  if (all === 0) return
  out.line()
  const rows = shareNames
    .filter((name) => shares[name] > 0)
    .toSorted((left, right) => shares[right] - shares[left])
    .map((name) => [
      shareTexts[name](),
      `~${shares[name].toLocaleString("en-US")}`,
      `${Math.round((shares[name] / all) * 100)} %`,
      "▇".repeat(Math.max(1, Math.round((shares[name] / all) * 30))),
    ])
  printTable([{ title: phrase`tokens in` }, right(phrase`tokens`), right(phrase`share`), { title: "" }], rows, out)
  const usages = files.flatMap(({ usage }) => usage ?? [])
  if (usages.length === 0) return
  const { requests, input, cached, output } = addUsages(usages)
  const hits = input === 0 ? 0 : Math.round((cached / input) * 100)
  out.line()
  const text = phrase`Reported by the provider: ${count(requests, "response")}, ${input.toLocaleString("en-US")} tokens in, ${hits} % of them from the cache, ${output.toLocaleString("en-US")} tokens out`
  for (const line of wrap(text, out.width)) out.line(line)
}

const tallyJson = (tally: ConversationTally, tokens: number): unknown => ({
  ...tally,
  tokens,
  tools: toolsByUse(tally).map(([name, numbers]) => ({ name, ...numbers })),
})

const right = (title: string): Column => ({ title, align: "right" })

const printFiles = (files: readonly FileStats[], { out }: Context): void => {
  const number = (value: number): string => value.toLocaleString("en-US")
  const row = (
    names: readonly [file: string, format: string],
    conversations: number,
    findings: number,
    tokens: number,
    tally: ConversationTally,
  ): readonly string[] => [
    ...names,
    number(conversations),
    number(tally.messages),
    number(tally.turns),
    number(tally.exchanges),
    number(tally.calls),
    size(tally.bytes),
    `~${number(tokens)}`,
    findings === 0 ? "-" : number(findings),
  ]
  const rows = files.map(({ file, formats, conversations, findings, tokens, tally }) =>
    row([file, formats.join("+")], conversations, findings, tokens, tally),
  )
  if (files.length > 1) {
    const sum = (of: (file: FileStats) => number): number => files.reduce((total, file) => total + of(file), 0)
    const total = addTallies(files.map(({ tally }) => tally))
    const counts = [sum((file) => file.conversations), sum((file) => file.findings), sum((file) => file.tokens)] as const
    rows.push(row([phrase`total`, ""], ...counts, total))
  }
  printTable(
    [
      { title: phrase`file`, flexible: "start" },
      { title: phrase`format` },
      { ...right(phrase`conv.`), isSpare: true },
      right(phrase`messages`),
      { ...right(phrase`turns`), isSpare: true },
      { ...right(phrase`exchanges`), isSpare: true },
      { ...right(phrase`calls`), isSpare: true },
      { ...right(phrase`size`), isSpare: true },
      right(phrase`tokens`),
      right(phrase`findings`),
    ],
    rows,
    out,
  )
}

const printTools = (tally: ConversationTally, { out }: Context): void => {
  const { palette } = out
  if (tally.calls === 0) return
  out.line()
  const kinds = (Object.keys(tally.outcomes) as OutcomeKind[]).filter((kind) => tally.outcomes[kind] > 0)
  out.line(`${palette.strong(phrase`outcomes`)}  ${kinds.map((kind) => `${translated(kind)} ${tally.outcomes[kind]}`).join(" · ")}`)
  out.line()
  const tools = toolsByUse(tally)
  const most = tools[0]?.[1].calls ?? 1
  const rows = tools
    .slice(0, toolsShown)
    .map(([name, { calls, failed, bytes }]) => [
      name === "" ? phrase`(no name)` : name,
      String(calls),
      failed === 0 ? "-" : String(failed),
      size(bytes),
      "▇".repeat(Math.max(1, Math.round((calls / most) * 30))),
    ])
  printTable([{ title: phrase`tool` }, right(phrase`calls`), right(phrase`failed`), right(phrase`results`), { title: "" }], rows, out)
  if (tools.length > toolsShown) out.hint(phrase`… and ${count(tools.length - toolsShown, "more tool")}`)
}

export const stats: Command = {
  summary: "count turns, exchanges, tool calls, outcomes, tools and sizes",
  usage: "FILE… [--from FORMAT] [--json]",
  help: `Prints one row per file and a total, then where the tokens are (system, tools, user, thinking, calls, results, media) and
what the provider reported, cache hits among it, then the outcomes of all tool calls, and the tools by number of calls. Sizes are
bytes of content (text, arguments, results, media), not of the file. Tokens are estimated as in ligature compact: of the
history, without tool definitions. Unanswered tool calls at the end of a history are not counted as findings.`,
  takesSessions: true,
  options: [fromOption, branchOption, viewOption, jsonOption],
  examples: [
    ["ligature stats latest", "where the tokens of the newest session are"],
    ["ligature stats sessions/*.json", "many files"],
    ["ligature stats trace.json --json | jq '.total.tools'", "for scripts"],
  ],
  run: async (context): Promise<ExitCode> => {
    const files: FileStats[] = []
    const isJson = context.arguments.flag("json")
    const unreadable: unknown[] = []
    const code = await visitSources(context, filesOf(context, "stats"), {
      visit: async (source) => {
        files.push(statsOf(source))
        return 0
      },
      ...(isJson && {
        unreadable: (file, problems) => {
          unreadable.push({ file, problems })
        },
      }),
    })
    const total = addTallies(files.map(({ tally }) => tally))
    if (isJson) {
      const listed = files.map(({ tokens, tally, ...file }) => ({ ...file, tally: tallyJson(tally, tokens) }))
      const tokens = files.reduce((sum, file) => sum + file.tokens, 0)
      printJson("stats", code, { total: tallyJson(total, tokens), files: [...listed, ...unreadable] }, context.out)
    } else if (files.length > 0) {
      printFiles(files, context)
      printShares(files, context)
      printTools(total, context)
    }
    return code
  },
}
