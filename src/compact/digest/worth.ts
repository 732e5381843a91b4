/**
 * What a term is worth: how likely the agent says it again before anything shows it to it again. A logistic estimate
 * from how the term is built and how it was used so far. The weights are rounded from a fit on recorded agent
 * sessions, where what was said later is known, under two different notions of a term, so that they describe habits of
 * agents and not one way of counting. What they say: what the agent itself said comes back, and so does what the
 * newest request is about; what was seen once in a long result does not, and everything fades with age.
 */
import { isCommonName } from "./common-names.ts"
import type { TermKind } from "./terms.ts"
import type { TermRecord, Usage } from "./usage.ts"

const base: Readonly<Record<TermKind, number>> = {
  path: -3.25,
  file: -4.1,
  address: -2.6,
  flag: -3.1,
  id: -3,
  identifier: -3.15,
  number: -3.1,
  phrase: -3.8,
  word: -3,
}

/**
 * What losing a term of this kind costs: a word is easily said without having been read, a file name stands in its
 * path.
 */
const loss: Readonly<Record<TermKind, number>> = {
  path: 1,
  file: 0.6,
  address: 1,
  flag: 0.8,
  id: 1,
  identifier: 1,
  number: 1,
  phrase: 1,
  word: 0.04,
}

const isUpper = (code: number): boolean => code >= 65 && code <= 90

/** How the term is built. */
const shapeScore = ({ kind, text }: TermRecord): number => {
  let score = base[kind] + 0.38 * Math.log(text.length)
  if (kind === "identifier") {
    const isDotted = text.includes(".")
    if (isDotted) score -= text.startsWith("this.") || text.startsWith("self.") ? 0.36 : 0.19
    else if (isUpper(text.charCodeAt(0)) && text !== text.toUpperCase()) score += 0.33
  } else if (kind === "word") {
    if (text.includes("-")) score += 0.4
  } else if (kind === "path") {
    let depth = 1
    for (let at = text.indexOf("/"); at !== -1; at = text.indexOf("/", at + 1)) depth++
    score -= 0.026 * depth
    if (text.charCodeAt(0) === 47) score -= 0.54
  }
  return score
}

/** Who said it, where and when. */
const usageScore = (record: TermRecord, { steps, lineCount }: Usage): number => {
  const age = steps - record.lastStep
  const { lines, lastUse } = record
  let score = 0.31 * Math.log1p(record.arguments) + 0.35 * Math.log1p(record.replies)
  score += 0.16 * Math.log1p(lines) - 0.11 * Math.log1p(record.passages)
  score -= 0.31 * Math.log1p(age) + 0.41 * (1 - record.lastLine / lineCount)
  score -= (0.44 * record.starts) / lines
  if (record.kind === "number" && record.starts === lines) score -= 1.34
  if (age <= 1) score -= 0.22
  if (lastUse >= 0) score += 1.08 - 0.23 * Math.log1p(steps - lastUse)
  if (record.user > 0) score -= 0.7
  if (record.isAsked) score += 0.82
  if (record.isNearAsked) score += 0.4
  if (record.isTask) score += 0.37
  if (record.arguments + record.replies + record.user === 0) {
    score += 1.57 - 0.21 * Math.log(Math.max(1, record.smallest)) - 0.46 * Math.log1p(steps)
    if (lines === 1) score -= 0.78
  }
  if (record.isDeclared) score += 0.14
  if (record.isSubject) score += 0.73
  if (record.errors > 0) score -= 0.84
  if (record.lastTouch >= 0) score += 0.08 + 0.15 * Math.log1p(steps - record.lastTouch)
  if (record.isWritten) score -= 0.36
  return score
}

/** By number of the term. */
export const worthsOf = (usage: Usage): Float64Array => {
  const worths = new Float64Array(usage.records.length)
  for (const [number, record] of usage.records.entries()) {
    if (isCommonName(record.text)) continue
    worths[number] = loss[record.kind] / (1 + Math.exp(-shapeScore(record) - usageScore(record, usage)))
  }
  return worths
}
