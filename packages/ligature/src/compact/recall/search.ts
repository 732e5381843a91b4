/** Search through the whole history: one line per match, each with the handle that shows its surroundings. */
import type { Item } from "../../model/index.ts"
import { handleOf, type Reference, writeHandle } from "../text/handles.ts"
import { longestTitle, type PlacedPassage, titleLead, wholeText } from "../text/item-text.ts"
import { safeCut } from "../text/shorten.ts"
import type { Recalled } from "./recall.ts"

// Where a text contains what is looked for, and the text around it. A short line is shown whole and once. Of a long one,
// such as a JSON result without line breaks, a piece is shown for every match that no piece before it showed, so whoever
// reads all pieces has seen all matches.
//
//   line     …,{"id":"user_1"},{"id":"user_2"},…      …,{"id":"user_900"},…
//   pieces    [ both matches in one piece     ]        [ the next          ]

interface Excerpt {
  /** The line the match begins in, from zero. */
  readonly line: number
  /** The line it ends in: another one where the text looked for has line breaks. */
  readonly lastLine: number
  /** Characters of the line before the piece. Searching from there on finds the same match first. */
  readonly skip: number
  readonly text: string
}

/** Where a line begins in a text, plus a number of its characters; the text's end where there is no such line. */
const offsetOf = (text: string, line: number, skip: number): number => {
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
function* excerptsOf(text: string, wanted: string, start: number, size: number): Generator<Excerpt> {
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
const foldCase = (text: string): string => {
  const lower = text.toLowerCase()
  const same =
    lower.length === text.length
      ? lower
      : text.replace(/\P{ASCII}/gu, (character) => character.toLowerCase().slice(0, character.length)).toLowerCase()
  return same.replaceAll("ς", "σ")
}

interface SearchOptions {
  readonly limitCharacters: number
  /** Go on here; a range is not left. */
  readonly from?: Reference
  readonly isHidden?: (item: number) => boolean
}

/** How many characters of a longer line are shown around a match. */
const shownCharacters = 240

interface Match {
  /** Reading from here shows the match, and searching from here finds it first. */
  readonly reference: Reference
  readonly text: string
}

/** A place in the whole text of an item: a line, from one, and how many of its characters are left out. */
interface Place {
  readonly line: number
  readonly skip: number
}

/** Where in an item's whole text the search goes on. */
const firstPlace = (passages: readonly PlacedPassage[], from: Reference): Place => {
  const { call, from: line, skip = 0 } = from
  if (call === undefined) return { line: line ?? 1, skip }
  const passage = passages.find((each) => each.call === call)
  // The title of a call is found under the handle of the call alone.
  return line === undefined ? { line: passage?.titleLine ?? 1, skip: 0 } : { line: (passage?.line ?? 1) + line - 1, skip }
}

/** How far into a text the search begins; `line`: the line it starts at, `lead`: characters before it on that line. */
const startIn = (text: string, first: Place, line: number, lead = 0): number => {
  if (first.line < line) return 0
  return offsetOf(text, first.line - line, first.line === line ? Math.max(0, first.skip - lead) : first.skip)
}

/** The lines of a match, or where a long line begins to matter. */
const referenceTo = (whole: Reference, { line, lastLine, skip }: Excerpt, firstLine: number, lead = 0): Reference => {
  const from = firstLine + line
  if (skip === 0) return { ...whole, from, to: firstLine + lastLine }
  return { ...whole, from, skip: skip + (line === 0 ? lead : 0) }
}

/** The call itself is found too: its arguments are what an agent remembers best. */
function* matchesInTitle(item: number, passage: PlacedPassage, wanted: string, first: Place, size: number): Generator<Match> {
  const { call, title, titleLine } = passage
  if (call === undefined) return
  const lead = titleLead(handleOf(item, call)).length
  for (const excerpt of excerptsOf(title, wanted, startIn(title, first, titleLine, lead), size)) {
    const text = `(call) ${excerpt.text}`
    if (title.length <= longestTitle) {
      yield { reference: { item, call }, text }
      return
    }
    // The handle of the call would show the beginning of its arguments only.
    yield { reference: referenceTo({ item }, excerpt, titleLine, lead), text }
  }
}

/** Matches in order, made one by one, so that a page costs what it shows. */
function* matchesOf(items: readonly Item[], search: string, options: SearchOptions): Generator<Match> {
  const wanted = foldCase(search)
  const { from, isHidden, limitCharacters } = options
  const size = Math.min(shownCharacters, limitCharacters)
  const end = Math.min(items.length, (from?.until ?? items.length) + 1)
  for (let position = from?.item ?? 0; position < end; position++) {
    const item = items[position]
    if (item === undefined || isHidden?.(position) === true) continue
    const { passages } = wholeText(item, (call) => handleOf(position, call))
    const first = from?.item === position ? firstPlace(passages, from) : { line: 1, skip: 0 }
    for (const passage of passages) {
      const { call, text, line } = passage
      yield* matchesInTitle(position, passage, wanted, first, size)
      const whole: Reference = { item: position, ...(call !== undefined && { call }) }
      for (const excerpt of excerptsOf(text, wanted, startIn(text, first, line), size)) {
        yield { reference: referenceTo(whole, excerpt, call === undefined ? line : 1), text: excerpt.text }
      }
    }
  }
}

/** How to go on; inside a line that has many matches, also how to get past it. */
const moreNote = (reference: Reference): string => {
  const { from, skip, ...whole } = reference
  const again = `[more matches: search again with handle ${writeHandle(reference)}`
  if (from === undefined || skip === undefined) return `${again}]`
  return `${again}, or ${writeHandle({ ...whole, from: from + 1 })} to leave out the rest of this line]`
}

const whereText = (from: Reference | undefined): string => {
  if (from === undefined) return ""
  const { item, until } = from
  return until === undefined ? ` from ${handleOf(item)} on` : ` in ${handleOf(item)} to ${handleOf(until)}`
}

export const searchItems = (items: readonly Item[], search: string, options: SearchOptions): Recalled => {
  const lines: string[] = []
  let used = 0
  const until = options.from?.until
  for (const { reference, text } of matchesOf(items, search, options)) {
    const line = `${writeHandle(reference)}  ${text}`
    if (used + line.length > options.limitCharacters && lines.length > 0) {
      const rest = { ...reference, ...(until !== undefined && { until }) }
      lines.push(moreNote(rest))
      return { found: true, text: lines.join("\n"), next: writeHandle(rest) }
    }
    lines.push(line)
    used += line.length + 1
  }
  if (lines.length > 0) return { found: true, text: lines.join("\n") }
  const what = JSON.stringify(search.slice(0, 80))
  return { found: false, text: `Nothing in the history contains ${what}${whereText(options.from)}.` }
}
