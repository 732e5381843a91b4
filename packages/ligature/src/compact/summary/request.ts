/**
 * Requests to a summariser: one when the history fits its window, else one per part and one that joins the answers.
 * Pure; whoever has a model sends them.
 */
import { hexHash, type Item } from "../../model/index.ts"
import type { Meter } from "../meter/meter.ts"
import { handleOf } from "../text/handles.ts"
import { instructionsFor, type SummaryStyle, userLanguage } from "./instructions.ts"
import { densityOf, fairShare, leastLength, type Material, partsOf, type Piece, piecesOf, renderWithin, shortenTo } from "./material.ts"
import { complaints, generosity } from "./validate-answer.ts"

// The opening of every record: what the user asked for and still sees, what the agent is about to do,
// and the summary made before. None of it is repeated item by item, and each has a bounded share of the window, so that
// a pasted specification or a long plan leaves room for what happened.

/** An item with its position in the whole history. */
interface Positioned {
  readonly item: Item
  readonly position: number
}

export interface PreviousSummary {
  readonly text: string
  /** Position of the last item it stands for. */
  readonly upTo: number
}

/** The most that each may have of the window. */
const shares = { standing: 0.1, goal: 0.05, previous: 0.25 } as const

/** The first request defines the work, the latest the current step. */
const askedPart = (standing: readonly Positioned[], windowTokens: number, meter: Meter): string => {
  const [first, latest] = [standing[0], standing.at(-1)]
  if (first === undefined || latest === undefined) return ""
  const shown = first === latest ? [first] : [first, latest]
  const pieces = shown.flatMap(({ item, position }) => piecesOf(item, position))
  const { text } = renderWithin(pieces, windowTokens * shares.standing, meter)
  return `What the user asked for, in messages that stay in view beside the summary:\n${text}\n\n`
}

const goalPart = (goal: string | undefined, windowTokens: number, { count }: Meter): string =>
  goal === undefined ? "" : `The agent is about to: ${shortenTo(goal, windowTokens * shares.goal, count)}\n\n`

const previousPart = (previous: PreviousSummary | undefined, windowTokens: number, { count }: Meter): string => {
  if (previous === undefined) return ""
  const text = shortenTo(previous.text, windowTokens * shares.previous, count)
  return `Summary made before, of everything up to ${handleOf(previous.upTo)}:\n${text}\n\n`
}

interface Opening {
  /** In front of the whole, of each part, and of the summaries of parts. */
  readonly always: string
  /** Only before the part that continues from it. */
  readonly previous: string
}

interface OpeningInput {
  readonly standing?: readonly Positioned[]
  readonly goal?: string
  readonly previous?: PreviousSummary
  readonly windowTokens: number
  readonly meter: Meter
}

const openingOf = ({ standing = [], goal, previous, windowTokens, meter }: OpeningInput): Opening => ({
  always: `${askedPart(standing, windowTokens, meter)}${goalPart(goal, windowTokens, meter)}`,
  previous: previousPart(previous, windowTokens, meter),
})

export interface SummariserRequest {
  readonly stage: "whole" | "part" | "merge"
  /** Belongs in the system slot. */
  readonly instructions: string
  /** Belongs in one user message: the fenced record. */
  readonly material: string
  /** Must not occur in the answer. */
  readonly fence: string
  /** The most tokens the answer may have. */
  readonly answerTokens: number
  /** Positions of the items the record had no room for: the answer cannot mention them. */
  readonly leftOut: readonly number[]
}

export interface SummaryWork {
  /** The items to be summarised with their positions in the whole history, oldest first. */
  readonly items: readonly Positioned[]
  /**
   * What the user asked for in messages that stay verbatim in the view, oldest first. The first and the latest are shown,
   * so that whoever writes about goals and wishes has heard of them; they are not among what is summarised.
   */
  readonly standing?: readonly Positioned[]
  readonly previous?: PreviousSummary
  /** What the agent is about to do. */
  readonly goal?: string
  /** The language to write in. Default: that of the user's messages. */
  readonly language?: string
  readonly style: SummaryStyle
  /** The most tokens of the summary; never more than a fifth of the window. */
  readonly answerTokens: number
  /** The window of the summariser, answer included. */
  readonly windowTokens: number
  readonly meter: Meter
  readonly complaint?: string
}

/** Each result shows at least this many characters, else the history is summarised in parts. */
const leastShare = 300
/** With more parts than this, each shows less instead. */
const mostParts = 16
/** The least tokens of the answer to a part, where there is room. */
const leastAnswer = 300
/** What an answer may have of the window. */
const answerShare = 0.2
/** What the reason of another try may have of it: it can name a lot. */
const complaintShare = 0.05
/** Room that is left free, because the summariser counts with its own tokenizer. */
const caution = 0.85
/** Stands above each part, and above each answer to one. */
const partTitle = (index: number, parts: number, span: string): string =>
  `Part ${index + 1} of ${parts}${span === "" ? "" : `, ${span}`}:\n`
const longestTitle = partTitle(mostParts - 1, mostParts, "#100000 to #100000")

const wordLimit = (tokens: number): number => Math.max(40, Math.floor((tokens * 0.6) / 10) * 10)

const spanOf = (pieces: readonly Piece[]): string => {
  const [first, last] = [pieces[0], pieces.at(-1)]
  return first === undefined || last === undefined ? "" : `${handleOf(first.item)} to ${handleOf(last.item)}`
}

type Stage = SummariserRequest["stage"]

/** One piece of work with everything measured that is the same in all of its requests. */
class Asking {
  readonly #work: SummaryWork
  readonly #language: string | undefined
  readonly #complaint: string | undefined
  readonly #opening: Opening
  readonly #frames = new Map<string, number>()
  readonly answerTokens: number

