/**
 * Sessions by name: an id, a unique part of one, or `latest`. The names of most files have the id, so that one is found without
 * reading anything; only what is left is looked up in the files.
 */
import { basename } from "node:path"
import { LigatureError, phrase } from "../../model/index.ts"
import type { FoundFile } from "../../files/find-sessions.ts"
import type { Io } from "../frame/io.ts"
import { type FoundSession, mayNameSession } from "../frame/named-session.ts"
import { oneLine } from "../frame/text.ts"
import { isWithin, SessionFiles, sessionsInHomes } from "./session-files.ts"

/** What reads this session: its file, with the session's id where the file has several. */
export const fileOf = ({ file, session, isOneOfMany }: FoundSession): string =>
  isOneOfMany && session.id !== undefined ? `${file.path}#${session.id}` : file.path

export const newestFirst = (left: { readonly file: FoundFile }, right: { readonly file: FoundFile }): number =>
  right.file.modified - left.file.modified || (left.file.path < right.file.path ? -1 : 1)

/** Sessions of the newest files; the conversations of sub-agents are no sessions of their own. */
export async function* glancedAt(files: readonly FoundFile[], looked: SessionFiles): AsyncGenerator<FoundSession> {
  for (const file of files.toSorted((left, right) => newestFirst({ file: left }, { file: right }))) {
    const all = await looked.glance(file)
    for (const session of all) {
      if (session.isSubagent !== true) yield { file, session, isOneOfMany: all.length > 1 }
    }
  }
}

export const isOfProject = ({ session: { folder } }: FoundSession, cwd: string): boolean => folder !== undefined && isWithin(folder, cwd)

/** How many of the newest files are opened to find one of this project. */
const fewFiles = 200

/** The newest session of this project, else the newest of all. */
const latest = async (files: readonly FoundFile[], looked: SessionFiles, io: Io): Promise<FoundSession | undefined> => {
  let newest: FoundSession | undefined
  let opened = 0
  for await (const found of glancedAt(files, looked)) {
    newest ??= found
    if (isOfProject(found, io.cwd)) return found
    if (++opened > fewFiles) break
  }
  return newest
}

const ambiguous = (word: string, found: readonly FoundSession[]): LigatureError => {
  const named = found
    .slice(0, 4)
    .map(
      ({ file, session }) =>
        `${session.id ?? basename(file.path)} (${session.agent}${session.title === undefined ? "" : `: ${oneLine(session.title, 40)}`})`,
    )
  return new LigatureError(
    "cannot-read",
    phrase`${word} is part of the ids of ${found.length} sessions: ${named.join(", ")}. Give more of the id.`,
  )
}

const byName = async (word: string, files: readonly FoundFile[], looked: SessionFiles): Promise<FoundSession | undefined> => {
  const inName = files.filter(({ path }) => path.includes(word))
  const found: FoundSession[] = []
  for await (const each of glancedAt(inName.length > 0 ? inName : files, looked)) {
    const { id } = each.session
    // A project's folder may have the word in its name as well.
    if (id?.includes(word) === true || basename(each.file.path).includes(word)) found.push(each)
    if (id === word) return each
  }
  // Copies of one session: the newest is meant.
  if (new Set(found.map(({ file, session }) => session.id ?? file.path)).size > 1) throw ambiguous(word, found)
  return found[0]
}

/** The session that a word names; undefined where there is none. */
export const sessionNamed = async (word: string, io: Io): Promise<FoundSession | undefined> => {
  const looked = await SessionFiles.open(io)
  const files = await sessionsInHomes(io)
  if (word !== "latest") return byName(word, files, looked)
  const found = await latest(files, looked, io)
  if (found) return found
  throw new LigatureError("cannot-read", phrase`No sessions found in the default folders of agents.`)
}

const shortest = 8

/** What names are looked for in: one text per file, with its path and the ids of its sessions as far as they are known. */
export const namesIn = (file: FoundFile, sessions: readonly { readonly id?: string }[] = []): string =>
  [file.path, ...sessions.map(({ id }) => id ?? "")].join("\n")

/** The argument that names a session in a command to copy: the beginning of its id, as long as needed to name no other one. */
export const argumentFor = ({ session: { id } }: FoundSession, names: readonly string[], fallback: string): string => {
  if (id === undefined || !mayNameSession(id)) return fallback
  const near = names.filter((name) => name.includes(id.slice(0, shortest)))
  for (let length = shortest; length < id.length; length++) {
    const name = id.slice(0, length)
    if (!name.endsWith("-") && near.filter((each) => each.includes(name)).length <= 1) return name
  }
  // Copies of one session have one id.
  return near.filter((each) => each.split("\n").includes(id, 1)).length <= 1 ? id : fallback
}
