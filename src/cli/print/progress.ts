/** One line on stderr that says how far a long run is, rewritten in place; only where somebody is looking. */
import type { Sink } from "../io.ts"
import { cut, oneLine } from "./text.ts"

const manyFiles = 20
const intervalMs = 80

export class Progress {
  readonly #sink: Sink
  readonly #total: number
  readonly #active: boolean
  #shownAt = 0
  #visible = false

  constructor(sink: Sink, total: number) {
    this.#sink = sink
    this.#total = total
    this.#active = sink.isTerminal && total >= manyFiles
  }

  show(done: number, current: string): void {
    const now = Date.now()
    if (!this.#active || now - this.#shownAt < intervalMs) return
    this.#shownAt = now
    this.#visible = true
    const width = (this.#sink.columns ?? 80) - 1
    const barWidth = 20
    const filled = Math.round((done / this.#total) * barWidth)
    const bar = `${"█".repeat(filled)}${"░".repeat(barWidth - filled)}`
    this.#sink.write(`\r\u001b[K${cut(`${bar} ${done}/${this.#total}  ${oneLine(current)}`, width)}`)
  }

  /** Clears the line, so that a message can be printed in its place. */
  pause(): void {
    if (!this.#visible) return
    this.#visible = false
    this.#sink.write("\r\u001b[K")
  }

  end(): void {
    this.pause()
  }
}
