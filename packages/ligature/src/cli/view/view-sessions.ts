/**
 * The sessions that a page may ask for: those of the homes of agents and of the store, or of the files and folders that were named. The
 * page knows them by ids that are made of their paths; a path is never taken from a request.
 */
import { createHash } from "node:crypto"
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { findUnder, type FoundFile } from "../../files/find-sessions.ts"
import type { DocumentPart, Problem } from "../../document/index.ts"
import { LigatureError, type Message, phrase, resultText } from "../../model/index.ts"
import type { FoundSession } from "../frame/named-session.ts"
import { resumeLine } from "../../formats/engine/session.ts"
import type { Io } from "../frame/io.ts"
import { type Cause, causes as causeTexts } from "../../sessions/engine/causes.ts"
import { Source } from "../input/source.ts"
import { type Examination, identityOfSession, outlineOf } from "../sessions/examine.ts"
import { SessionFiles, sessionsInHomes, nearPath, shortPath } from "../sessions/session-files.ts"
import { argumentFor, fileOf, namesIn, newestFirst } from "../sessions/session-name.ts"
import type { StoredEntry, ViewStore } from "./view-store.ts"

const idOf = (path: string): string => createHash("sha256").update(path).digest("base64url").slice(0, 16)

/** What the page is told of a session. */
export interface SessionEntry {
  readonly id: string
  readonly agent: string
  readonly format: string
  readonly file: string
  /** Not known of conversations in a store. */
  readonly bytes?: number
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

/** A session that another one started. */
interface Child {
  readonly id: string
  readonly title?: string
}

export type SessionContent = { readonly name: string; readonly argument?: string; readonly children?: readonly Child[] } & (
  | { readonly bytes: Uint8Array }
  | { readonly parts: readonly DocumentPart[]; readonly problems: readonly Problem[] }
  | { readonly stored: object }
)

type Known =
  | { readonly kind: "file"; readonly path: string; readonly found?: FoundSession }
  | { readonly kind: "stored"; readonly store: ViewStore; readonly conversation: string }

const badCauses = ({ causes, state }: Examination): readonly string[] =>
  Object.entries(causes).flatMap(([cause, { errors, warnings }]) =>
    (state === "errors" ? errors : warnings) > 0 ? [causeTexts[cause as Cause]] : [],
  )

export class ViewSessions {
  readonly #io: Io
  readonly #paths: readonly string[]
  readonly #homes: boolean
  readonly #stores: readonly ViewStore[]
  /** What was found, by id. */
  readonly #known = new Map<string, Known>()
  /** Sub-agents, by the session that started them. */
  readonly #children = new Map<string, Map<string, Child>>()
  #names: readonly string[] = []

  /** `homes`: the sessions of the homes of agents as well. Default: where no files and folders are named. */
  constructor(paths: readonly string[], io: Io, stores: readonly ViewStore[] = [], homes = paths.length === 0) {
    this.#homes = homes
    this.#paths = paths
    this.#io = io
    this.#stores = stores
  }

  async close(): Promise<void> {
    for (const store of this.#stores) await store.close()
  }

  /** The id of a file that was named on the command line. */
  add(path: string): string {
    const id = idOf(path)
    this.#known.set(id, { kind: "file", path })
    return id
  }

  async #files(): Promise<readonly FoundFile[]> {
    if (this.#homes) return sessionsInHomes(this.#io)
    const found: FoundFile[] = []
    for (const path of this.#paths) for await (const file of findUnder(path)) found.push(file)
    return found
  }

  /** Every session at once, newest first; then each again with its health. */
  async *list(): AsyncGenerator<SessionEntry> {
    for (const store of this.#stores) for (const entry of await store.list()) yield this.#storedEntry(store, entry)
    const looked = await SessionFiles.open(this.#io)
    const all: FoundSession[] = []
    for await (const found of this.#glanced(await this.#files(), looked)) {
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
        const found = { file, session, isOneOfMany: sessions.length > 1 }
        yield {
          ...this.#entryOf(found),
          argument: this.#argumentOf(found),
          state: session.state,
          causes: badCauses(session),
          messages: session.messages,
        }
      }
    }
    await looked.close()
    for (const store of this.#stores) for await (const entry of store.examined()) yield this.#storedEntry(store, entry)
  }

  /** Sessions of the newest files; those of sub-agents are remembered for the session that started them. */
  async *#glanced(files: readonly FoundFile[], looked: SessionFiles): AsyncGenerator<FoundSession> {
    for (const file of files.toSorted((left, right) => newestFirst({ file: left }, { file: right }))) {
      const all = await looked.glance(file)
      for (const session of all) {
        const found = { file, session, isOneOfMany: all.length > 1 }
        if (session.isSubagent === true) this.#addChild(found)
        else yield found
      }
    }
  }

  #addChild(found: FoundSession): void {
    const { startedBy, title } = found.session
    if (startedBy === undefined) return
    const path = fileOf(found)
    const id = idOf(path)
    this.#known.set(id, { kind: "file", path, found })
    let children = this.#children.get(startedBy)
    if (!children) this.#children.set(startedBy, (children = new Map()))
    children.set(id, { id, ...(title !== undefined && { title }) })
  }

  #storedEntry(store: ViewStore, { conversation, ...entry }: StoredEntry): SessionEntry {
    const id = idOf(`${store.name}\n${conversation}`)
    this.#known.set(id, { kind: "stored", store, conversation })
    return { id, agent: "Ligature", format: "ligature", file: store.name, session: conversation, ...entry }
  }

  #entryOf(found: FoundSession): SessionEntry {
    const { file, session } = found
    const path = fileOf(found)
    const id = idOf(path)
    this.#known.set(id, { kind: "file", path, found })
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
    return this.#homes ? argumentFor(found, this.#names, near) : near
  }

