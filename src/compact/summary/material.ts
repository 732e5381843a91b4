/**
 * The history as a summariser reads it: every message with its handle and the name of its speaker, every call with its
 * arguments, every result under its call. Pieces are kept apart until it is known how much of each there is room for.
 */
import { callsOf, type Item } from "../../model/index.ts"
import { handleOf } from "../handle.ts"
import { argumentsText, passagesOf, replyTitle, textOfResult } from "../recall/item-text.ts"
import { fairShare, markerLength, shorten } from "./shorten.ts"

/** A text that may be shortened, and the line above it that may not. */
export interface Piece {
  /** Position of its item in the whole history. */
  readonly item: number
  readonly call?: number
  readonly title: string
  readonly text: string
  /** How much room it gets beside others: what people said counts more than what tools printed. */
  readonly weight: number
}

const weights = { user: 4, assistant: 2, tool: 1 } as const

/** An item that stands at this position of the whole history, in pieces. */
export const piecesOf = (item: Item, position: number): readonly Piece[] => {
  const handle = handleOf(position)
  if (item.role !== "exchange") {
    const [said] = passagesOf(item)
    return [
      {
        item: position,
        title: `${handle} ${said?.title ?? item.role} said:`,
        text: said?.text ?? "",
        weight: weights.user,
      },
    ]
  }
  const pieces: Piece[] = []
  const say = (title: string, text: string): void => {
    pieces.push({ item: position, title: `${handle} ${title} said:`, text, weight: weights.assistant })
  }
  const passages = passagesOf(item)
  for (const { call, title, text } of passages) if (call === undefined && title !== replyTitle) say(title, text)
  callsOf(item).forEach((call, index) => {
    const own = handleOf(position, index)
    const outcome = item.outcomes[index]
    const result = outcome?.result === undefined ? "" : textOfResult(outcome.result)
    const asTool = { item: position, call: index, weight: weights.tool }
    pieces.push({ ...asTool, title: `${own} called ${call.name} with:`, text: argumentsText(call) })
    pieces.push({ ...asTool, title: `${own} ${outcome?.kind ?? "pending"}:`, text: result })
  })
  for (const { title, text } of passages) if (title === replyTitle) say(title, text)
  return pieces
}

const lengthOf = ({ title, text }: Piece): number => title.length + text.length + 2

/** Characters that titles and short texts take whatever happens. */
export const leastLength = (pieces: readonly Piece[], share: number): number =>
  pieces.reduce(
    (sum, { title, text, weight }) => sum + title.length + 2 + Math.min(text.length, share * weight + markerLength),
    0,
  )

export interface Material {
  readonly text: string
  /** How many pieces had to be shortened or left out. */
  readonly shortened: number
}

/** Characters of the line that stands for items that are left out. */
const gapLength = 40

/**
 * The pieces there is room for when even the shortest of each are too many: of requests and of exchanges every second
 * item, or every third and so on, so that all of the stretch is told of, and always the last one.
 */
const thinned = (pieces: readonly Piece[], room: number): readonly Piece[] => {
  const last = pieces.at(-1)?.item
  for (let step = 1, kept = pieces; ; step *= 2) {
    const gaps = step === 1 ? 0 : gapLength * new Set(kept.map(({ item }) => item)).size
    if (leastLength(kept, 0) + gaps <= room || kept.length < 4) return kept
    let [at, requests, exchanges] = [-1, -1, -1]
    kept = pieces.filter(({ item, weight }) => {
      const isRequest = weight === weights.user
      if (item !== at && isRequest) requests++
      else if (item !== at) exchanges++
      at = item
      return item === last || (isRequest ? requests : exchanges) % (step * 2) === 0
    })
  }
}

const gapBetween = (before: number, after: number): string =>
  `[… ${handleOf(before + 1)}${after - before > 2 ? ` to ${handleOf(after - 1)}` : ""} left out …]`

/** The pieces as one text of at most so many characters. */
export const renderPieces = (all: readonly Piece[], roomCharacters: number): Material => {
  const pieces = thinned(all, roomCharacters)
  const items = new Set(all.map(({ item }) => item))
  const gaps = items.size - new Set(pieces.map(({ item }) => item)).size
  const whole = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0)
  const titles = pieces.reduce((sum, { title }) => sum + title.length + 2, 0)
  const room = roomCharacters - Math.min(gaps, pieces.length) * gapLength
  const share =
    whole <= room
      ? Number.POSITIVE_INFINITY
      : fairShare(
        pieces.map(({ text }) => text.length),
        Math.max(0, room - titles),
        pieces.map(({ weight }) => weight),
      )
  let shortened = all.length - pieces.length
  let before: number | undefined
  const lines = pieces.flatMap(({ item, call, title, text, weight }) => {
    const shown = shorten(text, Math.max(share * weight, markerLength), { item, ...(call !== undefined && { call }) })
    if (shown !== text) shortened++
    const isGap = gaps > 0 && before !== undefined && item > before + 1
    const gap = isGap ? [gapBetween(before as number, item)] : []
    before = item
    return [...gap, text === "" ? title : `${title}\n${shown}`]
  })
  return { text: lines.join("\n"), shortened }
}
