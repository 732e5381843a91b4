/**
 * Usage: for every term of a history where it was used, by whom, how often and when last. Terms are numbered in the
 * order of their first appearance. Two passes: the first reads the lines, the second spreads what is only known at the
 * end (which files were written, what is next to something the user asks for, the current work).
 */
import { eachTerm, hasFields, isFieldName, isFieldValue, type TermKind } from "../../../text/terms.ts"
import { markFocus, namedBy } from "./current-work.ts"
import type { Line, Part, Passage } from "./lines.ts"
import { newRecord, type TermRecord } from "./term-worth.ts"

/**
 * Terms of all lines, one after the other: line n of passage p is line `firstLine[p] + n`, its terms are from
 * `offsets[line]` up to `offsets[line + 1]`. Flat, because a list per line would be most of the work.
 */
export interface Usage {
  readonly records: readonly TermRecord[]
  /** The number of a term, if it is in the history. */
  readonly numberOf: (text: string) => number | undefined
  readonly terms: readonly number[]
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  readonly offsets: readonly number[]
  readonly firstLine: readonly number[]
  /** Items with content. */
  readonly steps: number
  /** How much of the text of results is in records, 0 to 1. */
  readonly recordShare: number
  readonly lineCount: number
}

/** Which items of the history are the requests. */
interface Requests {
  readonly first: number
  readonly latest: number
  readonly goal: string
}

/** What a call was about: the first path or file its arguments name. */
interface Subject {
  readonly number: number
  isWritten: boolean
  /** The last step it was written in, and whether the first or the latest request names it. */
  lastWritten: number
  isNamed: boolean
}

const baseOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** Shorter lines are left out. */
const shortestLine = 3
/** Arguments of this many lines write a file. */
const writtenLines = 4
/** A term on more lines than this shows nothing about its neighbours. */
const mostLines = 40
/** A request with more names is not a question about one of them; and a name on more lines than this is not hard to find. */
const mostAskedFor = 8
const fewLines = 2
/** White space before a term at the start of its line, at most. */
const deepestStart = 6

const startsLine = (line: string, at: number): boolean => {
  if (at > deepestStart) return false
  for (let place = 0; place < at; place++) if (line.charCodeAt(place) > 32) return false
  return true
}

const isFile = ({ kind }: TermRecord): boolean => kind === "path" || kind === "file"

const isTelling = ({ isAsked, kind, lines }: TermRecord): boolean => isAsked && kind !== "word" && lines <= mostLines

class Reader {
  readonly records: TermRecord[] = []
  readonly terms: number[] = []
  readonly starts: number[] = []
  readonly ends: number[] = []
  readonly offsets: number[] = [0]
  readonly firstLine: number[] = []
  readonly #numbers = new Map<string, number>()
  readonly #subjects = new Map<string, Subject>()
  readonly #subjectOfPassage: (Subject | undefined)[] = []
  /** Of results, the step they came in; of everything else -1. */
  readonly #seenAt: number[] = []
  readonly #requests: Requests
  steps = 0
  /** By term, 1 where it shows what its neighbours are about. */
  #telling = new Uint8Array()
  #passage: Passage | undefined
  #subject: Subject | undefined
  #line = ""
  /** The line at hand is nothing but a path. */
  #isListing = false
  #hasFields = false
  /** Names in results, and how many of them in records. */
  #seen = 0
  #inRecords = 0

  constructor(requests: Requests) {
    this.#requests = requests
  }

  get recordShare(): number {
    return this.#inRecords / Math.max(1, this.#seen)
  }

  get lineCount(): number {
    return this.offsets.length - 1
  }

