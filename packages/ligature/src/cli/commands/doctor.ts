/** `ligature doctor`: the state of all sessions of all agents on this machine, and the commands that repair them. */
import { homedir } from "node:os"
import { relative, resolve } from "node:path"
import { type Cause, causes as causeTexts, harmless } from "../../sessions/engine/causes.ts"
import { findInHomes, findUnder, type FoundFile } from "../../files/find-sessions.ts"
import { LigatureError, phrase, shellFile, translated } from "../../model/index.ts"
import { type Command, type Context, type ExitCode, jsonOption, policyOption } from "../frame/command.ts"
import { type Examination, examine, type Health } from "../output/examine.ts"
import { printJson } from "../print/json.ts"
import { Progress } from "../print/progress.ts"
import { printTable } from "../print/table.ts"
import { count, hang, size } from "../frame/text.ts"
import { besideName, RepairBeside, type RepairedBeside } from "../output/repair-beside.ts"
import { Source } from "../input/source.ts"
import { UsageError } from "../frame/usage-error.ts"

const worstShown = 10

interface ExaminedFile {
  readonly path: string
  readonly bytes: number
  readonly sessions: readonly Examination[]
  readonly repaired?: RepairedBeside
}

interface UnreadableFile {
  readonly path: string
  readonly why: string
}

interface AgentRow {
  readonly agent: string
  sessions: number
  messages: number
  calls: number
  results: number
  bytes: number
  readonly health: Record<Health, number>
}

const healthOrder: readonly Health[] = ["healthy", "open", "damaged"]

const number = (value: number): string => (value === 0 ? "-" : value.toLocaleString("en-US"))

class Doctor {
  readonly #context: Context
  readonly #files: ExaminedFile[] = []
  readonly #unreadable: UnreadableFile[] = []
  readonly #repair: RepairBeside | undefined
  #others = 0

  constructor(context: Context) {
    this.#context = context
    const { arguments: given } = context
    if (given.flag("in-place") && !given.flag("repair")) {
      throw new UsageError(phrase`--in-place needs --repair`, phrase`Give --repair --in-place, or omit --in-place.`)
    }
    this.#repair = given.flag("repair") ? new RepairBeside(context) : undefined
  }

  async run(): Promise<ExitCode> {
    const files = await this.#find()
    const progress = new Progress(this.#context.status, files.length)
    for (const [index, file] of files.entries()) {
      progress.show(index, file.path)
      await this.#examine(file)
    }
    this.#context.status.clear()
    const isDamaged = this.#files.some(({ sessions }) => sessions.some(({ health }) => health === "damaged"))
    const code = this.#unreadable.length > 0 ? 2 : isDamaged ? 1 : 0
    if (this.#context.arguments.flag("json")) this.#printJson(code)
    else this.#print()
    return code
  }

  async #find(): Promise<readonly FoundFile[]> {
    const { arguments: given, io } = this.#context
    const found: FoundFile[] = []
    if (given.positionals.length === 0) {
      const machine = { home: io.env["HOME"] ?? homedir(), platform: process.platform, env: io.env }
      for await (const file of findInHomes(machine)) found.push(file)
      return found
    }
    for (const path of given.positionals) {
      const before = found.length
      for await (const file of findUnder(resolve(io.cwd, path))) found.push(file)
      if (found.length === before) this.#unreadable.push({ path, why: phrase`No such file, or no session in this folder.` })
    }
    return found
  }

  async #examine(file: FoundFile): Promise<void> {
    const path = this.#shown(file.path)
    try {
      const stretches = await Source.stretches(file.path, {}, this.#context.io)
      const sessions: Examination[] = []
      let source: Source | undefined
      for await (const each of stretches ?? [await Source.read(file.path, {}, this.#context.io)]) {
        source = each
        for (const part of each.parts) sessions.push(examine(each, part))
      }
      if (source === undefined || sessions.length === 0) this.#withoutSession(path, source)
      else {
        const isDamaged = sessions.some(({ health }) => health === "damaged")
        const repaired = isDamaged && !stretches ? await this.#repair?.write(source, file.path) : undefined
        const whole = stretches ? [joined(sessions)] : sessions
        this.#files.push({ path, bytes: file.bytes, sessions: whole, ...(repaired && { repaired }) })
      }
    } catch (error) {
      if (!LigatureError.is(error)) throw error
      this.#unreadable.push({ path, why: error.message })
    }
  }

  /** Only a file that looks like a session is reported as unreadable; folders have many other files. */
  #withoutSession(path: string, source: Source | undefined): void {
    const problem = source?.sessionProblem
    if (problem === undefined) this.#others++
    else this.#unreadable.push({ path, why: translated(problem.what) })
  }

  #shown(path: string): string {
    const near = relative(this.#context.io.cwd, path)
    return near.startsWith("..") ? path : near
  }

  #rows(): readonly AgentRow[] {
    const rows = new Map<string, AgentRow>()
    for (const { sessions, bytes } of this.#files) {
      sessions.forEach((session, index) => {
        const row = rows.get(session.agent) ?? {
          agent: session.agent, sessions: 0, messages: 0, calls: 0, results: 0, bytes: 0,
          health: { healthy: 0, open: 0, damaged: 0 },
        }
        row.sessions++
        row.messages += session.messages
        row.calls += session.calls
        row.results += session.results
        row.bytes += index === 0 ? bytes : 0
        row.health[session.health]++
        rows.set(session.agent, row)
      })
    }
    return [...rows.values()].sort((left, right) => right.sessions - left.sessions || (left.agent < right.agent ? -1 : 1))
  }

  /** By cause: how often, and in how many sessions. */
  #causes(): readonly (readonly [cause: Cause, found: number, sessions: number])[] {
    const found = new Map<Cause, { found: number; sessions: number }>()
    for (const { sessions } of this.#files) {
      for (const { causes } of sessions) {
        for (const [cause, times] of causes) {
          const sum = found.get(cause) ?? { found: 0, sessions: 0 }
          sum.found += times
          sum.sessions++
          found.set(cause, sum)
        }
      }
    }
    return [...found]
      .map(([cause, sum]) => [cause, sum.found, sum.sessions] as const)
      .sort((left, right) => Number(harmless.has(left[0])) - Number(harmless.has(right[0])) || right[1] - left[1])
  }

