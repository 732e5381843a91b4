/**
 * What a term is worth: how likely the agent uses it again before anything shows it again. A logistic estimate
 * from how the term is built and how it was used so far. The weights are rounded from a fit on recorded agent
 * sessions, where the later text is known; which signals are used was decided on sessions of projects that were
 * kept out of each fit. What they show: what the agent itself used comes back, and so does what the requests are about
 * and what shares words or passages with the work at hand; what was seen once in a long result does not, and everything
 * fades with age.
 */
import type { TermKind } from "../../../text/terms.ts"
import { novelty } from "./common-names.ts"
import { isSeenOnly, type TermRecord } from "./term-record.ts"
import type { Usage } from "./usage.ts"

interface Shape {
  /** The score of a term of ten characters, and how it changes with the logarithm of the length. */
  readonly base: number
  readonly length: number
  /** What losing one costs: a word is easily used without having been read, a file name is in its path. */
  readonly loss: number
}

const shapes: Readonly<Record<TermKind, Shape>> = {
  path: { base: -2.65, length: 0.1, loss: 1 },
  file: { base: -2.65, length: -0.4, loss: 0.6 },
  address: { base: -2.6, length: 0.35, loss: 1 },
  flag: { base: -2.55, length: 0.35, loss: 0.8 },
  id: { base: -2.65, length: -0.1, loss: 1 },
  identifier: { base: -2.3, length: 0.05, loss: 1 },
  number: { base: -2.35, length: 1.8, loss: 1 },
  phrase: { base: -2.15, length: -1.05, loss: 1 },
  word: { base: -3.2, length: 2, loss: 0.18 },
}

const isUpper = (code: number): boolean => code >= 65 && code <= 90
const isAbsolute = (path: string): boolean => path.charCodeAt(0) === 47
const isOwnMember = (name: string): boolean => name.startsWith("this.") || name.startsWith("self.")

/** How the term is built. */
const shapeScore = ({ kind, text }: TermRecord): number => {
  const { base, length } = shapes[kind]
  const score = base + length * Math.log(text.length / 10)
  if (kind === "path") return isAbsolute(text) ? score - 0.4 : score
  if (kind !== "identifier") return score
  if (isOwnMember(text)) return score - 0.2
  return isUpper(text.charCodeAt(0)) && text !== text.toUpperCase() ? score + 0.15 : score
}

/** Who used it, where and when. */
const usageScore = (record: TermRecord, steps: number): number => {
  const { lines, starts, kinship, uses, lastStep } = record
  const age = steps - lastStep
  let score = 0.7 * Math.log1p(uses) + 0.4 * Math.log1p(record.replies) + 0.5 * Math.log1p(kinship)
  score += (0.4 * starts) / lines - 0.6 * Math.log1p(age)
  // What has just been used is often done with.
  if (age <= 1) score -= 0.5
  if (record.isAsked) score += 0.25
  if (record.isNearAsked) score += 0.5
  if (record.isTask) score += 0.35
  if (record.isSubject) score += 0.65
  if (record.isTouched) score += 0.6
  if (record.isWritten) score -= 0.25
  if (record.isListed) score -= 0.5
  if (record.errors > 0) score -= 0.45
  // Numbers of lines.
  if (record.kind === "number" && starts === lines) score -= 0.9
  return isSeenOnly(record) ? score + seenOnlyScore(record, steps) : score
}

/** What is only in results is one of many in a long result, unless it is about the work at hand. */
const seenOnlyScore = (record: TermRecord, steps: number): number => {
  const { lines, files, smallest, kinship, focus, isAwaited } = record
  let score = 0.75 - 0.2 * Math.log(Math.max(1, smallest)) - 0.4 * Math.log1p(steps)
  if (isAwaited) score += 0.6
  // A name that several files share is one that the project is built on.
  if (files > 1) score += 0.5 * Math.log(files)
  return score + 0.7 * Math.min(1, kinship) + 2.4 * Math.sqrt(focus) - (lines === 1 ? 1.1 : 0)
}

/**
 * Where results are records (orders, accounts, tickets), their ids and amounts come back. Of results that are records by
 * half nothing is known, so the score sets in there.
 */
const recordScore = ({ kind, values }: TermRecord, recordShare: number): number => {
  const share = Math.max(0, 2 * recordShare - 1)
  if (share === 0 || values === 0) return 0
  return (kind === "id" ? 2.4 : kind === "number" ? 1.3 : 0) * share
}

/** How likely a term of the goal is used: the caller knows better than any estimate. */
const wanted = 0.8

/** By number of the term. */
export const worthsOf = ({ records, steps, recordShare }: Usage): Float64Array => {
  const worths = new Float64Array(records.length)
  for (let number = 0; number < records.length; number++) {
    const record = records[number] as TermRecord
    const { text, kind, isWanted } = record
    const share = novelty(text, kind)
    if (share === 0) continue
    const estimate = 1 / (1 + Math.exp(-shapeScore(record) - usageScore(record, steps) - recordScore(record, recordShare)))
    worths[number] = shapes[kind].loss * (isWanted ? Math.max(wanted, estimate) : share * estimate)
  }
  return worths
}
