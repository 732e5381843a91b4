/** `ligature list`: the sessions of all agents on this machine, newest first, those of this project before all others. */
import { resolve } from "node:path"
import { findUnder, type FoundFile } from "../../files/find-sessions.ts"
import { phrase } from "../../model/index.ts"
import { type Command, type Context, type ExitCode, jsonOption } from "../frame/command.ts"
import type { FoundSession } from "../frame/named-session.ts"
import { count, oneLine, size } from "../frame/text.ts"
import { UsageError } from "../frame/usage-error.ts"
import { printJson } from "../print/json.ts"
import { Progress } from "../print/progress.ts"
import { titleOf } from "../print/session-lines.ts"
import { type Column, printTable } from "../print/table.ts"
import { when } from "../print/when.ts"
import { nearPath, SessionFiles, sessionsInHomes, shortPath } from "../sessions/session-files.ts"
import { filterOptions, SessionFilter } from "../sessions/session-filter.ts"
import { argumentFor, fileOf, glancedAt, isOfProject, namesIn } from "../sessions/session-name.ts"

const usualLimit = 20

/** Below this width, what an id also tells is left out. */
const wideEnough = 90

const limitOf = ({ arguments: given }: Context): number => {
  const text = given.text("limit")
  if (text === undefined) return given.flag("json") ? Number.POSITIVE_INFINITY : usualLimit
  const limit = Number(text)
  if (Number.isInteger(limit) && limit > 0) return limit
  throw new UsageError(phrase`--limit is a number of sessions, not ${text}`)
}

const filesFor = async ({ arguments: given, io }: Context): Promise<readonly FoundFile[]> => {
  if (given.positionals.length === 0) return sessionsInHomes(io)
  const found: FoundFile[] = []
  for (const path of given.positionals) for await (const file of findUnder(resolve(io.cwd, path))) found.push(file)
  return found
}

/** A path stands below its row. */
const longestName = 24

const print = (sessions: readonly FoundSession[], names: readonly string[], context: Context): void => {
  const { out, io, arguments: given } = context
  const isInHome = given.positionals.length === 0
  const isWide = out.width >= wideEnough
  const nameOf = (found: FoundSession): string => {
    const path = nearPath(fileOf(found), io)
    return isInHome ? argumentFor(found, names, path) : path
  }
  const table = (title: string, group: readonly FoundSession[], withProject: boolean): void => {
    if (group.length === 0) return
    out.line(out.palette.strong(title))
    const columns: readonly Column[] = [
      { title: phrase`id` },
      { title: phrase`agent` },
      { title: phrase`changed` },
      ...(isWide ? [{ title: phrase`size`, align: "right" as const }] : []),
      ...(withProject && isWide ? [{ title: phrase`project` }] : []),
      { title: phrase`title`, flexible: "end" },
    ]
    const rows = group.map((found) => {
      const { session, file } = found
      const name = nameOf(found)
      return [
        name.length > longestName ? "" : name,
        session.agent,
        when(file.modified).slice(isWide ? 0 : 5),
        ...(isWide ? [size(file.bytes)] : []),
        ...(withProject && isWide ? [session.folder === undefined ? "" : oneLine(shortPath(session.folder, io)).slice(-24)] : []),
        titleOf(found),
      ]
    })
    const longNames = group.map((found) => nameOf(found)).map((name) => (name.length > longestName ? name : undefined))
    printTable(columns, rows, out, longNames)
    out.line()
  }
  const own = sessions.filter((found) => isOfProject(found, io.cwd))
  table(phrase`This project`, own, false)
  table(
    own.length > 0 ? phrase`Other projects` : phrase`All projects`,
    sessions.filter((found) => !own.includes(found)),
    true,
  )
}

const run = async (context: Context): Promise<ExitCode> => {
  const { out, io, status, arguments: given } = context
  const filter = new SessionFilter(context)
  const limit = limitOf(context)
  const files = (await filesFor(context)).filter((file) => filter.admits(file))
  const looked = await SessionFiles.open(io)
  const progress = new Progress(status, files.length)
  const own: FoundSession[] = []
  const others: FoundSession[] = []
  let seen = 0
  let last: FoundFile | undefined
  for await (const found of glancedAt(files, looked)) {
    if (found.file !== last) progress.show(seen++, shortPath(found.file.path, io))
    last = found.file
    if (filter.takes(found.session)) (isOfProject(found, io.cwd) ? own : others).push(found)
  }
  status.clear()
  await looked.close()
  const sessions = [...own, ...others]
  const shown = sessions.slice(0, limit)
  if (given.flag("json")) {
    const asJson = shown.map(({ file, session }) => ({
      file: nearPath(file.path, io),
      bytes: file.bytes,
      modified: new Date(file.modified).toISOString(),
      ...session,
    }))
    printJson("list", 0, { sessions: asJson, total: sessions.length }, out)
    return 0
  }
  if (sessions.length === 0) out.line(phrase`No sessions found.`)
  print(
    shown,
    sessions.map(({ file, session }) => namesIn(file, [session])),
    context,
  )
  const more = sessions.length - shown.length
  if (more > 0) out.hint(phrase`… and ${count(more, "more session")}; --limit N shows more`)
  if (sessions.length > 0) out.hint(phrase`An id, a unique part of it, or latest can be given wherever a FILE is expected.`)
  return 0
}

export const list: Command = {
  summary: "list the sessions of all agents, newest first",
  usage: "[PATH…] [--agent NAME] [--since WHEN] [--project DIR] [--limit N] [--json]",
  help: `Lists the sessions of every known agent, newest first, those of the current folder before all others. Sub-agents are
not listed. The id of a session, a unique part of it, or the word latest (the newest session of this project) can be given to
every command that takes a file: ligature show latest.`,
  options: [...filterOptions, { name: "limit", value: "N", text: "show at most N sessions (default 20)" }, jsonOption],
  examples: [
    ["ligature list", "the newest sessions, this project first"],
    ["ligature list --agent codex --since 2w", "of one agent, of two weeks"],
    ["ligature show latest", "read the newest one"],
  ],
  run,
}
