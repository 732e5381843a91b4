/**
 * Makes a new log: written under another name, flushed, then linked to its own, so that it appears whole or not at all
 * and never in the place of another. The folder is flushed after it, else a power cut could take the name away.
 */
import { formatVersion, type Operation } from "../entry.ts"
import { asStoreError } from "../store-error.ts"
import { attempt, errorCode, type Files, writeAll } from "./files.ts"
import { encodeHeader, encodeOperation } from "./line.ts"
import type { Header } from "./log-reader.ts"

interface LogTarget {
  readonly folder: string
  readonly path: string
  readonly temporary: () => string
}

const mostBytesAtOnce = 1 << 22

/** Many operations go out in a few writes. `before`: what goes out first. */
export const writeOperations = (files: Files, file: number, operations: readonly Operation[], before: readonly Buffer[] = []): void => {
  let lines = [...before]
  let size = lines.reduce((sum, line) => sum + line.length, 0)
  const flushLines = (): void => {
    if (size > 0) writeAll(files, file, Buffer.concat(lines, size))
    lines = []
    size = 0
  }
  for (const operation of operations) {
    const line = encodeOperation(operation)
    lines.push(line)
    size += line.length
    if (size > mostBytesAtOnce) flushLines()
  }
  flushLines()
}

/** Links where it can; where the file system has no links, a rename into a free name has to do. */
const publish = (files: Files, temporary: string, path: string): boolean => {
  try {
    files.link(temporary, path)
    return true
  } catch (error) {
    const code = errorCode(error)
    if (code === "EEXIST") return false
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP" && code !== "ENOSYS") throw error
    if (files.exists(path)) return false
    files.rename(temporary, path)
    return true
  }
}

/** False when there is a file of that name. */
export const createLog = async (
  files: Files,
  { folder, path, temporary: nameTemporary }: LogTarget,
  header: Header,
  operations: readonly Operation[],
): Promise<boolean> => {
  let published = false
  try {
    files.makeFolder(folder)
    const temporary = nameTemporary()
    try {
      const file = files.open(temporary, "create")
      try {
        writeAll(files, file, encodeHeader({ ligature: formatVersion, ...header }))
        writeOperations(files, file, operations)
        await files.flush(file)
      } finally {
        files.close(file)
      }
      published = publish(files, temporary, path)
    } finally {
      attempt(() => files.unlink(temporary))
    }
    if (published) await files.flushFolder(folder)
    return published
  } catch (error) {
    if (published) attempt(() => files.unlink(path))
    throw asStoreError(error, "unwritable", header.id, folder)
  }
}