  #worst(): readonly (ExaminedFile & { readonly found: number })[] {
    const damage = ({ sessions }: ExaminedFile): number => {
      let sum = 0
      for (const { causes } of sessions) for (const [cause, times] of causes) if (!harmless.has(cause)) sum += times
      return sum
    }
    return this.#files
      .map((file) => ({ ...file, found: damage(file) }))
      .filter(({ found }) => found > 0)
      .sort((left, right) => right.found - left.found || (left.path < right.path ? -1 : 1))
  }

  #print(): void {
    const { out } = this.#context
    const rows = this.#rows()
    if (rows.length === 0) {
      out.line(phrase`No sessions found.`)
      const isDefault = this.#context.arguments.positionals.length === 0
      if (isDefault) out.line(out.palette.quiet(phrase`Searched the default folders of agents; give a PATH to search elsewhere.`))
    } else {
      this.#printAgents(rows)
      this.#printCauses()
      this.#printWorst()
    }
    for (const { path, why } of this.#unreadable.slice(0, worstShown)) {
      for (const line of hang(`${out.palette.error(phrase`cannot read`)} `, phrase`${path}: ${why}`, out.width)) out.line(line)
    }
    if (this.#unreadable.length > worstShown) out.line(phrase`… and ${count(this.#unreadable.length - worstShown, "more file")} that cannot be read`)
    if (this.#others > 0) out.line(out.palette.quiet(phrase`${count(this.#others, "other file")} without a session`))
  }

  #printAgents(rows: readonly AgentRow[]): void {
    const { out } = this.#context
    const cells = (row: AgentRow): readonly string[] => [
      row.agent, number(row.sessions), number(row.messages), number(row.calls), size(row.bytes),
      ...healthOrder.map((health) => number(row.health[health])),
    ]
    const total: AgentRow = {
      agent: phrase`total`, sessions: 0, messages: 0, calls: 0, results: 0, bytes: 0, health: { healthy: 0, open: 0, damaged: 0 },
    }
    for (const row of rows) {
      for (const key of ["sessions", "messages", "calls", "results", "bytes"] as const) total[key] += row[key]
      for (const health of healthOrder) total.health[health] += row.health[health]
    }
    const right = (title: string): { readonly title: string; readonly align: "right" } => ({ title, align: "right" })
    printTable(
      [
        { title: phrase`agent`, flexible: "end" }, right(phrase`sessions`), right(phrase`messages`), right(phrase`calls`), right(phrase`size`),
        right(phrase`healthy`), right(phrase`open tip`), right(phrase`damaged`),
      ],
      [...rows.map(cells), ...(rows.length > 1 ? [cells(total)] : [])],
      out,
    )
    out.line()
  }

  #printCauses(): void {
    const { out } = this.#context
    const found = this.#causes()
    if (found.length === 0) return
    printTable(
      [{ title: phrase`cause` }, { title: phrase`found`, align: "right" }, { title: phrase`sessions`, align: "right" }, { title: "", flexible: "end" }],
      found.map(([cause, times, sessions]) => [cause, number(times), number(sessions), translated(causeTexts[cause])]),
      out,
    )
    out.line()
  }

  #printWorst(): void {
    const { out } = this.#context
    const worst = this.#worst()
    for (const { path, found, sessions, repaired } of worst.slice(0, worstShown)) {
      const causes = [...new Set(sessions.flatMap((session) => [...session.causes.keys()]))].filter((cause) => !harmless.has(cause))
      out.line(`${out.palette.strong(path)}  ${phrase`${count(found, "finding")} (${causes.join(", ")})`}`)
      if (repaired === undefined) out.line(`  ligature repair ${shellFile(path)} -o ${shellFile(besideName(path))}`)
      else out.line(`  ${repaired.what}`)
    }
    if (worst.length > worstShown) out.line(out.palette.quiet(phrase`… and ${count(worst.length - worstShown, "more damaged file")}; --json lists all`))
    if (worst.length > 0) out.line()
    if (worst.length > 0 && this.#repair === undefined) {
      out.line(out.palette.quiet(phrase`ligature doctor --repair writes repaired copies next to the originals.`))
    }
  }

  #printJson(code: ExitCode): void {
    const agents = this.#rows()
    const causes = this.#causes().map(([cause, found, sessions]) => ({ cause, found, sessions, harmless: harmless.has(cause) }))
    const files = this.#files.map(({ path, bytes, sessions, repaired }) => ({
      file: path,
      bytes,
      sessions: sessions.map((session) => ({ ...session, causes: Object.fromEntries(session.causes) })),
      ...(repaired && { repaired }),
    }))
    const unreadable = this.#unreadable.map(({ path, why }) => ({ file: path, why }))
    printJson("doctor", code, { agents, causes, files, unreadable, otherFiles: this.#others }, this.#context.out)
  }
}

