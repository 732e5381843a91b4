/** The questions the store asks its tables, each prepared once. Texts are as stored: see entry-rows.ts. */
import {
  type EntryRow,
  type NewEntryRow,
  Outline,
  type OutlineRow,
  readText,
  recordColumns,
  type RecordRow,
  storedOrNull,
  storedText,
  type WrittenRow,
} from "../entry-rows.ts"
import type { LeaseSlot, LeaseSlots } from "../lease.ts"
import type { ListCursor } from "../inputs.ts"
import { type Database, ditto, entryNaming, operationForRow, operationOfRow, type SqlValue, type Statement } from "./schema.ts"

export interface ConversationRow extends RecordRow {
  readonly number: number
  readonly tip: number | null
  readonly version: number
  readonly operation: string | null
}

type NewConversationRow = Omit<ConversationRow, "number" | "tip">

export class Tables {
  readonly #database: Database
  readonly #prepared = new Map<string, Statement>()
  /** Whether anything was changed since it was last set to false. */
  changed = false

  constructor(database: Database) {
    this.#database = database
  }

  #sql(sql: string): Statement {
    const known = this.#prepared.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    this.#prepared.set(sql, statement)
    return statement
  }

  #run(sql: string, ...parameters: readonly SqlValue[]): number {
    this.changed = true
    return Number(this.#sql(sql).run(...parameters).lastInsertRowid)
  }

  conversation(id: string): ConversationRow | undefined {
    const sql = `select number, tip, version, operation, ${recordColumns} from conversation where id = ?`
    return this.#sql(sql).get(storedText(id)) as ConversationRow | undefined
  }

  addConversation(row: NewConversationRow): number {
    const sql = `insert into conversation (version, operation, ${recordColumns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
    const { version, operation, id, title, created, updated, forked_from, forked_entry, parent, parent_call } = row
    return this.#run(sql, version, operation, id, title, created, updated, forked_from, forked_entry, parent, parent_call)
  }

  /** A title that is null stays as it was. */
  setTip(conversation: number, tip: number | null, updated: number, title: string | null, version: number): void {
    const sql = "update conversation set tip = ?, updated = ?, title = coalesce(?, title), version = max(version, ?) where number = ?"
    this.#run(sql, tip, updated, title, version, conversation)
  }

  /** Gives its number, which is greater than that of any row, and than `above`. */
  addEntry(conversation: number, parent: number | null, row: NewEntryRow, above?: number): number {
    const columns = "number, conversation, parent, at, version, sum, kind, id, operation, body"
    const number = above === undefined ? null : Math.max(above, this.#lastNumber()) + 1
    const sql = `insert into entry (${columns}) values (?10, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ${operationForRow("?8", "?7")}, ?9)`
    const { at, version, sum, kind, id, operation, body } = row
    return this.#run(sql, conversation, parent, at, version, sum, kind, id, operation, body, number)
  }

  #lastNumber(): number {
    return (this.#sql("select max(number) as number from entry").get()?.["number"] as number | null | undefined) ?? 0
  }

  entryNumber(conversation: number, id: string): number | undefined {
    const row = this.#sql("select number from entry where conversation = ? and id = ?").get(conversation, storedText(id))
    return row?.["number"] as number | undefined
  }

  entryId(conversation: number, number: number): string | undefined {
    const id = this.#sql("select id from entry where number = ? and conversation = ?").get(number, conversation)?.["id"]
    return typeof id === "string" ? readText(id) : undefined
  }

  entry(conversation: number, number: number): EntryRow | undefined {
    const columns = `number, parent, at, version, sum, kind, id, ${operationOfRow} as operation, body`
    const sql = `select ${columns} from entry where number = ? and conversation = ?`
    return this.#sql(sql).get(number, conversation) as EntryRow | undefined
  }

  entriesOfOperation(conversation: number, operation: string): readonly WrittenRow[] {
    const sql = `
      select entry.id, entry.kind, case entry.kind when 'tip' then entry.body end as target, before.id as parentId
      from entry left join entry as before on before.number = entry.parent
      where entry.number in (
        select number from entry where conversation = ?1 and operation = ?2 and operation <> ${ditto}
        union all
        select number from entry where conversation = ?1 and id = ?3 and operation = ${ditto}
      ) order by entry.number`
    const parameters = [conversation, storedText(operation), storedOrNull(entryNaming(operation))]
    return this.#sql(sql).all(...parameters) as unknown as readonly WrittenRow[]
  }

  /** The numbers of all entries, in their order; found by an index, since the rows of others lie between them. */
  numbers(conversation: number): readonly number[] {
    const sql = "select number from entry indexed by entry_id where conversation = ? order by number"
    return this.#sql(sql)
      .all(conversation)
      .map((row) => row["number"] as number)
  }

  /** All entries without what they say, in their order. */
  outline(conversation: number): Outline {
    const columns = "number, parent, kind, id, at, case kind when 'tip' then body end as target"
    const rows = this.#sql(`select ${columns} from entry where conversation = ? order by number`).all(conversation)
    return new Outline(rows as unknown as readonly OutlineRow[])
  }

  leases(conversation: number): LeaseSlots {
    const rows = this.#sql("select slot, owner, generation, expires from lease where conversation = ?").all(conversation)
    return (rows as unknown as readonly LeaseSlot[]).map(({ slot, owner, generation, expires }) => ({
      slot: readText(slot),
      owner: owner === null ? null : readText(owner),
      generation,
      expires,
    }))
  }

  putLease(conversation: number, { slot, owner, generation, expires }: LeaseSlot): void {
    const sql = "insert or replace into lease (conversation, slot, owner, generation, expires) values (?, ?, ?, ?, ?)"
    this.#run(sql, conversation, storedText(slot), owner === null ? null : storedText(owner), generation, expires)
  }

  /** Newest first, and one more than asked for if there are more. */
  list(count: number, cursor: ListCursor | undefined, parents: readonly string[] | undefined): readonly RecordRow[] {
    const conditions = [
      ...(parents ? ["parent in (select value from json_each(?))"] : []),
      ...(cursor ? ["(updated < ? or (updated = ? and id > ?))"] : []),
    ]
    const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`
    const sql = `select ${recordColumns} from conversation ${where} order by updated desc, id limit ?`
    const above = parents ? [JSON.stringify(parents.map(storedText))] : []
    const place = cursor ? [cursor.updated, cursor.updated, storedText(cursor.id)] : []
    return this.#sql(sql).all(...above, ...place, count + 1) as unknown as readonly RecordRow[]
  }

  remove(conversation: number): void {
    this.#run("delete from lease where conversation = ?", conversation)
    this.#run("delete from entry where conversation = ?", conversation)
    this.#run("delete from conversation where number = ?", conversation)
    this.#run("update residue set pending = 1")
  }

  /** Whether something was removed and may still be in the file. */
  hasResidue(): boolean {
    return this.#sql("select pending from residue").get()?.["pending"] === 1
  }

  erased(): void {
    this.#run("update residue set old = 0, pending = 0")
  }

  /** Something to commit, so that a commit flushes what was committed before it. */
  touch(): void {
    this.#run("update flushed set times = times + 1")
  }
}
