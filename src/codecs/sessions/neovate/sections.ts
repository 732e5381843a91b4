/** Which words of a conversation go into which record: each to the one it came from, where that keeps their order. */
import {
  type Block,
  type CallBlock,
  callsOf,
  type Conversation,
  type Exchange,
  type Message,
  type Native,
  type Wire,
} from "../../../model/index.ts"
import { format } from "./records.ts"

export interface Part {
  readonly block: Block
  /** The call that a result answers. */
  readonly call?: CallBlock
}

/** What one record will say. Without `record` it is a new one. */
export interface Section {
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly record: Wire | undefined
  readonly parts: Part[]
  readonly message?: Message
}

const recordOf = (native: Native | undefined): Wire | undefined => native?.[format] as Wire | undefined

const messageSection = (message: Message): Section => ({
  role: message.role,
  record: recordOf(message.native),
  parts: message.blocks.map((block) => ({ block })),
  message,
})

const resultSections = (exchange: Exchange): readonly Section[] => {
  const calls = callsOf(exchange)
  const sections: Section[] = []
  exchange.outcomes.forEach(({ result, carrier }, index) => {
    if (!result) return
    const record = recordOf(carrier)
    const call = calls[index]
    const part: Part = { block: result, ...(call && { call }) }
    const last = sections.at(-1)
    if (last && last.record === record) last.parts.push(part)
    else sections.push({ role: "tool", record, parts: [part] })
  })
  return sections
}

const sectionsOf = (conversation: Conversation): readonly Section[] =>
  conversation.items.flatMap((item): readonly Section[] => {
    if (item.role !== "exchange") return [messageSection(item)]
    const reply = item.reply ? [messageSection(item.reply)] : []
    return [messageSection(item.message), ...resultSections(item), ...reply]
  })

/** `positions`: where each record stands on the path that the conversation was read from. */
export const groupSections = (
  conversation: Conversation,
  positions: ReadonlyMap<unknown, number>,
): readonly Section[] => {
  const sections = sectionsOf(conversation)
  const positionOf = ({ record }: Section): number | undefined =>
    record === undefined ? undefined : positions.get(record)
  const nextPositions: number[] = []
  for (let index = sections.length - 1, next = Number.POSITIVE_INFINITY; index >= 0; index--) {
    nextPositions[index] = next
    const section = sections[index] as Section
    if (section.role !== "tool" || section.message) next = positionOf(section) ?? next
  }
  const groups: Section[] = []
  let last = -1
  sections.forEach((section, index) => {
    const open = groups.at(-1)
    const position = positionOf(section)
    const results = section.role === "tool" && !section.message
    if (open && position !== undefined && open.record === section.record) open.parts.push(...section.parts)
    else if (position !== undefined && position > last && (!results || position <= (nextPositions[index] ?? 0))) {
      groups.push({ ...section, parts: [...section.parts] })
      last = position
    } else if (open && results && open.record === undefined && open.role === "tool") open.parts.push(...section.parts)
    else groups.push({ ...section, parts: [...section.parts], record: undefined })
  })
  return groups
}
