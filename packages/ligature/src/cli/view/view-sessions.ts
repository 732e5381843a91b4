/**
 * The sessions that a page may ask for: those of the homes of agents, or of the files and folders that were named. The page knows them by
 * ids that are made of their paths; a path is never taken from a request.
 */
import { createHash } from "node:crypto"
import { stat } from "node:fs/promises"
import { findUnder, type FoundFile } from "../../files/find-sessions.ts"
import type { DocumentPart, Problem } from "../../document/index.ts"
import { LigatureError, phrase, resultText } from "../../model/index.ts"
import type { FoundSession } from "../frame/named-session.ts"
import { resumeLine } from "../../formats/engine/session.ts"
import type { Io } from "../frame/io.ts"
import { type Cause, causes as causeTexts } from "../../sessions/engine/causes.ts"
import { Source } from "../input/source.ts"
import type { Examination } from "../sessions/examine.ts"
import { SessionFiles, sessionsInHomes, nearPath, shortPath } from "../sessions/session-files.ts"
import { argumentFor, fileOf, glancedAt, namesIn } from "../sessions/session-name.ts"

const idOf = (path: string): string => createHash("sha256").update(path).digest("base64url").slice(0, 16)

/** What the page is told of a session. */
export interface SessionEntry {
  readonly id: string
  readonly agent: string
  readonly format: string
  readonly file: string
  readonly bytes: number
  readonly modified: number
  readonly title?: string
  readonly session?: string
  readonly project?: string
  readonly state?: string
  /** What happened to it, as sentences in English. */
  readonly causes?: readonly string[]
  readonly resume?: string
  /** The words that name it on the command line. */
  readonly argument?: string
  readonly messages?: number
}

export type SessionContent = { readonly name: string; readonly argument: string } & (
  | { readonly bytes: Uint8Array }
  | { readonly parts: readonly DocumentPart[]; readonly problems: readonly Problem[] }
)

const badCauses = ({ causes, state }: Examination): readonly string[] =>
  Object.entries(causes).flatMap(([cause, { errors, warnings }]) =>
    (state === "errors" ? errors : warnings) > 0 ? [causeTexts[cause as Cause]] : [],
  )

export class ViewSessions {
  readonly #io: Io
  readonly #paths: readonly string[]
  /** What was found, by id: a path, with the session's id where a file has several. */
  readonly #known = new Map<string, { readonly path: string; readonly found?: FoundSession }>()
  #names: readonly string[] = []

  /** `paths`: files and folders; none for the homes of agents. */
  constructor(paths: readonly string[], io: Io) {
    this.#paths = paths
    this.#io = io
  }

  /** The id of a file that was named on the command line. */
  add(path: string): string {
    const id = idOf(path)
    this.#known.set(id, { path })
    return id
  }

