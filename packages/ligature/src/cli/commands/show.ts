/** `ligature show`: a history as a readable timeline. */
import { outlineOf } from "../sessions/examine.ts"
import { resolve } from "node:path"
import { phrase, shellFile } from "../../model/index.ts"
import type { SessionOutline } from "../../convert/index.ts"
import { check, settle } from "../../rules/index.ts"
import type { DocumentPart } from "../../document/index.ts"
import { branchOption, type Command, type Context, type ExitCode, fromOption, jsonOption, viewOption } from "../frame/command.ts"
import { conversationItems } from "../print/conversation-items.ts"
import { printJson } from "../print/json.ts"
import { conversationRows, legend, renderRow } from "../print/timeline.ts"
import { pagerOption } from "../frame/pager.ts"
import { count, cut, cutStart, oneLine, size, widthOf } from "../frame/text.ts"
import type { Source } from "../input/source.ts"
import { tallyOf } from "../output/tally.ts"
import { modeOfSources } from "../input/files.ts"
import { filesOf, visitSources } from "../output/visit-sources.ts"
import { chosenItems, chosenOf, chosenOptions, printMatches } from "../output/chosen-items.ts"
import { exportOptions, ExportView, htmlOption, redactOptions } from "../output/export-view.ts"

/** Called when printed: the language is chosen by then. */
const pathTexts = {
  active: (messages: string) => phrase`active: ${messages}`,
  abandoned: (messages: string) => phrase`abandoned branch: ${messages}`,
  subagent: (messages: string) => phrase`subagent: ${messages}`,
} as const

const certainties = {
  certain: (format: string) => format,
  likely: (format: string) => phrase`${format} (likely)`,
  guess: (format: string) => phrase`${format} (guess)`,
} as const

/** The metadata of a session, and its other branches. */
const printOutline = (outline: SessionOutline, { out }: Context): void => {
  const { id, title, folder, model, startedAt, agentVersion, paths, compactions, needs } = outline
  const facts = [title, id, folder, model, agentVersion, startedAt].filter((fact) => fact !== undefined && fact !== "")
  if (facts.length > 0) out.line(out.palette.quiet(cut(`  ${facts.map((fact) => oneLine(String(fact), 80)).join(" · ")}`, out.width)))
  if (compactions.length > 0) out.line(out.palette.quiet(`  ${phrase`compacted ${count(compactions.length, "time")}`}`))
  for (const need of needs ?? []) out.line(out.palette.warning(`  ${phrase`incomplete without ${need}`}`))
  const others = paths.filter(({ kind }) => kind !== "active")
  for (const path of others) {
    const name = path.title === undefined ? "" : `  ${oneLine(path.title, 80)}`
    const text = `  ${pathTexts[path.kind](count(path.messages, "message"))}${name}`
    const suffix = `  (--branch ${oneLine(path.id)})`
    // The id is there to be copied.
    out.line(`${cut(text, Math.max(20, out.width - widthOf(suffix)))}${suffix}`)
  }
}

/** The facts about a session at the beginning of a document. */
const factsOf = (label: string, counts: readonly string[], outline: SessionOutline | undefined): readonly string[] => {
  const { id, folder, model, agentVersion, startedAt } = outline ?? {}
  const named = [
    [phrase`file`, label],
    [phrase`session`, id],
    [phrase`folder`, folder],
    [phrase`model`, model],
    [phrase`version`, agentVersion],
    [phrase`started`, startedAt],
  ] as const
  const facts = named.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [phrase`${name}: ${value}`]))
  return [...facts, counts.join(" · ")]
}

