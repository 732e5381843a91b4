/**
 * Says whether a place in a text lies inside a Markdown code fence.
 *
 * It only ever moves forward, and can be restarted behind a recognised call: a fence that opens inside a call's
 * value is part of that value and must not hide what follows. Fences count at any indentation, because models
 * indent them in lists.
 */

import { seek } from "./seek.ts"

export interface FenceWalker {
  /** Positions must not decrease from one question to the next. */
  readonly insideFence: (position: number) => boolean
  /** Forgets an open fence and goes on from here, behind all places asked about so far. */
  readonly restartAt: (position: number) => void
}

interface Fence {
  readonly mark: string
  readonly length: number
}

const mayBeFence = /^[ \t]*[`~]/
const fenceLine = /^[ \t]*(`{3,}|~{3,})([^\n]*)$/

/** Models also open a fence behind words ("Like this: ```js"); its closing line must not count as an opening one. */
const opensMidLine = (line: string): boolean => line.includes("```") && (line.match(/`{3,}/g)?.length ?? 0) % 2 === 1

const fenceAfterLine = (line: string, open: Fence | undefined): Fence | undefined => {
  const match = mayBeFence.test(line) ? fenceLine.exec(line) : null
  if (match === null) return open ?? (opensMidLine(line) ? { mark: "`", length: 3 } : undefined)
  const run = match[1] ?? ""
  const rest = match[2] ?? ""
  const mark = run.charAt(0)
  if (open === undefined) return mark === "`" && rest.includes("`") ? undefined : { mark, length: run.length }
  return mark === open.mark && run.length >= open.length && rest.trim() === "" ? undefined : open
}

export const walkFences = (text: string): FenceWalker => {
  const nextBackticks = seek(text, "```")
  const nextTildes = seek(text, "~~~")
  let lineStart = 0
  let open: Fence | undefined
  // Remembered, because many questions about one long line must not search its ends again and again.
  let lineEnd = -1
  return {
    insideFence: (position) => {
      while (lineStart < position) {
        // Only lines with one of these open or close a fence.
        const mark = Math.min(nextBackticks(lineStart), nextTildes(lineStart))
        if (mark >= position) break
        if (lineEnd < mark) {
          lineStart = Math.max(lineStart, text.lastIndexOf("\n", mark) + 1)
          const lineBreak = text.indexOf("\n", mark)
          lineEnd = lineBreak < 0 ? text.length : lineBreak
        }
        if (lineEnd >= position) break
        open = fenceAfterLine(text.slice(lineStart, lineEnd), open)
        lineStart = lineEnd + 1
      }
      return open !== undefined
    },
    restartAt: (position) => {
      if (position <= lineStart) return
      lineStart = position
      open = undefined
    },
  }
}

const backtickRuns = /`+/g

/** A run of backticks that does not occur in the text. */
export const fenceFor = (text: string): string => {
  let longest = 2
  for (const match of text.matchAll(backtickRuns)) longest = Math.max(longest, match[0].length)
  return "`".repeat(longest + 1)
}
