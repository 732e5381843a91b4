/** `ligature doctor`: the state of all sessions of all agents on this machine, and the command that revives each. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { type Cause, causes as causeTexts } from "../../sessions/engine/causes.ts"
import { findUnder, type FoundFile } from "../../files/find-sessions.ts"
import { phrase, translated } from "../../model/index.ts"
import { type Command, type Context, dryRunOption, type ExitCode, jsonOption, policyOption } from "../frame/command.ts"
import { addFound, type Examination, type Found, type FoundCauses, type State, states } from "../sessions/examine.ts"
import { type ExaminedFile, nearPath, SessionFiles, sessionsInHomes, shortPath } from "../sessions/session-files.ts"
import { filterOptions, SessionFilter } from "../sessions/session-filter.ts"
import { namesIn } from "../sessions/session-name.ts"
import { repairWhereItIs, type RepairedInPlace } from "../output/repair-in-place.ts"
import { printJson } from "../print/json.ts"
import { Progress } from "../print/progress.ts"
import { printSession, reviveCommand } from "../print/session-lines.ts"
import { printTable } from "../print/table.ts"
import { count, hang, size } from "../frame/text.ts"

const listed = 10

interface CheckedFile extends ExaminedFile {
  readonly file: FoundFile
  readonly repaired?: RepairedInPlace
}

interface AgentRow {
  readonly agent: string
  sessions: number
  messages: number
  calls: number
  results: number
  bytes: number
  readonly states: Record<State, number>
}

const rowOf = (agent: string): AgentRow => ({
  agent,
  sessions: 0,
  messages: 0,
  calls: 0,
  results: 0,
  bytes: 0,
  states: { healthy: 0, open: 0, warnings: 0, errors: 0 },
})

const number = (value: number): string => (value === 0 ? "-" : value.toLocaleString("en-US"))

interface Ill {
  readonly checked: CheckedFile
  readonly session: Examination
  readonly found: number
}

class Doctor {
  readonly #context: Context
  readonly #filter: SessionFilter
  readonly #all: FoundFile[] = []
  readonly #files: CheckedFile[] = []
  readonly #unreadable: { readonly path: string; readonly why: string }[] = []
  #others = 0

  constructor(context: Context) {
    this.#context = context
    this.#filter = new SessionFilter(context)
  }

  async run(): Promise<ExitCode> {
    const { io, status } = this.#context
    await this.#find()
    const looked = await SessionFiles.open(io)
    const progress = new Progress(status, this.#all.length)
    for (const [index, file] of this.#all.entries()) {
      progress.show(index, shortPath(file.path, io))
      if (this.#filter.admits(file)) await this.#look(file, looked)
    }
    status.clear()
    await looked.close()
    const hasErrors = this.#files.some(
      ({ sessions, repaired }) => repaired?.backup === undefined && sessions.some(({ state }) => state === "errors"),
    )
    const code = this.#unreadable.length > 0 ? 2 : hasErrors ? 1 : 0
    if (this.#context.arguments.flag("json")) this.#printJson(code)
    else this.#print()
    return code
  }

  async #find(): Promise<void> {
    const { arguments: given, io } = this.#context
    if (given.positionals.length === 0) {
      for (const file of await sessionsInHomes(io)) this.#all.push(file)
      return
    }
    for (const path of given.positionals) {
      const before = this.#all.length
      for await (const file of findUnder(resolve(io.cwd, path))) this.#all.push(file)
      if (this.#all.length === before) this.#unreadable.push({ path, why: phrase`No such file, or no session in this folder.` })
    }
  }

  async #look(file: FoundFile, looked: SessionFiles): Promise<void> {
    const examined = await looked.examine(file)
    const { unreadable } = examined
    // Only a file that looks like a session is reported as unreadable; folders have many other files.
    if (unreadable !== undefined) this.#unreadable.push({ path: shortPath(file.path, this.#context.io), why: unreadable })
    else if (examined.sessions.length === 0) this.#others++
    else {
      const sessions = examined.sessions.filter((session) => this.#filter.takes(session))
      if (sessions.length === 0) return
      const isRepaired = this.#context.arguments.flag("repair") && sessions.some(({ state }) => state === "errors")
      const repaired = isRepaired ? await repairWhereItIs(file.path, this.#context) : undefined
      this.#files.push({ ...examined, sessions, file, ...(repaired && { repaired }) })
    }
  }

  #rows(): readonly AgentRow[] {
    const rows = new Map<string, AgentRow>()
    for (const { sessions, file } of this.#files) {
      sessions.forEach((session, index) => {
        const row = rows.get(session.agent) ?? rowOf(session.agent)
        row.sessions++
        for (const key of ["messages", "calls", "results"] as const) row[key] += session[key]
        row.bytes += index === 0 ? file.bytes : 0
        row.states[session.state]++
        rows.set(session.agent, row)
      })
    }
    return [...rows.values()].sort((left, right) => right.sessions - left.sessions || (left.agent < right.agent ? -1 : 1))
  }

  /** Worst first; with the number of sessions that have it. */
  #causes(): readonly { readonly cause: Cause; readonly found: Found; readonly sessions: number }[] {
    const sum: FoundCauses = {}
    const sessionsWith = new Map<string, number>()
    for (const { causes } of this.#files.flatMap(({ sessions }) => sessions)) {
      for (const [cause, found] of Object.entries(causes)) {
        addFound(sum, cause as Cause, found)
        sessionsWith.set(cause, (sessionsWith.get(cause) ?? 0) + 1)
      }
    }
    return Object.entries(sum)
      .map(([cause, found]) => ({ cause: cause as Cause, found, sessions: sessionsWith.get(cause) ?? 0 }))
      .sort(({ found: left }, { found: right }) => right.errors - left.errors || right.warnings - left.warnings || right.notes - left.notes)
  }

  /** Errors first, then warnings; the session with most of them first. */
  #ill(): readonly Ill[] {
    const worst: readonly State[] = this.#context.arguments.flag("errors") ? ["errors"] : ["errors", "warnings"]
    const found = ({ causes, state }: Examination): number =>
      Object.values(causes).reduce((sum, each) => sum + (state === "errors" ? each.errors : each.warnings), 0)
    return this.#files
      .flatMap((checked) => checked.sessions.map((session): Ill => ({ checked, session, found: found(session) })))
      .filter(({ session }) => worst.includes(session.state))
      .sort((left, right) => worst.indexOf(left.session.state) - worst.indexOf(right.session.state) || right.found - left.found)
  }

  #print(): void {
    const { out, arguments: given } = this.#context
    const rows = this.#rows()
    if (rows.length === 0) {
      out.line(phrase`No sessions found.`)
      if (given.positionals.length === 0) out.hint(phrase`Searched the default folders of agents; give a PATH to search elsewhere.`)
    } else {
      this.#printAgents(rows)
      this.#printCauses()
      this.#printIll()
    }
    for (const { path, why } of this.#unreadable.slice(0, listed)) {
      for (const line of hang(`${out.palette.error(phrase`cannot read`)} `, phrase`${path}: ${why}`, out.width)) out.line(line)
    }
    if (this.#unreadable.length > listed)
      out.line(phrase`… and ${count(this.#unreadable.length - listed, "more file")} that cannot be read`)
    if (this.#others > 0) out.hint(phrase`${count(this.#others, "other file")} without a session`)
  }

  #printAgents(rows: readonly AgentRow[]): void {
    const { out } = this.#context
    const cells = (row: AgentRow): readonly string[] => [
      row.agent,
      number(row.sessions),
      number(row.messages),
      size(row.bytes),
      ...states.map((state) => number(row.states[state])),
    ]
    const total = rowOf(phrase`total`)
    for (const row of rows) {
      for (const key of ["sessions", "messages", "calls", "results", "bytes"] as const) total[key] += row[key]
      for (const state of states) total.states[state] += row.states[state]
    }
    const right = (title: string): { readonly title: string; readonly align: "right" } => ({ title, align: "right" })
    printTable(
      [
        { title: phrase`agent`, flexible: "end" },
        right(phrase`sessions`),
        { ...right(phrase`messages`), isSpare: true },
        { ...right(phrase`size`), isSpare: true },
        right(phrase`healthy`),
        right(phrase`open`),
        right(phrase`warnings`),
        right(phrase`errors`),
      ],
      [...rows.map(cells), ...(rows.length > 1 ? [cells(total)] : [])],
      out,
    )
    out.line()
  }

  /** Notes are how agents write: they are in --json. */
  #printCauses(): void {
    const { out } = this.#context
    const found = this.#causes().filter(({ found: { errors, warnings } }) => errors + warnings > 0)
    if (found.length === 0) return
    const right = (title: string): { readonly title: string; readonly align: "right" } => ({ title, align: "right" })
    printTable(
      [{ title: phrase`cause` }, right(phrase`errors`), right(phrase`warnings`), right(phrase`sessions`), { title: "", isText: true }],
      found.map(({ cause, found: { errors, warnings }, sessions }) => [
        cause,
        number(errors),
        number(warnings),
        number(sessions),
        translated(causeTexts[cause]),
      ]),
      out,
    )
    out.line()
  }

  #printIll(): void {
    const { out, io, arguments: given } = this.#context
    const ill = this.#ill()
    const isInHome = given.positionals.length === 0
    const sessionsIn = new Map(this.#files.map(({ file, sessions }) => [file, sessions]))
    const names = isInHome && ill.length > 0 ? this.#all.map((file) => namesIn(file, sessionsIn.get(file))) : undefined
    for (const {
      checked: { file, repaired, sessions, ...reading },
      session,
    } of ill.slice(0, listed)) {
      const found = { file, session, isOneOfMany: sessions.length > 1 }
      const command = repaired?.what ?? reviveCommand(found, names, reading, io)
      printSession(found, command, io, out)
    }
    if (ill.length > listed) out.hint(phrase`… and ${count(ill.length - listed, "more session")}; --json lists all`)
    if (isInHome) this.#printHomeless()
    if (ill.length === 0) return
    out.line()
    if (!given.flag("repair") && ill.some(({ session }) => session.state === "errors")) {
      out.hint(phrase`ligature doctor --repair repairs all sessions with errors and keeps the originals as .bak.`)
    }
  }

  /** Agents open a session in its folder. A person may know where that is now, or that the project is gone. */
  #printHomeless(): void {
    const { out } = this.#context
    const folders = new Map<string, boolean>()
    const isGone = (folder: string): boolean => {
      const known = folders.get(folder) ?? !existsSync(folder)
      folders.set(folder, known)
      return known
    }
    const sessions = this.#files.flatMap((file) => file.sessions)
    const gone = sessions.filter(({ folder, isSubagent }) => folder !== undefined && isSubagent !== true && isGone(folder))
    if (gone.length === 0) return
    out.hint(
      phrase`${count(gone.length, "session")} of folders that do not exist here. Where a project was moved: ligature rescue ID --folder DIR`,
    )
  }

  #printJson(code: ExitCode): void {
    const { arguments: given, io, out } = this.#context
    const files = this.#files
      .filter(({ sessions }) => !given.flag("errors") || sessions.some(({ state }) => state === "errors"))
      .map(({ file, sessions, repaired }) => ({
        file: nearPath(file.path, io),
        bytes: file.bytes,
        modified: new Date(file.modified).toISOString(),
        sessions,
        ...(repaired && { repaired }),
      }))
    const unreadable = this.#unreadable.map(({ path, why }) => ({ file: path, why }))
    printJson("doctor", code, { agents: this.#rows(), causes: this.#causes(), files, unreadable, otherFiles: this.#others }, out)
  }
}

