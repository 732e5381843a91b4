/**
 * Operations that the caller does not name are named after an entry they write. That entry's row then holds a ditto mark
 * instead of the name, and the index of entry ids finds the operation as well: an index of all operations would cost every
 * append a page to write, and the file as much as the index of ids does.
 *
 * The name is not the entry's id itself: a caller may well name an operation after an entry that it answers.
 */
const prefix = "entry-"

/** Stands in a row for the operation that is named after the row's entry. No text is stored as this: quotes are escaped. */
export const ditto = "'\"'"

export const operationNamedAfter = (id: string): string => `${prefix}${id}`

/** The id of the entry an operation is named after; undefined for one that has a name of its own. */
export const entryNaming = (operation: string): string | undefined =>
  operation.length > prefix.length && operation.startsWith(prefix) ? operation.slice(prefix.length) : undefined

/** SQL: the name of a row's operation. */
export const operationOfRow = `case operation when ${ditto} then '${prefix}' || id else operation end`

/** SQL: what a new row holds, where the parameters are its operation and its id. */
export const operationForRow = (operation: string, id: string): string =>
  `case ${operation} when '${prefix}' || ${id} then ${ditto} else ${operation} end`
