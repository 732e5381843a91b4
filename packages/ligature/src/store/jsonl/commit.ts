/**
 * Commits waiting appends to a log: one write, and at most one flush, for all of them. Runs under the lock.
 *
 * Each append is judged on top of the ones before it. When the write fails, the file is cut back to where it was; when the
 * flush fails, it is replaced by a copy, see `putFreshCopy`. The index forgets, and every append of the commit is told. When
 * even that fails, the index is thrown away: what is left at the end of the file is either a whole operation, which then
 * counts as written (repeating it by its operation id says so), or a torn line, which the next commit ends with a newline.
 * Nothing before the end is touched.
 */
import { dirname } from "node:path"
import { formatVersion, type Operation } from "../entry.ts"
import type { LeaseSlots } from "../lease.ts"
import { type AppendRequest, planAppend } from "../log-index.ts"
import { StoreError } from "../store-error.ts"
import type { Appended } from "../store.ts"
import { attempt, type Files, type Flusher, writeAll } from "./files.ts"
import { DamagedIndex } from "./key-index.ts"
import { encodeHeader, encodeOperation } from "./line.ts"
import type { LogReader } from "./log-reader.ts"
import type { LinePlace } from "./scanner.ts"

// Replaces a log by a copy of its beginning. After a flush that failed nobody knows what of the file is on the disk: the
// system shows what was written, may have given up on it, and the next flush succeeds without it. That concerns everything
// since the last flush, appends of other processes included. A new file is flushed as a whole, or it is not used. Until there is one,
// the lock is kept, and whoever takes it over from the dead makes the copy: nobody else may take a flush for a success.
//
// Only for whoever holds the lock. Others notice that the file they have open lost its name, and open the new one.

const windowBytes = 1 << 20

interface CopyTarget {
  readonly path: string
  readonly temporary: string
  /** How much of it is kept. */
  readonly size: number
  /** Asked before the copy takes the log's place, since copying takes time. */
  readonly holdsLock: () => boolean
}

