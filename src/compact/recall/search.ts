/** Search through everything that was said: one line per match, each with the handle that shows its surroundings. */
import type { Item } from "../../model/index.ts"
import { type Handle, handleOf } from "../handle.ts"
import { safeCut } from "../safe-cut.ts"
import { type PlacedPassage, wholeText } from "./item-text.ts"
import type { Recalled } from "./recall.ts"
import { type Reference, writeHandle } from "./reference.ts"

export interface SearchOptions {
  readonly limitCharacters: number
  /** Go on here. */
  readonly from?: Reference
  readonly isHidden?: (item: number) => boolean
}

/** Of a longer line, what stands around the match. */
const shownCharacters = 240

const around = (line: string, at: number, length: number): string => {
  if (line.length <= shownCharacters) return line
  const middle = Math.min(at - Math.floor((shownCharacters - length) / 2), line.length - shownCharacters)
  const from = safeCut(line, Math.max(0, middle))
  const until = safeCut(line, Math.max(from + shownCharacters, at + length))
  return `${from > 0 ? "…" : ""}${line.slice(from, until)}${until < line.length ? "…" : ""}`
}

interface Match {
  readonly handle: Handle
  readonly text: string
}

/** The line of an item's whole text at which the search goes on. */
const firstLine = (passages: readonly PlacedPassage[], from: Reference): number => {
  if (from.call === undefined) return from.from ?? 1
  const start = passages.find(({ call }) => call === from.call)?.line ?? 1
  // The title of a call is found under the handle of the call alone.
  return from.from === undefined ? start - 1 : start + from.from - 1
}

/** Matches in order, made one by one, so that a page costs what it shows. */
function* matchesOf(items: readonly Item[], search: string, options: SearchOptions): Generator<Match> {
  const wanted = search.toLowerCase()
  const { from, isHidden } = options
  for (let position = from?.item ?? 0; position < items.length; position++) {
    const item = items[position]
    if (item === undefined || isHidden?.(position) === true) continue
    const { passages } = wholeText(item, () => "")
    const first = from?.item === position ? firstLine(passages, from) : 1
    for (const { call, title, text, line } of passages) {
      // The call itself is found too: its arguments are what an agent remembers best.
      const inTitle = call === undefined || line - 1 < first ? -1 : title.toLowerCase().indexOf(wanted)
      if (inTitle >= 0) yield {
        handle: handleOf(position, call),
        text: `(call) ${around(title, inTitle, search.length)}`,
      }
      if (!text.toLowerCase().includes(wanted)) continue
      for (const [index, words] of text.split("\n").entries()) {
        const at = words.toLowerCase().indexOf(wanted)
        if (at < 0 || line + index < first) continue
        const number = call === undefined ? line + index : index + 1
        const reference: Reference = { item: position, ...(call !== undefined && { call }), from: number, to: number }
        yield { handle: writeHandle(reference), text: around(words, at, search.length) }
      }
    }
  }
}

export const searchItems = (items: readonly Item[], search: string, options: SearchOptions): Recalled => {
  const lines: string[] = []
  let used = 0
  for (const { handle, text } of matchesOf(items, search, options)) {
    const line = `${handle}  ${text}`
    if (used + line.length > options.limitCharacters && lines.length > 0) {
      lines.push(`[more matches: search again with handle ${handle}]`)
      return { found: true, text: lines.join("\n"), next: handle }
    }
    lines.push(line.slice(0, safeCut(line, options.limitCharacters)))
    used += line.length + 1
  }
  if (lines.length > 0) return { found: true, text: lines.join("\n") }
  const where = options.from === undefined ? "" : ` from ${handleOf(options.from.item)} on`
  return { found: false, text: `Nothing in the history contains ${JSON.stringify(search.slice(0, 80))}${where}.` }
}
