/**
 * The current work of the agent. A term is in focus when the agent used it lately, the rarer the more. What is in a
 * passage full of such terms is likely used next (a file that is being worked on), and so is a name that is built from
 * the same words (`parsePath` after `pathParser`).
 */
import { eachTerm } from "../../../text/terms.ts"
import type { TermRecord } from "./term-worth.ts"
import type { Usage } from "./usage.ts"

/** Steps after which a term is a third as much in focus, and the words of its name. */
const fadeSteps = 4
const wordFadeSteps = 8
/** A plain word shows less of what the work is than a name. */
const plainWord = 0.4
/** Shorter words of a name are in many names. */
const shortestWord = 4

const lastly = ({ lastUse }: TermRecord, steps: number, fade: number): number => (lastUse < 0 ? 0 : Math.exp((lastUse - steps) / fade))

/** For every term the highest mean focus of a passage it is in. */
const markPassages = ({ records, terms, offsets, firstLine, steps, lineCount }: Usage): void => {
  const focus = Float64Array.from(records, (record) => {
    const lately = lastly(record, steps, fadeSteps)
    return lately === 0 ? 0 : (lately * (record.kind === "word" ? plainWord : 1)) / (1 + Math.log(record.lines))
  })
  for (let passage = 0; passage < firstLine.length; passage++) {
    const from = offsets[firstLine[passage] as number] as number
    const to = offsets[firstLine[passage + 1] ?? lineCount] as number
    let sum = 0
    for (let at = from; at < to; at++) sum += focus[terms[at] as number] as number
    if (sum === 0) continue
    const mean = sum / (to - from)
    for (let at = from; at < to; at++) {
      const record = records[terms[at] as number] as TermRecord
      if (mean > record.focus) record.focus = mean
    }
  }
}

const isUpper = (code: number): boolean => code >= 65 && code <= 90
const isLowerOrDigit = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 48 && code <= 57)

/** Calls `found` with each word of a name in lower case: `parsePath`, `parse_path` and `parse/path` have two. */
const eachWord = (name: string, found: (word: string) => void): void => {
  let start = 0
  let previous = 0
  for (let at = 0; at <= name.length; at++) {
    const code = at < name.length ? name.charCodeAt(at) : 0
    const isLetter = isUpper(code) || isLowerOrDigit(code) || code >= 128
    if (isLetter && !(isUpper(code) && isLowerOrDigit(previous))) {
      previous = code
      continue
    }
    if (at - start >= shortestWord) found(name.slice(start, at).toLowerCase())
    start = isLetter ? at : at + 1
    previous = code
  }
}

interface Stem {
  lately: number
  /** Names that have it: a word of many names shows little about each. */
  names: number
}

const markKin = ({ records, steps }: Usage): void => {
  const stems = new Map<string, Stem>()
  for (const record of records) {
    const lately = record.isAsked ? 1 : lastly(record, steps, wordFadeSteps)
    if (lately === 0) continue
    eachWord(record.text, (word) => {
      const stem = stems.get(word)
      if (!stem) stems.set(word, { lately, names: 0 })
      else if (lately > stem.lately) stem.lately = lately
    })
  }
  if (stems.size === 0) return
  const kin: { readonly record: TermRecord; readonly own: readonly Stem[] }[] = []
  let own: Stem[] = []
  const note = (word: string): void => {
    const stem = stems.get(word)
    if (!stem || own.includes(stem)) return
    own.push(stem)
    stem.names++
  }
  for (const record of records) {
    if (record.kind === "word") continue
    eachWord(record.text, note)
    // Most names share nothing: they need no list of their own.
    if (own.length === 0) continue
    kin.push({ record, own })
    own = []
  }
  for (const { record, own: shared } of kin) {
    for (const { lately, names } of shared) record.kinship += lately / (1 + Math.log(names))
  }
}

/** Fills in `focus` and `kinship` of every record. */
export const markFocus = (usage: Usage): void => {
  markPassages(usage)
  markKin(usage)
}

/** Runs of Han, kana, Thai and their neighbours. */
const withoutSpaces = /[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{2,}/g
/** This many characters of such a run show what it is about. */
const pieceLength = 3

const piecesOf = (run: string): readonly string[] =>
  run.length <= pieceLength ? [run] : Array.from({ length: run.length - pieceLength + 1 }, (_, at) => run.slice(at, at + pieceLength))

/**
 * Whether the goal names a term. A goal is written by a person, so case is not minded, and scripts without spaces are
 * compared by pieces of their runs.
 */
export const namedBy = (goal: string): ((term: string) => boolean) => {
  const terms = new Set<string>()
  for (const line of goal.split("\n")) eachTerm(line, (text) => terms.add(text.toLowerCase()))
  const pieces = [...new Set([...goal.matchAll(withoutSpaces)].flatMap(([run]) => piecesOf(run)))]
  return (term) => terms.has(term.toLowerCase()) || pieces.some((piece) => term.includes(piece))
}
