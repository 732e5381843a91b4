/**
 * The history of a gateway, with its store open. What cannot be stored is counted and told; the agent goes on. What was
 * silent for longer than the settings keep it is removed, and what the system may still hold is flushed now and then.
 */
import { prune } from "ligature/store"
import type { Metrics } from "../metrics.ts"
import { History } from "./history.ts"
import { openStore, type StoreSettings } from "./open-store.ts"

const flushMs = 1_000
/** Gateways of one store should not all look at the same moment. */
const pruneMs = 600_000 * (0.75 + Math.random() / 2)

export const openHistory = async (
  settings: StoreSettings,
  metrics: Metrics,
  onError: ((error: unknown) => void) | undefined,
): Promise<History> => {
  const failed = (error: unknown): void => {
    metrics.add("ligature_store_failures_total")
    onError?.(error)
  }
  const store = await openStore(settings)
  const { keepMs, durability } = settings
  const sweep = async (): Promise<void> => {
    if (keepMs !== undefined) await prune(store, { olderThanMs: keepMs })
  }
  const timers = [
    ...(keepMs === undefined ? [] : [setInterval(() => void sweep().catch(failed), pruneMs)]),
    ...(durability === "none" ? [setInterval(() => void store.flush().catch(failed), flushMs)] : []),
  ]
  for (const timer of timers) timer.unref()
  // With many old conversations it takes a while; nobody has to wait for it.
  const first = sweep().catch(failed)
  const close = async (): Promise<void> => {
    for (const timer of timers) clearInterval(timer)
    await first
    await store.close()
  }
  return new History({ store, settings, onError: failed, close })
}
