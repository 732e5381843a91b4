/**
 * The place where a compaction can happen: between two requests, when no call is open. What to hide or summarise is the
 * hook's business. One that fails changes nothing: the run goes on with the history as it is.
 */
import type { Conversation } from "../model/index.ts"
import type { NewEntry } from "../store/index.ts"
import type { CompactionReason } from "./events.ts"
import type { CompactContext } from "./run-options.ts"
import type { RunState } from "./run-state.ts"

/** How many entries the hook appended. */
export const compact = async (
  state: RunState,
  conversation: Conversation,
  reason: CompactionReason,
  over?: CompactContext["over"],
): Promise<number> => {
  const { options, log, signal, beside, iteration, emit, lastUsage: usage } = state
  if (!options.compact) return 0
  emit({ type: "compaction-start", reason, iteration })
  let entries = 0
  const append = async (added: readonly NewEntry[]): Promise<readonly string[]> => {
    const ids = await log.append(added, { durable: true })
    entries += ids.length
    return ids
  }
  let failed: { readonly error: unknown } | undefined
  try {
    const { lease } = log
    const known = { conversation, usage, reason, ...(over && { over }), beside, store: options.store }
    await options.compact(log.loaded, { ...known, signal, append, current: () => log.loaded, lease })
    // What was appended beside us is seen before the next request, not when the next append finds out.
    await log.refresh()
  } catch (error) {
    failed = { error }
  }
  emit({ type: "compaction-end", reason, iteration, entries, ...failed })
  return entries
}
