/**
 * Reads one conversation's file and keeps its index up to date: by reading what was added, never from the beginning.
 *
 * Reading needs no lock. But what was read without it may still be taken back by another process whose append failed, so
 * while there is something after `certain`, the last line is looked at again before anything is built on it.
 *
 * Whoever only wants to append need not read a long log: where a checkpoint answers for its beginning, the end is enough. Any
 * other use reads all of it.
 */
import { isWire, pushAll, type Wire } from "../../model/index.ts"
import { type Entry, formatVersion, type Operation, readOperation } from "../entry.ts"
import { linked } from "../view.ts"
import { type EntryPlace, LogIndex } from "../log-index.ts"
import { migrateLine } from "../migrations.ts"
import { readParent } from "../inputs.ts"
import type { ConversationRecord, ParentLink } from "../store.ts"
import { missingConversation, StoreError } from "../store-error.ts"
import { Checkpoint, harmlessToCheckpoint, type TakeLine, writeCheckpoint } from "./checkpoint.ts"
import { attempt, errorCode, type Files } from "./files.ts"
import { DamagedIndex } from "./key-index.ts"
import { healedLine, parseLine } from "./line.ts"
import { headLength, type LinePlace, Scanner } from "./scanner.ts"

export interface Header {
  readonly id: string
  readonly created: number
  readonly title?: string
  /** The create that wrote it. */
  readonly operation?: string
  readonly forkedFrom?: { readonly conversation: string; readonly entry: string | null }
  readonly parent?: ParentLink
}

export const readHeader = (value: Wire): Header => {
  const { id, created, title, operation, forkedFrom } = value
  const parent = readParent(value["parent"])
  const isFork = isWire(forkedFrom) && typeof forkedFrom["conversation"] === "string"
  return {
    id: typeof id === "string" ? id : "",
    created: typeof created === "number" ? created : 0,
    ...(typeof title === "string" && { title }),
    ...(typeof operation === "string" && { operation }),
    ...(isFork && { forkedFrom: forkedFrom as unknown as NonNullable<Header["forkedFrom"]> }),
    ...(parent && { parent }),
  }
}

/** What a list shows of a log with this header. `title`: the one it has by now. */
export const recordOfHeader = (header: Header, updated: number, title = header.title): ConversationRecord => {
  const { id, created, forkedFrom, parent } = header
  return {
    id,
    created,
    updated,
    ...(title !== undefined && { title }),
    ...(forkedFrom && { forkedFrom }),
    ...(parent && { parent }),
  }
}

const windowBytes = 1 << 20

interface LogPlace {
  readonly path: string
  /** The checkpoint beside it. */
  readonly checkpoint: string
  /** How much may be written before a new checkpoint is due. */
  readonly stretchBytes: number
}

export class LogReader {
  readonly path: string
  readonly id: string
  readonly #place: LogPlace
  index = new LogIndex(undefined, 0)
  scanner: Scanner
  /** Counts the times the file had to be opened anew: what was opened beside it before is out of date. */
  epoch = 0
  readonly #files: Files
  #header: Header | undefined
  #places: LinePlace[] = []
  #file: number | undefined
  #inode = -1
  /** Up to here the index was read, or written, under the lock. */
  #certain = 0
  /** What answers for the beginning of the log, where only its end was read. */
  #checkpoint: Checkpoint | undefined
  /** Up to here the checkpoint beside the log knows it. */
  #covered = 0
  /** Operations of a reading that wants them: then nothing is parsed twice. */
  #kept: Map<number, Operation> | undefined

  constructor(files: Files, place: LogPlace, id: string) {
    this.#files = files
    this.#place = place
    this.path = place.path
    this.id = id
    this.scanner = this.#newScanner()
  }

  /** Only after a refresh or catch-up. */
  get header(): Header {
    return this.#header ?? { id: this.id, created: 0 }
  }

