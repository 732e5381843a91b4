/**
 * Where a text contains what is looked for, and the text around it. A short line is shown whole and once. Of a long one,
 * such as a JSON result without line breaks, a piece is shown for every match that no piece before it showed, so whoever
 * reads all pieces has seen all matches.
 *
 *   line     …,{"id":"user_1"},{"id":"user_2"},…      …,{"id":"user_900"},…
 *   pieces    [ both matches in one piece     ]        [ the next          ]
 */
import { safeCut } from "../text/shorten-text.ts"

export interface Excerpt {
  /** The line the match begins in, from zero. */
  readonly line: number
  /** The line it ends in: another one where the text looked for has line breaks. */
  readonly lastLine: number
  /** Characters of the line before the piece. Searching from there on finds the same match first. */
  readonly skip: number
  readonly text: string
}

/** Where a line begins in a text, plus a number of its characters; the text's end where there is no such line. */
export const offsetOf = (text: string, line: number, skip: number): number => {
  let begin = 0
  for (let passed = 0; passed < line; passed++) {
    const end = text.indexOf("\n", begin)
    if (end < 0) return text.length
    begin = end + 1
  }
  return Math.min(begin + skip, endOfLine(text, begin))
}

const endOfLine = (text: string, from: number): number => {
  const end = text.indexOf("\n", from)
  return end < 0 ? text.length : end
}

/** Good places to start reading, the best first: at the beginning of an object, of a word or of something in brackets. */
const beginnings: readonly RegExp[] = [/\{/, /(?<=[\s,;])[^\s,;]|[[(<]/]

/** Where a piece may begin, at `wished` or after it, and still well before the match. */
const beginOfPiece = (line: string, wished: number, at: number): number => {
  if (wished <= 0) return 0
  const near = line.slice(wished, wished + Math.floor((at - wished) / 2))
  const found = beginnings.map((beginning) => near.search(beginning)).find((place) => place >= 0)
  return found === undefined ? safeCut(line, wished) : wished + found
}

/** Which part of a line to show for a match at `at`; `shown`: how much of it has been. */
const pieceOf = (
  line: string,
  at: number,
  length: number,
  size: number,
  shown: number,
): { readonly from: number; readonly until: number } => {
  if (line.length <= size) return { from: 0, until: line.length }
  const lead = Math.max(0, Math.floor((size - length) / 2))
  const wished = Math.min(at - lead, line.length - size)
  const from = safeCut(line, Math.max(beginOfPiece(line, wished, at), Math.min(shown, at)))
  return { from, until: safeCut(line, Math.min(from + size, line.length)) }
}

/**
 * The excerpts of a text from an offset on, made one by one. `wanted` is folded. Each shows at most `size`
 * characters, the match among them; of a longer match, its beginning.
 */
export function* excerptsOf(text: string, wanted: string, start: number, size: number): Generator<Excerpt> {
  const folded = foldCase(text)
  const { length } = wanted
  const breaks = wanted.split("\n").length - 1
  let shown = start
  let line = 0
  let begin = 0
  let end = endOfLine(text, begin)
  let at = folded.indexOf(wanted, start)
  while (at >= 0) {
    while (end < at) {
      begin = end + 1
      end = endOfLine(text, begin)
      line++
    }
    const words = text.slice(begin, end)
    const { from, until } = pieceOf(words, at - begin, length, size, shown - begin)
    const before = from > 0 ? "…" : ""
    const behind = until < words.length ? "…" : ""
    yield { line, lastLine: line + breaks, skip: from, text: `${before}${words.slice(from, until)}${behind}` }
    shown = begin + until
    at = folded.indexOf(wanted, Math.max(at + length, shown - length + 1))
  }
}

/**
 * For comparing upper and lower case alike. As long as the text itself, because places in it are places in the text:
 * the lower case of `İ` has two characters, of which the first is enough. Which sigma is right depends on the
 * next character, so there is only one.
 */
export const foldCase = (text: string): string => {
  const lower = text.toLowerCase()
  const same = lower.length === text.length
    ? lower
    : text.replace(/\P{ASCII}/gu, (character) => character.toLowerCase().slice(0, character.length)).toLowerCase()
  return same.replaceAll("ς", "σ")
}
