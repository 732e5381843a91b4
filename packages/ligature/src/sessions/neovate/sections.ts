/** Which words of a conversation go into which record: each to the one it came from, where that keeps their order. */
import { type Conversation, pushAll } from "../../model/index.ts"
import { type Part, placesAhead, type Section, sectionsOf } from "../engine/sections.ts"
import { format } from "./records.ts"

/** What one record will say. Without `record` it is a new one. */
export interface Group extends Section {
  readonly parts: Part[]
}

/** `positions`: where each record stands on the path that the conversation was read from. */
export const groupSections = (
  conversation: Conversation,
  positions: ReadonlyMap<unknown, number>,
): readonly Group[] => {
  const sections = sectionsOf(conversation, format)
  const ahead = placesAhead(sections, positions)
  const groups: Group[] = []
  let last = -1
  sections.forEach((section, index) => {
    const { record, parts, role, message } = section
    const open = groups.at(-1)
    const position = record && positions.get(record)
    const results = !message
    if (open && position !== undefined && open.record === record) pushAll(open.parts, parts)
    else if (position !== undefined && position > last && (!results || position <= (ahead[index] ?? 0))) {
      groups.push({ ...section, parts: [...parts] })
      last = position
    } else if (open && results && open.record === undefined && open.role === role) pushAll(open.parts, parts)
    else groups.push({ ...section, parts: [...parts], record: undefined })
  })
  return groups
}