  async #files(): Promise<readonly FoundFile[]> {
    if (this.#paths.length === 0) return sessionsInHomes(this.#io)
    const found: FoundFile[] = []
    for (const path of this.#paths) for await (const file of findUnder(path)) found.push(file)
    return found
  }

  /** Every session at once, newest first; then each again with its health. */
  async *list(): AsyncGenerator<SessionEntry> {
    const looked = await SessionFiles.open(this.#io)
    const files = await this.#files()
    const all: FoundSession[] = []
    for await (const found of glancedAt(files, looked)) {
      all.push(found)
      yield this.#entryOf(found)
    }
    this.#names = all.map(({ file, session }) => namesIn(file, [session]))
    let last: FoundFile | undefined
    for (const { file } of all) {
      if (file === last) continue
      last = file
      const { sessions } = await looked.examine(file)
      for (const session of sessions) {
        if (session.isSubagent === true) continue
        yield {
          ...this.#entryOf({ file, session, isOneOfMany: sessions.length > 1 }),
          argument: this.#argumentOf({ file, session, isOneOfMany: sessions.length > 1 }),
          state: session.state,
          causes: badCauses(session),
          messages: session.messages,
        }
      }
    }
    await looked.close()
  }

  #entryOf(found: FoundSession): SessionEntry {
    const { file, session } = found
    const path = fileOf(found)
    const id = idOf(path)
    this.#known.set(id, { path, found })
    return {
      id,
      agent: session.agent,
      format: session.format,
      file: shortPath(path, this.#io),
      bytes: file.bytes,
      modified: file.modified,
      ...(session.title !== undefined && { title: session.title }),
      ...(session.id !== undefined && { session: session.id }),
      ...(session.folder !== undefined && { project: shortPath(session.folder, this.#io) }),
      ...(session.resume !== undefined && { resume: resumeLine(session.resume, session.folder) }),
    }
  }

  /** The name of a session of a home; a path where files were named. */
  #argumentOf(found: FoundSession): string {
    const near = nearPath(fileOf(found), this.#io)
    return this.#paths.length === 0 ? argumentFor(found, this.#names, near) : near
  }

  async #knownOrFound(id: string): Promise<{ readonly path: string; readonly found?: FoundSession }> {
    const known = this.#known.get(id)
    if (known) return known
    // A link from another day: the sessions were not listed yet.
    const looked = await SessionFiles.open(this.#io)
    for await (const found of glancedAt(await this.#files(), looked)) this.#entryOf(found)
    const again = this.#known.get(id)
    if (again) return again
    throw new LigatureError("cannot-read", phrase`This session is not there any more.`)
  }

  async open(id: string): Promise<SessionContent> {
    const { path, found } = await this.#knownOrFound(id)
    const source = await Source.read(path, {}, this.#io)
    const named = { name: shortPath(path, this.#io), argument: found ? this.#argumentOf(found) : nearPath(path, this.#io) }
    const isWhole = source.derived === undefined && (found === undefined || !found.isOneOfMany) && typeof source.content !== "string"
    if (isWhole) return { ...named, bytes: source.content as Uint8Array }
    return { ...named, parts: source.parts, problems: source.problems }
  }

  /** Sessions whose contents have a text, newest first, each with a piece of what is around it. */
  async *search(
    words: string,
    isStopped: () => boolean,
  ): AsyncGenerator<{ readonly id: string; readonly excerpt: string; readonly times: number }> {
    const wanted = words.toLowerCase()
    for (const { path, found } of this.#known.values()) {
      if (isStopped()) return
      if (found && found.file.bytes > longestSearched) continue
      const text = await textIn(path, this.#io)
      let times = 0
      let first = -1
      for (let at = text.lower.indexOf(wanted); at >= 0 && times < 1000; at = text.lower.indexOf(wanted, at + wanted.length)) {
        if (times++ === 0) first = at
      }
      if (times === 0) continue
      const start = Math.max(0, first - 60)
      yield { id: idOf(path), excerpt: text.text.slice(start, first + wanted.length + 100).toWellFormed(), times }
    }
  }
}

/** Reading more would take seconds. */
const longestSearched = 200_000_000

/** All texts of the conversations of a file. A file that cannot be read has none. */
const textIn = async (path: string, io: Io): Promise<{ readonly text: string; readonly lower: string }> => {
  try {
    const source = await Source.read(path, {}, io)
    const texts: string[] = []
    for (const part of source.parts) {
      for (const { blocks } of source.transcript(part).messages) {
        for (const block of blocks) {
          if (block.type === "call") texts.push(`${block.name} ${JSON.stringify(block.arguments)}`)
          else if (block.type === "result") texts.push(resultText(block))
          else if (block.type !== "media") texts.push(block.text)
        }
      }
    }
    const text = texts.join("\n")
    return { text, lower: text.toLowerCase() }
  } catch (error) {
    if (!LigatureError.is(error) && (error as NodeJS.ErrnoException).code === undefined) throw error
    return { text: "", lower: "" }
  }
}

/** Whether a path is a folder; a file that does not exist is reported when it is read. */
export const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() === true
