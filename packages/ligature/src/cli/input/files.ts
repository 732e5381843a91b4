/**
 * Files in and out. Reading returns bytes or a clear error. Writing is atomic: a temporary file next to the target,
 * synced, then renamed, so that a reader or a crash never sees half a file.
 */
import { createHash } from "node:crypto"
import { constants, createReadStream } from "node:fs"
import { chmod, copyFile, lstat, mkdir, open, readFile, realpath, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { readPath, readStream } from "../../files/disk/read-bytes.ts"
import { LigatureError, phrase } from "../../model/index.ts"
import type { Io } from "../frame/io.ts"

/** What is too long for memory, piece by piece; each call begins anew. */
export interface Pieces {
  readonly pieces: () => Iterable<Uint8Array>
}

export type Content = string | Uint8Array | Pieces

const isWhole = (content: Content): content is string | Uint8Array => typeof content === "string" || content instanceof Uint8Array

/** Content in pieces; what is in memory is one. */
export const piecesOf = (content: Content): Iterable<string | Uint8Array> => (isWhole(content) ? [content] : content.pieces())

/** A file as it was read: what it held, or the SHA-256 of that. */
export type Original = string | Uint8Array | { readonly digest: string }

/** The name of stdin where a file name is expected. */
export const stdinLabel = "<stdin>"

const reasons: Readonly<Record<string, () => string>> = {
  ENOENT: () => phrase`File not found.`,
  ENOTDIR: () => phrase`A part of this path is a file, not a folder.`,
  EISDIR: () => phrase`This is a folder. Give the files in it (FOLDER/*.json), or: ligature doctor FOLDER`,
  EACCES: () => phrase`Permission denied.`,
  EPERM: () => phrase`Permission denied.`,
  ENOSPC: () => phrase`No space left on the device.`,
  EROFS: () => phrase`The file system is read-only.`,
  EMFILE: () => phrase`Too many open files.`,
  ENAMETOOLONG: () => phrase`The name is too long.`,
  ELOOP: () => phrase`The symbolic links of this path form a cycle.`,
  ERR_FS_FILE_TOO_LARGE: () => phrase`The file is larger than 2 GB. Split it: one conversation per file.`,
  ENXIO: () => phrase`This is a socket. Give a file.`,
  ERR_INVALID_ARG_VALUE: () => phrase`This is not a valid file name.`,
}

/** Codes with another meaning for writing than for reading. */
const writeReasons: Readonly<Record<string, () => string>> = {
  ENOENT: () => phrase`The folder does not exist.`,
  EISDIR: () => phrase`This is a folder. Name a file in it, or use --out-dir.`,
}

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return reasons[code ?? ""]?.() ?? message
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
  // Some systems cannot open a folder; the file itself is already synced.
  const folder = await open(path, constants.O_RDONLY).catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}

let temporaries = 0

/** Readable by its owner only: for exports from a store. */
export const privateMode = 0o600

/**
 * The most permissive mode for an output of these files: what others may do with each of them. The umask may remove more, and
 * decides alone for stdin. A folder is read file by file, so its output is private.
 */
export const modeOfSources = async (paths: readonly string[]): Promise<number> => {
  let mode = 0o666
  for (const path of paths) {
    const found = path === "-" ? undefined : await stat(path).catch(() => undefined)
    if (found) mode &= found.isDirectory() ? privateMode : found.mode | privateMode
  }
  return mode
}

