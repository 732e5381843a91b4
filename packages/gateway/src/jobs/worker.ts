/**
 * Works on the jobs of all gateways: compacts the conversation of each, under its summary lease, so that a job that runs twice
 * does nothing the second time. Where somebody else holds the lease, the job comes again when it has run out.
 *
 * A worker lives as long as its process: where the database goes away, it waits for it to come back.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { CompactionOutcome } from "ligature/compact"
import { type Store, StoreError } from "ligature/store"
import type { Metrics } from "../metrics.ts"
import {
  commonOptions,
  type GraphileWorker,
  type JobSettings,
  type Payload,
  Queue,
  type Runner,
  specOf,
  task,
  type TaskHelpers,
} from "./queue.ts"
import { Sweep } from "./sweep.ts"

export interface WorkerOptions {
  readonly library: GraphileWorker
  readonly settings: JobSettings
  readonly store: Store
  readonly metrics: Metrics
  readonly onError: (error: unknown) => void
  readonly compact: (
    conversation: string,
    besideTokens: number,
    more: { readonly signal?: AbortSignal; readonly leaseMs: number },
  ) => Promise<CompactionOutcome>
}

const restartMs = 1_000

const payloadOf = (value: unknown): Payload => {
  const { conversation, besideTokens } = (value ?? {}) as { readonly conversation?: unknown; readonly besideTokens?: unknown }
  if (typeof conversation !== "string") throw new Error("Expected a job with the name of a conversation")
  return { conversation, besideTokens: typeof besideTokens === "number" ? besideTokens : 0 }
}

export class Worker {
  readonly #options: WorkerOptions
  readonly #queue: Queue
  readonly #sweep: Sweep
  readonly #done: Promise<void>
  readonly #stop = new AbortController()
  #runner: Runner | undefined
  #sweeping: Promise<unknown> = Promise.resolve()

  constructor(options: WorkerOptions) {
    const { library, settings, store, onError } = options
    this.#options = options
    this.#queue = new Queue(library, settings, onError)
    this.#sweep = new Sweep(this.#queue, store, settings)
    this.#done = Promise.all([this.#run(), this.#sweepOn()]).then(() => undefined)
  }

  /** Takes no more jobs, and gives up those that do not end within seconds: they wait for the next worker. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#runner?.stop().catch(() => undefined)
    await this.#done
    await this.#queue.close()
  }

  async #run(): Promise<void> {
    const { library, settings, onError } = this.#options
    while (!this.#stop.signal.aborted) {
      try {
        this.#runner = await library.run({
          ...commonOptions(library, settings, onError),
          taskList: { [task]: (payload: unknown, helpers: TaskHelpers) => this.#work(payloadOf(payload), helpers) },
          parsedCronItems: [],
          concurrency: settings.concurrency,
          pollInterval: settings.pollMs,
          noHandleSignals: true,
        })
        if (this.#stop.signal.aborted) await this.#runner.stop()
        await this.#runner.promise
      } catch (error) {
        if (!this.#stop.signal.aborted) onError(error)
      }
      await this.#pause(restartMs)
    }
  }

  async #sweepOn(): Promise<void> {
    const { settings, metrics, onError } = this.#options
    while (!this.#stop.signal.aborted) {
      // Workers that started at the same moment should not ask at the same moment.
      await this.#pause((settings.leaseMs / 2) * (0.75 + Math.random() / 2))
      if (this.#stop.signal.aborted) return
      this.#sweeping = this.#sweep.once().then((freed) => metrics.add("ligature_jobs_total", { outcome: "freed" }, freed), onError)
      await this.#sweeping
    }
  }

  #pause(ms: number): Promise<unknown> {
    return sleep(ms, undefined, { signal: this.#stop.signal, ref: false }).catch(() => undefined)
  }

  async #work({ conversation, besideTokens }: Payload, { addJob, abortSignal }: TaskHelpers): Promise<void> {
    const { compact, metrics, settings } = this.#options
    let outcome: CompactionOutcome
    try {
      outcome = await compact(conversation, besideTokens, { leaseMs: settings.leaseMs, ...(abortSignal && { signal: abortSignal }) })
    } catch (error) {
      if (error instanceof StoreError && error.reason === "missing-conversation") return
      metrics.add("ligature_jobs_total", { outcome: "failed" })
      throw error
    }
    const reason = outcome.outcome === "refused" ? outcome.reason : undefined
    metrics.add("ligature_jobs_total", { outcome: reason ?? outcome.outcome })
    if (abortSignal?.aborted === true && outcome.outcome === "refused") throw new Error("The worker was stopped")
    if (reason === "held") await addJob(task, { conversation, besideTokens }, specOf(conversation, await this.#freeAt(conversation)))
  }

  /** When the lease of whoever works on it has run out. */
  async #freeAt(conversation: string): Promise<Date> {
    const holdings = await this.#options.store.unlock(conversation)
    const expires = holdings.flatMap((each) => (each.slot === "summary" && each.expires !== undefined ? [each.expires] : []))
    return new Date(Math.max(Date.now() + 1_000, ...expires.map((each) => each + 100)))
  }
}
