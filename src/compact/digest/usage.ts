/**
 * Usage: for every term of a history where it was said, by whom, how often and when last. Terms are numbered in the
 * order of their first appearance; columns are plain arrays, because there are tens of thousands of terms.
 */
import type { Passage } from "./lines.ts"
import { eachTerm, type TermKind } from "./terms.ts"

export interface TermRecord {
  readonly text: string
  readonly kind: TermKind
  /** Lines, passages and items it stands in. */
  lines: number
  passages: number
  lastPassage: number
  steps: number
  /** Lines by who said it. */
  arguments: number
  replies: number
  user: number
  results: number
  errors: number
  firstStep: number
  lastStep: number
  /** Last step in which the agent itself said it; -1: never. */
  lastUse: number
  /** In the newest user message, or in the goal. */
  isAsked: boolean
  /** In the first user message. */
  isTask: boolean
  /** Lines of the smallest passage it was seen in. */
  smallest: number
  /** Latest step in which a file it was seen in was named in arguments; -1: seen outside of files. */
  lastTouch: number
  /** Seen in a file that was written. */
  isWritten: boolean
  /** A call was about it. */
  isSubject: boolean
  /** Stands directly behind a word that declares. */
  isDeclared: boolean
  /** Said on a line together with something the agent itself said. */
  isNearUsed: boolean
  /** Said on a line together with something the newest user message says. */
  isNearAsked: boolean
  /** Lines of a result that are all of one term: listings. */
  alone: number
  /** Lines it stands at the start of. */
  starts: number
  /** Place of its last line among all lines. */
  lastLine: number
}

