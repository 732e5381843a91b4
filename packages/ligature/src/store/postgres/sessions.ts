/**
 * Connections from the pool, one per piece of work. When a connection breaks, the work is tried again on another one for
 * a bounded time. Work must therefore bear being done twice: it is told when an earlier try may have gone through.
 */
import { setTimeout as pause } from "node:timers/promises"
import { isConnectionError, isWorthAnotherTry } from "./errors.ts"
import type { PostgresClient, PostgresPool, Row } from "./pool.ts"
import type { Statement } from "./sql.ts"

export interface SessionOptions {
  /** For how long to try again, in milliseconds. */
  readonly retryForMs: number
  /** How long one statement may take, in milliseconds. */
  readonly timeoutMs: number
  readonly prepare: boolean
}

const longestPauseMs = 500

/** Nothing to do: whoever uses the connection gets the error too, and nobody else needs it. */
const ignore = (): void => {}

export class Session {
  readonly #client: PostgresClient
  readonly #options: SessionOptions

  constructor(client: PostgresClient, options: SessionOptions) {
    this.#client = client
    this.#options = options
  }

  async rows(statement: Statement, values: unknown[] = []): Promise<readonly Row[]> {
    const { text, name } = statement
    // The server ends a statement by itself; the client's patience is for servers that fell silent.
    const query_timeout = this.#options.timeoutMs + 1_000
    const { rows } = await this.#client.query({ text, values, query_timeout, ...(this.#options.prepare && { name }) })
    return rows as readonly Row[]
  }

  async run(text: string): Promise<void> {
    await this.#client.query({ text, query_timeout: this.#options.timeoutMs + 1_000 })
  }

  async transaction<Result>(mode: string, work: () => Promise<Result>): Promise<Result> {
    await this.run(`begin isolation level ${mode}`)
    try {
      const result = await work()
      await this.run("commit")
      return result
    } catch (error) {
      // A connection that broke takes its transaction with it.
      if (!isConnectionError(error)) await this.run("rollback").catch(ignore)
      throw error
    }
  }
}

export class Sessions {
  readonly #pool: PostgresPool
  readonly #options: SessionOptions

  constructor(pool: PostgresPool, options: SessionOptions) {
    this.#pool = pool
    this.#options = options
    // An idle connection that breaks would otherwise end the process.
    pool.on("error", ignore)
  }

  async use<Result>(work: (session: Session, again: boolean) => Promise<Result>): Promise<Result> {
    const until = performance.now() + this.#options.retryForMs
    for (let tries = 0; ; tries++) {
      try {
        return await this.#once(work, tries > 0)
      } catch (error) {
        if (!isWorthAnotherTry(error) || performance.now() > until) throw error
      }
      await pause(Math.random() * Math.min(longestPauseMs, 10 * 2 ** tries))
    }
  }

  async #once<Result>(work: (session: Session, again: boolean) => Promise<Result>, again: boolean): Promise<Result> {
    const client = await this.#pool.connect()
    client.on("error", ignore)
    let broken = true
    try {
      const result = await work(new Session(client, this.#options), again)
      broken = false
      return result
    } catch (error) {
      broken = isConnectionError(error)
      throw error
    } finally {
      client.removeListener("error", ignore)
      // One that broke must not go back; after its release nobody listens, so a late error is caught here.
      if (broken) client.on("error", ignore)
      client.release(broken)
    }
  }

  async close(own: boolean): Promise<void> {
    if (own) await this.#pool.end()
    this.#pool.removeListener("error", ignore)
  }
}
