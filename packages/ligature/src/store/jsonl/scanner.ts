/**
 * Reads the bytes of a log, piece by piece, into lines: says which operations there are, where each is, and what
 * cannot be read. Never fails on data. A last line without newline counts when it is whole; else it is a fragment: being
 * written at this moment, or torn by a crash, which only the next writer can tell.
 *
 * The first line names the conversation and the version. Where it is damaged, the operations after it still say whose log
 * this is: they are read, and the next writer says anew what the first line said.
 */
import type { Diagnostic, Wire } from "../../model/index.ts"
import { formatVersion, type Operation, readOperation } from "../entry.ts"
import { damageOf } from "../log-index.ts"
import { migrateLine } from "../migrations.ts"
import { checkSum, healedLine, looksTorn, newline, parseLine, splitGlued, type SumState } from "./line.ts"

/** A line that holds an operation: enough to read it again. */
export interface LinePlace {
  readonly from: number
  readonly to: number
  readonly version: number
  /** One of its bits has flipped. */
  readonly isHealed?: true
}

interface ScanEvents {
  /**
   * What the log says of itself: before any operation, and again where a later line takes the place of a damaged one. A
   * damaged header may say nothing, or something that was never written.
   */
  readonly header: (header: Wire, isDamaged: boolean) => void
  readonly operation: (operation: Operation, place: LinePlace, lineNumber: number) => void
  readonly damage: (damage: Diagnostic) => void
}

/** Enough of a line to hold its sum. */
export const headLength = 18

/** Of lines before the first one that can be read; a header is shorter. */
const mostStrangeBytes = 1 << 14

const healedHeader = "has one flipped bit and is read as it was written"

/** Whether a line without newline is all there. A piece of a line is never whole JSON. */
const isWhole = (bytes: Buffer): boolean => {
  if (parseLine(bytes) !== undefined) return checkSum(bytes) !== "wrong" || healedLine(bytes) !== undefined
  // Its newline was damaged, not missing.
  const [piece] = splitGlued(bytes).pieces
  return piece !== undefined && checkSum(bytes.subarray(piece.from, piece.to)) === "right"
}

export class Scanner {
  /** Version of the lines that follow; -1 until the header was read. */
  version = -1
  /** Bytes that were read as lines; a fragment after them is not counted. */
  scanned = 0
  /** Bytes of the fragment at the end. */
  fragment = 0
  /** The last line has no newline yet. */
  unterminated = false
  /** How the last line that was read begins: its sum tells it from any other. */
  lastHead = ""
  /** Where that line begins. */
  lastFrom = 0
  /** The header is damaged, and no later line has taken its place. */
  lacksHeader = false
  #newer: string | undefined
  /** What is where the header should be, and why it is none. */
  #strange: { readonly why: string; readonly bytes: Buffer } | undefined
  #lineNumber = 0
  readonly #events: ScanEvents

  constructor(events: ScanEvents) {
    this.#events = events
  }

  /** Why nothing may be written: it is of a newer version, or nothing in it is ours. */
  get foreign(): string | undefined {
    return this.#newer ?? (this.version === -1 ? this.#strange?.why : undefined)
  }

  /** Takes the bytes after `scanned` up to the end of the log. Bytes of a fragment come again with the next ones. */
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
    if (!ends || rest.length === 0 || !isWhole(rest)) return
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

  /** Everything up to here is known, and of the current version. */
  goOnFrom(scanned: number): void {
    this.scanned = scanned
    this.version = formatVersion
  }

  /** The owner of the log wrote these bytes after `scanned`: they need no reading. What the last line was stays as it is. */
  skip(bytes: number, lines: number): void {
    this.scanned += bytes
    this.#lineNumber += lines
    this.unterminated = false
    this.version = formatVersion
    this.lacksHeader = false
  }

