/**
 * Which events say something of their own. Codex writes each word of user and agent twice: as an item for the model and
 * as an event for the screen, side by side. Only where the item is missing (some old writers never wrote it, or its
 * line was torn) is the event all there is, and is read in its place.
 *
 * An event and an item of one role are twins when they are side by side among the words of that role and say the
 * same; if their words differ (an editor's context, a redactor), then when each has no better twin.
 */
import { isWire } from "../../model/index.ts"
import { isPrompt, textOf } from "./items.ts"
import { eventOf, payloadOf, textField } from "./items.ts"

type Speaker = "user" | "assistant"

interface Word {
  readonly record: number
  readonly text: string
  readonly event: boolean
  paired: boolean
}

/** How far apart twins may be: more words of one role than this never come between them. */
const reach = 4

export const eventSpeakers: Readonly<Record<Speaker, string>> = { user: "user_message", assistant: "agent_message" }

const speakers: readonly Speaker[] = ["user", "assistant"]

const wordOf = (record: unknown, index: number, speaker: Speaker): Word | undefined => {
  const event = eventOf(record, eventSpeakers[speaker])
  if (event) return { record: index, text: (textField(event, "message") ?? "").trim(), event: true, paired: false }
  const item = payloadOf(record, "response_item")
  if (!item || item["role"] !== speaker || (speaker === "user" && !isPrompt(item))) return undefined
  return { record: index, text: textOf(item).trim(), event: false, paired: false }
}

const pair = (left: Word, right: Word | undefined): boolean => {
  if (!right || right.event || right.paired) return false
  left.paired = true
  right.paired = true
  return true
}

const pairEqual = (words: readonly Word[], at: number): void => {
  const word = words[at] as Word
  for (let step = 1; step <= reach; step++) {
    const before = words[at - step]
    if (before?.text === word.text && pair(word, before)) return
    const behind = words[at + step]
    if (behind?.text === word.text && pair(word, behind)) return
  }
}

const unpaired = (words: readonly Word[], found: Set<number>): void => {
  for (let at = 0; at < words.length; at++) if (words[at]?.event === true) pairEqual(words, at)
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word
    if (!word.event || word.paired || pair(word, words[at - 1]) || pair(word, words[at + 1])) continue
    if (word.text !== "") found.add(word.record)
  }
}

/** Indices of the records whose event is the only place where its words are. */
export const eventsWithoutItem = (records: readonly unknown[]): ReadonlySet<number> => {
  const found = new Set<number>()
  const words: Record<Speaker, Word[]> = { user: [], assistant: [] }
  for (let index = 0; index < records.length; index++) {
    const record = records[index]
    if (!isWire(record) || (record["type"] !== "event_msg" && record["type"] !== "response_item")) continue
    for (const speaker of speakers) {
      const word = wordOf(record, index, speaker)
      if (word) words[speaker].push(word)
    }
  }
  for (const speaker of speakers) unpaired(words[speaker], found)
  return found
}
