/**
 * The queue of graphile-worker, which keeps its jobs in the database that has the conversations. The package is optional: what is
 * used of it is declared here, and it is loaded by its name where the settings ask for jobs.
 *
 * Nothing of it needs a session: jobs are found by polling where notifications do not come through, and no statement has a
 * name behind a pooler.
 */
import { ConfigError } from "../config/config.ts"

export interface JobSettings {
  /** Of the database that has the conversations. */
  readonly connectionString: string
  /** This process works on jobs, too. */
  readonly worker: boolean
  /** Jobs that it works on at the same time. */
  readonly concurrency: number
  readonly pollMs: number
  /** A job whose worker died goes on after about twice this time. */
  readonly leaseMs: number
  /** Where graphile-worker has its tables. */
  readonly schema: string
}

export interface JobSpec {
  readonly jobKey: string
  readonly jobKeyMode: "replace" | "preserve_run_at"
  readonly maxAttempts: number
  readonly runAt?: Date
}

type AddJob = (task: string, payload: unknown, spec: JobSpec) => Promise<unknown>

interface PgClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>
}

export interface WorkerUtils {
  readonly addJob: AddJob
  withPgClient<Result>(work: (client: PgClient) => Promise<Result>): Promise<Result>
  completeJobs(ids: readonly string[]): Promise<unknown>
  forceUnlockWorkers(ids: readonly string[]): Promise<void>
  release(): Promise<void> | void
}

export interface TaskHelpers {
  readonly addJob: AddJob
  readonly abortSignal?: AbortSignal
}

export interface Runner {
  readonly promise: Promise<void>
  stop(): Promise<void>
}

type Log = (level: string, message: string) => void

export interface GraphileWorker {
  readonly Logger: new (factory: () => Log) => unknown
  makeWorkerUtils(options: Readonly<Record<string, unknown>>): Promise<WorkerUtils>
  run(options: Readonly<Record<string, unknown>>): Promise<Runner>
}

export const loadGraphileWorker = async (load: (name: string) => Promise<unknown> = (name) => import(name)): Promise<GraphileWorker> => {
  try {
    const module = (await load("graphile-worker")) as GraphileWorker & { readonly default?: GraphileWorker }
    return module.default ?? module
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause
    throw new ConfigError([
      "jobs: needs the package graphile-worker (npm install graphile-worker@0.17); without jobs, this process compacts by itself",
    ])
  }
}

/** What both sides give the package. It says a lot; only what went wrong is passed on. */
export const commonOptions = (
  { Logger }: GraphileWorker,
  { connectionString, schema }: JobSettings,
  onError: (error: unknown) => void,
): Readonly<Record<string, unknown>> => ({
  connectionString,
  schema,
  maxPoolSize: 4,
  noPreparedStatements: true,
  logger: new Logger(() => (level, message) => {
    if (level === "error") onError(new Error(`graphile-worker: ${message}`))
  }),
})

export const task = "ligature_compact"

export interface Payload {
  readonly conversation: string
  readonly besideTokens: number
}

/** One job for a conversation: added again while it waits it is the same, and while it runs it follows. */
export const specOf = (conversation: string, runAt?: Date): JobSpec => ({
  jobKey: `compact:${conversation}`,
  jobKeyMode: runAt === undefined ? "preserve_run_at" : "replace",
  maxAttempts: 10,
  ...(runAt && { runAt }),
})

/** Adds jobs. Nothing is asked of the database until the first one; what failed is tried afresh with the next. */
export class Queue {
  readonly #open: () => Promise<WorkerUtils>
  #utils: Promise<WorkerUtils> | undefined

  constructor(library: GraphileWorker, settings: JobSettings, onError: (error: unknown) => void) {
    this.#open = () => library.makeWorkerUtils(commonOptions(library, settings, onError))
  }

  async use<Result>(work: (utils: WorkerUtils) => Promise<Result>): Promise<Result> {
    const opening = (this.#utils ??= this.#open())
    let utils: WorkerUtils
    try {
      utils = await opening
    } catch (error) {
      if (this.#utils === opening) this.#utils = undefined
      throw error
    }
    return work(utils)
  }

  add(payload: Payload): Promise<unknown> {
    return this.use((utils) => utils.addJob(task, payload, specOf(payload.conversation)))
  }

  async close(): Promise<void> {
    const utils = await this.#utils?.catch(() => undefined)
    await utils?.release()
  }
}
