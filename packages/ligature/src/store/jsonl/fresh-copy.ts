/**
 * Replaces a log by a copy of its beginning. After a flush that failed nobody knows what of the file is on the disk: the
 * system shows what was written, may have given up on it, and the next flush succeeds without it. That concerns everything
 * since the last flush, appends of other processes included. A new file is flushed as a whole, or it is not used.
 *
 * Only for whoever holds the lock. Others notice that the file they have open lost its name, and open the new one.
 */
import { dirname } from "node:path"
import { attempt, type Files, writeAll } from "./files.ts"

const windowBytes = 1 << 20

export interface CopyTarget {
  readonly path: string
  readonly temporary: string
  /** How much of it is kept. */
  readonly size: number
  /** Asked before the copy takes the log's place, since copying takes time. */
  readonly holdsLock: () => boolean
}

const copy = (files: Files, from: number, to: number, size: number): void => {
  const bytes = Buffer.allocUnsafe(Math.min(windowBytes, size))
  for (let position = 0; position < size; ) {
    const count = files.read(from, bytes, Math.min(bytes.length, size - position), position)
    if (count === 0) throw new Error("Expected the log to be as long as it was")
    writeAll(files, to, bytes.subarray(0, count))
    position += count
  }
}

export const putFreshCopy = async (files: Files, { path, temporary, size, holdsLock }: CopyTarget): Promise<void> => {
  const from = files.open(path, "read")
  try {
    const to = files.open(temporary, "create")
    try {
      copy(files, from, to, size)
      await files.flush(to)
    } finally {
      files.close(to)
    }
    if (!holdsLock()) throw new Error("the lock was broken")
    files.rename(temporary, path)
  } catch (error) {
    attempt(() => files.unlink(temporary))
    throw error
  } finally {
    files.close(from)
  }
  await files.flushFolder(dirname(path))
}
