/**
 * A conversation as the sections that records are made of. A conversation gives results to their calls; in a file they
 * stand in records of their own or among other words, so that each section names the record it came from. Which of
 * them share a record in the end is for the format to say.
 */
import {
  type Block,
  type CallBlock,
  callsOf,
  type Conversation,
  type Exchange,
  type Message,
  type Native,
  type Role,
  type Wire,
} from "../../model/index.ts"

/** A block, and for a result the call it answers. */
export interface Part {
  readonly block: Block
  readonly call?: CallBlock
}

export interface Section {
  readonly role: Role
  /** Undefined for what is new. */
  readonly record: Wire | undefined
  readonly parts: readonly Part[]
  /** The message whose words these are; none for the results of an exchange. */
  readonly message?: Message
}

const recordOf = (native: Native | undefined, format: string): Wire | undefined => native?.[format] as Wire | undefined

const messageSection = (message: Message, format: string): Section => ({
  role: message.role,
  record: recordOf(message.native, format),
  parts: message.blocks.map((block) => ({ block })),
  message,
})

/** Results that came in one record, in one section. */
const resultSections = (exchange: Exchange, format: string): readonly Section[] => {
  const calls = callsOf(exchange)
  const sections: { readonly role: "tool"; readonly record: Wire | undefined; readonly parts: Part[] }[] = []
  exchange.outcomes.forEach(({ result, carrier }, index) => {
    if (!result) return
    const record = recordOf(carrier, format)
    const call = calls[index]
    const part: Part = { block: result, ...(call && { call }) }
    const last = sections.at(-1)
    if (last && last.record === record) last.parts.push(part)
    else sections.push({ role: "tool", record, parts: [part] })
  })
  return sections
}

export const sectionsOf = (conversation: Conversation, format: string): readonly Section[] =>
  conversation.items.flatMap((item): readonly Section[] => {
    if (item.role !== "exchange") return [messageSection(item, format)]
    const reply = item.reply ? [messageSection(item.reply, format)] : []
    return [messageSection(item.message, format), ...resultSections(item, format), ...reply]
  })

/**
 * For each section, the place of the next message behind it that has one: results must not overtake it. `places`:
 * where each record stands on the path that the conversation was read from.
 */
export const placesAhead = (sections: readonly Section[], places: ReadonlyMap<unknown, number>): readonly number[] => {
  const ahead: number[] = Array.from({ length: sections.length }, () => 0)
  let next = Number.POSITIVE_INFINITY
  for (let index = sections.length - 1; index >= 0; index--) {
    ahead[index] = next
    const { record, message } = sections[index] as Section
    if (message) next = (record && places.get(record)) ?? next
  }
  return ahead
}
