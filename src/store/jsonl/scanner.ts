/**
 * Reads the bytes of a log, piece by piece, into lines: says which operations there are, where each stands, and what
 * cannot be read. Never fails on data. A last line without newline counts when it is whole; else it is a fragment: being
 * written at this moment, or torn by a crash, which only the next writer can tell.
 */
import type { Diagnostic, Wire } from "../../model/index.ts"
import { formatVersion, type Operation } from "../entry.ts"
import { damageOf } from "../log-index.ts"
import { migrateLine } from "../migrations/index.ts"
import { readOperation } from "../read-operation.ts"
import { checkSum, newline, parseLine } from "./line.ts"
import { looksTorn } from "./looks-torn.ts"
import { splitGlued } from "./split-glued.ts"

/** A line that holds an operation: enough to read it again. */
export interface LinePlace {
  readonly from: number
  readonly to: number
  readonly version: number
}

export interface ScanEvents {
  readonly header: (header: Wire) => void
  readonly operation: (operation: Operation, place: LinePlace, lineNumber: number) => void
  readonly damage: (damage: Diagnostic) => void
}

/** Enough of a line to hold its sum. */
export const headLength = 18

export class Scanner {
  /** Version of the lines that follow; -1 until the header was read. */
  version = -1
  /** Bytes that were read as lines; a fragment behind them is not counted. */
  scanned = 0
  /** Bytes of the fragment at the end. */
  fragment = 0
  /** The last line has no newline yet. */
  unterminated = false
  /** How the last line begins: its sum tells it from any other. */
  lastHead = ""
  /** Where the last line begins. */
  lastFrom = 0
  /** The first line is not ours, or from a newer version: nothing may be written. */
  foreign: string | undefined
  #lineNumber = 0
  readonly #events: ScanEvents

  constructor(events: ScanEvents) {
    this.#events = events
  }

  /** Takes the bytes behind `scanned` up to the end of the log. Bytes of a fragment come again with the next ones. */
  take(bytes: Buffer, ends: boolean): void {
    const start = this.scanned
    let from = 0
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, from)) {
      this.#line(bytes.subarray(from, end), start + from)
      from = end + 1
    }
    this.scanned = start + from
    const rest = bytes.subarray(from)
    this.unterminated = false
    this.fragment = rest.length
    if (!ends || rest.length === 0 || parseLine(rest) === undefined || checkSum(rest) === "wrong") return
    this.#line(rest, this.scanned)
    this.scanned += rest.length
    this.fragment = 0
    this.unterminated = true
  }

  /** Nobody writes, so the fragment is torn: from now on it is a line like any other, but for its newline. */
  endFragment(bytes: Buffer): void {
    this.#line(bytes, this.scanned)
    this.scanned += bytes.length
    this.fragment = 0
    this.unterminated = true
  }

  /** The owner of the log wrote these bytes behind `scanned`: they need no reading. */
  skip(bytes: number, lines: number, last: { readonly from: number; readonly head: string }): void {
    this.scanned += bytes
    this.#lineNumber += lines
    this.unterminated = false
    this.version = formatVersion
    this.lastHead = last.head
    this.lastFrom = last.from
  }

  #line(bytes: Buffer, from: number): void {
    if (bytes.length === 0) return
    this.#lineNumber++
    this.lastHead = bytes.toString("latin1", 0, headLength)
    this.lastFrom = from
    const place = { line: this.#lineNumber }
    const value = parseLine(bytes)
    if (value !== undefined) {
      const sum = checkSum(bytes)
      if (sum === "wrong" || (sum === "none" && this.version > 0)) {
        const what = `Line ${place.line} does not say what was written: its sum is ${sum === "none" ? "missing" : "wrong"}`
        this.#events.damage(damageOf("changed-line", place, `${what}; it is used as it is now`))
      }
      this.#value(value, { from, to: from + bytes.length, version: this.version })
      return
    }
    if (this.version === -1) {
      this.foreign ??= "its first line is not one of Ligature's"
      return
    }
    const { pieces, lostBytes } = splitGlued(bytes)
    if (pieces.length > 0) {
      const what = `Line ${place.line} held ${pieces.length} whole records without a newline between them; they are used`
      this.#events.damage(damageOf("glued-lines", place, what))
    }
    if (lostBytes > 0) {
      const rule = pieces.length > 0 || looksTorn(bytes) ? "torn-line" : "unreadable-line"
      const what = `Line ${place.line} has ${lostBytes} bytes that cannot be read; they stay in the log and are not used`
      this.#events.damage(damageOf(rule, place, what))
    }
    for (const piece of pieces) this.#value(piece.value, { from: from + piece.from, to: from + piece.to, version: this.version })
  }

  #value(value: Wire, place: LinePlace): void {
    const version = value["ligature"]
    if (typeof version === "number") {
      if (!Number.isInteger(version) || version < 0 || version > formatVersion) {
        this.foreign ??= `its version is ${version}, and this program knows versions up to ${formatVersion}`
      }
      if (this.version === -1) this.#events.header(migrateLine(value, version))
      this.version = version
      return
    }
    if (this.version === -1) {
      this.foreign ??= "its first line does not name a version of the format"
      return
    }
    const operation = readOperation(migrateLine(value, place.version))
    if (operation) this.#events.operation(operation, place, this.#lineNumber)
    else {
      const what = `Line ${this.#lineNumber} is JSON, but no operation; it stays in the log and is not used`
      this.#events.damage(damageOf("unknown-line", { line: this.#lineNumber }, what))
    }
  }
}
