/**
 * Files in and out. Reading gives bytes or a clear reason. Writing is atomic: a temporary file beside the target,
 * synced, then renamed, so that a reader or a crash never sees half a file.
 */
import { constants } from "node:fs"
import { copyFile, mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { getHeapStatistics } from "node:v8"
import { LigatureError } from "../../model/index.ts"
import type { Io } from "../io.ts"

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

const readStream = async (stream: Io["stdin"]): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk)
  return Buffer.concat(chunks)
}

/** Bytes of memory that a byte of JSON may need while it is read, judged and written. Measured: 5 to 7. */
const memoryPerByte = 8

/** Running out of memory cannot be caught, so it is foreseen. */
const assertFits = (bytes: number): void => {
  const limit = getHeapStatistics().heap_size_limit
  if (bytes * memoryPerByte <= limit) return
  const needed = Math.ceil((bytes * memoryPerByte) / 2 ** 30)
  const megabytes = (number: number): string => `${Math.round(number / 2 ** 20)} MB`
  throw new LigatureError(
    "cannot-read",
    `The file has ${megabytes(bytes)}; reading it may need ${needed} GB, and Node may use ${megabytes(limit)} here. ` +
      `Split it, or run with NODE_OPTIONS=--max-old-space-size=${needed * 1024}.`,
  )
}

/** The bytes of a file, or of stdin for `-`. */
export const readInput = async (name: string, io: Io): Promise<Uint8Array> => {
  if (name === "-") return readStream(io.stdin)
  try {
    const path = resolve(io.cwd, name)
    // Asked first, because reading a folder fails with other words on other systems.
    const found = await stat(path)
    if (found.isDirectory()) throw Object.assign(new Error("directory"), { code: "EISDIR" })
    assertFits(found.size)
    return await readFile(path)
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

const writeBeside = async (target: string, content: string | Uint8Array): Promise<void> => {
  const mode = (await stat(target).catch(() => undefined))?.mode
  const temporary = join(dirname(target), `.${basename(target).slice(0, 200)}.${process.pid}.${++temporaries}.tmp`)
  try {
    const file = await open(temporary, "wx", mode === undefined ? 0o666 : mode & 0o777)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(dirname(target))
}

/** Writes whole or not at all. Devices and pipes (`-o /dev/stdout`) are written to, not replaced. */
export const writeOutput = async (path: string, content: string | Uint8Array): Promise<void> => {
  try {
    if (await isSpecial(path)) {
      const file = await open(path, "w")
      await file.writeFile(content).finally(() => file.close())
      return
    }
    // A link stays a link: what it points to is replaced.
    await writeBeside(await realpath(path).catch(() => path), content)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = (code === undefined ? undefined : writeReasons[code]) ?? reasonOf(error)
    throw new LigatureError("cannot-write", `${path}: ${reason}`, { cause: error })
  }
}

/** Step by step: in a folder where nothing can be made (`/proc`), Node's own recursive way never comes back. */
const makeFolders = async (path: string): Promise<void> => {
  const there = await stat(path).catch(() => undefined)
  if (there?.isDirectory()) return
  const above = dirname(path)
  if (above !== path) await makeFolders(above)
  await mkdir(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST" || !(await stat(path)).isDirectory()) throw error
  })
}

export const makeFolder = async (path: string): Promise<void> => {
  try {
    await makeFolders(path)
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
