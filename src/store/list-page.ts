/** Pages of a list, alike for every store that has all records at hand: newest first, by id where times are equal. */
import type { ConversationRecord, ListOptions, Page } from "./store.ts"
import { StoreError } from "./store-error.ts"

const isBefore = (left: { updated: number; id: string }, right: { updated: number; id: string }): boolean =>
  left.updated > right.updated || (left.updated === right.updated && left.id < right.id)

const readCursor = (cursor: string): { readonly updated: number; readonly id: string } => {
  const at = cursor.indexOf(":")
  const updated = Number(cursor.slice(0, at))
  if (at < 1 || !Number.isFinite(updated)) {
    throw new StoreError("bad-entry", `Expected the \`next\` of a page as \`after\`, got ${JSON.stringify(cursor)}`)
  }
  return { updated, id: cursor.slice(at + 1) }
}

export const pageOf = (
  records: readonly ConversationRecord[],
  options: ListOptions,
  unreadable: Page["unreadable"] = [],
): Page => {
  const { limit = 50, after } = options
  const sorted = [...records].sort((left, right) => (isBefore(left, right) ? -1 : 1))
  const cursor = after === undefined ? undefined : readCursor(after)
  const rest = cursor ? sorted.filter((record) => isBefore(cursor, record)) : sorted
  const conversations = rest.slice(0, Math.max(1, limit))
  const last = conversations.at(-1)
  const more = rest.length > conversations.length
  return { conversations, unreadable, ...(more && last && { next: `${last.updated}:${last.id}` }) }
}
