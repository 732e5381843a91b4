/**
 * What an append has to know of a long log, without reading it: where the tip is, and which ids and operations there are. Kept
 * in a file beside the log up to some place of it; what was written since is read.
 *
 * It is a hint. It is used only if the log still has, before that place, the bytes it had when the hint was made; what it
 * finds is looked up in the log before it counts; and where anything does not fit, the log is read as a whole. Deleting the
 * file costs time and nothing else. It holds hashes of ids, no contents.
 */
import { createHash } from "node:crypto"
import { isWire, type Wire } from "../../model/index.ts"
import { onPath, type Operation, readOperation } from "../entry.ts"
import type { KnownLog, LogIndex } from "../log-index.ts"
import { attempt, type Files, writeAll } from "./files.ts"
import {
  DamagedIndex,
  footerOf,
  type KeyKind,
  KeyRuns,
  merged,
  NewKeys,
  pageBytes,
  pagesOf,
  readFooter,
  readRun,
  type Records,
  type Run,
  runOf,
} from "./key-index.ts"
import { checkSum, healedLine, parseLine } from "./line.ts"

/** Runs of this length are not merged any more: merging keeps others waiting. */
const longestMerge = 1 << 17
const tailBytes = 4_096
const version = 1

/** Damage that changes nothing of what a checkpoint says. */
export const harmlessToCheckpoint: ReadonlySet<string> = new Set([
  "torn-line",
  "torn-tail",
  "glued-lines",
  "changed-line",
  "damaged-header",
  "unreadable-line",
  "unknown-line",
])

/** What a checkpoint says of its log. */
interface CheckpointState {
  /** Bytes of the log it knows. All of them are of the current version, and end with a newline. */
  readonly covered: number
  readonly created: number
  readonly tip: string | null
  readonly updated: number
}

interface Footer extends CheckpointState {
  /** Of the bytes before `covered`. */
  readonly tail: string
  readonly runs: readonly Run[]
}

const isRun = (value: unknown): value is Run =>
  isWire(value) && [value["at"], value["pages"], value["count"]].every((number) => Number.isSafeInteger(number))

const asFooter = (value: Wire): Footer => {
  const { covered, created, tip, updated, tail, runs } = value
  const isRight =
    value["version"] === version &&
    [covered, created, updated].every((number) => typeof number === "number") &&
    (tip === null || typeof tip === "string") &&
    typeof tail === "string" &&
    Array.isArray(runs) &&
    runs.every(isRun)
  if (!isRight) throw new DamagedIndex("The index is of another version")
  return value as unknown as Footer
}

const readBytes = (files: Files, file: number, from: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length)
  let count = 0
  while (count < length) {
    const more = files.read(file, bytes.subarray(count), length - count, from + count)
    if (more === 0) break
    count += more
  }
  return bytes.subarray(0, count)
}

const tailOf = (files: Files, log: number, covered: number): string => {
  const from = Math.max(0, covered - tailBytes)
  return createHash("sha256")
    .update(readBytes(files, log, from, covered - from))
    .digest("hex")
    .slice(0, 32)
}

interface OpenFooter {
  readonly footer: Footer
  readonly file: number
  readonly size: number
}

/** A footer that fits a log of at least `most` bytes. Whatever is wrong with it, the log says the same, more slowly. */
const openFooter = (files: Files, path: string, log: number, most: number): OpenFooter | undefined => {
  let file: number | undefined
  try {
    file = files.open(path, "read")
    const { size } = files.stateOf(file)
    const footer = asFooter(readFooter(files, file, size))
    if (footer.covered <= most && tailOf(files, log, footer.covered) === footer.tail) return { footer, file, size }
  } catch {
    // There is none, or it is damaged.
  }
  const opened = file
  if (opened !== undefined) attempt(() => files.close(opened))
  return undefined
}

/** An open checkpoint. Throws `DamagedIndex` where it does not fit the log. */
export class Checkpoint implements KnownLog {
  readonly state: CheckpointState
  readonly #files: Files
  readonly #file: number
  readonly #log: number
  readonly #keys: KeyRuns

  private constructor(files: Files, file: number, log: number, footer: Footer) {
    this.#files = files
    this.#file = file
    this.#log = log
    this.state = footer
    this.#keys = new KeyRuns(files, file, footer.runs)
  }

  /** Undefined when there is none that fits the log. */
  static open(files: Files, path: string, log: number): Checkpoint | undefined {
    const found = openFooter(files, path, log, files.stateOf(log).size)
    return found && new Checkpoint(files, found.file, log, found.footer)
  }

  get tip(): string | null {
    return this.state.tip
  }

  get updated(): number {
    return this.state.updated
  }

  readonly has = (id: string): boolean => this.#operationsAt("entry", id).some(({ entries }) => entries.some((entry) => entry.id === id))

