/**
 * Finds the frame of a call: which closing tag ends the call that a given opening tag starts, and what it holds.
 *
 * The ordinary answer is the framed partner from the tag index. Two kinds of damage inside values need more: a
 * stray closing tag ends the call too early (then an orphaned closing tag of the same name follows, before any
 * other call starts), and a stray opening tag takes the call's own closing tag away (then the call has no partner,
 * but the stray one has).
 */
import type { Wire } from "../../../model/index.ts"
import { type ReadParameters, readParameters, type WorkCounter } from "./parameters.ts"
import type { Tag, TagIndex } from "./tags.ts"

// How sure the scanner is that a stretch of text is a call, as a sum of weights with the reasons beside it. The weights are ordered so that one
// missing strong sign (known name, a place where a call may start, a closing tag) is enough to fall below the default threshold, and a weak blemish
// (indentation, text after the closing tag) is not.

/** Below this a candidate stays text. Unclosed, fenced, mid-sentence and unknown candidates all score less. */
export const defaultThreshold = 0.6

export interface Sign {
  readonly weight: number
  readonly reason: string
}

const sign = (weight: number, reason: string): Sign => ({ weight, reason })

export const signs = {
  listed: sign(0.5, "the tool is listed"),
  selfNamedInWrapper: sign(0.45, "the call names its tool inside a wrapper; no tools are known"),
  selfNamed: sign(0.35, "the call names its tool; no tools are known"),
  unlistedInWrapper: sign(0.4, "the tool is not listed, but is inside a wrapper"),
  unlisted: sign(0.05, "the tool is not listed"),
  lineStart: sign(0.2, "the opening tag starts a line"),
  afterCall: sign(0.2, "the opening tag follows another call"),
  afterTag: sign(0.15, "the opening tag follows a closing tag"),
  indented: sign(0.15, "the opening tag starts an indented line"),
  deeplyIndented: sign(-0.15, "the opening tag is indented like code"),
  sentenceEnd: sign(0.1, "the opening tag follows the end of a sentence"),
  midSentence: sign(-0.4, "the opening tag is in the middle of a sentence"),
  fenced: sign(-0.6, "inside a code fence"),
  quoted: sign(-0.6, "inside inline code"),
  closed: sign(0.2, "the closing tag is there"),
  repaired: sign(-0.1, "the closing tag was found past an unbalanced tag of the same name"),
  restarted: sign(-0.5, "a later call of the same tool reads better with this closing tag"),
  unclosed: sign(-0.4, "no closing tag"),
  answered: sign(0.45, "a result with its name follows"),
  clean: sign(0.1, "only parameters between the tags"),
  bare: sign(0, "no parameters"),
  loose: sign(-0.15, "text between the parameters"),
  broken: sign(-0.4, "the text between the tags is no list of parameters"),
  trailing: sign(-0.1, "text follows the closing tag on its line"),
} as const

export const learnedSign = (certainty: number): Sign => sign(0.5 * certainty, "the tool was learned from the file")

interface Judgement {
  readonly certainty: number
  readonly evidence: readonly string[]
}

export const judge = (found: readonly Sign[]): Judgement => {
  const sum = found.reduce((total, each) => total + each.weight, 0)
  const certainty = Math.round(Math.min(1, Math.max(0, sum)) * 100) / 100
  return { certainty, evidence: found.map((each) => each.reason) }
}

interface Frame {
  /** Position of the closing tag; the number of tags when there is none. */
  readonly close: number
  readonly closed: boolean
  /** Position in the text after the call. */
  readonly end: number
  readonly parameters: ReadParameters
  readonly signs: readonly Sign[]
}

interface FrameQuestion {
  readonly position: number
  readonly style: "tag" | "invoke"
  readonly allowed: ReadonlySet<string> | undefined
  readonly schema?: Wire | undefined
}

interface FrameFinder {
  readonly find: (question: FrameQuestion) => Frame
}

interface Loan {
  readonly close: number
  readonly owner: number
}

/** For each opening tag without partner: the close that the next opening tag of the same name has, and who owns it. */
const findLoans = (index: TagIndex): ReadonlyMap<number, Loan> => {
  const loans = new Map<number, Loan>()
  const latest = new Map<string, Loan>()
  for (let position = index.tags.length - 1; position >= 0; position--) {
    const tag = index.tags[position]
    if (tag?.kind !== "open" || index.joined[position] !== true) continue
    const close = index.framed[position] ?? -1
    if (close >= 0) {
      latest.set(tag.name, { close, owner: position })
      continue
    }
    const loan = latest.get(tag.name)
    if (loan !== undefined) loans.set(position, loan)
  }
  return loans
}

/** Agents that stop a model in the middle of its text say so at the end; that sentence is not part of the call. */
const interruption = "\n\n[Response interrupted by"

