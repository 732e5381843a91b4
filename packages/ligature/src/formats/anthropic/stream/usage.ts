/** Tokens of a Messages response. Counts are cumulative: what a later event says replaces what an earlier one said. */
import { isWire, type Wire } from "../../../model/index.ts"
import { counts, numberOf } from "../../engine/recorder/fields.ts"
import type { Usage } from "../../engine/recorder/recorder.ts"

/** Clients need the counts, so that servers which do not count say zero. */
const saysNothing = (usage: Wire): boolean =>
  usage["input_tokens"] === 0 && usage["output_tokens"] === 0 && Object.keys(usage).length === 2

export const readUsage = (usage: unknown, before: Usage | undefined): Usage | undefined => {
  if (!isWire(usage) || (!before && saysNothing(usage))) return before
  const known = before?.native["anthropic"]
  const wire: Record<string, unknown> = { ...(isWire(known) ? known : {}) }
  for (const name in usage) if (usage[name] !== null && usage[name] !== undefined) wire[name] = usage[name]
  const { cache_read_input_tokens: read, cache_creation_input_tokens: write } = wire
  const fresh = numberOf(wire["input_tokens"])
  return {
    ...counts({
      inputTokens: fresh === undefined ? undefined : fresh + (numberOf(read) ?? 0) + (numberOf(write) ?? 0),
      outputTokens: wire["output_tokens"],
      cacheReadTokens: read,
      cacheWriteTokens: write,
    }),
    native: { anthropic: wire },
  }
}