  readonly outcomeOf = (operation: string): ReturnType<KnownLog["outcomeOf"]> => {
    const found = this.#operationsAt("operation", operation).find((one) => one.operation === operation)
    const last = found?.entries.at(-1)
    if (!found || !last) return undefined
    const tip = last.kind === "tip" ? last.to : onPath[last.kind] ? last.id : last.parent
    return { ids: found.entries.map(({ id }) => id), tip }
  }

  /** The operations at the places where a key may be. A place without one is of another log. */
  #operationsAt(kind: KeyKind, key: string): readonly Operation[] {
    return this.#keys.find(kind, key).map(({ from, length }) => {
      const bytes = readBytes(this.#files, this.#log, from, length)
      const value = checkSum(bytes) === "right" ? parseLine(bytes) : (healedLine(bytes) ?? parseLine(bytes))
      const operation = value && readOperation(value)
      if (!operation) throw new DamagedIndex("The index names a place where no operation is")
      return operation
    })
  }

  close(): void {
    attempt(() => this.#files.close(this.#file))
  }
}

/** Takes in a line of an index, and where it is. */
export type TakeLine = (index: LogIndex, line: number, from: number, length: number) => void

interface CheckpointSource {
  readonly path: string
  readonly temporary: () => string
  readonly log: number
  readonly state: CheckpointState
  /** Gives the lines from this place of the log on; false when they are not known that far back. */
  readonly eachLineFrom: (place: number, take: TakeLine) => boolean
}

/** The keys of what was written since; undefined when it is not known. */
const recordsSince = ({ eachLineFrom }: CheckpointSource, place: number): Records | undefined => {
  const keys = new NewKeys()
  const known = eachLineFrom(place, (index, line, from, length) => {
    keys.add("operation", index.operationOf(line), from, length)
    index.eachIdOf(line, (id) => keys.add("entry", id, from, length))
  })
  return known ? keys.sorted() : undefined
}

/** Merges with the runs before that are no longer: so each is twice as long as the next, and a key is merged a few times. */
const mergeInto = (
  files: Files,
  reading: number,
  before: readonly Run[],
  added: Records,
): { readonly kept: readonly Run[]; readonly records: Records } => {
  const kept = [...before]
  let records = added
  for (let last = kept.at(-1); last; last = kept.at(-1)) {
    const { count } = runOf(records, 0)
    if (last.count > count || last.count + count > longestMerge) break
    records = merged(readRun(files, reading, last), records)
    kept.pop()
  }
  return { kept, records }
}

/** How much of the file may be runs that were merged into others. */
const isWasteful = (runs: readonly Run[], size: number): boolean =>
  size > 8 * runs.reduce((sum, { pages }) => sum + pages * pageBytes, 0) + (1 << 20)

/** Puts a new file in the place of the one before. */
const replace = (files: Files, { path, temporary }: CheckpointSource, footer: Omit<Footer, "runs">, all: readonly Records[]): void => {
  const name = temporary()
  const file = files.open(name, "create")
  try {
    const runs: Run[] = []
    let size = 0
    for (const records of all) {
      const pages = pagesOf(records, size)
      writeAll(files, file, pages)
      runs.push(runOf(records, size))
      size += pages.length
    }
    writeAll(files, file, footerOf({ version, ...footer, runs }))
  } finally {
    files.close(file)
  }
  try {
    files.rename(name, path)
  } catch (error) {
    attempt(() => files.unlink(name))
    throw error
  }
}

const append = (files: Files, path: string, footer: Footer, records: Records): void => {
  const file = files.open(path, "append")
  try {
    const { size } = files.stateOf(file)
    const runs = [...footer.runs, runOf(records, size)]
    writeAll(files, file, Buffer.concat([pagesOf(records, size), footerOf({ version, ...footer, runs })]))
  } finally {
    files.close(file)
  }
}

/** Brings the checkpoint up to the state of the log. Only for whoever holds the lock. Never throws: it is a hint. */
export const writeCheckpoint = (files: Files, source: CheckpointSource): void => {
  const { path, log, state } = source
  attempt(() => {
    const footer = { ...state, tail: tailOf(files, log, state.covered) }
    const before = openFooter(files, path, log, state.covered)
    try {
      const added = recordsSince(source, before?.footer.covered ?? 0)
      if (!added) return
      if (!before) {
        replace(files, source, footer, [added])
        return
      }
      const { kept, records } = mergeInto(files, before.file, before.footer.runs, added)
      if (!isWasteful(kept, before.size)) append(files, path, { ...footer, runs: kept }, records)
      else replace(files, source, footer, [...kept.map((run) => readRun(files, before.file, run)), records])
    } finally {
      if (before) attempt(() => files.close(before.file))
    }
  })
}