  #line(bytes: Buffer, from: number): void {
    if (bytes.length === 0) return
    this.#lineNumber++
    this.lastHead = bytes.toString("latin1", 0, headLength)
    this.lastFrom = from
    const line = this.#lineNumber
    const place = { from, to: from + bytes.length }
    const sum = checkSum(bytes)
    const value = parseLine(bytes)
    const isRight = value !== undefined && sum === "right"
    const healed = isRight || this.version === 0 ? undefined : healedLine(bytes)
    if (healed) {
      const isHeader = this.version === -1 && typeof healed["ligature"] === "number"
      if (isHeader) this.#sayHeaderDamaged(healedHeader)
      else this.#sayChanged("one bit has flipped; it is read as it was written")
      this.#value(healed, { ...place, isHealed: true }, "right")
      this.lacksHeader ||= isHeader
      return
    }
    if (value !== undefined) {
      if (this.version >= 0 && sum === "wrong") this.#sayChanged("its sum is wrong; it is used as it is now")
      else if (this.version > 0 && sum === "none") this.#sayChanged("its sum is missing; it is used as it is now")
      this.#value(value, place, sum)
      return
    }
    const { pieces, lostBytes } = splitGlued(bytes)
    if (pieces.length === 0 && this.version === -1) {
      this.#keepStrange("its first line is not one of Ligature's", bytes)
      return
    }
    if (pieces.length > 0) {
      const what = `Line ${line} held ${pieces.length} whole records without a newline between them; they are used`
      this.#events.damage(damageOf("glued-lines", { line }, what))
    }
    if (lostBytes > 0) {
      const rule = pieces.length > 0 || looksTorn(bytes) ? "torn-line" : "unreadable-line"
      const what = `Line ${line} has ${lostBytes} bytes that cannot be read; they stay in the log and are not used`
      this.#events.damage(damageOf(rule, { line }, what))
    }
    for (const { value, from: begin, to: end } of pieces) {
      this.#value(value, { from: from + begin, to: from + end }, checkSum(bytes.subarray(begin, end)))
    }
  }

  #value(value: Wire, place: Omit<LinePlace, "version">, sum: SumState): void {
    const named = value["ligature"]
    if (typeof named === "number") {
      this.#header(value, named, sum)
      return
    }
    if (this.version === -1 && !this.#goesOnWithoutHeader(value, sum)) return
    const operation = readOperation(migrateLine(value, this.version))
    if (operation) {
      const { from, to, isHealed } = place
      const { version } = this
      this.#events.operation(operation, isHealed ? { from, to, version, isHealed } : { from, to, version }, this.#lineNumber)
    } else {
      const what = `Line ${this.#lineNumber} is JSON, but no operation; it stays in the log and is not used`
      this.#events.damage(damageOf("unknown-line", { line: this.#lineNumber }, what))
    }
  }

  #header(value: Wire, version: number, sum: SumState): void {
    if (!Number.isInteger(version) || version < 0 || version > formatVersion) {
      this.#newer ??= `its version is ${version}, and this program knows versions up to ${formatVersion}`
    }
    if (this.version === -1) {
      this.lacksHeader = sum === "wrong"
      if (this.lacksHeader) this.#sayHeaderDamaged("does not say what was written")
      this.#events.header(migrateLine(value, version), this.lacksHeader)
    } else if (this.lacksHeader && sum === "right" && "id" in value) {
      this.lacksHeader = false
      this.#events.header(value, false)
    }
    this.version = version
  }

  /**
   * Whether a line is of ours though no header was read: only an operation with its right sum cannot be anything else. Then
   * what was found before it was the header.
   */
  #goesOnWithoutHeader(value: Wire, sum: SumState): boolean {
    const operation = sum === "right" ? readOperation(value) : undefined
    if (!operation) {
      this.#keepStrange("its first line does not name a version of the format", Buffer.alloc(0))
      return false
    }
    const healed = this.#strange && healedLine(this.#strange.bytes)
    const header = typeof healed?.["ligature"] === "number" ? healed : undefined
    this.#sayHeaderDamaged(header ? healedHeader : "cannot be read")
    this.version = formatVersion
    this.lacksHeader = true
    this.#events.header(header ?? { created: operation.at }, header === undefined)
    return true
  }

  /** A flipped bit may be a newline now: then the header is in two lines. */
  #keepStrange(why: string, bytes: Buffer): void {
    const before = this.#strange
    if (!before) this.#strange = { why, bytes: Buffer.from(bytes) }
    else if (before.bytes.length < mostStrangeBytes) {
      this.#strange = { why: before.why, bytes: Buffer.concat([before.bytes, Buffer.of(newline), bytes]) }
    }
  }

  #sayHeaderDamaged(how: string): void {
    const what = `The first line, which names the conversation, ${how}; the entries after it are used`
    this.#events.damage(damageOf("damaged-header", { line: 1 }, what))
  }

  #sayChanged(how: string): void {
    const line = this.#lineNumber
    this.#events.damage(damageOf("changed-line", { line }, `Line ${line} does not say what was written: ${how}`))
  }
}
