/** `ligature stats`: the contents of histories, in numbers. */
import { estimateMeter } from "../../compact/index.ts"
import { check, settle } from "../../rules/index.ts"
import { type OutcomeKind, phrase, translated } from "../../model/index.ts"
import {
  branchOption,
  type Command,
  type Context,
  type ExitCode,
  fromOption,
  jsonOption,
  viewOption,
} from "../frame/command.ts"
import { printJson } from "../print/json.ts"
import { type Column, printTable } from "../print/table.ts"
import { count, size } from "../frame/text.ts"
import type { Source } from "../input/source.ts"
import { addTallies, type ConversationTally, tallyOf, toolsByUse } from "../output/tally.ts"
import { filesOf, type Problem, visitSources } from "../output/visit-sources.ts"

interface FileStats {
  readonly file: string
  readonly formats: readonly string[]
  readonly conversations: number
  readonly findings: number
  /** Estimated size of a request with this history, without tools. */
  readonly tokens: number
  readonly tally: ConversationTally
  readonly problems: readonly Problem[]
}

const toolsShown = 12

const statsOf = (source: Source): FileStats => {
  let findings = 0
  let tokens = 0
  const tallies = source.parts.map((part) => {
    const transcript = source.transcript(part)
    findings += check(transcript, { tip: "open" }).length
    const { conversation } = settle(transcript, { tip: "open" })
    for (const item of conversation.items) tokens += estimateMeter.sizeOfItem(item).tokens
    return tallyOf(conversation, transcript.messages.length)
  })
  return {
    file: source.name,
    formats: [...new Set(source.parts.map(({ format }) => format))],
    conversations: source.parts.length,
    findings,
    tokens,
    tally: addTallies(tallies),
    problems: source.problems,
  }
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
      right(phrase`conv.`),
      right(phrase`messages`),
      right(phrase`turns`),
      right(phrase`exchanges`),
      right(phrase`calls`),
      right(phrase`size`),
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
  const rows = tools.slice(0, toolsShown).map(([name, { calls, failed, bytes }]) => [
    name === "" ? phrase`(no name)` : name,
    String(calls),
    failed === 0 ? "-" : String(failed),
    size(bytes),
    "▇".repeat(Math.max(1, Math.round((calls / most) * 30))),
  ])
  printTable(
    [{ title: phrase`tool` }, right(phrase`calls`), right(phrase`failed`), right(phrase`results`), { title: "" }],
    rows,
    out,
  )
  if (tools.length > toolsShown) out.line(palette.quiet(phrase`… and ${count(tools.length - toolsShown, "more tool")}`))
}

export const stats: Command = {
  summary: "count turns, exchanges, tool calls, outcomes, tools and sizes",
  usage: "FILE… [--from FORMAT] [--json]",
  help: `Prints one row per file and a total, then the outcomes of all tool calls, and the tools by number of calls. Sizes are
bytes of content (text, arguments, results, media), not of the file. Tokens are estimated as in ligature compact: of the
history, without tool definitions. Unanswered tool calls at the end of a history are not counted as findings.`,
  takesSessions: true,
  options: [fromOption, branchOption, viewOption, jsonOption],
  examples: [
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
      printTools(total, context)
    }
    return code
  },
}
