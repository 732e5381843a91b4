/**
 * A history cut into lines with their provenance. The line is the unit the digest chooses: whole exchanges are too
 * coarse, and words without their line mean little.
 */
import { callsOf, type Conversation, type Item, mediaNote, type UserMessage } from "../../../../model/index.ts"
import { argumentLines } from "../../../text/arguments.ts"
import { textOfContent } from "../../../text/handles.ts"

/** Where a line comes from. */
type Source = "user" | "reply" | "argument" | "result" | "error"

/** Calls of one exchange, and sections of a record, beyond this are printed together. */
const groupsPerItem = 65_536
export const groupOf = (item: number, call: number): number => item * groupsPerItem + Math.min(call, groupsPerItem - 1)
/** The text of an exchange with several calls has a group of its own, before them: no handle of a call reads them back. */
export const wordsGroups = (calls: number): number => (calls > 1 ? 1 : 0)
export const itemOfGroup = (group: number): number => Math.floor(group / groupsPerItem)
export const callOfGroup = (group: number): number => group % groupsPerItem

/** A stretch of lines with one speaker: a message text, the arguments of one call, or one result. */
export interface Passage {
  /** Index of the item in the conversation. */
  readonly item: number
  /** What its lines are printed under: the item, or the second, third, … call of it. */
  readonly group: number
  readonly source: Source
  readonly lines: readonly string[]
  /** Of a section of an earlier record: its heading. */
  readonly heading?: string
  /** Of a section of an earlier record: which part of the state it was in. */
  readonly section?: SectionName
  /** Not text of anybody: a note that media was here. */
  readonly isNote?: true
}

/** Parts of the state, in the order in which a digest prints them. */
export const sections = [
  "Requests",
  "Answers",
  "Files changed",
  "Records changed",
  "Commands",
  "Failed",
  "Decided",
  "Images",
  "Told",
  "Open",
] as const
export type SectionName = (typeof sections)[number]
/** What comes after the state. */
const otherLines = "History"

export const titleOf = (section: SectionName | undefined): string => `[${section ?? otherLines}]`

const titles: ReadonlyMap<string, SectionName | undefined> = new Map([undefined, ...sections].map((section) => [titleOf(section), section]))

/** A line of a result that is a title of ours would pass for one. */
export const looksLikeTitle = (line: string): boolean => titles.has(line.trim())

/** A line of the history: its passage, and its place there. */
export interface Line {
  readonly passage: number
  readonly line: number
}

/** A part of a line, in characters. */
export interface Part extends Line {
  readonly from: number
  readonly to: number
}

const linesOf = (text: string): readonly string[] => text.split("\n")

/** A record of an earlier compaction: its lines stay under their headings. */
const recordPassages = ({ blocks }: UserMessage, index: number): readonly Passage[] => {
  const passages: Passage[] = []
  for (const block of blocks) {
    if (block.type === "media" || block.text.trim() === "") continue
    for (const { heading, first, lines, section } of sectionsOf(block.text)) {
      const group = groupOf(index, passages.length)
      const shared = { item: index, group, ...(heading !== undefined && { heading }), ...(section && { section }) }
      if (first !== undefined) passages.push({ ...shared, source: "argument", lines: [first] })
      passages.push({ ...shared, source: "user", lines })
    }
  }
  return passages
}

/** The passages of one item, in order. Thinking is left out: it belongs to the moment it was thought in. */
const passagesOf = (item: Item, index: number): readonly Passage[] => {
  const passages: Passage[] = []
  if (item.role !== "exchange") {
    if (item.role === "system") return passages
    if (item.summary) return recordPassages(item, index)
    for (const block of item.blocks) {
      const from = { item: index, group: groupOf(index, 0), source: "user" } as const
      if (block.type === "media") passages.push({ ...from, lines: [mediaNote(block)], isNote: true })
      else if (block.text.trim() !== "") passages.push({ ...from, lines: linesOf(block.text) })
    }
    return passages
  }
  const calls = callsOf(item)
  const say = (text: string): void => {
    if (text.trim() === "") return
    passages.push({ item: index, group: groupOf(index, 0), source: "reply", lines: linesOf(text) })
  }
  for (const block of item.message.blocks) {
    if (block.type === "text" || block.type === "opaque") say(block.text)
  }
  for (const [place, call] of calls.entries()) {
    const group = groupOf(index, place + wordsGroups(calls.length))
    passages.push({ item: index, group, source: "argument", lines: argumentLines(call) })
    const outcome = item.outcomes[place]
    if (outcome?.result === undefined) continue
    const lines = linesOf(textOfContent(outcome.result.content))
    passages.push({ item: index, group, source: outcome.kind === "done" ? "result" : "error", lines })
  }
  for (const block of item.reply?.blocks ?? []) {
    if (block.type === "text" || block.type === "opaque") say(block.text)
  }
  return passages
}

export const passagesOfAll = (conversation: Conversation): readonly Passage[] =>
  conversation.items.flatMap((item, index) => passagesOf(item, index))

/**
 * A digest that is read again: a view is compacted further, and one of its items is the record of an earlier
 * compaction. Its lines belong to what its headings name, not to the record, and must keep their handles.
 */
const preface = /^\[Record of (?:earlier history )?#(\d+)(?: to #(\d+))?[,\]]/
/** After a tool there may be its argument, after a user only their name. */
const heading = /^#(\d+)(?:\.\d+)? (?:user(?: .*)?$|\S+)/

interface Section {
  /** As it was printed; undefined before the first. */
  readonly heading?: string
  /** The part of the state it is in. */
  readonly section?: SectionName
  /** The rest of the line of the heading. */
  readonly first?: string
  readonly lines: readonly string[]
}

/**
 * A text that begins with no preface is one section. A line may look like a heading: headings are in order and within the
 * range, in each part of the state anew.
 */
export const sectionsOf = (text: string): readonly Section[] => {
  const [opening = "", ...lines] = text.split("\n")
  const range = preface.exec(opening)
  if (!range) return [{ lines: [opening, ...lines] }]
  const start = Number(range[1])
  let least = start
  let part: SectionName | undefined
  const most = Number(range[2] ?? range[1])
  const found: { heading?: string; first?: string; section?: SectionName; lines: string[] }[] = []
  for (const line of lines) {
    if (titles.has(line)) {
      part = titles.get(line)
      least = start
      continue
    }
    const match = heading.exec(line)
    const number = Number(match?.[1])
    if (match && number >= least && number <= most) {
      least = number
      const first = line.slice(match[0].length).trimStart()
      found.push({ heading: match[0], ...(part && { section: part }), ...(first !== "" && { first }), lines: [] })
    } else if (found.length > 0) found.at(-1)?.lines.push(line)
    else found.push({ ...(part && { section: part }), lines: [line] })
  }
  return found
}
