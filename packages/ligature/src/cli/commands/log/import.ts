/** `ligature log import`: any history becomes a conversation of the store. */
import { basename } from "node:path"
import type { DocumentPart } from "../../../document/index.ts"
import { type ImportChange, type ImportedInto, importInto } from "../../../agent/import/import-into.ts"
import type { Imported } from "../../../agent/resume/index.ts"
import { LigatureError, phrase, translated } from "../../../model/index.ts"
import type { Store } from "../../../store/index.ts"
import {
  branchOption,
  type Command,
  type Context,
  type ExitCode,
  fromOption,
  jsonOption,
  salvageOption,
  viewOption,
} from "../../frame/command.ts"
import { printJson } from "../../print/json.ts"
import { printNotSalvaged } from "../../output/summary.ts"
import { count, hang, oneLine } from "../../frame/text.ts"
import { countedByRule, traceReport } from "../../output/report.ts"
import type { Source } from "../../input/source.ts"
import { storeOption } from "../../store/store-location.ts"
import { UsageError } from "../../frame/usage-error.ts"
import { filesBelow } from "../../input/folders.ts"
import { filesOf, type Problem, visitSources } from "../../output/visit-sources.ts"
import { withStore } from "../../store/with-store.ts"

interface ImportedConversation {
  readonly conversation: string
  readonly title: string
  readonly path: string
  readonly format: string
  /** What became of it: `new`, `unchanged`, `updated`, `grown` or `branched`. */
  readonly change: ImportChange
  /** Entries of its path: a note about the source, and its messages and results. */
  readonly entries: number
  /** How many messages and results were written now. */
  readonly added: number
  readonly tip: string | null
  /** Exporting to the same format gives an equal value. */
  readonly exact: boolean
  readonly notKept: readonly string[]
  readonly report: Imported["report"]
  readonly findings: number
  /** Branches that were written too. */
  readonly branches: number
  /** Conversations of the subagents of the session. */
  readonly subagents: readonly string[]
  /** A conversation that has the name of this session, and is another one. */
  readonly instead?: string
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
  return parts.length === 0 ? [] : [phrase`${parts.join(phrase` and `)} of the session; --all imports them too`]
}

const severalForOneId = (): UsageError =>
  new UsageError(phrase`--id names one conversation, and there are several to import`, phrase`Leave --id out.`)

const asListed = (done: ImportedInto, part: DocumentPart, all: boolean): ImportedConversation => {
  const { conversation, title, change, added, tip, branches, subagents, imported, instead } = done
  return {
    conversation,
    title: title ?? conversation,
    path: part.path,
    format: part.format,
    change,
    entries: imported.entries.length,
    added,
    tip,
    exact: imported.exact,
    notKept: [...imported.notKept, ...(all ? [] : pathsLeftOut(imported.otherPaths))],
    report: imported.report,
    findings: imported.diagnostics.length,
    branches,
    subagents: subagents.map((each) => each.conversation),
    ...(instead !== undefined && { instead }),
  }
}

const importPart = async (
  source: Source,
  part: DocumentPart,
  index: number,
  store: Store,
  context: Context,
): Promise<ImportedConversation> => {
  const { arguments: given } = context
  const [id, title, all] = [given.text("id"), given.text("title"), given.flag("all")]
  const done = await importInto(store, part.value, {
    format: part.format,
    ...source.decodeOptions(part),
    name: part.name ?? basename(source.labelOf(index)),
    all,
    ...(title !== undefined && { title }),
    ...(id !== undefined && { id }),
  })
  traceReport(source.labelOf(index), done.imported.report, source.locatorOf(part), context)
  return asListed(done, part, all)
}

/** What became of it, for people. */
const changeText = ({ change, added, entries, instead }: ImportedConversation): string => {
  const was = count(added, "entry", "entries")
  const there = count(entries - 1, "entry", "entries")
  switch (change) {
    case "new":
      return instead === undefined
        ? was
        : phrase`${was}; the conversation ${oneLine(instead)} has the same session id and another beginning`
    case "unchanged":
      return phrase`unchanged, ${there}`
    case "updated":
      return phrase`unchanged, ${there}; new title or settings`
    case "grown":
      return phrase`${was} added`
    case "branched":
      return phrase`${was} added as a branch: its history differs from the one imported before, which stays as a branch`
  }
}

const printImported = (each: ImportedConversation, label: string, { out, err }: Context): void => {
  const { palette, width } = err
  out.line(each.conversation)
  const { entries } = each.report
  const repairs = entries.length === 0 ? "" : `; ${count(entries.length, "repair")} (${countedByRule(entries)})`
  const exact = each.exact ? phrase`, comes back equal` : ""
  const branches = each.branches === 0 ? "" : phrase`, and ${count(each.branches, "branch", "branches")}`
  const mark = each.change === "unchanged" ? palette.quiet("=") : palette.good("✓")
  err.line(`${mark} ${label}  ${each.format}  ${changeText(each)}${branches}${exact}${repairs}`)
  for (const id of each.subagents) out.line(id)
  if (each.change === "unchanged") return
  for (const lost of each.notKept) {
    for (const line of hang(palette.warning(`  ${phrase`not kept`}: `), oneLine(lost), width)) err.line(line)
  }
}

