/** Pages of a list, alike for every store: newest first, by id where times are equal. */
import type { ConversationRecord, ListOptions, Page } from "./store.ts"
import { StoreError } from "./store-error.ts"

/** Where a page begins: behind this conversation. */
export interface ListCursor {
  readonly updated: number
  readonly id: string
}

const isBefore = (left: ListCursor, right: ListCursor): boolean =>
  left.updated > right.updated || (left.updated === right.updated && left.id < right.id)

const readCursor = (cursor: string): ListCursor => {
  const at = cursor.indexOf(":")
  const updated = Number(cursor.slice(0, at))
  if (at < 1 || !Number.isFinite(updated)) {
    throw new StoreError("bad-entry", `Expected the \`next\` of a page as \`after\`, got ${JSON.stringify(cursor)}`)
  }
  return { updated, id: cursor.slice(at + 1) }
}

/** More than anybody asks for, and small enough for every database. */
const mostPerPage = 1_000_000_000

export interface AskedList {
  readonly count: number
  readonly cursor: ListCursor | undefined
  /** Undefined: whoever started them, if anybody did. */
  readonly parents: readonly string[] | undefined
}

/** What a list is asked for: so many conversations, behind this one. */
export const readListOptions = ({
  limit = 50,
  after,
  parent,
}: ListOptions): AskedList => ({
  count: Number.isNaN(limit) ? 1 : Math.min(Math.max(1, Math.floor(limit)), mostPerPage),
  cursor: after === undefined ? undefined : readCursor(after),
  parents: parent === undefined ? undefined : typeof parent === "string" ? [parent] : parent,
})

/** A page from its conversations in order; one more than `count` says that there is another page. */
export const pageOfSorted = (
  sorted: readonly ConversationRecord[],
  count: number,
  unreadable: Page["unreadable"] = [],
): Page => {
  const conversations = sorted.slice(0, count)
  const last = conversations.at(-1)
  const more = sorted.length > conversations.length
  return { conversations, unreadable, ...(more && last && { next: `${last.updated}:${last.id}` }) }
}

/** A page for a store that has all records at hand. */
export const pageOf = (
  records: readonly ConversationRecord[],
  options: ListOptions,
  unreadable: Page["unreadable"] = [],
): Page => {
  const { count, cursor, parents } = readListOptions(options)
  const isOfParent = ({ parent }: ConversationRecord): boolean => parent !== undefined && above.has(parent.conversation)
  const above = new Set(parents)
  const asked = parents ? records.filter(isOfParent) : [...records]
  const sorted = asked.sort((left, right) => (isBefore(left, right) ? -1 : 1))
  return pageOfSorted(cursor ? sorted.filter((record) => isBefore(cursor, record)) : sorted, count, unreadable)
}
