/** The world's end of a thread in which simulated processes run: see process.mjs. One of both runs, the other one sleeps. */
import { join } from "node:path"
import { Worker } from "node:worker_threads"

/** What became of a client's call. */
export interface ClientOutcome {
  readonly number: number
  readonly value?: unknown
  readonly error?: {
    readonly name?: string
    readonly reason?: string
    readonly message: string
    readonly holder?: string
    readonly stack: string
  }
}

export type Message =
  | { readonly type: "idle"; readonly outcomes: readonly ClientOutcome[] }
  | {
      readonly type: "call"
      readonly name: string
      readonly values: readonly unknown[]
      readonly bytes: Buffer
      readonly outcomes: readonly ClientOutcome[]
    }
  | { readonly type: "broken"; readonly error: NonNullable<ClientOutcome["error"]>; readonly outcomes: readonly ClientOutcome[] }

const mostBytes = 1 << 20
const patienceMs = 60_000

export class Thread {
  readonly #memory = new SharedArrayBuffer(64 + mostBytes)
  readonly #control = new Int32Array(this.#memory, 0, 8)
  readonly #times = new Float64Array(this.#memory, 32, 2)
  readonly #area = Buffer.from(this.#memory, 64)
  readonly #worker: Worker

  private constructor(code: string) {
    this.#worker = new Worker(join(import.meta.dirname, "process.mjs"), { workerData: { code, memory: this.#memory } })
    this.#worker.unref()
  }

  /** `code`: a build of the sources. */
  static async start(code: string): Promise<Thread> {
    const thread = new Thread(code)
    await new Promise<void>((resolve, reject) => {
      thread.#worker.once("error", reject)
      const look = (): void => {
        if (Atomics.load(thread.#control, 0) === 1) resolve()
        else setTimeout(look, 1)
      }
      look()
    })
    return thread
  }

  /** The first message is there from the start; every other one is the reaction to an answer. */
  get message(): Message {
    const text = this.#area.toString("utf8", 0, this.#control[1])
    const [from, length] = [this.#control[1] ?? 0, this.#control[2] ?? 0]
    return { ...(JSON.parse(text) as Message), bytes: Buffer.from(this.#area.subarray(from, from + length)) } as Message
  }

  answer(answer: object, bytes: Buffer | undefined, monotonic: number, wall: number): Message {
    const text = Buffer.from(JSON.stringify(answer))
    text.copy(this.#area)
    bytes?.copy(this.#area, text.length)
    this.#control[1] = text.length
    this.#control[2] = bytes?.length ?? 0
    this.#times[0] = monotonic
    this.#times[1] = wall
    Atomics.store(this.#control, 0, 0)
    Atomics.notify(this.#control, 0)
    while (Atomics.load(this.#control, 0) === 0) {
      if (Atomics.wait(this.#control, 0, 0, patienceMs) === "timed-out") throw new Error("A simulated process does not answer")
    }
    return this.message
  }

  async stop(): Promise<void> {
    await this.#worker.terminate()
  }
}
