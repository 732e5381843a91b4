/** A whole conversation from the rows of a database table, alike for every store that has one. */
import type { Diagnostic } from "../model/index.ts"
import { asRead, type Dump, operationsOf } from "./dump.ts"
import type { Entry } from "./entry.ts"
import { entryOfRow, type EntryRow, readText } from "./entry-rows.ts"
import { damageOf } from "./log-index.ts"
import type { ConversationRecord } from "./store.ts"

/** Collects all entries of a conversation, whose rows come in their order. */
export class DumpReader {
  readonly damage: Diagnostic[] = []
  readonly #entries: Entry[] = []
  readonly #ids = new Map<number, string>()
  readonly #conversation: string

  constructor(conversation: string) {
    this.#conversation = conversation
  }

  take(row: EntryRow): void {
    const entry = entryOfRow(row, this.#conversation, this.damage)
    if (!entry) return
    this.#ids.set(row.number, entry.id)
    // One that is missing has an id that no entry has: it is placed as in every other log with a gap.
    const parent = row.parent === null ? null : (this.#ids.get(row.parent) ?? "")
    if (parent === "") {
      const what = `The parent of entry ${entry.id} is missing (row ${row.parent}); it is read after the entry that was the tip then`
      this.damage.push(damageOf("missing-parent", {}, what, [entry.id]))
    }
    this.#entries.push({ ...entry, parent })
  }

  /** `title` is the one the conversation has by now. */
  finish(record: ConversationRecord, operation: string | null): Dump {
    const { updated: _, title, ...header } = record
    const operations = operationsOf(this.#entries)
    const isRenamed = this.#entries.some(({ kind }) => kind === "rename")
    return {
      ...header,
      ...(title !== undefined && !isRenamed && { title }),
      ...(operation !== null && { operation: readText(operation) }),
      operations: asRead(operations),
      damage: this.damage,
    }
  }
}
