/**
 * Finds jobs whose workers died. graphile-worker keeps the job of a killed worker locked for four hours; but whoever works on
 * a conversation holds its summary lease, which runs out after seconds. So a job that is locked, while nobody holds the lease,
 * in two sweeps one after the other, is a dead worker's: it is unlocked, and the next worker takes it.
 *
 * A job that was added again while it was locked leaves a row without a key that nobody will ever run; those are deleted.
 */
import { type Store, StoreError } from "ligature/store"
import { type JobSettings, type Queue, task } from "./queue.ts"

/** Longer than any compaction takes. */
const retiredAfter = "1 hour"

interface LockedJob {
  readonly id: string
  readonly key: string | null
  readonly worker: string
  readonly isOld: boolean
}

const isHeld = async (store: Store, conversation: string): Promise<boolean> => {
  try {
    const holdings = await store.unlock(conversation)
    // A lease that ran out is listed until somebody takes it.
    return holdings.some(({ slot, expires = 0 }) => slot === "summary" && expires > Date.now())
  } catch (error) {
    if (error instanceof StoreError && error.reason === "missing-conversation") return false
    throw error
  }
}

export class Sweep {
  readonly #queue: Queue
  readonly #store: Store
  readonly #schema: string
  /** Jobs that nobody held a lease for the last time: their ids, with who locked them. */
  #suspects = new Set<string>()

  constructor(queue: Queue, store: Store, { schema }: JobSettings) {
    this.#queue = queue
    this.#store = store
    this.#schema = `"${schema.replaceAll('"', '""')}"`
  }

  /** Gives how many jobs were freed. */
  async once(): Promise<number> {
    const locked = await this.#locked()
    const suspects = new Set<string>()
    const dead: LockedJob[] = []
    for (const job of locked) {
      if (job.key === null) continue
      if (await isHeld(this.#store, job.key.slice("compact:".length))) continue
      const name = `${job.id} ${job.worker}`
      if (this.#suspects.has(name)) dead.push(job)
      else suspects.add(name)
    }
    this.#suspects = suspects
    const retired = locked.filter(({ key, isOld }) => key === null && isOld)
    const workers = [...dead, ...retired].map(({ worker }) => worker)
    if (workers.length > 0) await this.#queue.use((utils) => utils.forceUnlockWorkers(workers))
    if (retired.length > 0) await this.#queue.use((utils) => utils.completeJobs(retired.map(({ id }) => id)))
    return dead.length
  }

  async #locked(): Promise<readonly LockedJob[]> {
    const text = `select id::text, key, locked_by, locked_at < now() - interval '${retiredAfter}' as is_old
      from ${this.#schema}.jobs where task_identifier = $1 and locked_at is not null limit 500`
    const { rows } = await this.#queue.use((utils) => utils.withPgClient((client) => client.query(text, [task])))
    return rows.map((row) => ({
      id: String(row["id"]),
      key: typeof row["key"] === "string" ? row["key"] : null,
      worker: String(row["locked_by"]),
      isOld: row["is_old"] === true,
    }))
  }
}
