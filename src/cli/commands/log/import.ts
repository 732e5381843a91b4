/** `ligature log import`: any history becomes a conversation of the store. */
import { basename } from "node:path"
import type { DocumentPart } from "../../../codecs/document/index.ts"
import { importFrom, type Imported } from "../../../loop/resume/index.ts"
import type { Appended, NewEntry, Store } from "../../../store/index.ts"
import {
  branchOption,
  type Command,
  type Context,
  type ExitCode,
  fromOption,
  jsonOption,
  salvageOption,
  viewOption,
} from "../../command.ts"
import { printJson } from "../../print/json.ts"
import { printNotSalvaged } from "../../print/summary.ts"
import { count, hang, oneLine } from "../../print/text.ts"
import { countedByRule, traceReport } from "../../output/report.ts"
import type { Source } from "../../input/source.ts"
import { storeOption } from "../../store/store-location.ts"
import { UsageError } from "../../usage-error.ts"
import { filesOf, type Problem, visitSources } from "../../input/visit-sources.ts"
import { withStore } from "../../store/with-store.ts"
import { BranchWriter } from "./branch-writer.ts"

interface ImportedConversation {
  readonly conversation: string
  readonly title: string
  readonly path: string
  readonly format: string
  readonly entries: number
  readonly tip: string | null
  /** Exporting to the same format gives an equal value. */
  readonly exact: boolean
  readonly notKept: readonly string[]
  readonly report: Imported["report"]
  readonly findings: number
  /** Branches that were imported too. */
  readonly branches: number
  /** Conversations made of the subagents of the session. */
  readonly subagents: readonly string[]
}

interface ImportedFile {
  readonly file: string
  readonly problems: readonly Problem[]
  readonly conversations: readonly ImportedConversation[]
}

/** `2 branches left behind and 1 subagent`; `--all` imports them too. */
const pathsLeftOut = (paths: Imported["otherPaths"]): readonly string[] => {
  const subagents = paths.filter(({ kind }) => kind === "subagent").length
  const branches = paths.length - subagents
  const parts = [
    ...(branches > 0 ? [count(branches, "other branch", "other branches")] : []),
    ...(subagents > 0 ? [count(subagents, "subagent")] : []),
  ]
  return parts.length === 0 ? [] : [`${parts.join(" and ")} of the session; --all imports them too`]
}

const write = (store: Store, id: string, entries: readonly NewEntry[]): Promise<Appended> =>
  // The new conversation is nobody else's yet.
  store.append(id, entries, { expectedTip: null, durable: true })

const importPart = async (
  source: Source,
  part: DocumentPart,
  index: number,
  store: Store,
  context: Context,
): Promise<ImportedConversation> => {
  const { arguments: given } = context
  const reading = { format: part.format, ...source.decodeOptions(part) }
  const imported = importFrom(part.value, reading)
  const title = given.text("title") ?? imported.title ?? part.name ?? basename(source.labelOf(index))
  const id = given.text("id")
  const record = await store.create({ title, ...(id !== undefined && { id }) })
  const { tip, ids } = await write(store, record.id, imported.entries)
  const others = given.flag("all") ? imported.otherPaths : []
  const branches = new BranchWriter(store, record.id, imported.entries, ids)
  const subagents: string[] = []
  for (const path of others) {
    const { entries } = importFrom(part.value, { ...reading, branch: path.id })
    if (path.kind !== "subagent") await branches.add(entries)
    else {
      const own = await store.create({ title: `${title} (subagent: ${oneLine(path.title ?? path.id, 80)})` })
      await write(store, own.id, entries)
      subagents.push(own.id)
    }
  }
  await branches.end(tip)
  const locate = source.locatorOf(part)
  traceReport(source.labelOf(index), imported.report, locate, context)
  return {
    conversation: record.id,
    title,
    path: part.path,
    format: part.format,
    entries: ids.length,
    tip,
    exact: imported.exact,
    notKept: [...imported.notKept, ...(given.flag("all") ? [] : pathsLeftOut(imported.otherPaths))],
    report: imported.report,
    findings: imported.diagnostics.length,
    branches: branches.count,
    subagents,
  }
}

const printImported = (each: ImportedConversation, label: string, { out, err }: Context): void => {
  const { palette, width } = err
  out.line(each.conversation)
  const { entries } = each.report
  const repairs = entries.length === 0 ? "" : `; ${count(entries.length, "repair")} (${countedByRule(entries)})`
  const exact = each.exact ? ", comes back equal" : ""
  const branches = each.branches === 0 ? "" : `, ${count(each.branches, "branch", "branches")} beside it`
  const what = `${each.format}  ${count(each.entries - 1, "entry", "entries")}${branches}${exact}${repairs}`
  err.line(`${palette.good("✓")} ${label}  ${what}`)
  for (const id of each.subagents) out.line(id)
  for (const lost of each.notKept) {
    for (const line of hang(palette.warning("  not kept: "), oneLine(lost), width)) err.line(line)
  }
}

const run = async (context: Context): Promise<ExitCode> => {
  const files = filesOf(context, "log import")
  const { out, arguments: given } = context
  const isJson = given.flag("json")
  const done: ImportedFile[] = []
  return withStore(
    context,
    async ({ store }) => {
      const code = await visitSources(context, files, {
        visit: async (source) => {
          if (source.isPartial && !given.flag("salvage")) {
            printNotSalvaged(source, context.err)
            return 2
          }
          if (given.flag("id") && (files.length > 1 || source.parts.length > 1)) {
            throw new UsageError("--id names one conversation, and there are several to import", "Leave --id out.")
          }
          const conversations: ImportedConversation[] = []
          for (const [index, part] of source.parts.entries()) {
            const imported = await importPart(source, part, index, store, context)
            conversations.push(imported)
            if (!isJson) printImported(imported, source.labelOf(index), context)
          }
          done.push({ file: source.name, problems: source.problems, conversations })
          return source.parts.length === 0 ? 2 : 0
        },
        ...(isJson && { unreadable: (file, problems) => void done.push({ file, problems, conversations: [] }) }),
      })
      if (isJson) printJson("log import", code, { files: done }, out)
      return code
    },
    { makes: true },
  )
}

export const importFiles: Command = {
  summary: "bring histories of any format into the store",
  usage: "FILE… [--from FORMAT] [--title TITLE] [OPTIONS]",
  help: `Requests, lists of messages, JSON lines and session files of any agent: each conversation in them becomes one of
the store, and its id goes to stdout. What is healthy is kept as it was said; whether it would come back equal in its own
format is tried on the spot, and said. What is damaged is repaired on the way in, by the same rules as ligature repair;
--json has the report with every original.

Of a request, the fields around the messages (model, tools, parameters) are kept too. Of a session, the active path is
imported (--branch chooses another); with --all, branches that were left behind become branches, and subagents
conversations of their own. The bookkeeping of its agent is not kept, and that is said. The files are only read.`,
  options: [
    fromOption,
    branchOption,
    viewOption,
    { name: "all", text: "of a session, also branches left behind and subagents" },
    { name: "title", value: "TITLE", text: "its title (default: what the session says, or the file's name)" },
    { name: "id", value: "ID", text: "the id of the new conversation (default: a new one)" },
    salvageOption,
    storeOption,
    jsonOption,
  ],
  examples: [
    ["ligature log import request.json", "a request body"],
    ["ligature log import ~/.claude/projects/*/*.jsonl --store team.db", "all sessions of an agent"],
    ["id=$(ligature log import session.jsonl) && ligature resume $id --to openai-chat", "go on with another provider"],
  ],
  run,
}
