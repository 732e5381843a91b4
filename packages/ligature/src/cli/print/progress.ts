/** Progress of a long run, on one line that is rewritten in place; only on a terminal. */
import type { StatusLine } from "../frame/printer.ts"
import { oneLine } from "../frame/text.ts"

const manyFiles = 20
const intervalMs = 80
const barWidth = 20

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
