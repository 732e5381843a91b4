/**
 * The leases of one conversation, in a small file beside its log. Read and replaced only while the lock is held, so that
 * looking and taking are one step. Replaced by renaming, so that it is never half written.
 */
import { dirname } from "node:path"
import { isWire } from "../../model/index.ts"
import type { LeaseSlot, LeaseSlots } from "../lease.ts"
import { StoreError } from "../store-error.ts"
import { attempt, type Files, writeAll } from "./files.ts"

const readSlot = (value: unknown): LeaseSlot | undefined => {
  if (!isWire(value)) return undefined
  const { slot, owner, generation, expires } = value
  if (typeof slot !== "string" || typeof generation !== "number" || typeof expires !== "number") return undefined
  if (owner !== null && typeof owner !== "string") return undefined
  return { slot, owner, generation, expires }
}

const readSlots = (bytes: Buffer): LeaseSlots | undefined => {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"))
    const slots = Array.isArray(value) ? value.map(readSlot) : [undefined]
    return slots.every((slot) => slot !== undefined) ? slots : undefined
  } catch {
    return undefined
  }
}

export class LeaseFile {
  readonly path: string
  readonly #files: Files
  readonly #temporaryPath: () => string
  #mark = ""
  #slots: LeaseSlots = []

  constructor(files: Files, path: string, temporaryPath: () => string) {
    this.#files = files
    this.path = path
    this.#temporaryPath = temporaryPath
  }

  /** Costs one look at the file's state while nobody changed it. */
  read(): LeaseSlots {
    const mark = this.#files.stateAt(this.path)?.mark ?? ""
    if (mark === this.#mark) return this.#slots
    const slots = mark === "" ? [] : readSlots(this.#files.readWhole(this.path))
    if (!slots) {
      throw new StoreError("unreadable", `Expected leases in ${this.path}, found something else; delete it if nobody writes`)
    }
    this.#slots = slots
    this.#mark = mark
    return slots
  }

  /** `flush`: an acquire survives a power cut, so that no generation is ever given twice. */
  async write(slots: LeaseSlots, { flush }: { readonly flush: boolean }): Promise<void> {
    const temporary = this.#temporaryPath()
    const file = this.#files.open(temporary, "create")
    try {
      try {
        writeAll(this.#files, file, Buffer.from(JSON.stringify(slots)))
        if (flush) await this.#files.flush(file)
      } finally {
        this.#files.close(file)
      }
      this.#files.rename(temporary, this.path)
      this.#mark = "unknown"
      if (flush) this.#files.flushFolder(dirname(this.path))
    } catch (error) {
      attempt(() => this.#files.unlink(temporary))
      throw error
    }
  }
}
