/**
 * Which words of a conversation go into which record. A conversation gives results to their calls; the file had them
 * in user messages, with other words beside them. Each section of the conversation goes back to the record it came
 * from where that keeps the order; what was invented or moved goes into the nearest user message, results first.
 */
import {
  callsOf,
  type Conversation,
  type Exchange,
  type Message,
  type Native,
  type Wire,
} from "../../../model/index.ts"
import type { Part } from "./lower.ts"
import { format } from "./records.ts"

interface Section {
  readonly role: "system" | "user" | "assistant"
  readonly record: Wire | undefined
  readonly parts: readonly Part[]
  /** Results of an exchange, as opposed to words of a message of its own. */
  readonly results: boolean
  readonly message?: Message
}

/** What one record will say. Without `record` it is a new one. */
export interface Group {
  readonly role: Section["role"]
  readonly record: Wire | undefined
  readonly parts: Part[]
  readonly message: Message | undefined
  /** Nothing but results so far. */
  onlyResults: boolean
}

const recordOf = (native: Native | undefined): Wire | undefined => native?.[format] as Wire | undefined

const messageSection = (message: Message): Section => ({
  role: message.role === "assistant" || message.role === "system" ? message.role : "user",
  record: recordOf(message.native),
  parts: message.blocks.map((block) => ({ block })),
  results: false,
  message,
})

const resultSections = (exchange: Exchange): readonly Section[] => {
  const calls = callsOf(exchange)
  const sections: { role: "user"; record: Wire | undefined; parts: Part[]; results: true }[] = []
  exchange.outcomes.forEach(({ result, carrier }, index) => {
    if (!result) return
    const record = recordOf(carrier)
    const call = calls[index]
    const part: Part = { block: result, ...(call && { call }) }
    const last = sections.at(-1)
    if (last && last.record === record) last.parts.push(part)
    else sections.push({ role: "user", record, parts: [part], results: true })
  })
  return sections
}

const sectionsOf = (conversation: Conversation): readonly Section[] =>
  conversation.items.flatMap((item): readonly Section[] => {
    if (item.role !== "exchange") return [messageSection(item)]
    const reply = item.reply ? [messageSection(item.reply)] : []
    return [messageSection(item.message), ...resultSections(item), ...reply]
  })

export const groupSections = (conversation: Conversation, places: ReadonlyMap<unknown, number>): readonly Group[] => {
  const sections = sectionsOf(conversation)
  const placeOf = (section: Section): number | undefined =>
    section.record === undefined ? undefined : places.get(section.record)
  /** For each section, the place of the next message behind it that has one: results must not overtake it. */
  const nextPlaces: number[] = []
  for (let index = sections.length - 1, next = Number.POSITIVE_INFINITY; index >= 0; index--) {
    nextPlaces[index] = next
    const section = sections[index] as Section
    if (!section.results) next = placeOf(section) ?? next
  }
  const groups: Group[] = []
  let lastPlace = -1
  const start = (section: Section, record: Wire | undefined, before: readonly Part[] = []): void => {
    const { role, message, results } = section
    groups.push({ role, record, parts: [...before, ...section.parts], message, onlyResults: results })
  }
  sections.forEach((section, index) => {
    const open = groups.at(-1)
    const place = placeOf(section)
    const joins = open?.role === "user" && section.role === "user"
    if (open && place !== undefined && open.record === section.record) {
      open.parts.push(...section.parts)
      open.onlyResults &&= section.results
    } else if (place !== undefined && place > lastPlace && (!section.results || place <= (nextPlaces[index] ?? 0))) {
      // Results that had no record of their own go with the user's next words.
      const waiting = joins && open.record === undefined && open.onlyResults
      start(section, section.record, waiting ? groups.pop()?.parts : undefined)
      lastPlace = place
    } else if (open && joins && open.onlyResults) {
      open.parts.push(...section.parts)
      open.onlyResults = section.results
    } else start(section, undefined)
  })
  return groups
}
