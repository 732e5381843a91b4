/**
 * The calls to the operating system that the jsonl store makes, all of them, as one value: so that a test can let any of
 * them fail. Short calls are synchronous, because a lock is held around them and a trip through the thread pool costs
 * more than they do; reading much and flushing to the disk are not.
 */
import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  read,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs"
import { open } from "node:fs/promises"
import { promisify } from "node:util"

// Flushing under Node's permission model (`--permission`). It takes away every call that flushes an open file by its number,
// and leaves those of file handles, which are opened by name and so are subject to its rules. Flushing any opening of a file
// flushes all that was written to it, so the file is opened once more for the purpose.

const isConfined = (): boolean => (process as { readonly permission?: unknown }).permission !== undefined

/** The names under which files were opened, by their numbers. Empty without the permission model: nobody asks then. */
const names = new Map<number, string>()

const remember = (file: number, path: string): void => {
  if (isConfined()) names.set(file, path)
}

const forget = (file: number): void => void names.delete(file)

/** Should handles lose their calls too, nothing can be promised any more, and nothing is. */
const explain = (error: unknown): unknown => {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_ACCESS_DENIED") return error
  const what = "Node's permission model does not let anything be flushed to the disk here"
  return Object.assign(new Error(`${what} (${error.message})`, { cause: error }), { code: error.code })
}

const flushByName = async (file: number): Promise<void> => {
  const path = names.get(file) ?? ""
  const handle = await open(path, "r+").catch((error: unknown) => {
    throw explain(error)
  })
  try {
    const [named, opened] = [await handle.stat(), fstatSync(file)]
    if (named.ino !== opened.ino || named.dev !== opened.dev) throw new Error(`${path} was replaced while it was written`)
    await handle.datasync()
  } catch (error) {
    throw explain(error)
  } finally {
    await handle.close()
  }
}

const flushFolderByName = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } catch (error) {
    throw explain(error)
  } finally {
    await handle.close()
  }
}

export interface FileState {
  readonly size: number
  /** How many names it has. */
  readonly links: number
  /** Of two files that exist at the same time, each has another one. Given again when a file is gone and nobody has it open. */
  readonly inode: number
  /** When the file was made, in milliseconds since 1970. */
  readonly born: number
}

export interface Files {
  readonly open: (path: string, how: "read" | "append" | "create") => number
  readonly close: (file: number) => void
  readonly read: (file: number, into: Buffer, length: number, position: number) => number
  readonly readAsync: (file: number, into: Buffer, length: number, position: number) => Promise<number>
  readonly write: (file: number, bytes: Buffer, from: number) => number
  readonly truncate: (file: number, size: number) => void
  /** Flushes the contents and the size; `flushNow` keeps everything else in the process waiting, or says that it cannot. */
  readonly flush: (file: number) => Promise<void>
  readonly flushNow: (file: number) => boolean
  /** Flushes the names in a folder, so that a new file survives a power cut. Undefined when it is done already. */
  readonly flushFolder: (folder: string) => Promise<void> | undefined
  readonly stateOf: (file: number) => FileState
  readonly stateAt: (path: string) => FileState | undefined
  readonly readWhole: (path: string) => Buffer
  readonly link: (from: string, to: string) => void
  readonly rename: (from: string, to: string) => void
  readonly unlink: (path: string) => void
  readonly names: (folder: string) => readonly string[]
  readonly makeFolder: (folder: string) => void
  readonly exists: (path: string) => boolean
}

const flags = {
  read: constants.O_RDONLY,
  append: constants.O_WRONLY | constants.O_APPEND,
  create: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL,
} as const

const noThrow = { throwIfNoEntry: false } as const

const readAsync = promisify(read)
const flushOpened = promisify(fdatasync)

export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

/** Where a folder cannot be flushed at all there is nothing to wait for. */
const cannotFlushFolders = new Set(["EINVAL", "EPERM", "EISDIR", "ENOTSUP", "EBADF"])

const stateFrom = (stats: Stats): FileState => ({
  size: stats.size,
  links: stats.nlink,
  inode: stats.ino,
  born: stats.birthtimeMs,
})

const unlessImpossible = (error: unknown): void => {
  if (!cannotFlushFolders.has(errorCode(error) ?? "")) throw error
}

export const nodeFiles: Files = {
  open: (path, how) => {
    const file = openSync(path, flags[how], 0o600)
    remember(file, path)
    return file
  },
  close: (file) => {
    forget(file)
    closeSync(file)
  },
  read: (file, into, length, position) => readSync(file, into, 0, length, position),
  readAsync: async (file, into, length, position) => (await readAsync(file, into, 0, length, position)).bytesRead,
  write: (file, bytes, from) => writeSync(file, bytes, from),
  truncate: ftruncateSync,
  flush: (file) => (isConfined() ? flushByName(file) : flushOpened(file)),
  flushNow: (file) => {
    if (isConfined()) return false
    fdatasyncSync(file)
    return true
  },
  flushFolder: (folder) => flushFolderByName(folder).catch(unlessImpossible),
  stateOf: (file) => stateFrom(fstatSync(file)),
  stateAt: (path) => {
    const stats = statSync(path, noThrow)
    return stats && stateFrom(stats)
  },
  readWhole: (path) => readFileSync(path),
  link: linkSync,
  rename: renameSync,
  unlink: unlinkSync,
  names: (folder) => readdirSync(folder),
  makeFolder: (folder) => void mkdirSync(folder, { recursive: true, mode: 0o700 }),
  exists: existsSync,
}

/** Writes all bytes at the end, however many pieces the system takes them in. */
export const writeAll = (files: Files, file: number, bytes: Buffer): void => {
  let written = 0
  while (written < bytes.length) {
    const count = files.write(file, bytes, written)
    if (count === 0) throw new Error("Expected the system to take more bytes, it took none")
    written += count
  }
}

/** For cleaning up after a failure that is reported already. */
export const attempt = (action: () => void): boolean => {
  try {
    action()
    return true
  } catch {
    return false
  }
}

// Flushes files to the disk, in the way that costs less. A good disk flushes faster than the trip through the thread pool
// takes; then waiting for it at once is quicker and keeps nobody waiting for long. As soon as a flush was slow, the next
// ones happen beside everything else, until they are quick again.

/** Nobody notices a process that answers this much later. */
const quickMs = 1.5

export class Flusher {
  readonly #files: Files
  #lastMs = 0

  constructor(files: Files) {
    this.#files = files
  }

  /** Undefined when it is done already. */
  flush(file: number): Promise<void> | undefined {
    if (this.#lastMs >= quickMs) return this.#flushBeside(file)
    const start = performance.now()
    try {
      if (this.#files.flushNow(file)) return undefined
    } finally {
      this.#lastMs = performance.now() - start
    }
    return this.#flushBeside(file)
  }

  async #flushBeside(file: number): Promise<void> {
    const start = performance.now()
    try {
      await this.#files.flush(file)
    } finally {
      this.#lastMs = performance.now() - start
    }
  }
}
