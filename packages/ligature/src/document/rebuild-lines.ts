/**
 * A conversation of one message per line, after a change. A changed message takes the line of the one it replaces, and
 * lines that are no messages keep their place between the messages around them. Damaged lines are left out, because a
 * conversation that is rewritten is to be whole.
 */

import { styleOf } from "../json/json-style.ts"
import { writerFor } from "./kept-text.ts"
import { goneFrom, originsOf } from "./rebuild-list.ts"
import type { Cut } from "./rebuild-value.ts"
import type { Span } from "../json/scan-json.ts"
import type { TornLine, Unit } from "../json/split-values.ts"

export function lineCuts(text: string, units: readonly Unit[], torn: readonly TornLine[], list: readonly unknown[]): readonly Cut[] {
  const first = units[0]
  if (first === undefined) return []
  const style = { ...styleOf(text, first.start, first.end), margin: "" }
  const before = units.map((unit) => unit.value)
  const { stays, moved } = originsOf(list, before)
  const write = writerFor(text, goneFrom(before, units, stays))
  const cuts: Cut[] = []
  let fresh: string[] = []
  let next = 0
  // Between two messages that stayed, the new ones meet the old lines that are gone: first come, first served.
  const fillUpTo = (end: number): void => {
    const gone = units.slice(next, end)
    gone.forEach((unit, index) => {
      const line = fresh[index]
      cuts.push(line === undefined ? removed(text, unit) : { start: unit.start, end: unit.end, text: line })
    })
    const rest = fresh.slice(gone.length)
    const above = units[Math.min(next + Math.min(gone.length, fresh.length), units.length) - 1]
    const place = above?.end ?? first.start
    const lines = rest.map((line) => (above === undefined ? `${line}\n` : `\n${line}`))
    if (rest.length > 0) cuts.push({ start: place, end: place, text: lines.join("") })
    fresh = []
    next = end + 1
  }
  list.forEach((message, index) => {
    const origin = stays[index] ?? -1
    const old = units[moved[index] ?? -1]
    if (origin !== -1) fillUpTo(origin)
    else fresh.push(old === undefined || old.open !== undefined ? write(message, style, "") : text.slice(old.start, old.end))
  })
  fillUpTo(units.length)
  return [...cuts, ...torn.map((line) => removed(text, line))]
}

/** The span with its line break, so that no empty line stays behind. */
function removed(text: string, span: Span): Cut {
  const lineBreak = text.indexOf("\n", span.end)
  const endsLine = lineBreak !== -1 && text.slice(span.end, lineBreak).trim() === ""
  return { start: span.start, end: endsLine ? lineBreak + 1 : span.end, text: "" }
}
