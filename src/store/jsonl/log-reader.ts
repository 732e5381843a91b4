/**
 * Reads one conversation's file and keeps its index up to date: by reading what was added, never from the beginning.
 *
 * Reading needs no lock. But what was read without it may still be taken back by another process whose append failed, so
 * while there is something behind `certain`, the last line is looked at again before anything is built on it.
 */
import { isWire, type Wire } from "../../model/index.ts"
import type { Entry, Operation } from "../entry.ts"
import { linked } from "../loaded.ts"
import { type EntryPlace, LogIndex } from "../log-index.ts"
import { migrateLine } from "../migrations/index.ts"
import { readOperation } from "../read-operation.ts"
import { missingConversation, StoreError } from "../store-error.ts"
import { attempt, errorCode, type Files } from "./files.ts"
import { parseLine } from "./line.ts"
import { headLength, type LinePlace, Scanner } from "./scanner.ts"

export interface Header {
  readonly id: string
  readonly created: number
  readonly title?: string
  /** The create that wrote it. */
  readonly operation?: string
  readonly forkedFrom?: { readonly conversation: string; readonly entry: string | null }
}

export const readHeader = (value: Wire): Header => {
  const { id, created, title, operation, forkedFrom } = value
  const isFork = isWire(forkedFrom) && typeof forkedFrom["conversation"] === "string"
  return {
    id: typeof id === "string" ? id : "",
    created: typeof created === "number" ? created : 0,
    ...(typeof title === "string" && { title }),
    ...(typeof operation === "string" && { operation }),
    ...(isFork && { forkedFrom: forkedFrom as unknown as NonNullable<Header["forkedFrom"]> }),
  }
}

const windowBytes = 1 << 20

export class LogReader {
  readonly path: string
  readonly id: string
  index = new LogIndex(undefined, 0)
  scanner: Scanner
  /** Counts the times the file had to be opened anew: what was opened beside it before is out of date. */
  epoch = 0
  readonly #files: Files
  #header: Header | undefined
  #places: LinePlace[] = []
  #file: number | undefined
  /** Up to here the index was read, or written, under the lock. */
  #certain = 0
  /** Operations of a reading that wants them: then nothing is parsed twice. */
  #kept: Map<number, Operation> | undefined

  constructor(files: Files, path: string, id: string) {
    this.#files = files
    this.path = path
    this.id = id
    this.scanner = this.#newScanner()
  }

  /** Only behind a refresh or catch-up. */
  get header(): Header {
    return this.#header ?? { id: this.id, created: 0 }
  }

  #newScanner(): Scanner {
    return new Scanner({
      header: (value) => {
        this.#header = readHeader(value)
        this.index = new LogIndex(this.#header.title, this.#header.created)
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

  /** Reads what was added, without a lock. */
  async refresh(): Promise<void> {
    if (!this.#isSameEnd()) this.reset()
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

  /** An append of the own store was written behind what the index knows; the index has accepted it before. */
  wrote(bytes: number, places: readonly LinePlace[], last: { readonly from: number; readonly head: string }): void {
    for (const place of places) this.#places.push(place)
    this.scanner.skip(bytes, places.length, last)
    this.#certain = this.scanner.scanned
  }

  /** The file and its size; opened anew when it was removed, replaced, or is shorter than it was. */
  #openAsIs(): readonly [file: number, size: number] {
    const file = this.#open()
    const { size, links } = this.#files.stateOf(file)
    if (links > 0 && size >= this.scanner.scanned + this.scanner.fragment) return [file, size]
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
    try {
      return (this.#file ??= this.#files.open(this.path, "read"))
    } catch (error) {
      if (errorCode(error) === "ENOENT") throw missingConversation(this.id)
      throw error
    }
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

  /** The entries at these places, which stand in the order of the file. Reads the lines they are in, and few others. */
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
        if (until > next && place.to - start.from > windowBytes) break
        last = place
      }
      const bytes = Buffer.allocUnsafe(last.to - start.from)
      for (let count = 0; count < bytes.length; ) {
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
        const { from, to, version } = this.#placeOf(line)
        const value = parseLine(bytes.subarray(from - offset, to - offset))
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