  constructor(work: SummaryWork) {
    const { standing = [], items, windowTokens, meter, complaint } = work
    this.#work = work
    const said = [...standing, ...items].sort((a, b) => a.position - b.position)
    this.#language = work.language ?? userLanguage(said.map(({ item }) => item))
    this.#complaint = complaint === undefined ? undefined : shortenTo(complaint, windowTokens * complaintShare, meter.count)
    this.#opening = openingOf(work)
    this.answerTokens = Math.min(work.answerTokens, Math.floor(windowTokens * answerShare))
  }

  #instructions(stage: Stage, fence: string, words: number, isFirst: boolean): string {
    const { style, standing = [], previous } = this.#work
    return instructionsFor({
      fence,
      style,
      words,
      standing: standing.length > 0,
      previous: isFirst && previous !== undefined,
      stage,
      ...(this.#language !== undefined && { language: this.#language }),
      ...(this.#complaint !== undefined && { complaint: this.#complaint }),
    })
  }

  /** What is left of the window for the record, in tokens. */
  roomFor(stage: Stage, answerTokens: number, isFirst: boolean): number {
    const key = `${stage} ${isFirst}`
    const frame = this.#frames.get(key) ?? this.#frameTokens(stage, isFirst)
    this.#frames.set(key, frame)
    return Math.floor(this.#work.windowTokens * caution) - answerTokens - frame
  }

  /** Everything that is sent beside the record. */
  #frameTokens(stage: Stage, isFirst: boolean): number {
    const { count } = this.#work.meter
    const fence = fenceFor("")
    return (
      count(this.#instructions(stage, fence, wordLimit(this.answerTokens), isFirst)) +
      // The complaint of a second attempt must fit as well.
      Math.max(...Object.values(complaints).map((complaint) => count(complaint))) +
      count(fenced(longestTitle, fence)) +
      count(this.#front(isFirst))
    )
  }

  #front(isFirst: boolean): string {
    const { always, previous } = this.#opening
    if (!isFirst) return always
    if (previous !== "") return `${always}${previous}What happened since:\n`
    return always === "" ? "" : `${always}What happened:\n`
  }

  request(stage: Stage, { text, leftOut }: Material, answerTokens: number, isFirst: boolean): SummariserRequest {
    const content = `${this.#front(isFirst)}${text}`
    const fence = fenceFor(content)
    const instructions = this.#instructions(stage, fence, wordLimit(answerTokens), isFirst)
    return { stage, instructions, material: fenced(content, fence), fence, answerTokens, leftOut }
  }

  /** How long the answers to the parts may be, so that all of them fit into one request. */
  partAnswer(parts: number): number {
    const { meter } = this.#work
    const each = this.roomFor("merge", this.answerTokens, false) / parts - meter.count(partTitle(parts, parts, ""))
    return Math.max(50, Math.min(this.answerTokens, Math.floor(each / generosity)))
  }
}

/** The first requests: one (`whole`), or one for each part. */
export const summariserRequests = (work: SummaryWork): readonly SummariserRequest[] => {
  const { items, meter } = work
  const asking = new Asking(work)
  const { answerTokens } = asking
  const pieces = items.flatMap(({ item, position }) => piecesOf(item, position))
  const density = densityOf(pieces, meter)
  const room = asking.roomFor("whole", answerTokens, true)
  const whole = (): readonly SummariserRequest[] => [asking.request("whole", renderWithin(pieces, room, meter), answerTokens, true)]
  if (leastLength(pieces, leastShare) <= room * density) return whole()
  let most = mostParts
  while (most > 2 && asking.partAnswer(most) < leastAnswer) most--
  const roomOf = (parts: number, isFirst: boolean): number => asking.roomFor("part", asking.partAnswer(parts), isFirst)
  const parts = partsOf(pieces, most, (count) => ({ first: roomOf(count, true) * density, other: roomOf(count, false) * density }))
  // Nearly all of it fits: then one request that shows a little less is better than a part that is everything.
  if (parts.groups.length === 1) return whole()
  const each = asking.partAnswer(parts.most)
  return parts.groups.map((group, index) => {
    const isFirst = index === 0
    const { text, leftOut } = renderWithin(group, roomOf(parts.most, isFirst), meter)
    const title = partTitle(index, parts.groups.length, spanOf(group))
    return asking.request("part", { text: `${title}${text}`, leftOut }, each, isFirst)
  })
}

/** Joins the answers to the parts. */
export const mergeRequest = (work: SummaryWork, parts: readonly string[]): SummariserRequest => {
  const { count } = work.meter
  const asking = new Asking(work)
  const titles = parts.map((_, index) => partTitle(index, parts.length, ""))
  const room = asking.roomFor("merge", asking.answerTokens, false) - count(titles.join("\n\n"))
  const share = fairShare(
    parts.map((text) => count(text)),
    room,
  )
  const record = parts.map((text, index) => `${titles[index]}${shortenTo(text, share, count)}`).join("\n\n")
  return asking.request("merge", { text: record, leftOut: [] }, asking.answerTokens, false)
}

/**
 * A fence around text that others wrote: a pair of lines that cannot occur inside, so that nothing in there can pretend
 * to be outside. Derived from the content, because the same input must give the same bytes.
 */
export const fenceFor = (content: string): string => {
  for (let round = 0; ; round++) {
    const name = `history-${hexHash(`${round}:${content}`, 12)}`
    if (!content.includes(name)) return name
  }
}

const fenced = (content: string, name: string): string => `<${name}>\n${content}\n</${name}>`
