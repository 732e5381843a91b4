/**
 * Files in and out. Reading gives bytes or a clear reason. Writing is atomic: a temporary file beside the target,
 * synced, then renamed, so that a reader or a crash never sees half a file.
 */
import { constants } from "node:fs"
import { chmod, copyFile, lstat, mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { readPath, readStream } from "../../files/disk/read-bytes.ts"
import { LigatureError } from "../../model/index.ts"
import type { Io } from "../frame/io.ts"

/** How stdin is called where a file name would stand. */
export const stdinLabel = "<stdin>"

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "There is no such file.",
  ENOTDIR: "A part of this path is a file, not a folder.",
  EISDIR: "This is a folder. Give the files in it (FOLDER/*.json), or: ligature doctor FOLDER",
  EACCES: "Permission denied.",
  EPERM: "Permission denied.",
  ENOSPC: "No space left on the device.",
  EROFS: "The file system is read-only.",
  EMFILE: "Too many open files.",
  ENAMETOOLONG: "The name is too long.",
  ELOOP: "The links of this path go in a circle.",
  ERR_FS_FILE_TOO_LARGE: "The file is larger than 2 GB. Split it: one conversation per file.",
  ENXIO: "This is a socket. Give a file.",
  ERR_INVALID_ARG_VALUE: "This is not a valid file name.",
}

/** Where writing is refused for another reason than reading. */
const writeReasons: Readonly<Record<string, string>> = {
  ENOENT: "The folder does not exist.",
  EISDIR: "This is a folder. Name a file in it, or use --out-dir.",
}

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return reasons[code ?? ""] ?? message
}

/** The bytes of a file, or of stdin for `-`. */
export const readInput = async (name: string, io: Io): Promise<Uint8Array> => {
  if (name === "-") return readStream(io.stdin)
  try {
    return await readPath(resolve(io.cwd, name))
  } catch (error) {
    if (LigatureError.is(error)) throw error
    throw new LigatureError("cannot-read", reasonOf(error), { cause: error })
  }
}

const isSpecial = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

const syncFolder = async (path: string): Promise<void> => {
  // Not every system lets a folder be opened; the file itself is safe already.
  const folder = await open(path, constants.O_RDONLY).catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}

let temporaries = 0

/** A file for its owner only: what is taken out of a store. */
export const privateMode = 0o600

/**
 * The most that others may do with what is made of these files: what they may do with each of them. The system's setting
 * (umask) may take more away; it decides alone for stdin. A folder is read file by file, so what it is made of is private.
 */
export const modeOfSources = async (paths: readonly string[]): Promise<number> => {
  let mode = 0o666
  for (const path of paths) {
    const found = path === "-" ? undefined : await stat(path).catch(() => undefined)
    if (found) mode &= found.isDirectory() ? privateMode : found.mode | privateMode
  }
  return mode
}

/** A file that is replaced keeps its mode, but nobody may read it who may not read what is written to it. */
const writeBeside = async (target: string, content: string | Uint8Array, mode: number): Promise<void> => {
  const there = await lstat(target).catch(() => undefined)
  const found = there?.isFile() === true ? there : undefined
  const temporary = join(dirname(target), `.${basename(target).slice(0, 200)}.${process.pid}.${++temporaries}.tmp`)
  const kept = found && found.mode & (mode | 0o711)
  try {
    const file = await open(temporary, "wx", kept ?? mode)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    // The umask is for new files; it had its say about this one when it was made.
    if (kept !== undefined) await chmod(temporary, kept)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(dirname(target))
}

/**
 * Writes whole or not at all. A path that the user named leads where it leads: devices and pipes (`-o /dev/stdout`) are
 * written to, and of a link what it points to is replaced. A name in a folder of outputs was chosen by us (`isOurs`), and
 * somebody may have put a link there: that is replaced itself, never followed. `mode`: the most that others may do with it,
 * see `modeOfSources`.
 */
export const writeOutput = async (
  path: string,
  content: string | Uint8Array,
  mode: number,
  { isOurs = false }: { readonly isOurs?: boolean } = {},
): Promise<void> => {
  try {
    if (isOurs) return await writeBeside(path, content, mode)
    if (await isSpecial(path)) {
      const file = await open(path, "w")
      await file.writeFile(content).finally(() => file.close())
      return
    }
    await writeBeside(await realpath(path).catch(() => path), content, mode)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = (code === undefined ? undefined : writeReasons[code]) ?? reasonOf(error)
    throw new LigatureError("cannot-write", `${path}: ${reason}`, { cause: error })
  }
}

/** Step by step: in a folder where nothing can be made (`/proc`), Node's own recursive way never comes back. */
const makeFolders = async (path: string, mode: number): Promise<void> => {
  const there = await stat(path).catch(() => undefined)
  if (there?.isDirectory()) return
  const above = dirname(path)
  if (above !== path) await makeFolders(above, mode)
  await mkdir(path, mode).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST" || !(await stat(path)).isDirectory()) throw error
  })
}

/** `mode` is that of the files in it: who may read them may enter, nobody else. */
export const makeFolder = async (path: string, mode: number): Promise<void> => {
  try {
    await makeFolders(path, 0o700 | (mode & 0o066) | ((mode & 0o044) >> 2))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === "EEXIST" ? "This is a file, not a folder." : reasonOf(error)
    throw new LigatureError("cannot-write", `${path}: ${reason}`, { cause: error })
  }
}

/** Copies a file to FILE.bak, or FILE.bak.1, … : an existing copy is never replaced. Returns its path. */
export const keepCopy = async (path: string): Promise<string> => {
  for (let number = 0; ; number++) {
    const copy = number === 0 ? `${path}.bak` : `${path}.bak.${number}`
    try {
      await copyFile(path, copy, constants.COPYFILE_EXCL)
      const file = await open(copy, "r+")
      await file.sync().finally(() => file.close())
      return copy
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") continue
      throw new LigatureError("cannot-write", `${copy}: ${reasonOf(error)}`, { cause: error })
    }
  }
}

/** Whether a file holds just this. */
export const holds = async (path: string, content: string | Uint8Array): Promise<boolean> =>
  Buffer.from(content as Uint8Array).equals(await readFile(path))

export const removeFile = (path: string): Promise<void> => rm(path, { force: true })

/** What tells two paths of one file apart from two files: links and spelling do not count. */
export const identityOf = async (path: string): Promise<string> => {
  const found = await stat(path).catch(() => undefined)
  return found === undefined ? path : `${found.dev}:${found.ino}`
}
