/**
 * Which words of a conversation go into which record. A conversation gives results to their calls; the file had them
 * in user messages, with other words beside them. Each section of the conversation goes back to the record it came
 * from where that keeps the order; what was invented or moved goes into the nearest user message, results first.
 */
import { type Conversation, type Message, pushAll, type Wire } from "../../model/index.ts"
import { type Part, placesAhead, type Section, sectionsOf } from "../engine/sections.ts"
import { format } from "./records.ts"

/** What one record will say. Without `record` it is a new one. */
export interface Group {
  readonly role: "system" | "user" | "assistant"
  readonly record: Wire | undefined
  readonly parts: Part[]
  readonly message: Message | undefined
  /** Nothing but results so far. */
  onlyResults: boolean
}

const roleOf = ({ role }: Section): Group["role"] => (role === "assistant" || role === "system" ? role : "user")

export const groupSections = (conversation: Conversation, places: ReadonlyMap<unknown, number>): readonly Group[] => {
  const sections = sectionsOf(conversation, format)
  const ahead = placesAhead(sections, places)
  const groups: Group[] = []
  let lastPlace = -1
  const start = (section: Section, record: Wire | undefined, before: readonly Part[] = []): void => {
    const { message, parts } = section
    const role = roleOf(section)
    groups.push({ role, record, parts: [...before, ...parts], message, onlyResults: !message })
  }
  sections.forEach((section, index) => {
    const { record, parts } = section
    const open = groups.at(-1)
    const place = record && places.get(record)
    const results = !section.message
    const joins = open?.role === "user" && roleOf(section) === "user"
    if (open && place !== undefined && open.record === record) {
      pushAll(open.parts, parts)
      open.onlyResults &&= results
    } else if (place !== undefined && place > lastPlace && (!results || place <= (ahead[index] ?? 0))) {
      // Results that had no record of their own go with the user's next words.
      const waiting = joins && open.record === undefined && open.onlyResults
      start(section, record, waiting ? groups.pop()?.parts : undefined)
      lastPlace = place
    } else if (open && joins && open.onlyResults) {
      pushAll(open.parts, parts)
      open.onlyResults = results
    } else start(section, undefined)
  })
  return groups
}
