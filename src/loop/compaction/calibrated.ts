/**
 * How the provider of a conversation counts: our estimate of the last request beside the input tokens that were reported
 * for it, as a factor. Of a view that was compacted since, the report says nothing; then the factor holds with which that
 * compaction counted.
 */
import { calibrationFactor } from "../../compact/meter/calibrate.ts"
import type { Meter } from "../../compact/meter/index.ts"
import type { Size } from "../../compact/size.ts"
import type { Conversation } from "../../model/index.ts"
import type { Entry, Loaded } from "../../store/index.ts"
import { iterationNote, lastCount } from "../iteration-note.ts"
import { compactionNote, isFailureNote, pastOf } from "./past.ts"

/** Whether the newest note of an answer or a compaction is about a compaction, so that what was counted before it was another view. */
export const isCompactedSince = (entries: readonly Entry[]): boolean => {
  const isAbout = (entry: Entry): boolean => entry.kind === "note" && (entry.name === iterationNote || entry.name === compactionNote)
  const last = entries.findLast((entry) => isAbout(entry) && !isFailureNote(entry))
  return last?.kind === "note" && last.name === compactionNote
}

/** What the last answer was an answer to: everything in front of it. */
const askedTokens = ({ items }: Conversation, meter: Meter): number => {
  const last = items.findLastIndex(({ role }) => role === "exchange")
  let tokens = 0
  for (const item of items.slice(0, Math.max(0, last))) tokens += meter.sizeOfItem(item).tokens
  const exchange = items[last]
  if (exchange?.role !== "exchange" || exchange.reply === undefined) return tokens
  return tokens + meter.sizeOfItem(exchange).tokens - meter.sizeOfMessage(exchange.reply).tokens
}

/** By what our counts are to be multiplied. Those of an exact meter are left alone. */
export const providerFactor = (loaded: Loaded, view: Conversation, meter: Meter, beside: Size): number => {
  if ((meter.tolerance ?? 0) === 0) return 1
  if (isCompactedSince(loaded.entries)) return pastOf(loaded).factor
  const reported = lastCount(loaded.entries)?.inputTokens
  if (reported === undefined) return 1
  return calibrationFactor([{ estimated: askedTokens(view, meter) + beside.tokens, reported }])
}
