/** What decoding found that no server of this format takes. The place moves along with the message being read. */
import type { Diagnostic, Place } from "../../model/index.ts"
import { malformedMessage } from "../engine/malformed.ts"

export class Findings {
  readonly list: Diagnostic[] = []
  #message = 0
  #index = 0
  #line: number | undefined

  /** `index` counts wire messages, `message` those of the transcript. */
  at(index: number, message: number, line: number | undefined): void {
    this.#index = index
    this.#message = message
    this.#line = line
  }

  /** A shape that is not of the format: its value stays, other readers see its text. */
  malformed(what: string): void {
    this.list.push(malformedMessage(this.#place(), what))
  }

  /** A shape that is readable without doubt, yet refused by strict servers: it is written as they want it. */
  irregular(what: string, repair: string): void {
    const found = malformedMessage(this.#place(), what)
    const why = "Strict servers of this format reject it."
    const help = "Nothing to do: its meaning is clear, and encoding writes the usual shape."
    this.list.push({ ...found, severity: "warning", why, help, repair: { kind: "safe", what: repair } })
  }

  #place(): Place {
    const path = `messages[${this.#index}]`
    return this.#line === undefined
      ? { message: this.#message, path }
      : { message: this.#message, path, line: this.#line }
  }
}
