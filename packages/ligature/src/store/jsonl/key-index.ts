/**
 * Keys on a disk, found with a few reads however many there are: for each key the place of the line in which it is.
 *
 * The file is only ever appended to. A run is a sorted list of keys in pages; after the runs comes a footer that names the
 * runs that count, and at the very end a trailer by which the footer is found. Adding keys appends a run, and merges it with
 * its neighbours where those are no longer, so that there are few runs and a key is rewritten seldom. Every page and
 * footer has a sum: what a crash or a disk did to the file is noticed where it is read, and then nothing of it is used.
 *
 *   run   page page …      page    204 records of 20 bytes, how many there are, where the page is, sum
 *   run   page …           record  hash of the key, place of the line
 *   footer JSON            trailer length and sum of the footer, mark
 *
 * Keys are found by a hash, so that a place is only where a key may be; whoever asks looks there.
 */
import { crc32 } from "node:zlib"
import { isWire, type Wire } from "../../model/index.ts"
import type { Files } from "./files.ts"

/** What was read is not what was written: nothing of it may be used. */
export class DamagedIndex extends Error {}

export interface Place {
  readonly from: number
  readonly length: number
}

export interface Run {
  readonly at: number
  readonly pages: number
  readonly count: number
}

export const pageBytes = 4_096
const recordWords = 5
const recordsPerPage = 204
const trailerBytes = 16
/** The number in it is written as this machine writes numbers: where they are written the other way round, it is none of ours. */
const mark = Buffer.concat([Buffer.from("lgix"), Buffer.from(Uint32Array.of(0x01020304).buffer)])

/** The same text may be a key of several kinds. */
export type KeyKind = "entry" | "operation"

/** Two halves of a hash of 64 bits: quick, and as good as random for texts that nobody made up to collide. */
export const hashOf = (kind: KeyKind, key: string): readonly [high: number, low: number] => {
  let high = kind === "entry" ? 0x9e3779b9 : 0x6a09e667
  let low = 0x85ebca6b
  for (let index = 0; index < key.length; index++) {
    const code = key.charCodeAt(index)
    high = Math.imul(high ^ code, 0x01000193)
    low = Math.imul(low ^ code, 0x5bd1e995)
    low ^= low >>> 15
  }
  high = Math.imul(high ^ (high >>> 16) ^ low, 0x85ebca6b)
  low = Math.imul(low ^ (low >>> 13) ^ high, 0xc2b2ae35)
  return [(high ^ (high >>> 13)) >>> 0, (low ^ (low >>> 16)) >>> 0]
}

/** Five numbers of 32 bits per key: both halves of its hash, then the place, see `setPlace`. */
export type Records = Uint32Array

const setPlace = (records: Records, at: number, from: number, length: number): void => {
  records[at + 2] = from >>> 0
  records[at + 3] = length >>> 0
  records[at + 4] = (Math.floor(from / 2 ** 32) << 16) | Math.floor(length / 2 ** 32)
}

const placeAt = (records: Records, at: number): Place => {
  const [from = 0, length = 0, high = 0] = records.subarray(at + 2, at + recordWords)
  return { from: (high >>> 16) * 2 ** 32 + from, length: (high & 0xffff) * 2 ** 32 + length }
}

const compareAt = (left: Records, at: number, right: Records, other: number): number =>
  (left[at] ?? 0) - (right[other] ?? 0) || (left[at + 1] ?? 0) - (right[other + 1] ?? 0)

const copyAt = (from: Records, at: number, to: Records, other: number): void => {
  for (let word = 0; word < recordWords; word++) to[other + word] = from[at + word] ?? 0
}

const swapAt = (records: Records, one: number, other: number): void => {
  const kept = records.slice(one, one + recordWords)
  copyAt(records, other, records, one)
  records.set(kept, other)
}

/** Half a hash and the number of a key together are a number that is exact. */
const mostKeys = 2 ** 21

/** Keys with their places, in any order. */
export class NewKeys {
  #records: Records = new Uint32Array(64 * recordWords)
  #words = 0

