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
  /** The file that was read; while it is open, no other one can have its number. */
  #opened: { readonly file: number; readonly inode: number; readonly slots: LeaseSlots } | undefined

  constructor(files: Files, path: string, temporaryPath: () => string) {
    this.#files = files
    this.path = path
    this.#temporaryPath = temporaryPath
  }

  read(): LeaseSlots {
    const slots = this.look()
    if (slots) return slots
    const message = `Lease file ${this.path} is corrupt. If nobody writes, run \`ligature log unlock ID --force\``
    throw new StoreError("unreadable", message)
  }

  /** Undefined when the file is corrupt. Costs one look at its state while nobody changed it. */
  look(): LeaseSlots | undefined {
    const state = this.#files.stateAt(this.path)
    if (state === undefined) {
      this.close()
      return []
    }
    if (this.#opened?.inode === state.inode) return this.#opened.slots
    this.close()
    const file = this.#files.open(this.path, "read")
    try {
      const { size, inode } = this.#files.stateOf(file)
      const bytes = Buffer.alloc(size)
      for (let count = 0; count < size;) {
        const more = this.#files.read(file, bytes.subarray(count), size - count, count)
        if (more === 0) break
        count += more
      }
      const slots = readSlots(bytes)
      if (slots) this.#opened = { file, inode, slots }
      else this.#files.close(file)
      return slots
    } catch (error) {
      attempt(() => this.#files.close(file))
      throw error
    }
  }

  /** On the disk when this is through: a file that lost its contents could not be told from one that was damaged. */
  async write(slots: LeaseSlots): Promise<void> {
    const temporary = this.#temporaryPath()
    const file = this.#files.open(temporary, "create")
    try {
      try {
        writeAll(this.#files, file, Buffer.from(JSON.stringify(slots)))
        await this.#files.flush(file)
      } finally {
        this.#files.close(file)
      }
      this.#files.rename(temporary, this.path)
    } catch (error) {
      attempt(() => this.#files.unlink(temporary))
      throw error
    }
  }

  /** Makes the last change survive a power cut, so that no generation is ever given twice. */
  async flush(): Promise<void> {
    await this.#files.flushFolder(dirname(this.path))
  }

  close(): void {
    const opened = this.#opened
    if (opened) attempt(() => this.#files.close(opened.file))
    this.#opened = undefined
  }
}