/** A replaced file keeps its mode, minus permissions that the sources do not have. */
const writeBeside = async (target: string, content: Content, mode: number): Promise<void> => {
  const there = await lstat(target).catch(() => undefined)
  const found = there?.isFile() === true ? there : undefined
  const temporary = join(dirname(target), `.${basename(target).slice(0, 200)}.${process.pid}.${++temporaries}.tmp`)
  const kept = found && found.mode & (mode | 0o711)
  try {
    const file = await open(temporary, "wx", kept ?? mode)
    try {
      await writeFile(file, isWhole(content) ? content : content.pieces())
      await file.sync()
    } finally {
      await file.close()
    }
    // The umask applies to new files only; this one was created before.
    if (kept !== undefined) await chmod(temporary, kept)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(dirname(target))
}

/**
 * Writes completely or not at all. A path given by the user is followed: devices and pipes (`-o /dev/stdout`) are
 * written to, and the target of a link is replaced. A name in an output folder was chosen by us (`isOurs`), and an attacker
 * may have put a link there: the link itself is replaced, never followed. `mode`: the most permissive mode,
 * see `modeOfSources`.
 */
export const writeOutput = async (
  path: string,
  content: Content,
  mode: number,
  { isOurs = false }: { readonly isOurs?: boolean } = {},
): Promise<void> => {
  try {
    if (isOurs) return await writeBeside(path, content, mode)
    if (await isSpecial(path)) {
      const file = await open(path, "w")
      await writeFile(file, isWhole(content) ? content : content.pieces()).finally(() => file.close())
      return
    }
    await writeBeside(await realpath(path).catch(() => path), content, mode)
  } catch (error) {
    if (LigatureError.is(error)) throw error
    const { code } = error as NodeJS.ErrnoException
    const reason = writeReasons[code ?? ""]?.() ?? reasonOf(error)
    throw new LigatureError("cannot-write", `${path}: ${reason}`, { cause: error })
  }
}

/** Step by step: where folders cannot be created (`/proc`), Node's own recursive mkdir never returns. */
const makeFolders = async (path: string, mode: number): Promise<void> => {
  const there = await stat(path).catch(() => undefined)
  if (there?.isDirectory()) return
  const above = dirname(path)
  if (above !== path) await makeFolders(above, mode)
  await mkdir(path, mode).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST" || !(await stat(path)).isDirectory()) throw error
  })
}

/** `mode` is that of the files in it: only those who may read them may enter. */
export const makeFolder = async (path: string, mode: number): Promise<void> => {
  try {
    await makeFolders(path, 0o700 | (mode & 0o066) | ((mode & 0o044) >> 2))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === "EEXIST" ? phrase`This is a file, not a folder.` : reasonOf(error)
    throw new LigatureError("cannot-write", `${path}: ${reason}`, { cause: error })
  }
}

/**
 * Copies a file to FILE.bak, or FILE.bak.1, … : an existing copy is never replaced. Returns its path. It keeps the time of the original:
 * agents list sessions by it, and once it is put back all is as before.
 */
export const keepCopy = async (path: string): Promise<string> => {
  for (let number = 0; ; number++) {
    const copy = number === 0 ? `${path}.bak` : `${path}.bak.${number}`
    try {
      const { atime, mtime } = await stat(path)
      await copyFile(path, copy, constants.COPYFILE_EXCL)
      await utimes(copy, atime, mtime)
      const file = await open(copy, "r+")
      await file.sync().finally(() => file.close())
      return copy
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") continue
      throw new LigatureError("cannot-write", `${copy}: ${reasonOf(error)}`, { cause: error })
    }
  }
}

const digestOf = async (path: string): Promise<string> => {
  const hash = createHash("sha256")
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Uint8Array)
  return hash.digest("hex")
}

/** Whether a file has exactly this content. */
export const holds = async (path: string, content: Original | Pieces): Promise<boolean> => {
  if (typeof content === "string" || content instanceof Uint8Array) return Buffer.from(content as Uint8Array).equals(await readFile(path))
  if ("digest" in content) return content.digest === (await digestOf(path))
  const hash = createHash("sha256")
  for (const piece of content.pieces()) hash.update(piece)
  return hash.digest("hex") === (await digestOf(path))
}

export const removeFile = (path: string): Promise<void> => rm(path, { force: true })

/** Equal for two paths of one file, whatever their spelling or links. */
export const identityOf = async (path: string): Promise<string> => {
  const found = await stat(path).catch(() => undefined)
  return found === undefined ? path : `${found.dev}:${found.ino}`
}
