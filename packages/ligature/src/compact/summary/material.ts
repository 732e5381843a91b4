/**
 * The history as a summariser reads it: every message with its handle and the name of its speaker, every call with its
 * arguments, every result under its call. Pieces are kept apart until it is known how much of each there is room for.
 */
import { callsOf, type Item, pushAll } from "../../model/index.ts"
import type { Meter } from "../meter/meter.ts"
import { handleOf, type Reference, writeHandle } from "../text/handles.ts"
import { argumentsText, passagesOf, replyTitle, textOfResult } from "../text/item-text.ts"
import { safeCut } from "../text/shorten.ts"

// Shortening that is fair: every text gets the same room, and what a short one does not need goes to the others. Of a
// shortened text the beginning and the end stay, in whole lines, and a handle names the middle.

/**
 * The largest share such that all texts, each cut to share × weight, fit into the room together. Infinity when nothing
 * has to be cut. Sorts once; then one pass finds the level, as water finds it in connected vessels.
 */
export const fairShare = (lengths: readonly number[], room: number, weights: readonly number[] = lengths.map(() => 1)): number => {
  const order = lengths.map((length, index) => ({ length, weight: weights[index] ?? 1 }))
  order.sort((a, b) => a.length / a.weight - b.length / b.weight)
  let left = room
  let weight = order.reduce((sum, each) => sum + each.weight, 0)
  for (const each of order) {
    const share = left / weight
    if (each.length > share * each.weight) return Math.max(0, share)
    left -= each.length
    weight -= each.weight
  }
  return Number.POSITIVE_INFINITY
}

const headShare = 0.6

/** Length of the marker in place of what is left out. */
const markerLength = 60

/**
 * At most `limit` characters of the text, the marker included; the text itself when it fits. Without a reference the
 * marker gives how much is left out, and not where it is.
 */
export const shorten = (text: string, limit: number, reference?: Reference): string => {
  if (text.length <= limit) return text
  const room = Math.max(0, Math.floor(limit) - markerLength)
  const headMost = Math.floor(room * headShare)
  const lineEnd = text.lastIndexOf("\n", headMost)
  const headEnd = lineEnd > headMost / 2 ? lineEnd : safeCut(text, headMost)
  const tailMost = text.length - (room - headMost)
  const lineStart = text.indexOf("\n", tailMost)
  const hasLine = lineStart >= 0 && lineStart < text.length - (room - headMost) / 2
  const tailStart = hasLine ? lineStart + 1 : safeCut(text, tailMost)
  const head = text.slice(0, headEnd)
  const tail = text.slice(tailStart)
  if (reference === undefined) return `${head}\n[… ${tailStart - headEnd} characters left out …]\n${tail}`
  const from = lineAt(text, headEnd) + (text[headEnd] === "\n" ? 1 : 0)
  const to = Math.max(from, lineAt(text, tailStart) - (text[tailStart - 1] === "\n" ? 1 : 0))
  const where = writeHandle({ ...reference, from, to })
  return `${head}\n[… ${tailStart - headEnd} characters left out: ${where} …]\n${tail}`
}

/** The same for a limit in tokens. The marker itself stays, however few they are. */
export const shortenTo = (text: string, tokens: number, count: (text: string) => number): string => {
  for (let limit = text.length; ;) {
    const shown = shorten(text, limit)
    const size = count(shown)
    if (size <= tokens || limit <= markerLength) return shown
    limit = Math.max(markerLength, Math.floor(Math.min(limit, shown.length) * Math.min(0.95, tokens / size)))
  }
}

/** The line of a character, from one. */
const lineAt = (text: string, at: number): number => {
  let line = 1
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", next + 1)) line++
  return line
}

/** A text that may be shortened, and the line above it that may not. */
export interface Piece {
  /** Position of its item in the whole history. */
  readonly item: number
  readonly call?: number
  readonly title: string
  readonly text: string
  /** How much room it gets beside others: text of people counts more than output of tools. */
  readonly weight: number
}

const weights = { user: 4, assistant: 2, tool: 1 } as const

/** An item at this position of the whole history, in pieces. */
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
  pieces.reduce((sum, { title, text, weight }) => sum + title.length + 2 + Math.min(text.length, share * weight + markerLength), 0)

export interface Material {
  readonly text: string
  /** Positions of the items there was no room for: whoever reads this does not know of them. */
  readonly leftOut: readonly number[]
}

/** Characters of the line in place of what is left out. */
const gapLength = 40

/** Whether the number `at` of a kind stays when of each kind this share does, spread evenly; the first one always. */
const stays = (at: number, share: number): boolean => at === 0 || Math.floor(at * share) > Math.floor((at - 1) * share)

/** Of items that are too much even alone (one that calls a thousand tools) pieces here and there, and the last one. */
const sparse = (pieces: readonly Piece[], room: number): readonly Piece[] => {
  const share = room / (leastLength(pieces, 0) + gapLength * pieces.length)
  return share >= 1 ? pieces : pieces.filter((_, at) => stays(at, share) || at === pieces.length - 1)
}

/**
 * The pieces there is room for when even the shortest of each are too many: of requests and of exchanges an even share,
 * so that every part of the stretch is mentioned, and always the last one.
 */