  add(kind: KeyKind, key: string, from: number, length: number): void {
    if (this.#words === mostKeys * recordWords) throw new DamagedIndex("There are too many new keys")
    if (this.#words === this.#records.length) {
      const larger = new Uint32Array(2 * this.#records.length)
      larger.set(this.#records)
      this.#records = larger
    }
    const at = this.#words
    const [high, low] = hashOf(kind, key)
    this.#records[at] = high
    this.#records[at + 1] = low
    setPlace(this.#records, at, from, length)
    this.#words += recordWords
  }

  sorted(): Records {
    const records = this.#records
    const count = this.#words / recordWords
    // Numbers are sorted many times faster than anything that has to be compared: half a hash, and then where it is.
    const order = Float64Array.from({ length: count }, (_, index) => (records[index * recordWords] ?? 0) * mostKeys + index)
    order.sort()
    const sorted = new Uint32Array(this.#words)
    for (let index = 0; index < count; index++) {
      let at = index * recordWords
      copyAt(records, ((order[index] ?? 0) % mostKeys) * recordWords, sorted, at)
      // The same half is rare; then the other one decides.
      for (; at > 0 && compareAt(sorted, at - recordWords, sorted, at) > 0; at -= recordWords) swapAt(sorted, at - recordWords, at)
    }
    return sorted
  }
}

export const merged = (left: Records, right: Records): Records => {
  const records = new Uint32Array(left.length + right.length)
  let [one, other] = [0, 0]
  for (let at = 0; at < records.length; at += recordWords) {
    if (other >= right.length || (one < left.length && compareAt(left, one, right, other) <= 0)) {
      copyAt(left, one, records, at)
      one += recordWords
    } else {
      copyAt(right, other, records, at)
      other += recordWords
    }
  }
  return records
}

/** The pages of a run that will be at this place of the file. */
export const pagesOf = (records: Records, at: number): Buffer => {
  const words = recordsPerPage * recordWords
  const pages = Buffer.alloc(Math.ceil(records.length / words) * pageBytes)
  for (let page = 0; page * pageBytes < pages.length; page++) {
    const bytes = pages.subarray(page * pageBytes, (page + 1) * pageBytes)
    const here = records.subarray(page * words, (page + 1) * words)
    bytes.set(Buffer.from(here.buffer, here.byteOffset, here.byteLength))
    bytes.writeUInt16BE(here.length / recordWords, pageBytes - 12)
    bytes.writeUIntBE(at + page * pageBytes, pageBytes - 10, 6)
    bytes.writeUInt32BE(crc32(bytes.subarray(0, pageBytes - 4)), pageBytes - 4)
  }
  return pages
}

export const runOf = (records: Records, at: number): Run => {
  const count = records.length / recordWords
  return { at, pages: Math.ceil(count / recordsPerPage), count }
}

export const footerOf = (footer: Wire): Buffer => {
  const text = Buffer.from(JSON.stringify(footer))
  const trailer = Buffer.alloc(trailerBytes)
  trailer.writeUInt32BE(text.length, 0)
  trailer.writeUInt32BE(crc32(text), 4)
  mark.copy(trailer, 8)
  return Buffer.concat([text, trailer])
}

const readInto = (files: Files, file: number, from: number, bytes: Buffer): Buffer => {
  for (let count = 0; count < bytes.length;) {
    const more = files.read(file, bytes.subarray(count), bytes.length - count, from + count)
    if (more === 0) throw new DamagedIndex("The index ends too early")
    count += more
  }
  return bytes
}

/** The footer of an index file of this size. */
export const readFooter = (files: Files, file: number, size: number): Wire => {
  if (size < trailerBytes) throw new DamagedIndex("The index has no trailer")
  const trailer = readInto(files, file, size - trailerBytes, Buffer.allocUnsafe(trailerBytes))
  const length = trailer.readUInt32BE(0)
  if (!trailer.subarray(8).equals(mark) || length > size - trailerBytes) throw new DamagedIndex("The index has no trailer")
  const text = readInto(files, file, size - trailerBytes - length, Buffer.allocUnsafe(length))
  if (crc32(text) !== trailer.readUInt32BE(4)) throw new DamagedIndex("The index has no footer")
  const footer: unknown = JSON.parse(text.toString("utf8"))
  if (!isWire(footer)) throw new DamagedIndex("The index has no footer")
  return footer
}

const readPage = (files: Files, file: number, at: number): Records => {
  const words = new Uint32Array(pageBytes / 4)
  const bytes = readInto(files, file, at, Buffer.from(words.buffer))
  const count = bytes.readUInt16BE(pageBytes - 12)
  const isRight =
    crc32(bytes.subarray(0, pageBytes - 4)) === bytes.readUInt32BE(pageBytes - 4) &&
    bytes.readUIntBE(pageBytes - 10, 6) === at &&
    count > 0 &&
    count <= recordsPerPage
  if (!isRight) throw new DamagedIndex("A page of the index is damaged")
  return words.subarray(0, count * recordWords)
}

/** All records of a run, to merge it. */
export const readRun = (files: Files, file: number, { at, pages, count }: Run): Records => {
  const records = new Uint32Array(count * recordWords)
  let words = 0
  for (let page = 0; page < pages; page++) {
    const here = readPage(files, file, at + page * pageBytes)
    if (words + here.length > records.length) throw new DamagedIndex("A run of the index is longer than it should be")
    records.set(here, words)
    words += here.length
  }
  if (words < records.length) throw new DamagedIndex("A run of the index is shorter than it should be")
  return records
}

/** The first of so many that is not before something, or their count; looked for from a guess in ever larger steps. */
const firstNot = (isBefore: (index: number) => boolean, count: number, guess: number): number => {
  let [low, high] = [0, count]
  let probe = Math.min(guess, count - 1)
  for (let step = 0; low < high; step = 2 * step + 1) {
    if (isBefore(probe)) {
      low = probe + 1
      probe = low + step
    } else {
      high = probe
      probe = high - 1 - step
    }
    if (probe < low || probe >= high) probe = (low + high) >> 1
  }
  return low
}

/** 16 MB. Beyond, pages are read again when they are needed. */
const mostKeptPages = 4_096

/** Looks keys up in the runs of an open file. */
export class KeyRuns {
  readonly #files: Files
  readonly #file: number
  readonly #runs: readonly Run[]
  readonly #pages = new Map<number, Records>()

  constructor(files: Files, file: number, runs: readonly Run[]) {
    this.#files = files
    this.#file = file
    this.#runs = runs
  }

  /** Where the key may be; nowhere else. */
  find(kind: KeyKind, key: string): readonly Place[] {
    const wanted = Uint32Array.from(hashOf(kind, key))
    return this.#runs.flatMap((run) => this.#findIn(run, wanted))
  }

  #findIn({ at, pages }: Run, wanted: Records): readonly Place[] {
    const page = (number: number): Records => this.#page(at + number * pageBytes)
    // Hashes are spread evenly, so that the page can be guessed; it is the guessed one or one close to it.
    const guess = Math.floor(((wanted[0] ?? 0) / 2 ** 32) * pages)
    const isBefore = (number: number): boolean => {
      const records = page(number)
      return compareAt(records, records.length - recordWords, wanted, 0) < 0
    }
    const places: Place[] = []
    for (let number = firstNot(isBefore, pages, guess); number < pages; number++) {
      const records = page(number)
      const count = records.length / recordWords
      const isSmaller = (index: number): boolean => compareAt(records, index * recordWords, wanted, 0) < 0
      for (let index = firstNot(isSmaller, count, count >> 1); index < count; index++) {
        if (compareAt(records, index * recordWords, wanted, 0) !== 0) return places
        places.push(placeAt(records, index * recordWords))
      }
    }
    return places
  }

  #page(at: number): Records {
    const known = this.#pages.get(at)
    if (known) return known
    const records = readPage(this.#files, this.#file, at)
    if (this.#pages.size >= mostKeptPages) this.#pages.clear()
    this.#pages.set(at, records)
    return records
  }
}
