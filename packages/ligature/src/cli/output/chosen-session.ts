/** The session that a command works on: named, picked from a list on a terminal, or the newest one of this project. */
import { resolve } from "node:path"
import { stat } from "node:fs/promises"
import { LigatureError, phrase, translated } from "../../model/index.ts"
import type { DocumentPart } from "../../document/index.ts"
import type { FoundFile } from "../../files/find-sessions.ts"
import type { Context, Printer } from "../frame/command.ts"
import type { FoundSession } from "../frame/named-session.ts"
import { UsageError } from "../frame/usage-error.ts"
import { filePart, type Source } from "../input/source.ts"
import { printProblems } from "../print/problem.ts"
import { describeSession, titleOf } from "../print/session-lines.ts"
import { type Column, printTable } from "../print/table.ts"
import { when } from "../print/when.ts"
import { cutStart, oneLine } from "../frame/text.ts"
import { SessionFiles, sessionsInHomes, shortPath } from "../sessions/session-files.ts"
import { fileOf, glancedAt, isOfProject, sessionNamed } from "../sessions/session-name.ts"

const pickedFrom = 9

/** The newest sessions, those of this project first. */
const newest = async (files: readonly FoundFile[], cwd: string, looked: SessionFiles): Promise<readonly FoundSession[]> => {
  const [own, others]: [FoundSession[], FoundSession[]] = [[], []]
  for await (const found of glancedAt(files, looked)) {
    ;(isOfProject(found, cwd) ? own : others).push(found)
    if (own.length >= pickedFrom || own.length + others.length >= pickedFrom * 5) break
  }
  return [...own, ...others].slice(0, pickedFrom)
}

const answerFrom = async ({ io }: Context): Promise<string> => {
  for await (const chunk of io.stdin) return chunk.toString().trim()
  return ""
}

const picked = async (context: Context): Promise<FoundSession> => {
  const { io, err } = context
  const found = await newest(await sessionsInHomes(io), io.cwd, await SessionFiles.open(io))
  if (found.length === 0) throw new LigatureError("cannot-read", phrase`No sessions found in the default folders of agents.`)
  const rows = found.map((each, index) => {
    const { agent, folder } = each.session
    const project =
      folder === undefined ? "" : isOfProject(each, io.cwd) ? phrase`this project` : cutStart(oneLine(shortPath(folder, io)), 24)
    return [String(index + 1), agent, when(each.file.modified), project, titleOf(each)]
  })
  const columns: readonly Column[] = [
    { title: "" },
    { title: phrase`agent` },
    { title: phrase`changed` },
    { title: phrase`project`, isSpare: true },
    { title: phrase`title`, flexible: "end" },
  ]
  printTable(columns, rows, err)
  err.line(phrase`Which session? Number (1):`)
  const answer = await answerFrom(context)
  const chosen = found[(answer === "" ? 1 : Number(answer)) - 1]
  if (chosen) return chosen
  throw new UsageError(phrase`${answer} is not one of the numbers`)
}

export interface ChosenSession {
  /** What reads it: `FILE` or `FILE#ID`. */
  readonly file: string
  /** The path of its file. */
  readonly path: string
  /** If it was found in the home of its agent. */
  readonly found?: FoundSession
}

/** `picks`: whether a person may be asked. */
export const chosenSession = async (context: Context, { picks }: { readonly picks: boolean }): Promise<ChosenSession> => {
  const { arguments: given, io, err, sessions, status } = context
  const [word, ...more] = given.positionals
  if (more.length > 0) throw new UsageError(phrase`Give one session, got ${given.positionals.length}`)
  if (word !== undefined) {
    const path = resolve(io.cwd, filePart(word, io.cwd))
    if ((await stat(path).catch(() => undefined)) === undefined) {
      throw new LigatureError("cannot-read", phrase`No file and no session is called ${word}. ligature list shows the sessions.`)
    }
    const found = sessions.get(word)
    return { file: word, path, ...(found && { found }) }
  }
  const isAsked = picks && io.stdin.isTerminal === true && status.isSeen
  const found = isAsked ? await picked(context) : await sessionNamed("latest", io)
  if (found === undefined) throw new LigatureError("cannot-read", phrase`No sessions found in the default folders of agents.`)
  err.line(err.palette.quiet(describeSession(found, io)))
  return { file: fileOf(found), path: found.file.path, found }
}

/** The only session of a file. Where `err` is given, it hears what of the file cannot be read. */
export const onlySession = (source: Source, file: string, err?: Printer): DocumentPart => {
  const [part, ...others] = source.parts
  const [problem] = source.problems
  if (part === undefined) {
    throw new LigatureError("cannot-read", problem === undefined ? phrase`${file} has no session.` : `${file}: ${translated(problem.what)}`)
  }
  if (others.length > 0) {
    const what = phrase`${file} has ${others.length + 1} sessions. Give one: FILE#ID. ligature list FILE shows the ids.`
    throw new LigatureError("cannot-read", what)
  }
  if (err) printProblems(source, err, { withNotes: false })
  return part
}