export const doctor: Command = {
  summary: "examine the sessions of all agents on this machine",
  usage: "[PATH…] [--agent NAME] [--since WHEN] [--project DIR] [--errors] [--repair] [--json]",
  help: `Finds the sessions of every known agent in its default folder, or under PATH, and checks all of them. Prints a table by
agent, the causes of damage, and the sessions that need help, each with the one command that revives it. Nothing is changed.

A session is in one of four states. healthy: it continues as it is. open: it ends in an unanswered tool call, which is normal
while the agent works. warnings: the agent can continue, but something was lost or had to be guessed, or it may be too large to
resume. errors: a provider would reject its next request. How an agent writes its files, and what a repair would not change, is neither.

--repair replaces each session that has errors and keeps the original as FILE.bak. A session that a program has open, or
that was changed in the last minute, is left alone. --dry-run only shows what would be repaired.

A second run reads only files that changed: what was found is kept in the cache folder of the user. LIGATURE_CACHE names
another folder; off keeps nothing.

Exit code 0: no errors. 1: sessions with errors. 2: a file could not be read.`,
  options: [
    ...filterOptions,
    { name: "errors", text: "list only sessions with errors" },
    { name: "repair", text: "replace each session that has errors; the original is kept as FILE.bak" },
    dryRunOption,
    policyOption,
    jsonOption,
  ],
  examples: [
    ["ligature doctor", "all sessions in the default folders"],
    ["ligature doctor --project . --since 7d", "this week's sessions of this project"],
    ["ligature doctor backups --json | jq '.causes'", "for scripts"],
    ["ligature doctor --repair", "repair all sessions with errors, with backups"],
  ],
  run: (context) => new Doctor(context).run(),
}