const copy = (files: Files, from: number, to: number, size: number): void => {
  const bytes = Buffer.allocUnsafe(Math.min(windowBytes, size))
  for (let position = 0; position < size;) {
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

/** An append that waits for the next commit. */
export interface Waiting {
  readonly request: AppendRequest
  /** Acknowledge only when it is on the disk. */
  readonly flush: boolean
  readonly resolve: (outcome: Appended) => void
  readonly reject: (error: unknown) => void
}

interface CommitSurroundings {
  readonly files: Files
  readonly flusher: Flusher
  /** Gives the file opened for appending. */
  readonly writing: () => number
  readonly slots: LeaseSlots
  readonly now: number
  readonly newId: () => string
  /** Bytes acknowledged earlier may not be on the disk yet. */
  readonly unflushed: boolean
  /** Up to here the log is known to be on the disk, whoever wrote it. */
  readonly flushedTo: number
  /** Whether the lock is still ours. */
  readonly holdsLock: () => boolean
  readonly temporary: () => string
}

interface Batch {
  /** What to tell those who asked for something that is not written, whatever becomes of the others. */
  readonly refused: (() => void)[]
  readonly settled: (() => void)[]
  readonly failed: ((error: unknown) => void)[]
  readonly pieces: Buffer[]
  readonly places: LinePlace[]
  flush: boolean
  /** Something was written before; whoever wrote it may have died before it flushed. */
  repeats: boolean
}

/** JSON cannot say everything a caller may pass: the entries are refused, not the ones beside them. */
const encodeOrRefuse = (operation: Operation, conversation: string): Buffer => {
  try {
    return encodeOperation(operation)
  } catch (error) {
    throw new StoreError("bad-entry", `Expected entries that can be written as JSON: ${String(error)}`, { conversation, cause: error })
  }
}

const planBatch = (reader: LogReader, waiting: readonly Waiting[], surroundings: CommitSurroundings): Batch => {
  const batch: Batch = { refused: [], settled: [], failed: [], pieces: [], places: [], flush: false, repeats: false }
  const { scanner, index } = reader
  let size = scanner.scanned
  const add = (piece: Buffer): void => {
    batch.pieces.push(piece)
    size += piece.length
  }
  for (const { request, flush, resolve, reject } of waiting) {
    try {
      const plan = planAppend(index, request, surroundings)
      let outcome: Appended
      if (plan.type === "write") {
        const line = encodeOrRefuse(plan.operation, request.conversation)
        if (batch.pieces.length === 0 && scanner.unterminated) add(Buffer.from("\n"))
        if (batch.places.length === 0 && scanner.lacksHeader) add(encodeHeader({ ligature: formatVersion, ...reader.header }))
        else if (batch.places.length === 0 && scanner.version < formatVersion) add(encodeHeader({ ligature: formatVersion }))
        batch.places.push({ from: size, to: size + line.length - 1, version: formatVersion })
        add(line)
        index.accept(plan.operation)
        const ids = plan.operation.entries.map(({ id }) => id)
        outcome = { tip: index.tip, ids, operation: request.operation, repeated: false }
      } else {
        outcome = plan.outcome
        batch.repeats = true
      }
      batch.settled.push(() => resolve(outcome))
      batch.failed.push(reject)
      batch.flush ||= flush
    } catch (error) {
      if (error instanceof DamagedIndex) throw error
      batch.refused.push(() => reject(error))
    }
  }
  return batch
}

const failure = (error: unknown, reader: LogReader, cut: boolean): StoreError => {
  const what = error instanceof Error ? error.message : String(error)
  const rest = cut ? "nothing of it was stored" : "it may be stored all the same: repeat it with its operation id"
  return new StoreError("unwritable", `Cannot append to ${reader.path}: ${what}; ${rest}`, { conversation: reader.id, cause: error })
}

interface Attempted {
  file: number | undefined
  /** False while a flush is not known to have succeeded. */
  flushed: boolean
}

type Undone = "cut" | "replaced" | "left"

/** Takes back what was written, if that is possible, and if it is still ours to take back. */
const undo = async (
  reader: LogReader,
  size: number,
  { files, holdsLock, temporary }: CommitSurroundings,
  { file, flushed }: Attempted,
): Promise<Undone> => {
  if (file === undefined) return "cut"
  if (!holdsLock()) return "left"
  if (!flushed) {
    try {
      await putFreshCopy(files, { path: reader.path, temporary: temporary(), size, holdsLock })
      return "replaced"
    } catch {
      if (!holdsLock()) return "left"
    }
  }
  return attempt(() => files.truncate(file, size)) ? "cut" : "left"
}

export interface Committed {
  /** Bytes that will be acknowledged are not known to be on the disk. */
  readonly unflushed: boolean
  /** Up to here the log is known to be on the disk by now. */
  readonly flushedTo: number
  /** A flush failed, and so did putting a copy in the place of the log: no flush of this file can be believed. */
  readonly isDoubtful: boolean
  /** Tells the appends what became of them; for when the lock is given back. */
  readonly tell: () => void
}

export const commit = async (reader: LogReader, waiting: readonly Waiting[], surroundings: CommitSurroundings): Promise<Committed> => {
  const { files } = surroundings
  let before = reader.index.mark()
  let batch: Batch
  try {
    batch = planBatch(reader, waiting, surroundings)
  } catch (error) {
    if (!(error instanceof DamagedIndex)) throw error
    // The checkpoint is wrong: everything is judged again by the log itself.
    reader.distrustCheckpoint()
    reader.catchUp()
    before = reader.index.mark()
    batch = planBatch(reader, waiting, surroundings)
  }
  const size = reader.scanner.scanned
  const bytes = batch.pieces.length === 1 ? (batch.pieces[0] as Buffer) : Buffer.concat(batch.pieces)
  const flush = batch.flush && (surroundings.unflushed || bytes.length > 0 || (batch.repeats && size > surroundings.flushedTo))
  const attempted: Attempted = { file: undefined, flushed: true }
  try {
    if (bytes.length > 0 || flush) attempted.file = surroundings.writing()
    const { file } = attempted
    if (file !== undefined && bytes.length > 0) writeAll(files, file, bytes)
    if (file !== undefined && flush) {
      attempted.flushed = false
      const flushing = surroundings.flusher.flush(file)
      if (flushing) await flushing
      attempted.flushed = true
    }
    if (!surroundings.holdsLock()) throw new Error("the lock was broken while it was written")
  } catch (error) {
    const undone = await undo(reader, size, surroundings, attempted)
    if (undone === "cut") reader.index.rewind(before)
    else reader.reset()
    const reason = failure(error, reader, undone !== "left")
    const tell = (): void => {
      for (const refuse of batch.refused) refuse()
      for (const reject of batch.failed) reject(reason)
    }
    const isDoubtful = !attempted.flushed && undone !== "replaced"
    return { unflushed: surroundings.unflushed, flushedTo: 0, isDoubtful, tell }
  }
  if (batch.places.length > 0) {
    reader.wrote(bytes.length, batch.places)
    reader.checkpoint(surroundings.temporary)
  }
  const unflushed = !flush && (surroundings.unflushed || bytes.length > 0)
  const tell = (): void => {
    for (const refuse of batch.refused) refuse()
    for (const resolve of batch.settled) resolve()
  }
  return { unflushed, flushedTo: flush ? reader.scanner.scanned : surroundings.flushedTo, isDoubtful: false, tell }
}