  read(passage: Passage): void {
    if (passage.item !== this.#passage?.item) this.steps++
    if (passage.group !== this.#passage?.group) this.#subject = undefined
    this.#passage = passage
    this.firstLine.push(this.lineCount)
    for (const line of passage.lines) {
      this.#line = line
      this.#isListing = false
      this.#hasFields = passage.source === "result" && hasFields(line)
      if (line.length >= shortestLine) eachTerm(line, this.#emit)
      this.offsets.push(this.terms.length)
    }
    this.#subjectOfPassage.push(this.#subject)
    this.#seenAt.push(passage.source === "result" ? this.steps : -1)
  }

  readonly #emit = (text: string, kind: TermKind, start: number, end: number): void => {
    const number = this.#numberFor(text, kind)
    this.terms.push(number)
    this.starts.push(start)
    this.ends.push(end)
    const record = this.records[number] as TermRecord
    // Lines are counted from one here, so that no term starts out as used on the first.
    const line = this.offsets.length
    if (record.lastLine === line) return
    record.lastLine = line
    if (startsLine(this.#line, start)) {
      record.starts++
      if (kind === "path" && this.#line.length - end <= 1) this.#isListing = true
    }
    if (this.#isListing) record.isListed = true
    if (this.#passage?.source === "result" && kind !== "word") this.#noteField(record, start, end)
    this.#note(this.#passage as Passage, record)
  }

  #noteField(record: TermRecord, start: number, end: number): void {
    this.#seen++
    if (!this.#hasFields) return
    if (isFieldValue(this.#line, start)) record.values++
    else if (!isFieldName(this.#line, end)) return
    this.#inRecords++
  }

  #note(passage: Passage, record: TermRecord): void {
    const { source, item, lines } = passage
    const { steps } = this
    record.lines++
    record.lastStep = steps
    if (lines.length < record.smallest) record.smallest = lines.length
    if (source === "error") record.errors++
    else if (source === "user") {
      record.user++
      const { first, latest } = this.#requests
      if (item === latest) record.isAsked = true
      if (item === first) record.isTask = true
      if ((item === first || item === latest) && isFile(record)) this.#subjectFor(record.text).isNamed = true
    } else if (source !== "result") {
      if (record.lastUse !== steps) record.uses++
      record.lastUse = steps
      if (source === "reply") record.replies++
      else if (this.#subject === undefined && isFile(record)) this.#touch(record, lines.length)
    }
  }

  #touch(record: TermRecord, size: number): void {
    const subject = this.#subjectFor(record.text)
    if (size >= writtenLines) {
      subject.isWritten = true
      subject.lastWritten = this.steps
    }
    record.isSubject = true
    this.#subject = subject
  }

  #subjectFor(path: string): Subject {
    const base = baseOf(path)
    let subject = this.#subjects.get(base)
    if (subject === undefined) {
      subject = { number: this.#subjects.size, isWritten: false, lastWritten: -1, isNamed: false }
      this.#subjects.set(base, subject)
    }
    return subject
  }

  readonly numberOf = (text: string): number | undefined => this.#numbers.get(text)

  #numberFor(text: string, kind: TermKind): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    const number = this.records.length
    this.#numbers.set(text, number)
    this.records.push(newRecord(text, kind))
    return number
  }

  spread(): void {
    if (this.#requests.goal.trim() !== "") this.#markWanted()
    if (this.#requests.latest !== this.#requests.first) this.#markAskedFor()
    this.#telling = Uint8Array.from(this.records, (record) => (isTelling(record) ? 1 : 0))
    for (const place of this.#bySubject()) {
      const subject = this.#subjectOfPassage[place]
      const end = this.firstLine[place + 1] ?? this.lineCount
      const seenAt = this.#seenAt[place] as number
      const isSeen = seenAt >= 0
      const isAwaited = subject !== undefined && subject.isNamed && seenAt > subject.lastWritten
      for (let line = this.firstLine[place] as number; line < end; line++) this.#spreadLine(line, subject, isSeen, isAwaited)
    }
  }

  /** Passages, those about one file after each other: so a term notices each file once. */
  #bySubject(): readonly number[] {
    const numberOf = (place: number): number => this.#subjectOfPassage[place]?.number ?? -1
    return [...this.#subjectOfPassage.keys()].sort((a, b) => numberOf(a) - numberOf(b) || a - b)
  }

  #markWanted(): void {
    const isNamed = namedBy(this.#requests.goal)
    for (const record of this.records) if (isNamed(record.text)) record.isWanted = record.isAsked = true
  }

  /**
   * A newest request that names something the history hardly mentions is a goal like one that is given: the few lines that
   * quote of it are what the agent needs next. Names the agent works with anyway come back by themselves, and of a request
   * full of names, pasted output for example, each means little.
   */
  #markAskedFor(): void {
    const named = this.records.filter(({ isAsked, kind }) => isAsked && kind !== "word")
    if (named.length > mostAskedFor) return
    for (const record of named) if (record.uses === 0 && record.lines - record.user <= fewLines) record.isWanted = true
  }

  #spreadLine(line: number, subject: Subject | undefined, isSeen: boolean, isAwaited: boolean): void {
    const from = this.offsets[line] as number
    const to = this.offsets[line + 1] as number
    const telling = this.#telling
    let tellers = 0
    for (let at = from; at < to; at++) tellers += telling[this.terms[at] as number] as number
    if (tellers === 0 && subject === undefined) return
    for (let at = from; at < to; at++) {
      const number = this.terms[at] as number
      const record = this.records[number] as TermRecord
      if (tellers > (telling[number] as number)) record.isNearAsked = true
      if (subject === undefined) continue
      record.isTouched = true
      if (subject.isWritten) record.isWritten = true
      if (isAwaited) record.isAwaited = true
      if (isSeen && record.lastFile !== subject.number) {
        record.lastFile = subject.number
        record.files++
      }
    }
  }
}

export const usageOf = (passages: readonly Passage[], requests: Requests): Usage => {
  const reader = new Reader(requests)
  for (const passage of passages) reader.read(passage)
  reader.spread()
  const { records, numberOf, terms, starts, ends, offsets, firstLine, steps, recordShare, lineCount } = reader
  const usage = { records, numberOf, terms, starts, ends, offsets, firstLine, steps, recordShare, lineCount }
  markFocus(usage)
  return usage
}

/** Of a line among all lines of the history. */
export const numberOfLine = ({ firstLine }: Usage, { passage, line }: Line): number => (firstLine[passage] as number) + line

/** Calls `found` with the number of each term of a line. */
export const eachTermOf = (usage: Usage, excerpt: Part, found: (term: number) => void): void => {
  const { terms, starts, ends, offsets } = usage
  const { from, to } = excerpt
  const at = numberOfLine(usage, excerpt)
  for (let place = offsets[at] as number; place < (offsets[at + 1] as number); place++) {
    if ((starts[place] as number) >= from && (ends[place] as number) <= to) found(terms[place] as number)
  }
}
