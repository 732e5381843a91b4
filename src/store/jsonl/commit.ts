/**
 * Commits waiting appends to a log: one write, and at most one flush, for all of them. Runs under the lock.
 *
 * Each append is judged on top of the ones before it. When the write or the flush fails, the file is cut back to where it
 * was, the index forgets, and every append of the commit is told. When even cutting back fails, the index is thrown away:
 * what is left at the end of the file is either a whole operation, which then counts as written (repeating it by its
 * operation id says so), or a torn line, which the next commit ends with a newline. Nothing in front of the end is touched.
 */
import { formatVersion, type Operation } from "../entry.ts"
import type { LeaseSlots } from "../lease.ts"
import { type AppendRequest, planAppend } from "../plan-append.ts"
import type { Appended } from "../store.ts"
import { StoreError } from "../store-error.ts"
import { attempt, type Files, writeAll } from "./files.ts"
import type { Flusher } from "./flusher.ts"
import { encodeHeader, encodeOperation } from "./line.ts"
import type { LogReader } from "./log-reader.ts"
import { headLength, type LinePlace } from "./scanner.ts"

/** An append that waits for the next commit. */
export interface Waiting {
  readonly request: AppendRequest
  /** Acknowledge only when it is on the disk. */
  readonly flush: boolean
  readonly resolve: (outcome: Appended) => void
  readonly reject: (error: unknown) => void
}

export interface CommitSurroundings {
  readonly files: Files
  readonly flusher: Flusher
  /** Gives the file opened for appending. */
  readonly writing: () => number
  readonly slots: LeaseSlots
  readonly now: number
  readonly newId: () => string
  /** Bytes acknowledged earlier may not be on the disk yet. */
  readonly unflushed: boolean
}

interface Batch {
  readonly settled: (() => void)[]
  readonly failed: ((error: unknown) => void)[]
  readonly pieces: Buffer[]
  readonly places: LinePlace[]
  flush: boolean
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
  const batch: Batch = { settled: [], failed: [], pieces: [], places: [], flush: false }
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
        if (batch.places.length === 0 && scanner.version < formatVersion) add(encodeHeader({ ligature: formatVersion }))
        batch.places.push({ from: size, to: size + line.length - 1, version: formatVersion })
        add(line)
        index.accept(plan.operation)
        const ids = plan.operation.entries.map(({ id }) => id)
        outcome = { tip: index.tip, ids, operation: request.operation, repeated: false }
      } else outcome = plan.outcome
      batch.settled.push(() => resolve(outcome))
      batch.failed.push(reject)
      batch.flush ||= flush
    } catch (error) {
      reject(error)
    }
  }
  return batch
}

const failure = (error: unknown, reader: LogReader, cut: boolean): StoreError => {
  const what = error instanceof Error ? error.message : String(error)
  const rest = cut ? "nothing of it was stored" : "it may be stored all the same: repeat it with its operation id"
  return new StoreError("unwritable", `Cannot append to ${reader.path}: ${what}; ${rest}`, { conversation: reader.id, cause: error })
}

export interface Committed {
  /** Bytes that will be acknowledged are not known to be on the disk. */
  readonly unflushed: boolean
  /** Tells the appends what became of them; for when the lock is given back. */
  readonly tell: () => void
}

export const commit = async (
  reader: LogReader,
  waiting: readonly Waiting[],
  surroundings: CommitSurroundings,
): Promise<Committed> => {
  const { files } = surroundings
  const before = reader.index.mark()
  const size = reader.scanner.scanned
  const batch = planBatch(reader, waiting, surroundings)
  const bytes = batch.pieces.length === 1 ? (batch.pieces[0] as Buffer) : Buffer.concat(batch.pieces)
  const flush = batch.flush && (surroundings.unflushed || bytes.length > 0)
  let file: number | undefined
  try {
    if (bytes.length > 0 || flush) file = surroundings.writing()
    if (file !== undefined && bytes.length > 0) writeAll(files, file, bytes)
    const flushing = file !== undefined && flush ? surroundings.flusher.flush(file) : undefined
    if (flushing) await flushing
  } catch (error) {
    const opened = file
    const cut = opened === undefined || attempt(() => files.truncate(opened, size))
    if (cut) reader.index.rewind(before)
    else reader.reset()
    const reason = failure(error, reader, cut)
    return { unflushed: surroundings.unflushed, tell: () => batch.failed.forEach((reject) => reject(reason)) }
  }
  const last = batch.places.at(-1)
  if (last) {
    const head = (batch.pieces.at(-1) as Buffer).toString("latin1", 0, headLength)
    reader.wrote(bytes.length, batch.places, { from: last.from, head })
  }
  const unflushed = !flush && (surroundings.unflushed || bytes.length > 0)
  return { unflushed, tell: () => batch.settled.forEach((resolve) => resolve()) }
}
