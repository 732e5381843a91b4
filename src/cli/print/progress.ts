/**
 * One line on stderr that says how far a long run is, rewritten in place; only where somebody is looking. Whatever is
 * printed in the meantime first takes the line away, so that the two never mix on one terminal.
 */
import type { Sink } from "../io.ts"
import { cut, oneLine } from "./text.ts"

const manyFiles = 20
const intervalMs = 80
const barWidth = 20

export class StatusLine {
  readonly #sink: Sink
  #visible = false

  constructor(sink: Sink) {
    this.#sink = sink
  }

  get isSeen(): boolean {
    return this.#sink.isTerminal
  }

  show(text: string): void {
    this.#visible = true
    this.#sink.write(`\r\u001b[K${cut(text, (this.#sink.columns ?? 80) - 1)}`)
  }

  clear(): void {
    if (!this.#visible) return
    this.#visible = false
    this.#sink.write("\r\u001b[K")
  }
}

export class Progress {
  readonly #line: StatusLine
  readonly #total: number
  readonly #active: boolean
  #shownAt = 0

  constructor(line: StatusLine, total: number) {
    this.#line = line
    this.#total = total
    this.#active = line.isSeen && total >= manyFiles
  }

  show(done: number, current: string): void {
    const now = Date.now()
    if (!this.#active || now - this.#shownAt < intervalMs) return
    this.#shownAt = now
    const filled = Math.round((done / this.#total) * barWidth)
    const bar = `${"█".repeat(filled)}${"░".repeat(barWidth - filled)}`
    this.#line.show(`${bar} ${done}/${this.#total}  ${oneLine(current)}`)
  }
}
