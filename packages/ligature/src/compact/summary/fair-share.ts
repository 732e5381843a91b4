/**
 * Shortening that is fair: every text gets the same room, and what a short one does not need goes to the others. Of a
 * shortened text the beginning and the end stay, in whole lines, and a handle names the middle.
 */
import { type Reference, writeHandle } from "../text/handles.ts"
import { safeCut } from "../text/shorten-text.ts"

/**
 * The largest share such that all texts, each cut to share × weight, fit into the room together. Infinity when nothing
 * has to be cut. Sorts once; then one pass finds the level, as water finds it in connected vessels.
 */
export const fairShare = (
  lengths: readonly number[],
  room: number,
  weights: readonly number[] = lengths.map(() => 1),
): number => {
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
export const markerLength = 60

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
  for (let limit = text.length; ; ) {
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
