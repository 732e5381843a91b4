/** Which record a message, a block or a wire value was read from. Made when first asked: a session that is only read never asks. */
import { type Block, isWire } from "../../model/index.ts"
import type { RecordMessage } from "./session-format.ts"

export class Origins {
  readonly #records: readonly unknown[]
  readonly #said: ReadonlyMap<number, readonly RecordMessage[]>
  #byRecord: Map<unknown, number> | undefined
  #byBlock: Map<unknown, number> | undefined

  constructor(records: readonly unknown[], said: ReadonlyMap<number, readonly RecordMessage[]>) {
    this.#records = records
    this.#said = said
  }

  ofRecord(record: unknown): number | undefined {
    return (this.#byRecord ??= this.#indexRecords()).get(record)
  }

  ofBlock(block: Block): number | undefined {
    const index = (this.#byBlock ??= this.#indexBlocks())
    for (const name in block.native) {
      const wire = block.native[name]
      const found = index.get(wire) ?? this.ofRecord(wire)
      if (found !== undefined) return found
    }
    return index.get(block)
  }

  /** Records that are not objects and are equal cannot be told apart: only their blocks can. */
  #indexRecords(): Map<unknown, number> {
    const found = new Map<unknown, number>()
    for (const index of this.#said.keys()) {
      const record = this.#records[index]
      if (isWire(record)) found.set(record, index)
    }
    return found
  }

  #indexBlocks(): Map<unknown, number> {
    const found = new Map<unknown, number>()
    for (const [index, messages] of this.#said) {
      for (const { blocks } of messages) {
        for (const block of blocks) {
          found.set(block, index)
          for (const name in block.native) {
            const wire = block.native[name]
            if (typeof wire === "object" && wire !== null) found.set(wire, index)
          }
        }
      }
    }
    return found
  }
}
