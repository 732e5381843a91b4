/** The jobs of a gateway, as its settings say: it adds them, and works on them where it is a worker. */
import type { Store } from "ligature/store"
import type { Metrics } from "../metrics.ts"
import { type JobSettings, loadGraphileWorker, Queue } from "./queue.ts"
import { Worker, type WorkerOptions } from "./worker.ts"

export interface Jobs {
  /** Resolves when the job is in the database. */
  add(conversation: string, besideTokens: number): Promise<void>
  close(): Promise<void>
}

export interface JobsOptions {
  readonly settings: JobSettings
  readonly store: Store
  readonly metrics: Metrics
  readonly onError: (error: unknown) => void
  readonly compact: WorkerOptions["compact"]
}

/** Rejects with a `ConfigError` where graphile-worker is not installed. */
export const openJobs = async (options: JobsOptions): Promise<Jobs> => {
  const { settings, metrics, onError } = options
  const library = await loadGraphileWorker()
  const queue = new Queue(library, settings, onError)
  const worker = settings.worker ? new Worker({ ...options, library }) : undefined
  return {
    add: async (conversation, besideTokens) => {
      await queue.add({ conversation, besideTokens })
      metrics.add("ligature_jobs_total", { outcome: "added" })
    },
    close: async () => {
      await worker?.stop()
      await queue.close()
    },
  }
}
