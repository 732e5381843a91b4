/**
 * Judges the surroundings of a call: where its opening tag stands, and what follows its closing tag.
 *
 * A call starts a line, or follows another call or the end of a sentence. In the middle of a sentence or between
 * backticks the same words are talk about a call.
 */
import { signs } from "./certainty.ts"
import type { Sign } from "./certainty.ts"
import type { Tag } from "./tags.ts"

const sentenceEnd = /[.!?:;)…。！？：）]/

export const placeOf = (text: string, tag: Tag, before: Tag | undefined, previousCallEnd: number): Sign => {
  let position = tag.start
  while (position > 0 && (text[position - 1] === " " || text[position - 1] === "\t")) position--
  if (position > 0 && position === previousCallEnd) return signs.afterCall
  const indentation = text.slice(position, tag.start)
  if (position === 0 || text[position - 1] === "\n") {
    if (indentation === "") return signs.lineStart
    return indentation.includes("\t") || indentation.length > 3 ? signs.deeplyIndented : signs.indented
  }
  if (before?.kind === "close" && before.end === position) return signs.afterTag
  return sentenceEnd.test(text.charAt(position - 1)) ? signs.sentenceEnd : signs.midSentence
}

export const trailOf = (text: string, end: number): readonly Sign[] => {
  let position = end
  while (text[position] === " " || text[position] === "\t" || text[position] === "\r") position++
  const next = text[position]
  if (next === undefined || next === "\n" || next === "<") return []
  return next === "`" ? [signs.quoted] : [signs.trailing]
}
