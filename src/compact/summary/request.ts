/**
 * Requests to a summariser: one when the history fits its window, else one per part and one that joins the answers.
 * Pure; whoever has a model sends them.
 */
import type { Item } from "../../model/index.ts"
import { handleOf } from "../handle.ts"
import type { Meter } from "../meter/meter.ts"
import { fenced, fenceFor } from "./fence.ts"
import { instructionsFor, type SummaryStyle } from "./instructions.ts"
import { userLanguage } from "./language.ts"
import { leastLength, type Piece, piecesOf, renderPieces } from "./material.ts"

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
}

export interface PreviousSummary {
  readonly text: string
  /** Position of the last item it stands for. */
  readonly upTo: number
}

export interface SummaryWork {
  /** The items to be summarised with their positions in the whole history, oldest first. */
  readonly items: readonly { readonly item: Item; readonly position: number }[]
  readonly previous?: PreviousSummary
  /** What the agent is about to do. */
  readonly goal?: string
  /** The language to write in. Default: what the user's words among the items say. */
  readonly language?: string
  readonly style: SummaryStyle
  /** The most tokens of the summary. */
  readonly answerTokens: number
  /** The window of the summariser, answer included. */
  readonly windowTokens: number
  readonly meter: Meter
  readonly complaint?: string
}

/** Tokens that instructions and the frame around the record take. */
const frameTokens = 900
/** Each result shows at least this many characters, else the history is summarised in parts. */
const leastShare = 300
/** With more parts than this, each shows less instead. */
const mostParts = 16
/** The answer to a part has at least so many tokens, and all answers together fill half of the window at most. */
const leastAnswer = 300
/** Room that is left free, because the summariser counts with its own tokenizer. */
const caution = 0.85

const wordsOf = (tokens: number): number => Math.max(40, Math.floor((tokens * 0.6) / 10) * 10)

/** Characters per token of a text, from a piece of it. */
const densityOf = (pieces: readonly Piece[], meter: Meter): number => {
  let sample = ""
  const step = Math.max(1, Math.floor(pieces.length / 40))
  for (let at = 0; at < pieces.length; at += step) sample += `${pieces[at]?.title}\n${pieces[at]?.text.slice(0, 800)}\n`
  return Math.max(1, sample.length / Math.max(1, meter.count(sample)))
}

/** Consecutive pieces in as many groups as needed, items kept together. */
const groupsOf = (pieces: readonly Piece[], room: number): readonly (readonly Piece[])[] => {
  const groups: Piece[][] = [[]]
  let used = 0
  for (let at = 0; at < pieces.length; ) {
    const item = pieces[at]?.item
    let end = at
    while (end < pieces.length && pieces[end]?.item === item) end++
    const own = pieces.slice(at, end)
    const size = leastLength(own, leastShare * 2)
    if (used + size > room && used > 0) {
      groups.push([])
      used = 0
    }
    groups.at(-1)?.push(...own)
    used += size
    at = end
  }
  return groups
}

const spanOf = (pieces: readonly Piece[]): string => {
  const [first, last] = [pieces[0], pieces.at(-1)]
  return first === undefined || last === undefined ? "" : `${handleOf(first.item)} to ${handleOf(last.item)}`
}

const requestOf = (
  stage: SummariserRequest["stage"],
  record: string,
  work: SummaryWork,
  answerTokens: number,
): SummariserRequest => {
  const goal = work.goal === undefined ? "" : `The agent is about to: ${work.goal}\n\n`
  const content = `${goal}${record}`
  const fence = fenceFor(content)
  const language = work.language ?? userLanguage(work.items.map(({ item }) => item))
  const instructions = instructionsFor({
    fence,
    style: work.style,
    words: wordsOf(answerTokens),
    previous: stage !== "merge" && record.startsWith(previousTitle),
    stage,
    ...(language !== undefined && { language }),
    ...(work.complaint !== undefined && { complaint: work.complaint }),
  })
  return { stage, instructions, material: fenced(content, fence), fence, answerTokens }
}

const previousTitle = "Summary made before, of everything up to "

const previousPart = (previous: PreviousSummary | undefined): string =>
  previous === undefined ? "" : `${previousTitle}${handleOf(previous.upTo)}:\n${previous.text}\n\nWhat happened since:\n`

/** The first requests: one (`whole`), or one for each part. */
export const summariserRequests = (work: SummaryWork): readonly SummariserRequest[] => {
  const { items, previous, meter, windowTokens, answerTokens } = work
  const pieces = items.flatMap(({ item, position }) => piecesOf(item, position))
  const head = previousPart(previous)
  const roomTokens = Math.max(500, windowTokens * caution - answerTokens - frameTokens - meter.count(head))
  const room = Math.floor(roomTokens * densityOf(pieces, meter))
  if (leastLength(pieces, leastShare) <= room) {
    return [requestOf("whole", `${head}${renderPieces(pieces, room).text}`, work, answerTokens)]
  }
  let groups = groupsOf(pieces, room)
  const most = Math.min(mostParts, Math.max(2, Math.floor((windowTokens * 0.5) / leastAnswer)))
  for (let larger = 2; groups.length > most; larger *= 2) groups = groupsOf(pieces, room * larger)
  const each = Math.max(leastAnswer, Math.min(answerTokens, Math.floor((windowTokens * 0.5) / groups.length)))
  return groups.map((group, index) => {
    const title = `Part ${index + 1} of ${groups.length}, ${spanOf(group)}:\n`
    return requestOf("part", `${index === 0 ? head : ""}${title}${renderPieces(group, room).text}`, work, each)
  })
}

/** Joins the answers to the parts. */
export const mergeRequest = (work: SummaryWork, parts: readonly string[]): SummariserRequest => {
  const record = parts.map((text, index) => `Part ${index + 1} of ${parts.length}:\n${text}`).join("\n\n")
  return requestOf("merge", record, work, work.answerTokens)
}