  #newScanner(): Scanner {
    return new Scanner({
      header: (value, isDamaged) => {
        const isFirst = this.#header === undefined
        const header = readHeader(value)
        // Where the first line no longer says whose log it is, the file's name does.
        this.#header = isDamaged ? { ...header, id: this.id } : header
        if (!isFirst) return
        const { damage } = this.index
        this.index = new LogIndex(header.title, header.created)
        pushAll(this.index.damage, damage)
      },
      operation: (operation, place, lineNumber) => {
        this.#kept?.set(this.#places.length, operation)
        this.#places.push(place)
        this.index.accept(operation, lineNumber)
      },
      damage: (damage) => void this.index.damage.push(damage),
    })
  }

  /** Forgets everything; the next use reads the file anew. */
  reset(): void {
    const file = this.#file
    if (file !== undefined) attempt(() => this.#files.close(file))
    this.#file = undefined
    this.#checkpoint?.close()
    this.#checkpoint = undefined
    this.#covered = 0
    this.epoch++
    this.#header = undefined
    this.#certain = 0
    this.#places = []
    this.index = new LogIndex(undefined, 0)
    this.scanner = this.#newScanner()
  }

  get isOpen(): boolean {
    return this.#header !== undefined
  }

  /** Enough to append. */
  async openEnd(): Promise<void> {
    if (!this.isOpen && !this.#openCheckpoint()) await this.refresh()
  }

  #openCheckpoint(): boolean {
    const checkpoint = Checkpoint.open(this.#files, this.#place.checkpoint, this.#open())
    if (!checkpoint) return false
    const { created, covered } = checkpoint.state
    this.#checkpoint = checkpoint
    this.#header = { id: this.id, created }
    this.index = new LogIndex(undefined, created, checkpoint)
    this.scanner.goOnFrom(covered)
    this.#certain = covered
    this.#covered = covered
    return true
  }

  /** The checkpoint says something that the log does not: it is not used again. */
  distrustCheckpoint(): void {
    this.reset()
    attempt(() => this.#files.unlink(this.#place.checkpoint))
  }

  /** Reads what was added, without a lock. */
  async refresh(): Promise<void> {
    if (this.#checkpoint || !this.#isSameEnd()) this.reset()
    const [file, size] = this.#openAsIs()
    let window = windowBytes
    let bytes = Buffer.allocUnsafe(Math.min(window, Math.max(0, size - this.scanner.scanned)))
    while (this.scanner.scanned + this.scanner.fragment < size) {
      const from = this.scanner.scanned
      const length = Math.min(window, size - from)
      if (length > bytes.length) bytes = Buffer.allocUnsafe(length)
      const count = await this.#files.readAsync(file, bytes, length, from)
      if (count === 0) break
      this.scanner.take(bytes.subarray(0, count), from + count >= size)
      if (this.scanner.scanned === from) window *= 2
    }
    this.#insistReadable()
  }

  /** The same at once, for whoever holds the lock. Afterwards the index says exactly what the file says. */
  catchUp(): void {
    try {
      this.#catchUp()
      if (!this.#checkpoint || this.#isHarmless()) return
    } catch (error) {
      if (!(error instanceof DamagedIndex)) throw error
    }
    this.distrustCheckpoint()
    this.#catchUp()
  }

  #isHarmless(): boolean {
    return this.index.damage.every(({ rule }) => harmlessToCheckpoint.has(rule))
  }

  #catchUp(): void {
    if (!this.#isSameEnd()) this.reset()
    const [file, size] = this.#openAsIs()
    const { scanned, fragment } = this.scanner
    if (scanned + fragment < size) this.scanner.take(this.#readAt(file, scanned, size - scanned), true)
    if (this.scanner.version >= 0 && this.scanner.fragment > 0) {
      this.scanner.endFragment(this.#readAt(file, this.scanner.scanned, this.scanner.fragment))
    }
    this.#insistReadable()
    this.#certain = this.scanner.scanned
  }

  /** Writes a checkpoint if one is due. Only for whoever holds the lock, when everything is written. */
  checkpoint(temporary: () => string): void {
    const { scanned: covered, fragment, unterminated, lacksHeader } = this.scanner
    const { checkpoint: path, stretchBytes } = this.#place
    if (covered - this.#covered < stretchBytes) return
    this.#covered = covered
    const log = this.#file
    if (log === undefined || fragment > 0 || unterminated || lacksHeader || !this.#isHarmless()) return
    const { tip, updated } = this.index
    const state = { covered, created: this.header.created, tip, updated }
    const eachLineFrom = (place: number, take: TakeLine): boolean => this.#eachLineFrom(place, take)
    writeCheckpoint(this.#files, { path, temporary, log, state, eachLineFrom })
  }

  /** False where lines are not known, or are of an older version. */
  #eachLineFrom(place: number, take: TakeLine): boolean {
    if (this.#checkpoint && place < this.#checkpoint.state.covered) return false
    for (let line = this.#places.length - 1; line >= 0; line--) {
      const { from, to, version } = this.#placeOf(line)
      if (from < place) break
      if (version !== formatVersion) return false
      take(this.index, line, from, to - from)
    }
    return true
  }

  /** An append of the own store was written after what the index knows; the index has accepted it before. */
  wrote(bytes: number, places: readonly LinePlace[]): void {
    for (const place of places) this.#places.push(place)
    this.scanner.skip(bytes, places.length)
    this.#certain = this.scanner.scanned
  }

  /** The file and its size; opened anew when it was removed, replaced, or is shorter than it was. */
  #openAsIs(): readonly [file: number, size: number] {
    const file = this.#open()
    // By its name: a file that was replaced may live on under another one.
    const state = this.#files.stateAt(this.path)
    if (state?.inode === this.#inode && state.size >= this.scanner.scanned + this.scanner.fragment) return [file, state.size]
    this.reset()
    const again = this.#open()
    return [again, this.#files.stateOf(again).size]
  }

  #isSameEnd(): boolean {
    const { scanned, lastFrom, lastHead } = this.scanner
    if (this.#file === undefined || scanned <= this.#certain) return true
    return this.#readAt(this.#file, lastFrom, Math.min(headLength, lastHead.length)).toString("latin1") === lastHead
  }

  #readAt(file: number, from: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    let count = 0
    while (count < length) {
      const more = this.#files.read(file, bytes.subarray(count), length - count, from + count)
      if (more === 0) break
      count += more
    }
    return bytes.subarray(0, count)
  }

  #insistReadable(): void {
    const { foreign } = this.scanner
    const other = this.#header !== undefined && this.#header.id !== this.id
    if (foreign === undefined && this.#header !== undefined && !other) return
    const found = other ? `it is of another conversation, ${JSON.stringify(this.#header?.id)}` : "it has no whole first line"
    const reason = foreign?.startsWith("its version") ? "newer-version" : "unreadable"
    const error = new StoreError(reason, `${this.path} is left alone: ${foreign ?? found}`, { conversation: this.id })
    this.reset()
    throw error
  }

  #open(): number {
    if (this.#file !== undefined) return this.#file
    try {
      this.#file = this.#files.open(this.path, "read")
    } catch (error) {
      if (errorCode(error) === "ENOENT") throw missingConversation(this.id)
      throw error
    }
    this.#inode = -1
    this.#inode = this.#files.stateOf(this.#file).inode
    return this.#file
  }

  /** Reads what was added, and then the path that ends at an entry. Undefined: no such entry. */
  async load(
    at: string | null | undefined,
    last: number | undefined,
  ): Promise<{ readonly entries: readonly Entry[]; readonly whole: boolean } | undefined> {
    // Somebody who asks for little of a long log would not want all of it in memory.
    this.#kept = last === undefined ? new Map() : undefined
    try {
      await this.refresh()
      const path = this.index.path(at, last)
      return path && { entries: linked(await this.#entriesAt(path.places), path.before), whole: path.before === null }
    } finally {
      this.#kept = undefined
    }
  }

  /** Every operation, in the order of the log. */
  async operations(): Promise<readonly Operation[]> {
    this.reset()
    const kept = new Map<number, Operation>()
    this.#kept = kept
    try {
      await this.refresh()
      return [...kept.values()]
    } finally {
      this.#kept = undefined
    }
  }

  /** The entries at these places, which are in the order of the file. Reads the lines they are in, and few others. */
  async #entriesAt(places: readonly EntryPlace[]): Promise<readonly Entry[]> {
    const kept = this.#kept
    const at = ({ line, slot }: EntryPlace): Entry | undefined => kept?.get(line)?.entries[slot]
    const known = places.findIndex((place) => at(place) === undefined) === -1
    if (known) return places.flatMap((place) => at(place) ?? [])
    const file = this.#open()
    const entries: Entry[] = []
    let next = 0
    while (next < places.length) {
      const start = this.#placeOf(places[next]?.line)
      let last = start
      let until = next
      for (; until < places.length; until++) {
        const place = this.#placeOf(places[until]?.line)
        // A line is read whole, however many of its entries are wanted.
        if (place !== last && place.to - start.from > windowBytes) break
        last = place
      }
      const bytes = Buffer.allocUnsafe(last.to - start.from)
      for (let count = 0; count < bytes.length;) {
        const more = await this.#files.readAsync(file, bytes.subarray(count), bytes.length - count, start.from + count)
        if (more === 0) throw new StoreError("unreadable", `${this.path} became shorter while it was read`, { conversation: this.id })
        count += more
      }
      this.#readEntries(places.slice(next, until), bytes, start.from, entries)
      next = until
    }
    return entries
  }

  #readEntries(places: readonly EntryPlace[], bytes: Buffer, offset: number, into: Entry[]): void {
    let line = -1
    let read: readonly Entry[] = []
    for (const place of places) {
      if (place.line !== line) {
        line = place.line
        const { from, to, version, isHealed } = this.#placeOf(line)
        const written = bytes.subarray(from - offset, to - offset)
        const value = isHealed ? healedLine(written) : parseLine(written)
        read = (value && readOperation(migrateLine(value, version)))?.entries ?? []
      }
      const entry = read[place.slot]
      if (!entry) throw new StoreError("unreadable", `${this.path} changed while it was read`, { conversation: this.id })
      into.push(entry)
    }
  }

  #placeOf(line: number | undefined): LinePlace {
    return this.#places[line ?? -1] ?? { from: 0, to: 0, version: 0 }
  }
}