/** Of many files, what became of all of them. */
const printTotals = (done: readonly ImportedFile[], others: number, { err }: Context): void => {
  const all = done.flatMap(({ conversations }) => conversations)
  const changes: readonly ImportChange[] = ["new", "grown", "branched", "updated", "unchanged"]
  const counts = changes.flatMap((change) => {
    const number = all.filter((each) => each.change === change).length
    return number === 0 ? [] : [`${number.toLocaleString("en-US")} ${translated(change)}`]
  })
  if (all.length > 1) err.line(`${count(all.length, "conversation")}: ${counts.join(", ")}`)
  if (others > 0) err.line(err.palette.quiet(phrase`${count(others, "other file")} without a conversation`))
}

/** A format's reader that stumbles is a mistake of ours; it must not keep the other files out. */
const asFailure = (error: unknown): unknown => {
  if (LigatureError.is(error) || error instanceof UsageError || error instanceof RangeError) return error
  const what = error instanceof Error ? error.message : String(error)
  return new LigatureError("cannot-read", phrase`It could not be imported: ${what}. This should not happen; please report it`, {
    cause: error,
  })
}

const run = async (context: Context): Promise<ExitCode> => {
  const { out, io, arguments: given } = context
  const { files, isFound } = await filesBelow(filesOf(context, "log import"), io)
  const isJson = given.flag("json")
  if (files.length === 0) context.err.line(phrase`No conversations found in ${given.positionals.map((name) => oneLine(name)).join(", ")}`)
  if (given.flag("id") && files.length > 1) throw severalForOneId()
  const done: ImportedFile[] = []
  let others = 0
  const visit = async (source: Source, store: Store): Promise<ExitCode> => {
    if (source.isPartial && !given.flag("salvage")) {
      printNotSalvaged(source, context.err)
      return 2
    }
    if (given.flag("id") && source.parts.length > 1) throw severalForOneId()
    const conversations: ImportedConversation[] = []
    try {
      for (const [index, part] of source.parts.entries()) {
        const imported = await importPart(source, part, index, store, context)
        conversations.push(imported)
        if (!isJson) printImported(imported, source.labelOf(index), context)
      }
    } catch (error) {
      throw asFailure(error)
    } finally {
      if (conversations.length > 0) done.push({ file: source.name, problems: source.problems, conversations })
    }
    return source.parts.length === 0 ? 2 : 0
  }
  return withStore(
    context,
    async ({ store }) => {
      const code = await visitSources(context, files, {
        visit: (source) => visit(source, store),
        passesBy: (source, file) => {
          const isOther = isFound(file) && source.parts.length === 0 && source.sessionProblem === undefined
          if (isOther) others++
          return isOther
        },
        ...(isJson && { unreadable: (file, problems) => void done.push({ file, problems, conversations: [] }) }),
      })
      if (isJson) printJson("log import", code, { files: done, otherFiles: others }, out)
      else printTotals(done, others, context)
      return code
    },
    { makes: true },
  )
}

export const importFiles: Command = {
  summary: "import histories of any format into the store",
  usage: "FILE|FOLDER… [--from FORMAT] [--title TITLE] [OPTIONS]",
  help: `Reads requests, lists of messages, JSON Lines and session files of any agent, or folders of them: each conversation in
them is stored, and its id is printed to stdout. Importing the same again changes nothing: a session that grew gets its new
messages, one whose past was changed (a rewind, an edited message) gets a branch, and both are reported. A file that cannot
be read does not stop the others; the exit code is then 2. Other files of a folder are ignored.

Healthy content is kept as it is, and the import reports whether it would come back equal in its own format. Damage is
repaired by the same rules as ligature repair; --json has the report with every original.

The fields around the messages of a request (model, tools, parameters) are kept too. Of a session, the active path is
imported (--branch chooses another); with --all, abandoned branches become branches, and subagents become conversations
with this one as their parent. The agent's own bookkeeping is not kept, and the report says so. The files are only read.`,
  options: [
    fromOption,
    branchOption,
    viewOption,
    { name: "all", text: "of a session, also abandoned branches and subagents" },
    { name: "title", value: "TITLE", text: "its title (default: that of the session, or the file name)" },
    { name: "id", value: "ID", text: "the id of the conversation (default: derived from the source)" },
    salvageOption,
    storeOption,
    jsonOption,
  ],
  examples: [
    ["ligature log import request.json", "a request body"],
    ["ligature log import ~/.claude/projects --all --store team.db", "all sessions of an agent; again tomorrow"],
    ["id=$(ligature log import session.jsonl) && ligature resume $id --to openai-chat", "continue with another provider"],
  ],
  run,
}
