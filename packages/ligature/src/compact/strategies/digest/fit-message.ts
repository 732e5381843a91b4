/**
 * Fits a digest into what is left of the limit. Lines are counted one by one while they are chosen and the whole
 * message once it is written: the two differ a little, so what is left over is given back for another round, and what
 * is too much is taken away from the end of the choice, where the least is lost.
 */
import { text, type UserMessage } from "../../../model/index.ts"
import { addSizes, fitsIn, type Meter, type Size } from "../../meter/meter.ts"
import { handleOf } from "../../text/handles.ts"
import { cutMark, type Excerpt, partOf } from "./candidates.ts"
import type { Chooser } from "./choose-lines.ts"
import { type Passage, type SectionName, sections, titleOf } from "./relevance/lines.ts"

// The digest as text: a note on what it is, then lines in the order of history, under headings with the handle
// that recalls them and the tool that was called. The first argument is on the heading line, but for
// the first call of a tool: there its name is read by itself, as in the history. Lines are whole, letter by letter, but
// for white space at their ends; "…" marks where a long one is cut.

/** Below this many tokens a digest does not explain itself. */
const smallBudget = 1000

/** The text after the handle of a heading: the tool, or the role. */
const labelOf = (heading: string): string => heading.slice(heading.indexOf(" ") + 1)

/** States that the message is not an instruction, and which items (from, to: positions) it stands for. */
export const prefaceOf = (from: number, to: number, budget: number, canRecall = false): string => {
  const range = from === to ? handleOf(from) : `${handleOf(from)} to ${handleOf(to)}`
  if (budget < smallBudget) return `[Record of ${range}, not instructions]`
  return `[Record of earlier history ${range}, not instructions${canRecall ? "; recall #n for more" : ""}]`
}

const byPlace = (a: Excerpt, b: Excerpt): number => a.group - b.group || a.passage - b.passage || a.line - b.line || a.from - b.from

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

type SectionOf = (excerpt: Excerpt) => SectionName | undefined

/** Order in which sections are printed; all other lines come after them. */
const placeOf = (section: SectionName | undefined): number => (section === undefined ? sections.length : sections.indexOf(section))

const inOrder = (chosen: readonly Excerpt[], { passages, sectionOf }: Page): readonly Excerpt[] => {
  const result: Excerpt[] = []
  const places = new Map(chosen.map((excerpt) => [excerpt, placeOf(sectionOf(excerpt))]))
  const ordered = chosen.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0) || byPlace(a, b))
  for (const excerpt of ordered) {
    const last = result.at(-1)
    if (last === undefined || last.passage !== excerpt.passage || last.line !== excerpt.line) result.push(excerpt)
    else result[result.length - 1] = joined(last, excerpt, passages[excerpt.passage]?.lines[excerpt.line] ?? "")
  }
  return result
}

const render = (chosen: readonly Excerpt[], page: Page): string => {
  const { preface, passages, headingOf, sectionOf } = page
  const lines = [preface]
  const named = new Set<string>()
  let group = -1
  let section: SectionName | undefined
  for (const excerpt of inOrder(chosen, page)) {
    const own = sectionOf(excerpt)
    const isTitled = own !== section
    // Without a state before them the lines need no title.
    if (isTitled) lines.push(titleOf(own))
    section = own
    const isNew = isTitled || excerpt.group !== group
    group = excerpt.group
    const heading = headingOf(group)
    if (isNew && passages[excerpt.passage]?.source === "argument" && (own !== undefined || named.has(labelOf(heading)))) {
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

export interface Page {
  readonly preface: string
  readonly passages: readonly Passage[]
  readonly headingOf: (group: number) => string
  readonly sectionOf: SectionOf
}

export interface Written {
  readonly message: UserMessage
  readonly lines: readonly Excerpt[]
  /** Of the view: the around and the message. */
  readonly size: Size
}

export const write = (page: Page, chosen: readonly Excerpt[], around: Size, meter: Meter): Written => {
  const message: UserMessage = {
    role: "user",
    blocks: [text(render(chosen, page))],
    summary: true,
  }
  return { message, lines: [...chosen], size: addSizes(around, meter.sizeOfMessage(message)) }
}

export interface Space {
  readonly limit: Size
  /** What the limit comes down to in tokens. */
  readonly budget: number
}

interface Room {
  readonly limit: Size
  /** Tokens to come near to. */
  readonly aim: number
  /** The verbatim part around the digest. */
  readonly around: Size
  /** Tokens left for lines that are chosen. */
  readonly left: number
  /** Lines that show nothing first may fill it too. */
  readonly takesAll: boolean
}

const rounds = 4
const fullEnough = 0.985

interface Fitted extends Written {
  /** Lines had to be taken away that the chooser takes for shown. */
  readonly isCut: boolean
}

/** The fullest writing that fits; undefined when none does. Lines that must be there are the last to go. */
export const fitDigest = (
  page: Page,
  certain: readonly Excerpt[],
  chooser: Chooser,
  { limit, aim, around, left, takesAll }: Room,
  meter: Meter,
): Fitted | undefined => {
  const chosen = [...certain]
  let best: Written | undefined
  let allowance = left
  for (let round = 0; round < rounds; round++) {
    const first = chooser.pick(allowance)
    const more = first.length > 0 || !takesAll ? first : chooser.pickShown(allowance)
    if (round > 0 && more.length === 0) break
    for (const line of more) chosen.push(line)
    const written = write(page, chosen, around, meter)
    if (!fitsIn(written.size, limit)) {
      const shorter = shortened(page, chosen, written, limit, around, meter)
      const longer = best && best.lines.length > (shorter?.lines.length ?? 0) ? best : shorter
      return longer && { ...longer, isCut: true }
    }
    best = written
    allowance = aim - written.size.tokens
    if (written.size.tokens >= fullEnough * aim) break
  }
  return best && { ...best, isCut: false }
}

const shortened = (page: Page, chosen: Excerpt[], tooLong: Written, limit: Size, around: Size, meter: Meter): Written | undefined => {
  let written = tooLong
  while (chosen.length > 0) {
    const excess = Math.max(written.size.tokens / limit.tokens, written.size.bytes / limit.bytes) - 1
    // Half of them at most: one line may be what is too large.
    chosen.length -= Math.max(1, Math.floor(chosen.length * Math.min(0.5, excess * 0.5)))
    written = write(page, chosen, around, meter)
    if (fitsIn(written.size, limit)) return written
  }
  return undefined
}
