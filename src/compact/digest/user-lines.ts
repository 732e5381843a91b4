/**
 * What the user said stays before anything else, up to its share: all of it where it fits, else the lines that are
 * worth most, then the rest in order, newest request first, so that the share is used. A line too long for what is
 * left is cut.
 */
import { headCut } from "../shorten/safe-cut.ts"
import { Candidates, cutMark, type Excerpt, isLong, isWhole, lineKey, partOf } from "./candidates.ts"
import { Chooser } from "./choose.ts"
import type { Frame } from "./frame.ts"
import type { Passage } from "./lines.ts"
import { type Choosable, Offer } from "./offer.ts"

export interface ToldLines {
  readonly lines: readonly Excerpt[]
  readonly tokens: number
  /** There was no room for a good part of what is owed. */
  readonly isShort: boolean
}

export const nothingTold: ToldLines = { lines: [], tokens: 0, isShort: false }

const goodPart = 0.1
const shortestCut = 24

/** The beginning of a long line that fits. */
const cutToFit = (
  excerpt: Excerpt,
  line: string,
  left: number,
  count: (text: string) => number,
): Excerpt | undefined => {
  if (!isLong(excerpt.text)) return undefined
  let to = Math.floor((line.length * left) / Math.max(1, count(excerpt.text)))
  for (let attempt = 0; attempt < 8 && to >= shortestCut; attempt++, to = Math.floor(to * 0.9)) {
    const end = headCut(line, to)
    const text = partOf(line, 0, end)
    if (count(`${text}\n`) <= left) return { ...excerpt, to: end, text }
  }
  return undefined
}

/** Lines of requests, the most wanted request first, but for those that are shown. */
const linesOf = (
  told: readonly number[],
  shown: readonly Excerpt[],
  passages: readonly Passage[],
): readonly Excerpt[] => {
  const byItem = new Map<number, Excerpt[]>(told.map((item) => [item, []]))
  const isShown = new Set(shown.filter((each) => isWhole(each, passages)).map(lineKey))
  for (const [passage, { item, group, lines }] of passages.entries()) {
    const list = byItem.get(item)
    if (!list) continue
    for (const [line, words] of lines.entries()) {
      const text = words.trimEnd()
      const excerpt = { group, passage, line, from: 0, to: words.length, text }
      if (text !== "" && !isShown.has(lineKey(excerpt))) list.push(excerpt)
    }
  }
  return [...byItem.values()].flat()
}

/** `carried` are lines that are printed already, `chooser` knows what is shown. */
export const toldLines = (
  frame: Frame,
  carried: readonly Excerpt[],
  passages: readonly Passage[],
  budget: number,
  choosable: Omit<Choosable, "candidates">,
  chooser: Chooser,
): ToldLines => {
  const { usage, count, headingTokens } = choosable
  if (frame.told.length === 0) return nothingTold
  const isTold = new Set(frame.told)
  const known = carried.filter(({ passage }) => isTold.has(passages[passage]?.item ?? -1))
  const whole = known.filter(({ text }) => !text.includes(cutMark))
  const owed = whole.reduce((rest, { text }) => rest - count(`${text}\n`), frame.owed)
  const all = linesOf(frame.told, [...frame.shown, ...known], passages)
  const costs = new Map(all.map((line) => [line, count(`${line.text}\n`)]))
  const costOf = (line: Excerpt): number => costs.get(line) ?? count(`${line.text}\n`)
  const opened = new Set(known.map(({ group }) => group))
  const lines: Excerpt[] = []
  let left = budget
  let owing = owed
  const headingOf = ({ group }: Excerpt): number => (opened.has(group) ? 0 : headingTokens(group))
  const take = (line: Excerpt): void => {
    const cost = costOf(line)
    left -= cost + headingOf(line)
    owing -= cost
    opened.add(line.group)
    lines.push(line)
  }

  // Worth decides only where something must go, and leaves a little for whole stretches.
  const pick = (): readonly Excerpt[] => {
    const candidates = new Candidates(passages, usage)
    const offered = all.filter(({ passage, line }) => hasTerms(passage, line))
    for (const { passage, line, to } of offered) candidates.addPart(passage, line, 0, to)
    const byLine = new Map(offered.map((each) => [lineKey(each), each]))
    const picked = Chooser.from(new Offer({ ...choosable, candidates }), chooser).pick(owed * 0.9)
    return picked.map((each) => byLine.get(lineKey(each)) as Excerpt)
  }
  const hasTerms = (passage: number, line: number): boolean => {
    const at = (usage.firstLine[passage] as number) + line
    return usage.offsets[at] !== usage.offsets[at + 1]
  }
  const needed = [...costs.values()].reduce((sum, cost) => sum + cost, 0)
  const worthy = needed <= owed ? all : pick()
  const isWorthy = new Set(worthy)
  for (const line of [...worthy, ...all.filter((each) => !isWorthy.has(each))]) {
    if (owing <= 0) break
    const cost = costOf(line)
    const room = left - headingOf(line)
    if (cost <= room && (cost <= owing || !isLong(line.text))) take(line)
    else {
      const words = passages[line.passage]?.lines[line.line] ?? ""
      const cut = cutToFit(line, words, Math.min(room, owing + 2), count)
      if (cut) take(cut)
    }
  }

  for (const item of untold(frame, [...known, ...lines], passages)) {
    let shortest: Excerpt | undefined
    for (const each of all) {
      const { item: own, isNote } = passages[each.passage] as Passage
      if (own !== item || isNote) continue
      if (!shortest || each.text.length < shortest.text.length) shortest = each
    }
    if (shortest && costOf(shortest) + headingOf(shortest) <= left) take(shortest)
  }
  return { lines, tokens: budget - left, isShort: owing > goodPart * frame.owed && owed - owing < needed }
}

/** Of the first and the latest request those that neither stay nor have a whole line among these. */
export const untold = (
  { told, shown, firstRequest, latestRequest }: Frame,
  lines: readonly Excerpt[],
  passages: readonly Passage[],
): readonly number[] => {
  const isTold = (item: number, from: readonly Excerpt[]): boolean =>
    from.some((line) => {
      const passage = passages[line.passage] as Passage
      return passage.item === item && !passage.isNote && isWhole(line, passages)
    })
  const wanted = [...new Set([latestRequest, firstRequest])].filter((item) => told.includes(item))
  return wanted.filter((item) => !isTold(item, shown) && !isTold(item, lines))
}
