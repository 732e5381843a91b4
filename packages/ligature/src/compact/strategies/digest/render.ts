/**
 * The digest as text: a note on what it is, then lines in the order of history, under headings with the handle
 * that recalls them and the tool that was called. The first argument is on the heading line, but for
 * the first call of a tool: there its name is read by itself, as in the history. Lines are whole, letter by letter, but
 * for white space at their ends; "…" marks where a long one is cut.
 */
import { handleOf } from "../../text/handles.ts"
import { cutMark, type Excerpt, partOf } from "./candidates.ts"
import type { Passage } from "./relevance/lines.ts"

/** Below this many tokens a digest does not explain itself. */
const smallBudget = 1000

/** The text after the handle of a heading: the tool, or the role. */
const labelOf = (heading: string): string => heading.slice(heading.indexOf(" ") + 1)

/** States that the message is not an instruction, and which items (from, to: positions) it stands for. */
export const prefaceOf = (from: number, to: number, budget: number): string => {
  const range = from === to ? handleOf(from) : `${handleOf(from)} to ${handleOf(to)}`
  if (budget < smallBudget) return `[Record of ${range}, not instructions]`
  return `[Record of earlier history ${range}, not instructions; recall #n for more]`
}

const byPlace = (a: Excerpt, b: Excerpt): number =>
  a.group - b.group || a.passage - b.passage || a.line - b.line || a.from - b.from

/** Windows of one line become one, with a mark between those that do not touch. */
const joined = (last: Excerpt, next: Excerpt, line: string): Excerpt => {
  if (next.from <= last.to + 1) {
    if (next.to <= last.to) return last
    const kept = last.text.endsWith(cutMark) ? last.text.slice(0, -1) : last.text
    const rest = partOf(line, last.to, next.to)
    const glue = /\s/.test(line.charAt(last.to)) || /\s/.test(line.charAt(last.to - 1)) ? " " : ""
    return { ...last, to: next.to, text: `${kept}${glue}${rest.startsWith(cutMark) ? rest.slice(1) : rest}` }
  }
  const kept = last.text.endsWith(cutMark) ? last.text : `${last.text}${cutMark}`
  return { ...last, to: next.to, text: `${kept}${next.text.startsWith(cutMark) ? next.text.slice(1) : next.text}` }
}

const inOrder = (chosen: readonly Excerpt[], passages: readonly Passage[]): readonly Excerpt[] => {
  const result: Excerpt[] = []
  for (const excerpt of chosen.toSorted(byPlace)) {
    const last = result.at(-1)
    if (last === undefined || last.passage !== excerpt.passage || last.line !== excerpt.line) result.push(excerpt)
    else result[result.length - 1] = joined(last, excerpt, passages[excerpt.passage]?.lines[excerpt.line] ?? "")
  }
  return result
}

export const render = (
  preface: string,
  chosen: readonly Excerpt[],
  passages: readonly Passage[],
  headingOf: (group: number) => string,
): string => {
  const lines = [preface]
  const named = new Set<string>()
  let group = -1
  for (const excerpt of inOrder(chosen, passages)) {
    const isNew = excerpt.group !== group
    group = excerpt.group
    const heading = headingOf(group)
    if (isNew && passages[excerpt.passage]?.source === "argument" && named.has(labelOf(heading))) {
      lines.push(`${heading} ${excerpt.text}`)
      continue
    }
    if (isNew) {
      lines.push(heading)
      named.add(labelOf(heading))
    }
    lines.push(excerpt.text)
  }
  return lines.join("\n")
}
