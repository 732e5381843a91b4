/**
 * A text cut down to a limit: whole lines from its beginning and its end, and one line between them that names
 * the lines left out and their handle. Only where a single line is larger than the room is it cut inside. What comes out is
 * measured, so it fits whatever the meter thinks of the pieces.
 */
import type { Meter } from "../meter/meter.ts"
import { fitsIn, scaleSize, type Size } from "../meter/size.ts"
import { type Reference, writeHandle } from "./handles.ts"
import { positionsText } from "./stand-ins.ts"

/** The beginning shows what a text is, the end how it came out. */
const headShare = 0.6
const attempts = 8

/** The text in place of these lines, counted from one. */
export type Mark = (from: number, to: number) => string

const linesText = (from: number, to: number): string => (from === to ? `line ${from}` : `lines ${from}-${to}`)

/** Lines of an item of the history can be read back. */
export const markOf =
  (reference: Reference): Mark =>
  (from, to) =>
    `[… ${linesText(from, to)} left out, recall ${writeHandle({ ...reference, from, to })} …]`

/** Where they cannot be read back, the mark says so, and what helps instead. */
export const markOfUnread: Mark = (from, to) =>
  `[… ${linesText(from, to)} left out: the output is too long to be shown whole. Ask for a smaller part to see them …]`

/** Lines of a record cannot be read back, but what it stands for can. */
export const markOfRecord =
  (positions: readonly number[]): Mark =>
  (from, to) => {
    const standsFor = positions.length === 0 ? "" : `; it stands for ${positionsText(positions)}`
    return `[… ${linesText(from, to)} of this record left out${standsFor} …]`
  }

interface Lines {
  readonly lines: readonly string[]
  readonly sizes: readonly Size[]
}

const linesOf = (text: string, meter: Meter): Lines => {
  const lines = text.split("\n")
  return { lines, sizes: lines.map((line) => meter.sizeOfText(`${line}\n`)) }
}

/** How many lines fit into the room, from the beginning or from the end. */
const take = (sizes: readonly Size[], room: Size, from: number, step: 1 | -1, end: number): number => {
  let tokens = 0
  let bytes = 0
  let at = from
  for (; at !== end; at += step) {
    const size = sizes[at] as Size
    tokens += size.tokens
    bytes += size.bytes
    if (tokens > room.tokens || bytes > room.bytes) break
  }
  return Math.abs(at - from)
}

/** A part of one line that about fills the room. */
const partOfLine = (line: string, size: Size, room: Size, side: "head" | "tail"): string => {
  const share = Math.min(room.tokens / size.tokens, room.bytes / size.bytes) * 0.9
  const length = Math.floor(line.length * Math.min(1, share))
  if (length < 8) return ""
  return side === "head" ? line.slice(0, headCut(line, length)) : line.slice(tailCut(line, line.length - length))
}

const compose = ({ lines, sizes }: Lines, room: Size, mark: Mark): string => {
  const head = take(sizes, scaleSize(room, headShare), 0, 1, lines.length)
  const tail = take(sizes, scaleSize(room, 1 - headShare), lines.length - 1, -1, head - 1)
  if (head + tail >= lines.length) return lines.join("\n")
  const kept = lines.slice(0, head)
  if (head === 0) {
    const part = partOfLine(lines[0] as string, sizes[0] as Size, scaleSize(room, headShare), "head")
    if (part !== "") kept.push(part)
  }
  kept.push(mark(head + 1, lines.length - tail))
  const last = lines.length - 1
  if (tail === 0) {
    const part = partOfLine(lines[last] as string, sizes[last] as Size, scaleSize(room, 1 - headShare), "tail")
    if (part !== "") kept.push(part)
  }
  return [...kept, ...lines.slice(lines.length - tail)].join("\n")
}

/** The mark alone: nothing shorter stands for a text. */
export const shortestText = (text: string, mark: Mark): string => {
  let count = 1
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++
  return mark(1, count)
}

/** The text within the limit; the text itself when it fits; undefined when not even the mark does. */
export const shortenText = (text: string, limit: Size, mark: Mark, meter: Meter): string | undefined => {
  if (fitsIn(meter.sizeOfText(text), limit)) return text
  const shortest = shortestText(text, mark)
  const least = meter.sizeOfText(shortest)
  if (!fitsIn(least, limit)) return undefined
  const lines = linesOf(text, meter)
  let room: Size = { tokens: limit.tokens - least.tokens - 2, bytes: limit.bytes - least.bytes - 8 }
  for (let attempt = 0; attempt < attempts && room.tokens > 0 && room.bytes > 0; attempt++) {
    const shortened = compose(lines, room, mark)
    if (fitsIn(meter.sizeOfText(shortened), limit)) return shortened
    room = scaleSize(room, 0.85)
  }
  return shortest
}

/** A place at which a text may be cut, at or directly before `at`: never between the halves of a character (L8). */
export const safeCut = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code < 0xe000 ? at - 1 : at
}

/** How far back a cut goes to fall between words, as a share of what is kept. */
const nearest = 0.2

/** Where the beginning of a text may end, at or before `at`: between two words where that is near. */
export const headCut = (text: string, at: number): number => {
  const space = text.lastIndexOf(" ", at)
  return space > at * (1 - nearest) ? space : safeCut(text, at)
}

/** Where the end of a text may begin, at or after `at`. */
const tailCut = (text: string, at: number): number => {
  const space = text.indexOf(" ", at)
  return space >= 0 && space < at + (text.length - at) * nearest ? space + 1 : safeCut(text, at)
}
