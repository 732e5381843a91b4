/**
 * Which agent a database belongs to, by its tables and their columns; file names say nothing reliable. Only tables whose rows
 * are stored count: a virtual table, or a computed column, is a program of whoever made the file, and may give gigabytes.
 */
import type { Database } from "./database.ts"

/** Columns of each table. */
export type Schema = ReadonlyMap<string, ReadonlySet<string>>

export const readSchema = (database: Database): Schema => {
  const schema = new Map<string, Set<string>>()
  const sql = `SELECT tables.name AS name, columns.name AS field FROM sqlite_master tables
    JOIN pragma_table_xinfo(tables.name) columns WHERE tables.type = 'table' AND tables.rootpage > 0 AND NOT EXISTS
    (SELECT 1 FROM pragma_table_xinfo(tables.name) hidden WHERE hidden.hidden > 0)`
  for (const { name, field } of database.rows(sql)) {
    const fields = schema.get(String(name))
    if (fields) fields.add(String(field))
    else schema.set(String(name), new Set([String(field)]))
  }
  return schema
}

export const has = (schema: Schema, table: string, ...columns: readonly string[]): boolean => {
  const fields = schema.get(table)
  return fields !== undefined && columns.every((column) => fields.has(column))
}
