/**
 * What happens to the view between two requests, when no call is open: a compaction, and the shortening of new results.
 * What to hide or summarise is the hook's business. One that fails changes nothing: the run goes on with the history as it is.
 */
import { type CompactContext, type CompactionReason, defaultSettings, recallToolName, trimResults } from "../compact/internal.ts"
import { estimateMeter } from "../compact/index.ts"
import type { Conversation } from "../model/index.ts"
import type { NewEntry } from "../store/index.ts"
import { profileOf } from "./request/model.ts"
import type { RunState } from "./run-state.ts"

const canRecall = ({ tools }: RunState): boolean => tools.has(recallToolName)

/** Shows new results that are too large shortened, before any request holds them. */
export const trim = async (state: RunState): Promise<void> => {
  const { options, log, iteration, emit } = state
  const tokens = options.trimResultTokens ?? options.compact?.trimResultTokens ?? defaultSettings.results.maxTokens
  const terms = { tokens, meter: estimateMeter, canRecall: canRecall(state) }
  const { entries, elided } = trimResults(log.path, () => log.loaded, terms)
  if (entries.length === 0) return
  await log.append(entries)
  emit({ type: "results-trimmed", iteration, elided })
}

/** How many entries the hook appended. */
export const compact = async (
  state: RunState,
  conversation: Conversation,
  reason: CompactionReason,
  over?: CompactContext["over"],
): Promise<number> => {
  const { options, log, signal, iteration, emit, lastUsage: usage } = state
  const { compact: hook } = options
  if (!hook) return 0
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
    const { beside } = state.around
    const known = { conversation, usage, reason, ...(over && { over }), beside, store: options.store }
    const profile = profileOf(options.model)
    const context = { ...known, profile, signal, append, current: () => log.loaded, lease, canRecall: canRecall(state) }
    await state.within("compaction", () => hook(log.loaded, context))
    // What was appended beside us is seen before the next request, not when the next append finds out.
    await log.refresh()
  } catch (error) {
    failed = { error }
  }
  emit({ type: "compaction-end", reason, iteration, entries, ...failed })
  return entries
}
