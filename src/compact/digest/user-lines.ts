/**
 * What the user said stays before anything else, up to its share: all of it where it fits, else the lines that are
 * worth most, then the rest in order, newest request first, so that the share is used. A line too long for what is
 * left is cut.
 */
import { type Candidate, longLine, partOf, termsIn } from "./candidates.ts"
import { type Choosable, choose, wellCovered } from "./choose.ts"
import type { Frame } from "./frame.ts"
import type { Passage } from "./lines.ts"
import type { Usage } from "./usage.ts"

export interface ToldLines {
  readonly lines: readonly Candidate[]
  readonly tokens: number
  /** Every request that must be told is, with a whole line at least. */
  readonly isComplete: boolean
}

const shortestCut = 24

/** The beginning of a long line that fits. */
const cutToFit = (
  candidate: Candidate,
  line: string,
  left: number,
  count: (text: string) => number,
): Candidate | undefined => {
  if (candidate.text.length <= longLine) return undefined
  let to = Math.floor((line.length * left) / Math.max(1, count(candidate.text)))
  for (let attempt = 0; attempt < 8 && to >= shortestCut; attempt++, to = Math.floor(to * 0.9)) {
    const space = line.lastIndexOf(" ", to)
    const end = space > to * 0.8 ? space : to
    const text = partOf(line, 0, end)
    if (count(`${text}\n`) <= left) return { ...candidate, to: end, text }
  }
  return undefined
}

export const toldLines = (
  { told, owed, firstRequest, latestRequest }: Frame,
  passages: readonly Passage[],
  usage: Usage,
  budget: number,
  choosable: Omit<Choosable, "candidates" | "tokens">,
  covers: Uint8Array,
  count: (text: string) => number,
): ToldLines => {
  const rank = new Map(told.map((item, index) => [item, index]))
  const candidates: Candidate[] = []
  for (const [place, passage] of passages.entries()) {
    if (!rank.has(passage.item)) continue
    for (const [number, line] of passage.lines.entries()) {
      const text = line.trimEnd()
      if (text === "") continue
      const terms = termsIn(usage, (usage.firstLine[place] as number) + number, 0, line.length)
      candidates.push({ group: passage.group, passage: place, line: number, from: 0, to: line.length, text, terms })
    }
  }
  const itemOf = ({ passage }: Candidate): number => rank.get((passages[passage] as Passage).item) as number
  candidates.sort((a, b) => itemOf(a) - itemOf(b) || a.passage - b.passage || a.line - b.line)
  const tokens = Float64Array.from(candidates, ({ text }) => count(`${text}\n`))
  const opened = new Set<number>()
  const lines: Candidate[] = []
  let left = budget
  let owing = owed
  const take = (candidate: Candidate, cost: number): void => {
    left -= cost + headingOf(candidate)
    owing -= cost
    opened.add(candidate.group)
    lines.push(candidate)
    for (const term of candidate.terms) covers[term] = wellCovered
  }
  const headingOf = ({ group }: Candidate): number => (opened.has(group) ? 0 : choosable.headingTokens(group))
  let all = 0
  for (const each of tokens) all += each
  // Worth decides only where something must go, and leaves a little for whole stretches.
  const pick = (): readonly Candidate[] =>
    choose({ ...choosable, candidates, tokens }, covers.slice(), new Set(), owed * 0.9)
  const worthy = all <= owed ? candidates : pick()
  const isWorthy = new Set(worthy)
  const places = new Map(candidates.map((candidate, place) => [candidate, place]))
  for (const candidate of [...worthy, ...candidates.filter((each) => !isWorthy.has(each))]) {
    if (owing <= 0) break
    const cost = tokens[places.get(candidate) as number] as number
    const room = left - headingOf(candidate)
    const isLong = candidate.text.length > longLine
    if (cost <= room && (cost <= owing || !isLong)) take(candidate, cost)
    else {
      const line = passages[candidate.passage]?.lines[candidate.line] ?? ""
      const cut = cutToFit(candidate, line, Math.min(room, owing + 2), count)
      if (cut) take(cut, count(`${cut.text}\n`))
    }
  }
  const isWhole = new Set(candidates)
  const isOf = (candidate: Candidate, item: number): boolean => passages[candidate.passage]?.item === item
  const isToldOf = (item: number): boolean => lines.some((each) => isWhole.has(each) && isOf(each, item))
  for (const item of [latestRequest, firstRequest]) {
    if (!rank.has(item) || isToldOf(item)) continue
    let shortest: Candidate | undefined
    for (const each of candidates) {
      if (isOf(each, item) && (!shortest || each.text.length < shortest.text.length)) shortest = each
    }
    if (!shortest) continue
    const cost = tokens[places.get(shortest) as number] as number
    if (cost + headingOf(shortest) > left) return { lines, tokens: budget - left, isComplete: false }
    take(shortest, cost)
  }
  return { lines, tokens: budget - left, isComplete: true }
}