const shapeSign = (parameters: ReadParameters): Sign => {
  if (parameters.shape === "broken") return signs.broken
  if (parameters.shape === "loose") return signs.loose
  return parameters.count === 0 ? signs.bare : signs.clean
}

/** `startsCall`: whether the tag at this position could start a call. */
export const frameFinder = (text: string, index: TagIndex, startsCall: (position: number) => boolean, work: WorkCounter): FrameFinder => {
  const loans = findLoans(index)
  const nextStart = new Int32Array(index.tags.length + 1).fill(index.tags.length)
  for (let position = index.tags.length - 1; position >= 0; position--) {
    nextStart[position] = startsCall(position) ? position : (nextStart[position + 1] ?? index.tags.length)
  }
  const startAfter = (position: number): number => nextStart[position + 1] ?? index.tags.length

  const ownReads = new Map<number, ReadParameters>()
  const read = (question: FrameQuestion, close: number, cut: { readonly cutAt?: number } = {}): ReadParameters => {
    const { position: open, style, allowed, schema } = question
    return readParameters({ text, index, open, close, style, allowed, schema, work, ...cut })
  }
  const endOf = (close: number): number => index.tags[close]?.end ?? text.length
  let cutAtEnd: number | undefined
  const cutBefore = (position: number): number => {
    const tag = index.tags[position]
    if (tag !== undefined) return tag.start
    if (cutAtEnd === undefined) {
      const notice = text.lastIndexOf(interruption)
      cutAtEnd = notice > (index.tags.at(-1)?.start ?? 0) ? notice : text.length
    }
    return cutAtEnd
  }
  const readOwn = (question: FrameQuestion, close: number): ReadParameters => {
    const known = ownReads.get(question.position)
    if (known !== undefined) return known
    const parameters = read(question, close)
    ownReads.set(question.position, parameters)
    return parameters
  }

  const extend = (question: FrameQuestion, close: number): Frame | undefined => {
    let best: Frame | undefined
    let candidate = index.nextFramed[close] ?? -1
    while (candidate >= 0 && candidate < startAfter(close)) {
      work.steps++
      if (index.tags[candidate]?.kind !== "close" || (index.framed[candidate] ?? -1) >= 0) break
      const parameters = read(question, candidate)
      if (parameters.shape !== "clean") break
      const found = [signs.closed, signs.repaired, shapeSign(parameters)]
      best = { close: candidate, closed: true, end: endOf(candidate), parameters, signs: found }
      candidate = index.nextFramed[candidate] ?? -1
    }
    return best
  }

  return {
    find: (question) => {
      const close = index.framed[question.position] ?? -1
      if (close >= 0) {
        const extended = extend(question, close)
        if (extended !== undefined) return extended
        const parameters = readOwn(question, close)
        return { close, closed: true, end: endOf(close), parameters, signs: [signs.closed, shapeSign(parameters)] }
      }
      const loan = loans.get(question.position)
      if (loan !== undefined) {
        const owner = readOwn({ ...question, position: loan.owner }, loan.close)
        if (owner.shape !== "clean") {
          const parameters = read(question, loan.close)
          const found = [signs.closed, signs.repaired, shapeSign(parameters)]
          return { close: loan.close, closed: true, end: endOf(loan.close), parameters, signs: found }
        }
      }
      const nextCall = startAfter(question.position)
      const end = cutBefore(nextCall)
      const found = loan === undefined ? [signs.unclosed] : [signs.unclosed, signs.restarted]
      return { close: nextCall, closed: false, end, parameters: read(question, nextCall, { cutAt: end }), signs: found }
    },
  }
}

// Judges the surroundings of a call: where its opening tag is, and what follows its closing tag. A call starts a line, or follows another call or
// the end of a sentence. In the middle of a sentence or between backticks the same words are talk about a call.

const sentenceEnd = /[.!?:;)…。！？：）]/

export const placeOf = (text: string, tag: Tag, before: Tag | undefined, previousCallEnd: number): Sign => {
  let position = tag.start
  while (position > 0 && (text[position - 1] === " " || text[position - 1] === "\t")) position--
  if (position > 0 && position === previousCallEnd) return signs.afterCall
  const indentation = text.slice(position, tag.start)
  if (position === 0 || text[position - 1] === "\n") {
    if (indentation === "") return signs.lineStart
    return indentation.includes("\t") || indentation.length > 3 ? signs.deeplyIndented : signs.indented
  }
  if (before?.kind === "close" && before.end === position) return signs.afterTag
  return sentenceEnd.test(text.charAt(position - 1)) ? signs.sentenceEnd : signs.midSentence
}

export const trailOf = (text: string, end: number): readonly Sign[] => {
  let position = end
  while (text[position] === " " || text[position] === "\t" || text[position] === "\r") position++
  const next = text[position]
  if (next === undefined || next === "\n" || next === "<") return []
  return next === "`" ? [signs.quoted] : [signs.trailing]
}
