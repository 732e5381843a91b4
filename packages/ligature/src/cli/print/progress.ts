/** Progress of a long run, on one line that is rewritten in place; only on a terminal. */
import type { StatusLine } from "../frame/printer.ts"
import { oneLine } from "../frame/text.ts"

const manyFiles = 20
const intervalMs = 80
const barWidth = 20

const barOf = (share: number): string => {
  const filled = Math.min(barWidth, Math.round(share * barWidth))
  return `${"█".repeat(filled)}${"░".repeat(barWidth - filled)}`
}

export class Progress {
  readonly #line: StatusLine
  readonly #total: number
  readonly #hasMany: boolean
  #shownAt = 0

  constructor(line: StatusLine, total: number) {
    this.#line = line
    this.#total = total
    this.#hasMany = total >= manyFiles
  }

  show(done: number, current: string): void {
    if (this.#hasMany && this.#isDue()) this.#line.show(`${barOf(done / this.#total)} ${done}/${this.#total}  ${oneLine(current)}`)
  }

  /** Of one long file. */
  showShare(share: number, file: string): void {
    if (this.#isDue()) this.#line.show(`${barOf(share)} ${Math.floor(share * 100)} %  ${oneLine(file)}`)
  }

  #isDue(): boolean {
    const now = Date.now()
    if (!this.#line.isSeen || now - this.#shownAt < intervalMs) return false
    this.#shownAt = now
    return true
  }
}
