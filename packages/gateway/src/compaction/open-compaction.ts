/** The compaction of a gateway, as its settings say. */
import type { Config } from "../config/config.ts"
import type { Metrics } from "../metrics.ts"
import type { History } from "../record/history.ts"
import { Connections } from "../upstream/send.ts"
import { Compaction } from "./compaction.ts"
import { summariserOf } from "./summarise.ts"

export const compactionOf = (
  { compaction: settings, upstreams, limits }: Config,
  history: History | undefined,
  metrics: Metrics,
  onError: ((error: unknown) => void) | undefined,
): Compaction | undefined => {
  if (!settings || !history) return undefined
  const { summary } = settings
  const upstream = upstreams.find(({ name }) => name === summary?.upstream)
  return new Compaction({
    settings,
    history,
    summarise: summary && upstream && summariserOf(new Connections(), upstream, summary.model, limits.idleMs),
    metrics,
    onError: (error) => onError?.(error),
  })
}
