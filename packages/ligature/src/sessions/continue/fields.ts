/** The shapes of a Continue session: `history[]` of items, each a message and what the agent knows about it. */
import { isWire, type Wire } from "../../model/index.ts"
import { listOf, stringOf, wireOf } from "../engine/fields.ts"

export const format = "continue"

/** Where the decoder keeps the chosen view, so that the encoder knows what it did not read. */
export const readingKey = "continue.reading"

export const historyOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : listOf(wireOf(value)["history"])

export const messageOf = (item: Wire): Wire => wireOf(item["message"])

/** States of calls: a list since there are parallel calls, a single one before. */
export const statesOf = (item: Wire): readonly Wire[] => {
  const states = listOf(item["toolCallStates"]).filter(isWire)
  if (states.length > 0) return states
  return isWire(item["toolCallState"]) ? [item["toolCallState"]] : []
}

export const summaryOf = (item: Wire): string => stringOf(item["conversationSummary"])

/** What the model is told about a call that the user stopped, where nothing else is recorded. */
export const canceledText = "The user cancelled this tool call."
