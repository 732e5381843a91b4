/**
 * Text for terminals: its width, cut to a width, on one line. The printer escapes control characters in whatever it prints; text
 * that has to be measured is escaped here as well, since an escape is longer than the character.
 */
import { visible } from "../../model/index.ts"
import { mapBetweenStyles, markOf, withoutStyles } from "./palette.ts"

export { count, oneLine, size } from "../../model/index.ts"

/** East Asian characters that take two columns. */
const wide = /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/
const combining = /[\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f]/
const ascii = /^[\u0020-\u007e]*$/

/** Several code points may be drawn as one picture: a family, a flag, a skin colour, a heart that was asked to be red. */
const joins = /\u200d|\ufe0f|[\u{1f1e6}-\u{1f1ff}]|[\u{1f3fb}-\u{1f3ff}]/u
const picture = /^\p{Emoji_Presentation}|\ufe0f/u

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })

/** What is drawn in one place. Most text has one code point for each. */
const charactersOf = (text: string): readonly string[] =>
  joins.test(text) ? Array.from(graphemes.segment(text), ({ segment }) => segment) : [...text]

/** As terminals draw it: pictures and East Asian characters take two columns. */
const characterWidth = (character: string): number => {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x300 && character.length === 1) return 1
  if (picture.test(character)) return 2
  const points = [...character]
  if (points.length > 1) return points.reduce((width, point) => width + characterWidth(point), 0)
  if (code >= 0x1f000 || (code >= 0x20000 && code < 0x40000)) return 2
  return combining.test(character) ? 0 : wide.test(character) ? 2 : 1
}

export const widthOf = (text: string): number => {
  const bare = withoutStyles(text)
  if (ascii.test(bare)) return bare.length
  let width = 0
  for (const character of charactersOf(bare)) width += characterWidth(character)
  return width
}

/** A piece of a line as it will be printed: with its escapes, its colours kept. */
export const shown = (text: string): string => mapBetweenStyles(text, (piece) => visible(piece).replaceAll("\n", "\\n"))

/** Cut to a width, with an ellipsis where something is missing. For text without colours. */
export const cut = (text: string, width: number): string => {
  if (width <= 0) return ""
  if (ascii.test(text)) return text.length <= width ? text : `${text.slice(0, width - 1)}…`
  let used = 0
  let out = ""
  for (const character of charactersOf(text)) {
    const next = characterWidth(character)
    if (used + next > width - 1) {
      const isLast = out.length + character.length === text.length && used + next <= width
      return isLast ? text : `${out}…`
    }
    used += next
    out += character
  }
  return out
}

/** Cut at the start: the end of a path tells more. */
export const cutStart = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  let used = 1
  let out = ""
  for (const character of charactersOf(text).toReversed()) {
    used += characterWidth(character)
    if (used > width) break
    out = `${character}${out}`
  }
  return `…${out}`
}

/** A label, followed by a text that keeps its margin on further lines. */
export const hang = (label: string, text: string, width: number): readonly string[] => {
  const margin = " ".repeat(widthOf(label))
  return wrap(text, Math.max(20, width - margin.length)).map((line, index) => `${index === 0 ? label : margin}${line}`)
}

/** Filled with spaces up to a width; coloured text may be given. */
export const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)))

export const padStart = (text: string, width: number): string => " ".repeat(Math.max(0, width - widthOf(text))) + text

/** Never first on a line, and never last on one. */
const closing = /[。，、；：？！）」』】》〉”’…·)\]}>,.;:!?%]/
const opening = /[（「『【《〈“‘([{<]/

/** Chinese has no spaces: a line may also break next to a wide character, except where punctuation belongs to its neighbour. */
const mayBreak = (before: string, after: string): boolean =>
  (wide.test(before) || wide.test(after)) && !closing.test(after) && !opening.test(before)

/** A word without spaces, in the pieces that a line break may separate. Colours stay with what they follow. */
const piecesOf = (word: string): readonly string[] => {
  if (!wide.test(word)) return [word]
  const pieces: string[] = []
  let piece = ""
  let last = ""
  mapBetweenStyles(
    word,
    (text) => {
      for (const character of text) {
        if (last !== "" && mayBreak(last, character)) {
          pieces.push(piece)
          piece = ""
        }
        piece += character
        last = character
      }
      return text
    },
    (code) => {
      piece += markOf(Number(code))
      return ""
    },
  )
  return [...pieces, piece]
}

/** Broken at spaces and between wide characters into lines of at most `width`; a longer word has a line of its own. */
export const wrap = (text: string, width: number): readonly string[] => {
  const lines: string[] = []
  for (const paragraph of text.split("\n")) {
    let line = ""
    for (const word of paragraph.split(" ")) {
      piecesOf(word).forEach((piece, index) => {
        const space = index === 0 ? " " : ""
        if (line !== "" && widthOf(line) + space.length + widthOf(piece) > width) {
          lines.push(line)
          line = piece
        } else line = line === "" ? piece : `${line}${space}${piece}`
      })
    }
    lines.push(line)
  }
  return lines
}

/** Wraps a line. Further lines begin below its text: after a label and its gap, else a little to the right. */
export const broken = (line: string, width: number): readonly string[] => {
  const lead = /^ */.exec(line)?.[0].length ?? 0
  const gaps = [...line.matchAll(/\S {2,}(?=\S)/g)].map(({ index, 0: gap }) => index + gap.length)
  const label = gaps.findLast((end) => widthOf(line.slice(0, end)) <= width / 2)
  const start = label ?? lead
  const margin = " ".repeat(label === undefined ? Math.max(lead, 2) : widthOf(line.slice(0, label)))
  // Words that begin a line of prose have no margin.
  const first = label === undefined && lead === 0 ? "" : line.slice(0, start)
  return wrap(line.slice(start), width - margin.length).map((each, index) => `${index === 0 ? first : margin}${each}`)
}
