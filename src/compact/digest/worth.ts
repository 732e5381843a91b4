/**
 * What a term is worth: how likely the agent says it again before anything shows it to it again. A logistic estimate from
 * how the term was used so far; the weights are rounded from a fit on recorded agent sessions, where what was said later
 * is known, with two different notions of a term, so that they describe habits of agents and not one way of counting.
 */
import { isCommonName } from "./common-names.ts"
import type { TermRecord, Usage } from "./usage.ts"
import { termKinds } from "./terms.ts"

/** What losing a term costs: a word is more easily said without having been read than an id. */
export const weight: Record<string, number> = { file: 0.6, flag: 0.8, word: 0.05 }

export const featureNames = [
  ...termKinds,
  "length", "typeName", "dotted", "ownDotted", "allCaps", "hyphen",
  "args", "replies", "used", "useAge", "user", "asked", "task",
  "age", "onlyResult", "bulk", "once", "lines", "passages", "declared", "subject", "error",
  "touched", "touchAge", "written", "nearUsed", "nearAsked", "alone", "early",
  "fresh", "freshUse", "starts", "absolute", "depth", "oldness", "numberStarts",
] as const

export const featuresOf = (record: TermRecord, now: number, lineCount: number): readonly number[] => {
  const { kind, text } = record
  const isUsed = record.lastUse >= 0
  const onlyResult = record.arguments + record.replies + record.user === 0
  const dotted = kind === "identifier" && text.includes(".")
  const first = text.charCodeAt(0)
  return [
    ...termKinds.map((each) => (each === kind ? 1 : 0)),
    Math.log(text.length),
    kind === "identifier" && !dotted && first >= 65 && first <= 90 && text !== text.toUpperCase() ? 1 : 0,
    dotted ? 1 : 0,
    dotted && (text.startsWith("this.") || text.startsWith("self.")) ? 1 : 0,
    kind === "identifier" && text === text.toUpperCase() ? 1 : 0,
    kind === "word" && text.includes("-") ? 1 : 0,
    Math.log1p(record.arguments),
    Math.log1p(record.replies),
    isUsed ? 1 : 0,
    isUsed ? Math.log1p(now - record.lastUse) : 0,
    record.user > 0 ? 1 : 0,
    record.isAsked ? 1 : 0,
    record.isTask ? 1 : 0,
    Math.log1p(now - record.lastStep),
    onlyResult ? 1 : 0,
    onlyResult ? Math.log(Math.max(1, record.smallest)) : 0,
    onlyResult && record.lines === 1 ? 1 : 0,
    Math.log1p(record.lines),
    Math.log1p(record.passages),
    record.isDeclared ? 1 : 0,
    record.isSubject ? 1 : 0,
    record.errors > 0 ? 1 : 0,
    record.lastTouch >= 0 ? 1 : 0,
    record.lastTouch >= 0 ? Math.log1p(now - record.lastTouch) : 0,
    record.isWritten ? 1 : 0,
    record.isNearUsed ? 1 : 0,
    record.isNearAsked ? 1 : 0,
    record.alone > 0 ? 1 : 0,
    Math.log1p(now) * (onlyResult ? 1 : 0),
    record.lastStep >= now - 1 ? 1 : 0,
    isUsed && record.lastUse >= now - 2 ? 1 : 0,
    record.starts / record.lines,
    kind === "path" && first === 47 ? 1 : 0,
    kind === "path" ? text.split("/").length / 5 : 0,
    1 - record.lastLine / lineCount,
    kind === "number" && record.starts === record.lines ? 1 : 0,
  ]
}

export const weights: number[] = []

const worthOf = (record: TermRecord, now: number, lineCount: number): number => {
  if (isCommonName(record.text)) return 0
  let score = 0
  for (const [place, feature] of featuresOf(record, now, lineCount).entries()) score += feature * (weights[place] ?? 0)
  return (weight[record.kind] ?? 1) / (1 + Math.exp(-score))
}

export const hooks: { worth?: (record: TermRecord, now: number) => number | undefined } = {}

/** By number of the term. */
export const worthsOf = (usage: Usage): Float64Array => {
  const worths = new Float64Array(usage.records.length)
  for (const [number, record] of usage.records.entries()) {
    worths[number] = hooks.worth?.(record, usage.steps) ?? worthOf(record, usage.steps, usage.lineCount)
  }
  return worths
}
