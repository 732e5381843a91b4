/**
 * Session of Continue → Transcript. The default view is `whole`: all that was said, summaries where they stand;
 * `effective` begins with the last summary, as the agent does. Thinking has an item of its own in front of the message
 * it belongs to, and is one message with it here.
 */
import { type Block, isWire, type Message, type Transcript, type Wire } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { anomaly } from "../engine/anomaly.ts"
import { stringOf } from "../engine/fields.ts"
import { format, messageOf, readingKey, summaryOf } from "./fields.ts"
import { type ItemRead, readHistory } from "./read-history.ts"

/** A summary is kept on an item: as a message it has no item of its own. */
const summaryKey = "summaryOf"

const summaryMessage = (item: unknown, text: string): Message => ({
  role: "user",
  blocks: [{ type: "text", text }],
  summary: true,
  native: { [format]: { [summaryKey]: item } },
})

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const view = options.view ?? "whole"
  const { items, findings, summary } = readHistory(value, view)
  const diagnostics = [...findings]
  if (options.branch !== undefined && options.branch !== "active") {
    const what = `There is no path ${options.branch}: such a session has one`
    diagnostics.push(anomaly("unknown-record", {}, what, [options.branch]))
  }
  const messages: Message[] = summary ? [summaryMessage(summary.item, summary.text)] : []
  let thoughts: readonly Block[] = []
  let thinker: ItemRead | undefined
  const flushThoughts = (): void => {
    if (thinker && thoughts.length > 0) {
      messages.push({ role: "assistant", blocks: thoughts, native: { [format]: thinker.item } })
    }
    thoughts = []
    thinker = undefined
  }
  let waiting: Message | undefined
  const flushSummary = (): void => {
    if (waiting) messages.push(waiting)
    waiting = undefined
  }
  for (const read of items) {
    const { item, said } = read
    // The results of the item that bears a summary may stand behind it.
    if (said.role !== "tool") flushSummary()
    const id = stringOf(messageOf(item)["id"])
    const shared = { ...(id !== "" && { id }), native: { [format]: item } }
    if (messageOf(item)["role"] === "thinking") {
      thoughts = thoughts.length === 0 ? said.blocks : [...thoughts, ...said.blocks]
      thinker = read
      continue
    }
    if (said.role !== "assistant") flushThoughts()
    const blocks = thoughts.length > 0 ? [...thoughts, ...said.blocks] : said.blocks
    thoughts = []
    thinker = undefined
    if (blocks.length > 0) messages.push({ role: said.role, blocks, ...shared })
    if (said.results.length > 0) messages.push({ role: "tool", blocks: said.results, ...shared })
    const text = summaryOf(item)
    if (text !== "") {
      flushSummary()
      waiting = summaryMessage(item, text)
      if (!said.blocks.some((block) => block.type === "call")) flushSummary()
    }
  }
  flushThoughts()
  flushSummary()
  return {
    format,
    messages,
    native: { [format]: value, ...(options.view && { [readingKey]: { view: options.view } }) },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}

/** The item that bears the summary of which a message was made. */
export const summaryBearer = (native: unknown): Wire | undefined => {
  const item = isWire(native) ? native[summaryKey] : undefined
  return isWire(item) ? item : undefined
}
