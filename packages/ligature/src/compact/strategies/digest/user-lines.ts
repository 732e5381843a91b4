/**
 * Text of the user stays before anything else, up to its share: all of it where it fits, else the lines that are
 * worth most, then the rest in order, newest request first, so that the share is used. A line too long for what is
 * left is cut.
 */
import { personLines } from "../../state/person.ts"
import { headCut } from "../../text/shorten.ts"
import { CandidatePool, Candidates, type Choosable, type Excerpt, isLong, partOf } from "./candidates.ts"
import { Chooser } from "./choose-lines.ts"
import type { Passage } from "./relevance/lines.ts"
import { numberOfLine } from "./relevance/usage.ts"
import type { Verbatim } from "./verbatim.ts"

interface QuotedLines {
  readonly lines: readonly Excerpt[]
  readonly tokens: number
  /** There was no room for a good part of what is owed. */
  readonly isShort: boolean
}

/** Where lines are quoted from, and for how many tokens. */
interface Quoting {
  readonly budget: number
  readonly owed: number
  readonly order: readonly Excerpt[]
  /** Groups that are printed already. */
  readonly opened: readonly number[]
  /** Beginnings of lines that are printed already, by number of the line: what comes in their place costs only what is more. */
  readonly begun: ReadonlyMap<number, Excerpt>
}

interface Taken {
  readonly lines: readonly Excerpt[]
  readonly left: number
  readonly owing: number
}

export const nothingQuoted: QuotedLines = { lines: [], tokens: 0, isShort: false }

const goodPart = 0.1

/** Tokens that the beginning of a request gets before others get more of theirs; and how few are worth printing. */
const headTokens = { most: 64, least: 10 }
/** Share of the room up to which beginnings are quoted, also where less of the user's text is owed. */
const headShare = 0.6

/** The most that each of these may have, so that all of them fit into the tokens. */
const fairShare = (needs: readonly number[], tokens: number): number => {
  const sumAt = (cap: number): number => needs.reduce((sum, need) => sum + Math.min(need, cap), 0)
  let cap = headTokens.most
  while (cap > headTokens.least && sumAt(cap) > tokens) cap--
  return cap
}
const shortestCut = 24

/** The beginning of a long line that fits. */
const cutToFit = (excerpt: Excerpt, line: string, left: number, count: (text: string) => number): Excerpt | undefined => {
  if (!isLong(excerpt.text) || left < 1) return undefined
  let to = Math.floor((line.length * left) / Math.max(1, count(excerpt.text)))
  for (let attempt = 0; attempt < 8 && to >= shortestCut; attempt++, to = Math.floor(to * 0.9)) {
    const end = headCut(line, to)
    const text = partOf(line, 0, end)
    if (count(`${text}\n`) <= left) return { ...excerpt, to: end, text, isWhole: false }
  }
  return undefined
}

/** The lines of all requests. What they cost is counted once, however many digests ask for them. */
export class UserLines {
  readonly #passages: readonly Passage[]
  readonly #choosable: Omit<Choosable, "candidates">
  /** By item, newest first. */
  readonly #lines = new Map<number, Excerpt[]>()
  readonly #costs = new Map<Excerpt, number>()
  /** By number of the line. */
  readonly #byNumber = new Map<number, Excerpt>()
  readonly #personal = new Map<number, readonly boolean[]>()
  #pool: CandidatePool | undefined

  constructor(passages: readonly Passage[], requests: readonly number[], choosable: Omit<Choosable, "candidates">) {
    this.#passages = passages
    this.#choosable = choosable
    for (const item of requests.toReversed()) this.#lines.set(item, [])
    for (const [passage, { item, group, lines }] of passages.entries()) {
      const own = this.#lines.get(item)
      for (const [line, words] of own ? lines.entries() : []) {
        const text = words.trimEnd()
        if (text === "") continue
        const excerpt = { group, passage, line, from: 0, to: words.length, text, isWhole: true }
        own?.push(excerpt)
        this.#byNumber.set(numberOfLine(choosable.usage, excerpt), excerpt)
      }
    }
  }