/** The stretches of one long session as one. */
const joined = (stretches: readonly Examination[]): Examination => {
  const causes = new Map<Cause, number>()
  const sum = { messages: 0, calls: 0, results: 0, compactions: 0 }
  let health: Health = "healthy"
  for (const stretch of stretches) {
    for (const key of ["messages", "calls", "results", "compactions"] as const) sum[key] += stretch[key]
    for (const [cause, times] of stretch.causes) causes.set(cause, (causes.get(cause) ?? 0) + times)
    if (healthOrder.indexOf(stretch.health) > healthOrder.indexOf(health)) health = stretch.health
  }
  const [first] = stretches
  return { format: first?.format ?? "", agent: first?.agent ?? "", ...sum, health, causes }
}

export const doctor: Command = {
  summary: "examine the sessions of all agents on this machine",
  usage: "[PATH…] [--repair [--in-place]] [--json]",
  help: `Finds the sessions of every known agent in its default folder, or under PATH, and checks all of them. Prints a
table by agent: the number of sessions, messages and tool calls, how many sessions are healthy, how many end in an
unanswered tool call (normal while the session is running), how many are damaged; then the damage by cause, and the worst
sessions with the command that repairs each. Nothing is changed.

--repair writes a repaired copy next to each damaged session (NAME.repaired.EXT) and never overwrites the session. With
--in-place the session itself is replaced, but only if no program has it open and it was not changed in the last minute;
the original is kept as FILE.bak.

Exit code 0: no damage. 1: damaged sessions. 2: a file could not be read.`,
  options: [
    { name: "repair", text: "write a repaired copy next to each damaged session" },
    { name: "in-place", text: "with --repair: replace the session; the original is kept as FILE.bak" },
    policyOption,
    jsonOption,
  ],
  examples: [
    ["ligature doctor", "all sessions in the default folders"],
    ["ligature doctor ~/.claude/projects/-home-me-shop", "the sessions of one project"],
    ["ligature doctor backups --json | jq '.causes'", "for scripts"],
    ["ligature doctor --repair", "repaired copies next to the originals"],
  ],
  run: (context) => new Doctor(context).run(),
}
