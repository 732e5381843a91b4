/**
 * Flushes files to the disk, in the way that costs less. A good disk flushes faster than the trip through the thread pool
 * takes; then waiting for it at once is quicker and keeps nobody waiting for long. As soon as a flush was slow, the next
 * ones happen beside everything else, until they are quick again.
 */
import type { Files } from "./files.ts"

/** Nobody notices a process that answers this much later. */
const quickMs = 1.5

export class Flusher {
  readonly #files: Files
  #lastMs = 0

  constructor(files: Files) {
    this.#files = files
  }

  /** Undefined when it is done already. */
  flush(file: number): Promise<void> | undefined {
    if (this.#lastMs >= quickMs) return this.#flushBeside(file)
    const start = performance.now()
    try {
      if (this.#files.flushNow(file)) return undefined
    } finally {
      this.#lastMs = performance.now() - start
    }
    return this.#flushBeside(file)
  }

  async #flushBeside(file: number): Promise<void> {
    const start = performance.now()
    try {
      await this.#files.flush(file)
    } finally {
      this.#lastMs = performance.now() - start
    }
  }
}
