/**
 * Usage: for every term of a history where it was said, by whom, how often and when last. Terms are numbered in the
 * order of their first appearance. Two passes: the first reads the lines, the second spreads what is only known at the
 * end (when a file was last touched, what stands beside something the user asks for).
 */
import type { Passage } from "./lines.ts"
import { eachTerm, type TermKind } from "./terms.ts"

export interface TermRecord {
  readonly text: string
  readonly kind: TermKind
  /** Lines and passages it stands in; lines it stands at the start of. */
  lines: number
  passages: number
  starts: number
  /** Lines by who said it. */
  arguments: number
  replies: number
  user: number
  errors: number
  lastStep: number
  lastPassage: number
  /** Place of its last line among all lines. */
  lastLine: number
  /** Last step in which the agent itself said it; -1: never. */
  lastUse: number
  /** Latest step that touched a file it was seen in; -1: seen outside of files only. */
  lastTouch: number
  /** Lines of the smallest passage it was seen in. */
  smallest: number
  /** In the newest request or in the goal; on a line with another term that is; in the first request. */
  isAsked: boolean
  isNearAsked: boolean
  isTask: boolean
  /** A call was about it. */
  isSubject: boolean
  /** Seen in a file that was written. */
  isWritten: boolean
  /** Stood behind a word that declares. */
  isDeclared: boolean
}

/**
 * Terms of all lines, one behind the other: line n of passage p is line `firstLine[p] + n`, its terms stand from
 * `offsets[line]` up to `offsets[line + 1]`. Flat, because a list per line would be most of the work.
 */
export interface Usage {
  readonly records: readonly TermRecord[]
  readonly terms: readonly number[]
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  readonly offsets: readonly number[]
  readonly firstLine: readonly number[]
  /** Items that say something. */
  readonly steps: number
  readonly lineCount: number
}

/** Which items of the history are the requests. */
export interface Requests {
  readonly first: number
  readonly latest: number
  readonly goal: string
}

/** What a call was about: the first path or file its arguments name. */
interface Subject {
  lastTouch: number
  isWritten: boolean
}

/** Shorter lines say nothing. */
const shortestLine = 3
/** Arguments of so many lines write something. */
const writtenLines = 4
/** A term on more lines than this says nothing about its neighbours. */
const mostLines = 40
/** White space before a term at the start of its line, at most. */
const deepestStart = 6

const declaring = new Set(
  ("class interface type enum struct trait def fn func function const let var export namespace module impl " +
    "message service table CREATE").split(" "),
)

/** Whether the word before `at` declares what stands there. */
const declares = (line: string, at: number): boolean => {
  if (at < 3 || line.charCodeAt(at - 1) !== 32) return false
  let start = at - 1
  while (start > 0 && at - start < 12 && line.charCodeAt(start - 1) > 32) start--
  return declaring.has(line.slice(start, at - 1))
}

const startsLine = (line: string, at: number): boolean => {
  if (at > deepestStart) return false
  for (let place = 0; place < at; place++) if (line.charCodeAt(place) > 32) return false
  return true
}

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
  readonly #requests: Requests
  steps = 0
  #passage: Passage | undefined
  #subject: Subject | undefined
  #line = ""

  constructor(requests: Requests) {
    this.#requests = requests
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
      if (line.length >= shortestLine) eachTerm(line, this.#emit)
      this.offsets.push(this.terms.length)
    }
    this.#subjectOfPassage.push(this.#subject)
  }

  readonly #emit = (text: string, kind: TermKind, start: number, end: number): void => {
    const number = this.#numberOf(text, kind)
    this.terms.push(number)
    this.starts.push(start)
    this.ends.push(end)
    const record = this.records[number] as TermRecord
    // Lines are counted from one here, so that no term starts out as said on the first.
    const line = this.offsets.length
    if (record.lastLine === line) return
    record.lastLine = line
    if (!record.isDeclared && declares(this.#line, start)) record.isDeclared = true
    if (startsLine(this.#line, start)) record.starts++
    this.#note(this.#passage as Passage, record)
  }

  #note(passage: Passage, record: TermRecord): void {
    const { source, item, lines } = passage
    const { steps } = this
    record.lines++
    if (record.lastPassage !== this.firstLine.length) record.passages++
    record.lastPassage = this.firstLine.length
    record.lastStep = steps
    if (lines.length < record.smallest) record.smallest = lines.length
    if (source === "argument") {
      record.arguments++
      record.lastUse = steps
      const isNamed = record.kind === "path" || record.kind === "file"
      if (isNamed && this.#subject === undefined) this.#touch(record, lines.length)
    } else if (source === "reply") {
      record.replies++
      record.lastUse = steps
    } else if (source === "error") record.errors++
    else if (source === "user") {
      record.user++
      if (item === this.#requests.latest) record.isAsked = true
      if (item === this.#requests.first) record.isTask = true
    }
  }

  #touch(record: TermRecord, size: number): void {
    const base = record.text.slice(record.text.lastIndexOf("/") + 1)
    const subject = this.#subjects.get(base) ?? { lastTouch: 0, isWritten: false }
    subject.lastTouch = this.steps
    if (size >= writtenLines) subject.isWritten = true
    record.isSubject = true
    this.#subjects.set(base, subject)
    this.#subject = subject
  }

  #numberOf(text: string, kind: TermKind): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    const number = this.records.length
    this.#numbers.set(text, number)
    this.records.push({
      text,
      kind,
      lines: 0,
      passages: 0,
      starts: 0,
      arguments: 0,
      replies: 0,
      user: 0,
      errors: 0,
      lastStep: 0,
      lastPassage: -1,
      lastLine: 0,
      lastUse: -1,
      lastTouch: -1,
      smallest: Number.POSITIVE_INFINITY,
      isAsked: false,
      isNearAsked: false,
      isTask: false,
      isSubject: false,
      isWritten: false,
      isDeclared: false,
    })
    return number
  }

  spread(): void {
    for (const line of this.#requests.goal.split("\n")) {
      eachTerm(line, (text) => {
        const record = this.records[this.#numbers.get(text) ?? -1]
        if (record) record.isAsked = true
      })
    }
    for (const [place, subject] of this.#subjectOfPassage.entries()) {
      const end = this.firstLine[place + 1] ?? this.lineCount
      for (let line = this.firstLine[place] as number; line < end; line++) this.#spreadLine(line, subject)
    }
  }

  #spreadLine(line: number, subject: Subject | undefined): void {
    const from = this.offsets[line] as number
    const to = this.offsets[line + 1] as number
    let telling = 0
    for (let at = from; at < to; at++) if (this.#isTelling(this.terms[at] as number)) telling++
    if (telling === 0 && subject === undefined) return
    for (let at = from; at < to; at++) {
      const number = this.terms[at] as number
      const record = this.records[number] as TermRecord
      if (telling > (this.#isTelling(number) ? 1 : 0)) record.isNearAsked = true
      if (subject === undefined) continue
      if (subject.lastTouch > record.lastTouch) record.lastTouch = subject.lastTouch
      if (subject.isWritten) record.isWritten = true
    }
  }

  #isTelling(number: number): boolean {
    const { isAsked, kind, lines } = this.records[number] as TermRecord
    return isAsked && kind !== "word" && lines <= mostLines
  }
}

export const usageOf = (passages: readonly Passage[], requests: Requests): Usage => {
  const reader = new Reader(requests)
  for (const passage of passages) reader.read(passage)
  reader.spread()
  const { records, terms, starts, ends, offsets, firstLine, steps, lineCount } = reader
  return { records, terms, starts, ends, offsets, firstLine, steps, lineCount }
}
