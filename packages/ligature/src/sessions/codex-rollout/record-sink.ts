/**
 * Takes records in their new order and keeps their numbers rising. A record that was put in gets the next number; the
 * ones behind it keep theirs while there is room, and move up by as little as it takes. A record without number among
 * numbered ones gets one, because the agent refuses the file otherwise.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { recordTypes } from "./records.ts"

const numbered = (record: Wire, ordinal: number): Wire => {
  if ("ordinal" in record) return { ...record, ordinal }
  const { timestamp, ...rest } = record
  return timestamp === undefined ? { ordinal, ...rest } : { timestamp, ordinal, ...rest }
}

export class RecordSink {
  readonly records: unknown[] = []
  /** The number of the latest record that has one. */
  #last: number | undefined
  /** A number was given out: the following ones may have to move up. */
  #shifted = false

  keep(record: unknown): void {
    if (!isWire(record) || !recordTypes.has(record["type"])) {
      this.records.push(record)
      return
    }
    const { ordinal } = record
    if (typeof ordinal !== "number") {
      if (this.#last === undefined) this.records.push(record)
      else this.insert(record)
      return
    }
    if (this.#shifted && this.#last !== undefined && ordinal <= this.#last) return this.insert(record)
    this.#shifted = false
    this.#last = ordinal
    this.records.push(record)
  }

  insert(record: Wire): void {
    if (this.#last === undefined) {
      this.records.push(record)
      return
    }
    this.#last++
    this.#shifted = true
    this.records.push(numbered(record, this.#last))
  }
}
