/**
 * Session files on this machine, each with what is in it: examined completely for `doctor`, or only recognised for `list` and for
 * sessions that are named by their ids. What was examined before and has not changed since is not read again.
 */
import { open } from "node:fs/promises"
import { homedir } from "node:os"
import { isAbsolute, join, relative } from "node:path"
import { findInHomes, type FoundFile, homesOn } from "../../files/find-sessions.ts"
import { LigatureError, translated } from "../../model/index.ts"
import type { Io } from "../frame/io.ts"
import type { SessionIdentity } from "../frame/named-session.ts"
import { Source } from "../input/source.ts"
import { type Examination, examine, identityOfSession, joined, outlineOf } from "./examine.ts"
import { SessionCache } from "./session-cache.ts"

export interface ExaminedFile {
  readonly sessions: readonly Examination[]
  /** What was read is not the content of the file (a database, compressed data), so that it cannot be replaced. */
  readonly isDerived?: true
  /** A part of the file cannot be read, and it is not only lines. */
  readonly isPartial?: true
  /** Why it could not be read, though it looks like a session. */
  readonly unreadable?: string
}

export const homeOf = ({ env }: Io): string => env["HOME"] ?? homedir()

const machineOf = (io: Io) => ({ home: homeOf(io), platform: process.platform, env: io.env })

export const sessionFolders = (io: Io): readonly string[] => homesOn(machineOf(io))

export const sessionsInHomes = async (io: Io): Promise<readonly FoundFile[]> => {
  const found: FoundFile[] = []
  for await (const file of findInHomes(machineOf(io))) found.push(file)
  return found
}

/** From the current folder, if it is in there. */
export const nearPath = (path: string, { cwd }: Io): string => {
  if (!isAbsolute(path)) return path
  const near = relative(cwd, path)
  return near === "" ? "." : near.startsWith("..") || isAbsolute(near) ? path : near
}

/** As short as a person would write it: from the current folder, else from the home folder. */
export const shortPath = (path: string, io: Io): string => {
  const near = nearPath(path, io)
  if (near !== path || !isAbsolute(path)) return near
  const below = relative(homeOf(io), path)
  return below === "" ? "~" : below.startsWith("..") || isAbsolute(below) ? path : join("~", below)
}

/** Folder and everything below it. A relative path, or one of another system, is nowhere here. */
export const isWithin = (path: string, folder: string): boolean => {
  if (!isAbsolute(path)) return false
  const below = relative(folder, path)
  return below === "" || (!below.startsWith("..") && !isAbsolute(below))
}

const headBytes = 256 << 10

const headOf = async (path: string): Promise<Uint8Array> => {
  const file = await open(path, "r")
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    const end = buffer.lastIndexOf(0x0a, bytesRead - 1)
    return buffer.subarray(0, end < 0 ? bytesRead : end + 1)
  } finally {
    await file.close()
  }
}

/** Lines can be recognised by the first of them; other files only as a whole. */
const isRecognisedByHead = ({ path, bytes, isGathered }: FoundFile): boolean => !isGathered && bytes > headBytes && path.endsWith(".jsonl")

export class SessionFiles {
  readonly #io: Io
  readonly #cache: SessionCache<ExaminedFile>

  private constructor(io: Io, cache: SessionCache<ExaminedFile>) {
    this.#io = io
    this.#cache = cache
  }

  static async open(io: Io): Promise<SessionFiles> {
    return new SessionFiles(io, await SessionCache.open<ExaminedFile>(io))
  }

  /** Keeps what was found for the next run. */
  close(): Promise<void> {
    return this.#cache.save()
  }

  examine(file: FoundFile): Promise<ExaminedFile> {
    return file.isGathered
      ? this.#examined(file)
      : this.#cache.get(
          file.path,
          () => this.#examined(file),
          ({ unreadable }) => unreadable === undefined,
        )
  }

  async glance(file: FoundFile): Promise<readonly SessionIdentity[]> {
    const known = file.isGathered ? undefined : this.#cache.known(file.path)
    if (known) return known.sessions
    try {
      const source = isRecognisedByHead(file)
        ? Source.of(file.path, await headOf(file.path), {})
        : ((file.isGathered ? undefined : Source.readNow(file.path, {})) ?? (await Source.read(file.path, {}, this.#io)))
      return source.parts.map((part) => identityOfSession(part, outlineOf(part)))
    } catch (error) {
      if (!LigatureError.is(error)) throw error
      return []
    }
  }

  async #examined({ path, isGathered }: FoundFile): Promise<ExaminedFile> {
    try {
      const now = isGathered ? undefined : Source.readNow(path, {})
      const stretches = now ? undefined : await Source.stretches(path, {}, this.#io)
      const sessions: Examination[] = []
      let source: Source | undefined
      for await (const each of stretches ?? [now ?? (await Source.read(path, {}, this.#io))]) {
        source = each
        for (const part of each.parts) sessions.push(examine(each, part))
      }
      if (source === undefined) return { sessions: [] }
      const problem = sessions.length === 0 ? source.sessionProblem : undefined
      return {
        sessions: stretches && sessions.length > 0 ? [joined(sessions)] : sessions,
        ...(source.derived !== undefined && { isDerived: true }),
        ...(source.isPartial && !source.isTorn && { isPartial: true }),
        ...(problem && { unreadable: translated(problem.what) }),
      }
    } catch (error) {
      if (!LigatureError.is(error)) throw error
      return { sessions: [], unreadable: error.message }
    }
  }
}