  async #knownOrFound(id: string): Promise<Known> {
    const known = this.#known.get(id)
    if (known) return known
    // A link from another day: the sessions were not listed yet.
    for (const store of this.#stores) for (const entry of await store.list()) this.#storedEntry(store, entry)
    const looked = await SessionFiles.open(this.#io)
    for await (const found of this.#glanced(await this.#files(), looked)) this.#entryOf(found)
    const again = this.#known.get(id)
    if (again) return again
    throw new LigatureError("cannot-read", phrase`This session is not there any more.`)
  }

  async open(id: string): Promise<SessionContent> {
    const known = await this.#knownOrFound(id)
    if (known.kind === "stored") return { name: known.conversation, stored: await known.store.open(known.conversation) }
    const { path, found } = known
    const source = await Source.read(path, {}, this.#io)
    const [part] = source.parts
    const session = part && identityOfSession(part, outlineOf(part)).id
    const children = session === undefined ? [] : await this.#childrenOf(session, found?.file.path ?? path)
    const named = {
      name: shortPath(path, this.#io),
      argument: found ? this.#argumentOf(found) : nearPath(path, this.#io),
      ...(children.length > 0 && { children }),
    }
    const isWhole = source.derived === undefined && (found === undefined || !found.isOneOfMany) && typeof source.content !== "string"
    if (isWhole) return { ...named, bytes: source.content as Uint8Array }
    return { ...named, parts: source.parts, problems: source.problems }
  }

  /** A file that was dropped on the page, and that takes a database or an archive reader to open. It is gone again afterwards. */
  async read(bytes: Uint8Array): Promise<{ readonly parts: readonly DocumentPart[]; readonly problems: readonly Problem[] }> {
    const folder = await mkdtemp(join(tmpdir(), "ligature-view-"))
    try {
      const path = join(folder, "file")
      await writeFile(path, bytes, { mode: 0o600 })
      const { parts, problems } = await Source.read(path, {}, this.#io)
      return { parts, problems }
    } catch (error) {
      if (!LigatureError.is(error)) throw error
      return { parts: [], problems: [{ kind: "binary", severity: "error", what: error.message, wayOut: "" }] }
    } finally {
      await rm(folder, { recursive: true })
    }
  }

  /** Sub-agents that a session started. Where sessions were not listed, those that are kept beside it, in a folder of its name. */
  async #childrenOf(session: string, path: string): Promise<readonly Child[]> {
    if (!this.#children.has(session)) {
      const looked = await SessionFiles.open(this.#io)
      const beside: FoundFile[] = []
      for await (const file of findUnder(dirname(path))) if (file.path.includes(session) && file.path !== path) beside.push(file)
      for await (const _ of this.#glanced(beside, looked));
    }
    return [...(this.#children.get(session)?.values() ?? [])]
  }

  /** Sessions whose contents have a text, newest first, each with a piece of what is around it. */
  async *search(
    words: string,
    isStopped: () => boolean,
  ): AsyncGenerator<{ readonly id: string; readonly excerpt: string; readonly times: number }> {
    const wanted = words.toLowerCase()
    for (const [id, known] of this.#known) {
      if (isStopped()) return
      const text = await this.#textOf(known)
      const lower = text.toLowerCase()
      let times = 0
      let first = -1
      for (let at = lower.indexOf(wanted); at >= 0 && times < 1000; at = lower.indexOf(wanted, at + wanted.length)) {
        if (times++ === 0) first = at
      }
      if (times === 0) continue
      const start = Math.max(0, first - 60)
      yield { id, excerpt: text.slice(start, first + wanted.length + 100).toWellFormed(), times }
    }
  }

  /** All texts of a session. What cannot be read has none. */
  async #textOf(known: Known): Promise<string> {
    try {
      if (known.kind === "stored") return textOf(await known.store.messages(known.conversation))
      if (known.found && known.found.file.bytes > longestSearched) return ""
      const source = await Source.read(known.path, {}, this.#io)
      return source.parts.map((part) => textOf(source.transcript(part).messages)).join("\n")
    } catch (error) {
      if (!LigatureError.is(error) && (error as NodeJS.ErrnoException).code === undefined) throw error
      return ""
    }
  }
}

/** Reading more would take seconds. */
const longestSearched = 200_000_000

const textOf = (messages: readonly Message[]): string => {
  const texts: string[] = []
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (block.type === "call") texts.push(`${block.name} ${JSON.stringify(block.arguments)}`)
      else if (block.type === "result") texts.push(resultText(block))
      else if (block.type !== "media") texts.push(block.text)
    }
  }
  return texts.join("\n")
}

/** Whether a path is a folder; a file that does not exist is reported when it is read. */
export const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() === true