const thinned = (pieces: readonly Piece[], room: number): readonly Piece[] => {
  const least = leastLength(pieces, 0)
  if (least <= Math.max(0, room)) return pieces
  const last = pieces.at(-1)?.item
  const items = new Set(pieces.map(({ item }) => item)).size
  for (let share = Math.max(0, room) / least; ; share *= 0.9) {
    let [at, requests, exchanges] = [-1, -1, -1]
    const kept = pieces.filter(({ item, weight }) => {
      const isRequest = weight === weights.user
      if (item !== at && isRequest) requests++
      else if (item !== at) exchanges++
      at = item
      return item === last || stays(isRequest ? requests : exchanges, share)
    })
    const gaps = gapLength * new Set(kept.map(({ item }) => item)).size
    if (leastLength(kept, 0) + gaps <= room) return kept
    if (share * items < 1) return sparse(kept, room)
  }
}

/** The line in place of pieces that are left out, from the first to the last of them, after a piece of the item `before`. */
const gapOf = (first: number, last: number, before: number | undefined): string => {
  const [from, to] = [handleOf(first), handleOf(last)]
  if (first === last) return first === before ? `[… more of ${from} left out …]` : `[… ${from} left out …]`
  return `[… ${from} to ${to} left out …]`
}

/** The pieces as one text of at most this many characters. */
const renderPieces = (all: readonly Piece[], roomCharacters: number): Material => {
  const pieces = thinned(all, roomCharacters)
  const kept = new Set(pieces)
  const whole = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0)
  const titles = pieces.reduce((sum, { title }) => sum + title.length + 2, 0)
  const room = roomCharacters - Math.min(all.length - pieces.length, pieces.length) * gapLength
  const share =
    whole <= room
      ? Number.POSITIVE_INFINITY
      : fairShare(
          pieces.map(({ text }) => text.length),
          Math.max(0, room - titles),
          pieces.map(({ weight }) => weight),
        )
  const lines: string[] = []
  let before: number | undefined
  let skipped: { readonly first: number; last: number } | undefined
  for (const piece of all) {
    const { item, call, title, text, weight } = piece
    if (!kept.has(piece)) {
      if (skipped) skipped.last = item
      else skipped = { first: item, last: item }
      continue
    }
    if (skipped) lines.push(gapOf(skipped.first, skipped.last, before))
    const shown = shorten(text, Math.max(share * weight, markerLength), { item, ...(call !== undefined && { call }) })
    lines.push(text === "" ? title : `${title}\n${shown}`)
    before = item
    skipped = undefined
  }
  const told = new Set(pieces.map(({ item }) => item))
  const leftOut = new Set(all.flatMap(({ item }) => (told.has(item) ? [] : [item])))
  return { text: lines.join("\n"), leftOut: [...leftOut] }
}

/** Characters per token of pieces, from a sample of them. */
export const densityOf = (pieces: readonly Piece[], meter: Meter): number => {
  let sample = ""
  const step = Math.max(1, Math.floor(pieces.length / 40))
  for (let at = 0; at < pieces.length; at += step) sample += `${pieces[at]?.title}\n${pieces[at]?.text.slice(0, 800)}\n`
  return Math.max(1, sample.length / Math.max(1, meter.count(sample)))
}

/** How often a text is made shorter that has more tokens than its sample promised. */
const mostRounds = 12

/** The pieces as one text of at most this many tokens. The estimate by a sample is checked against the result. */
export const renderWithin = (pieces: readonly Piece[], tokensLeft: number, meter: Meter): Material => {
  // A window that cannot even hold the instructions leaves less than nothing.
  const roomTokens = Math.max(0, tokensLeft)
  let room = Math.floor(roomTokens * densityOf(pieces, meter))
  for (let round = 1; ; round++) {
    const material = renderPieces(pieces, room)
    const tokens = meter.count(material.text)
    if (tokens <= roomTokens || round === mostRounds) return material
    room = Math.floor(room * Math.min(0.95, roomTokens / tokens))
  }
}

/** Room in characters. The first part also holds the summary made before. */
interface PartRoom {
  readonly first: number
  readonly other: number
}

/** Each result shows about this many characters in a part. */
const usualShare = 600

/** Consecutive pieces in as many groups as needed, items kept together. */
const groupsOf = (pieces: readonly Piece[], room: PartRoom): readonly (readonly Piece[])[] => {
  const groups: Piece[][] = [[]]
  let used = 0
  for (let at = 0; at < pieces.length;) {
    const item = pieces[at]?.item
    let end = at
    while (end < pieces.length && pieces[end]?.item === item) end++
    const own = pieces.slice(at, end)
    const size = leastLength(own, usualShare)
    if (used > 0 && used + size > (groups.length === 1 ? room.first : room.other)) {
      groups.push([])
      used = 0
    }
    pushAll(groups.at(-1) ?? [], own)
    used += size
    at = end
  }
  return groups
}

interface Parts {
  readonly groups: readonly (readonly Piece[])[]
  /** How many there may be, by which their answers are measured. */
  readonly most: number
}

/**
 * The fewest parts that hold everything. The more there are, the shorter their answers, since all of them are read
 * together; so the room depends on how many there may be. Where the most are too few, each takes more and shows less of it.
 */
export const partsOf = (pieces: readonly Piece[], most: number, roomOf: (parts: number) => PartRoom): Parts => {
  for (let parts = 2; parts <= most; parts++) {
    const groups = groupsOf(pieces, roomOf(parts))
    if (groups.length <= parts) return { groups, most: parts }
  }
  const { first, other } = roomOf(most)
  for (let larger = 1.1; ; larger *= 1.1) {
    const groups = groupsOf(pieces, { first: Math.max(1, first) * larger, other: Math.max(1, other) * larger })
    if (groups.length <= most) return { groups, most }
  }
}