const showPart = (source: Source, part: DocumentPart, index: number, context: Context, view: ExportView): unknown => {
  const { out } = context
  const { palette, width } = out
  const transcript = source.transcript(part)
  const outline = outlineOf(part)
  // The tip stays open: a running tool call must not look like damage.
  const { conversation: whole } = settle(transcript, { tip: "open" })
  const wanted = chosenOf(context)
  const chosen = chosenItems(whole, wanted, source.labelOf(index))
  const conversation = { ...whole, items: chosen.map(({ item }) => item) }
  const findings = check(transcript, { tip: "open" })
  const tally = tallyOf(whole, transcript.messages.length)
  if (context.arguments.flag("json")) {
    const { format, certainty, path } = part
    const items = conversationItems(conversation)
    return { format, certainty, path, messages: tally.messages, findings: findings.length, ...(outline && { outline }), items }
  }
  const parts = [
    certainties[part.certainty](part.format),
    count(tally.messages, "message"),
    count(tally.turns, "turn"),
    count(tally.exchanges, "exchange"),
    count(tally.calls, "call"),
    size(tally.bytes),
  ]
  const settled = findings.length === 0 ? [] : [phrase`${count(findings.length, "place")} repaired for this view`]
  const head = {
    title: outline?.title ?? part.name ?? source.labelOf(index),
    facts: factsOf(source.labelOf(index), [...parts, ...settled], outline),
  }
  if (view.isDocument) {
    view.show(head, conversation)
    return undefined
  }
  const [label, facts] = [source.labelOf(index), parts.join(" · ")]
  const shown = out.fits(`${label}  ${facts}`) ? label : cutStart(label, Math.max(12, out.width - widthOf(facts) - 2))
  out.line(`${palette.strong(shown)}  ${facts}`)
  if (outline) printOutline(outline, context)
  if (view.isFull || wanted.message !== undefined) view.show(head, conversation)
  else if (wanted.search !== undefined) {
    printMatches(whole, chosen, wanted.search, out)
    if (chosen.length === 0) out.line(palette.quiet(`  ${phrase`No message has this text.`}`))
  } else {
    out.line()
    const rows = conversationRows(conversation, { turns: tally.turns > 1 })
    const numbers = String(conversation.items.length).length + 1
    for (const row of rows) for (const line of renderRow(row, width, palette, { sizes: true, numbers })) out.line(line.trimEnd())
    if (rows.length === 0) out.line(palette.quiet(`  ${phrase`(no messages)`}`))
  }
  if (wanted.message !== undefined) return undefined
  out.line()
  if (tally.calls > 0) out.line(palette.quiet(`  ${legend()}`))
  for (const note of settled) out.line(palette.warning(`  ${phrase`${note}: ${`ligature check ${shellFile(source.name)}`}`}`))
  out.line()
  return undefined
}

export const show: Command = {
  summary: "show a history as a readable timeline",
  usage: "FILE… [--text | --md OUT | --html OUT] [--message N | --search WORDS] [--redact]",
  help: `Prints all messages in order: turns, exchanges as brackets, each tool call with its outcome, and sizes. For a
session also its title, its compactions, and the branches other than the active one: abandoned branches and subagents.
Damage is repaired for the view only (nothing is written), with a note at the end.

Each message is one line with its number. --message N shows one in full, --text all of them. --md writes a Markdown document,
--html one file that shows the session in any browser, without a network: to be sent to somebody or attached to an issue. No text
of a message can break the layout of either.

--redact takes out keys, tokens, cookies, passwords in addresses and the user in home paths, --redact-name NAME names of
people and projects. The same text gets the same placeholder everywhere. What was taken out is listed on stderr.

On a terminal, long output goes through $PAGER (less, if unset); --no-pager prints it at once.`,
  takesSessions: true,
  options: [
    fromOption,
    branchOption,
    viewOption,
    { name: "all", text: "show every branch of a session: abandoned branches and subagents too" },
    ...chosenOptions,
    ...exportOptions,
    htmlOption,
    ...redactOptions,
    pagerOption,
    jsonOption,
  ],
  examples: [
    ["ligature show request.json", "one history"],
    ["ligature show latest --message 12", "one message in full"],
    ["ligature show latest --search 'exit code'", "where it was said"],
    ["ligature show latest --html session.html --redact", "one file to send to somebody, without keys and home paths"],
    ["ligature show session.jsonl --md session.md --redact-name Ada", "a document, without keys and this name"],
    ["ligature show session.jsonl --text > session.txt", "every message in full"],
  ],
  pages: true,
  run: async (context): Promise<ExitCode> => {
    const shown: unknown[] = []
    const isJson = context.arguments.flag("json")
    const files = filesOf(context, "show")
    chosenOf(context)
    const view = await ExportView.asked(context, files)
    const code = await visitSources(context, files, {
      visit: async (found) => {
        const source = view.redacted(found)
        if (view.isPage) {
          await view.showPage(source)
          return 0
        }
        const conversations = source.parts.flatMap((part, index) => {
          const shownPart = showPart(source, part, index, context, view)
          if (!context.arguments.flag("all")) return [shownPart]
          const others = outlineOf(part)?.paths.filter(({ kind }) => kind !== "active") ?? []
          return [shownPart, ...others.map(({ id }) => showPart(source.onBranch(id), part, index, context, view))]
        })
        shown.push({ file: source.name, problems: source.problems, conversations })
        return 0
      },
      ...(isJson && {
        unreadable: (file, problems) => {
          shown.push({ file, problems, conversations: [] })
        },
      }),
    })
    if (isJson) printJson("show", code, { files: shown }, context.out)
    await view.end(await modeOfSources(files.map((file) => (file === "-" ? file : resolve(context.io.cwd, file)))))
    return code
  },
}