  /** What is to be quoted around the verbatim part. `carried` are lines that are printed already, `chooser` knows what is shown. */
  quote(verbatim: Verbatim, carried: readonly Excerpt[], budget: number, chooser: Chooser): QuotedLines {
    if (verbatim.quoted.length === 0) return nothingQuoted
    const { count } = this.#choosable
    const passages = this.#passages
    const isQuoted = new Set(verbatim.quoted)
    const known = carried.filter(({ passage }) => isQuoted.has((passages[passage] as Passage).item))
    const whole = known.filter(({ isWhole }) => isWhole)
    const owed = whole.reduce((rest, { text }) => rest - count(`${text}\n`), verbatim.owed)
    const all = this.#unquoted(verbatim.quoted, [...verbatim.shown, ...known])
    const needed = all.reduce((sum, line) => sum + this.#costOf(line), 0)
    // Worth decides only where something must go, and leaves a little for whole stretches.
    const worthy = needed <= owed ? all : this.#pick(all, owed * 0.9, chooser)
    const isWorthy = new Set(worthy)
    const order = [...worthy, ...all.filter((each) => !isWorthy.has(each))]
    const { usage } = this.#choosable
    const begun = new Map(known.flatMap((each) => (each.isWhole || each.from > 0 ? [] : [[numberOfLine(usage, each), each] as const])))
    const telling = { budget, owed, order, opened: known.map(({ group }) => group), begun }
    const heads = this.#heads(all, whole, begun, Math.min(budget, Math.max(owed, headShare * budget)))
    const first = this.#take(heads, telling)
    // Lines of other requests may have taken the room of the first or the latest: then one of each comes before them.
    const missing = unquoted(verbatim, [...known, ...first.lines], passages)
    const must = missing.flatMap((item) => this.#shortest(item, all) ?? [])
    const { lines, left, owing } = must.length === 0 ? first : this.#take([...must, ...heads], telling)
    return { lines, tokens: budget - left, isShort: owing > goodPart * verbatim.owed && owed - owing < needed }
  }

  /**
   * How each request of a person begins: what was asked, corrected, allowed and forbidden is said there. All of them get as
   * much where there is little room, the newest where there is too little for all.
   */
  #heads(lines: readonly Excerpt[], whole: readonly Excerpt[], begun: ReadonlyMap<number, Excerpt>, tokens: number): readonly Excerpt[] {
    const { headingTokens, count, usage } = this.#choosable
    const byItem = new Map<number, Excerpt[]>()
    for (const line of lines) {
      const { item } = this.#passages[line.passage] as Passage
      if (!this.#isPersonal(line)) continue
      const own = byItem.get(item)
      if (own) own.push(line)
      else byItem.set(item, [line])
    }
    const shown = new Map<number, number>()
    for (const { passage, text } of whole) {
      const { item } = this.#passages[passage] as Passage
      shown.set(item, (shown.get(item) ?? 0) + count(`${text}\n`))
    }
    const needs = new Map(
      [...byItem].map(([item, own]) => [
        item,
        headingTokens((own[0] as Excerpt).group) + own.reduce((sum, line) => sum + this.#costOf(line), 0),
      ]),
    )
    const cap = fairShare(
      [...needs].map(([item, need]) => Math.max(0, need - (shown.get(item) ?? 0))),
      tokens,
    )
    const heads: Excerpt[] = []
    let left = tokens
    for (const [item, own] of byItem) {
      let room = Math.min(left, cap - (shown.get(item) ?? 0)) - headingTokens((own[0] as Excerpt).group)
      for (const line of own) {
        const cost = this.#costOf(line)
        const before = begun.get(numberOfLine(usage, line))
        const cut = cost <= room ? line : cutToFit(line, this.#passages[line.passage]?.lines[line.line] ?? "", room, count)
        const head = before && before.to > (cut?.to ?? 0) ? before : cut
        if (!head) break
        const taken = head === line ? cost : count(`${head.text}\n`)
        heads.push(head)
        room -= taken
        left -= taken
      }
    }
    return heads
  }

  #isPersonal({ passage, line }: Excerpt): boolean {
    let known = this.#personal.get(passage)
    if (!known) this.#personal.set(passage, (known = personLines(this.#passages[passage]?.lines ?? [])))
    return known[line] === true
  }

  /** These lines, then others in their order until nothing is owed. */
  #take(must: readonly Excerpt[], { budget, owed, order, opened: before, begun }: Quoting): Taken {
    const { count, headingTokens, usage } = this.#choosable
    const opened = new Set(before)
    const credits = new Map([...begun].map(([number, { text }]) => [number, count(`${text}\n`)]))
    const creditOf = (line: Excerpt): number => credits.get(numberOfLine(usage, line)) ?? 0
    const headingOf = ({ group }: Excerpt): number => (opened.has(group) ? 0 : headingTokens(group))
    const lines: Excerpt[] = []
    const counted = new Map<number, number>()
    let left = budget
    let owing = owed
    const take = (line: Excerpt): void => {
      const number = numberOfLine(usage, line)
      const cost = this.#costOf(line)
      const more = cost - (counted.get(number) ?? 0)
      left -= more + headingOf(line) - creditOf(line)
      owing -= more
      counted.set(number, cost)
      credits.delete(number)
      opened.add(line.group)
      lines.push(line)
    }
    const isTaken = new Set(must)
    for (const line of must) if (this.#costOf(line) + headingOf(line) <= left + creditOf(line)) take(line)
    for (const line of order) {
      if (owing <= 0) break
      if (isTaken.has(line)) continue
      const cost = this.#costOf(line)
      // The beginning of it may be taken already.
      const known = counted.get(numberOfLine(usage, line)) ?? 0
      const room = left - headingOf(line) + creditOf(line) + known
      if (cost <= room && (cost - known <= owing || !isLong(line.text))) take(line)
      else {
        const words = this.#passages[line.passage]?.lines[line.line] ?? ""
        const cut = cutToFit(line, words, Math.min(room, owing + known + 2), count)
        if (cut && this.#costOf(cut) > known) take(cut)
      }
    }
    return { lines, left, owing }
  }

  /** Of a request, among these; no note of a picture. */
  #shortest(item: number, lines: readonly Excerpt[]): Excerpt | undefined {
    let shortest: Excerpt | undefined
    for (const line of lines) {
      const { item: own, isNote } = this.#passages[line.passage] as Passage
      if (own !== item || isNote) continue
      if (!shortest || line.text.length < shortest.text.length) shortest = line
    }
    return shortest
  }

  /** Lines of these requests, the most wanted request first, but for those that are shown. */
  #unquoted(quoted: readonly number[], shown: readonly Excerpt[]): readonly Excerpt[] {
    const { usage } = this.#choosable
    const isShown = new Set(shown.filter(({ isWhole }) => isWhole).map((each) => numberOfLine(usage, each)))
    return quoted.flatMap((item) => (this.#lines.get(item) ?? []).filter((line) => !isShown.has(numberOfLine(usage, line))))
  }

  #costOf(line: Excerpt): number {
    let cost = this.#costs.get(line)
    if (cost === undefined) this.#costs.set(line, (cost = this.#choosable.count(`${line.text}\n`)))
    return cost
  }

  /** Those of the lines that are worth most. */
  #pick(lines: readonly Excerpt[], tokens: number, shown: Chooser): readonly Excerpt[] {
    const { usage } = this.#choosable
    const isOffered = new Set(lines.map((line) => numberOfLine(usage, line)))
    this.#pool ??= this.#offerAll()
    const chooser = Chooser.from(this.#pool, shown, (line) => isOffered.has(numberOfLine(usage, line)))
    return chooser.pick(tokens).map((each) => this.#byNumber.get(numberOfLine(usage, each)) as Excerpt)
  }

  #offerAll(): CandidatePool {
    const { usage } = this.#choosable
    const candidates = new Candidates(this.#passages, usage)
    for (const { passage, line, to } of [...this.#lines.values()].flat()) {
      const at = numberOfLine(usage, { passage, line })
      if (usage.offsets[at] !== usage.offsets[at + 1]) candidates.addPart(passage, line, 0, to)
    }
    return new CandidatePool({ ...this.#choosable, candidates })
  }
}

/** Of the first and the latest request those that neither stay nor have a whole line among these. */
export const unquoted = (
  { quoted, shown, firstRequest, latestRequest }: Verbatim,
  lines: readonly Excerpt[],
  passages: readonly Passage[],
): readonly number[] => {
  const isQuoted = (item: number, from: readonly Excerpt[]): boolean =>
    from.some((line) => {
      const passage = passages[line.passage] as Passage
      return passage.item === item && !passage.isNote && line.isWhole
    })
  const wanted = [...new Set([latestRequest, firstRequest])].filter((item) => quoted.includes(item))
  return wanted.filter((item) => !isQuoted(item, shown) && !isQuoted(item, lines))
}
