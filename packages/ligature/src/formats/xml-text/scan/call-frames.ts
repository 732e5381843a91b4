/**
 * Finds the frame of a call: which closing tag ends the call that a given opening tag starts, and what it holds.
 *
 * The ordinary answer is the framed partner from the tag index. Two kinds of damage inside values need more: a
 * stray closing tag ends the call too early (then an orphaned closing tag of the same name follows, before any
 * other call starts), and a stray opening tag takes the call's own closing tag away (then the call has no partner,
 * but the stray one has).
 */
import type { Wire } from "../../../model/index.ts"
import { signs } from "./certainty.ts"
import type { Sign } from "./certainty.ts"
import { readParameters } from "./parameters.ts"
import type { ReadParameters, WorkCounter } from "./parameters.ts"
import type { TagIndex } from "./tags.ts"

export interface Frame {
  /** Position of the closing tag; the number of tags when there is none. */
  readonly close: number
  readonly closed: boolean
  /** Position in the text behind the call. */
  readonly end: number
  readonly parameters: ReadParameters
  readonly signs: readonly Sign[]
}

export interface FrameQuestion {
  readonly position: number
  readonly style: "tag" | "invoke"
  readonly allowed: ReadonlySet<string> | undefined
  readonly schema?: Wire | undefined
}

export interface FrameFinder {
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
export const frameFinder = (
  text: string, index: TagIndex, startsCall: (position: number) => boolean, work: WorkCounter,
): FrameFinder => {
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