/** Terms of one line: numbers of the terms, and where they stand. */
export interface LineTerms {
  readonly terms: readonly number[]
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

export interface Usage {
  readonly records: readonly TermRecord[]
  /** By passage, then by line. */
  readonly lines: readonly (readonly LineTerms[])[]
  /** The step of an item: how many items that are not system messages stand before it. */
  readonly steps: number
  readonly lineCount: number
}

const noTerms: LineTerms = { terms: [], starts: [], ends: [] }

/** What a call was about: the first path or file its arguments name on a line of their own. */
interface Subject {
  lastTouch: number
  isWritten: boolean
}

const declaring = new Set(
  "class interface type enum struct trait def fn func function const let var export namespace module macro_rules impl message service table CREATE".split(" "),
)

/** Whether the word before `at` declares what stands there. */
const declares = (line: string, at: number): boolean => {
  if (at < 3 || line.charCodeAt(at - 1) !== 32) return false
  let start = at - 1
  while (start > 0 && line.charCodeAt(start - 1) > 32) start--
  return declaring.has(line.slice(start, at - 1))
}

/** Arguments of more lines than this write something. */
const writtenLines = 4

export const usageOf = (passages: readonly Passage[], newestUser: number, firstUser: number, goal: string): Usage => {
  const numbers = new Map<string, number>()
  const records: TermRecord[] = []
  const lineTables: LineTerms[][] = []
  const subjects = new Map<string, Subject>()
  const subjectOfPassage: (Subject | undefined)[] = []
  let steps = 0
  let lineCount = 0

  const numberOf = (text: string, kind: TermKind): number => {
    const known = numbers.get(text)
    if (known !== undefined) return known
    const number = records.length
    numbers.set(text, number)
    records.push({
      text,
      kind,
      lines: 0,
      passages: 0,
      lastPassage: -1,
      steps: 0,
      arguments: 0,
      replies: 0,
      user: 0,
      results: 0,
      errors: 0,
      firstStep: -1,
      lastStep: -1,
      lastUse: -1,
      isAsked: false,
      isTask: false,
      smallest: Number.POSITIVE_INFINITY,
      lastTouch: -1,
      isWritten: false,
      isSubject: false,
      isDeclared: false,
      isNearUsed: false,
      isNearAsked: false,
      alone: 0,
      starts: 0,
      lastLine: 0,
    })
    return number
  }

  let subject: Subject | undefined
  let previousItem = -1
  let previousGroup = -1
  for (const [passagePlace, passage] of passages.entries()) {
    if (passage.item !== previousItem) steps++
    if (passage.group !== previousGroup) subject = undefined
    previousItem = passage.item
    previousGroup = passage.group
    const step = steps
    const { source } = passage
    const size = passage.lines.length
    const table: LineTerms[] = []
    for (const line of passage.lines) {
      lineCount++
      if (line.length < 3) {
        table.push(noTerms)
        continue
      }
      const terms: number[] = []
      const starts: number[] = []
      const ends: number[] = []
      eachTerm(line, (text, kind, start, end) => {
        const number = numberOf(text, kind)
        const record = records[number]
        if (record === undefined) return
        const isAgain = terms.includes(number)
        terms.push(number)
        starts.push(start)
        ends.push(end)
        if (isAgain) return
        if (source === "argument" && subject === undefined && (kind === "path" || kind === "file")) {
          const base = kind === "path" ? text.slice(text.lastIndexOf("/") + 1) : text
          subject = subjects.get(base) ?? { lastTouch: step, isWritten: false }
          subject.lastTouch = step
          if (size >= writtenLines) subject.isWritten = true
          record.isSubject = true
          subjects.set(base, subject)
        }
        record.lines++
        if (record.lastPassage !== passagePlace) {
          record.lastPassage = passagePlace
          record.passages++
        }
        if (!record.isDeclared && declares(line, start)) record.isDeclared = true
        if (end - start >= line.length - 4) record.alone++
        if (start < 6 && line.slice(0, start).trim() === "") record.starts++
        record.lastLine = lineCount
        if (record.lastStep !== step) record.steps++
        if (record.firstStep < 0) record.firstStep = step
        record.lastStep = step
        if (size < record.smallest) record.smallest = size
        if (source === "argument") {
          record.arguments++
          record.lastUse = step
        } else if (source === "reply") {
          record.replies++
          record.lastUse = step
        } else if (source === "user") {
          record.user++
          if (passage.item === newestUser) record.isAsked = true
          if (passage.item === firstUser) record.isTask = true
        } else if (source === "error") record.errors++
        else record.results++
      })
      table.push(terms.length === 0 ? noTerms : { terms, starts, ends })
    }
    lineTables.push(table)
    subjectOfPassage.push(subject)
  }
  // Second look, now that the last touch of every file is known.
  for (const [place, table] of lineTables.entries()) {
    const about = subjectOfPassage[place]
    for (const { terms } of table) {
      if (terms.length > 1) {
        let used = 0
        let asked = 0
        for (const number of terms) {
          const record = records[number]
          if (record === undefined || record.kind === "word" || record.lines > 40) continue
          if (record.lastUse >= 0) used++
          if (record.isAsked) asked++
        }
        if (used + asked > 0) {
          for (const number of terms) {
            const record = records[number]
            if (record === undefined) continue
            const isStrong = record.kind !== "word" && record.lines <= 40
            if (used > (isStrong && record.lastUse >= 0 ? 1 : 0)) record.isNearUsed = true
            if (asked > (isStrong && record.isAsked ? 1 : 0)) record.isNearAsked = true
          }
        }
      }
      if (about === undefined) continue
      for (const number of terms) {
        const record = records[number]
        if (record === undefined) continue
        if (about.lastTouch > record.lastTouch) record.lastTouch = about.lastTouch
        if (about.isWritten) record.isWritten = true
      }
    }
  }
  if (goal !== "") {
    for (const line of goal.split("\n")) {
      eachTerm(line, (text) => {
        const record = records[numbers.get(text) ?? -1]
        if (record !== undefined) record.isAsked = true
      })
    }
  }
  return { records, lines: lineTables, steps, lineCount }
}
