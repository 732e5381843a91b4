/** What a store is given, checked alike for every store (its clock, a link to a parent, the options of a list), and the ids it gives. */
import { randomFillSync } from "node:crypto"
import { assertOptions, isWire, type OptionNames } from "../model/index.ts"
import { StoreError } from "./store-error.ts"
import type { ConversationRecord, CreateOptions, ForkOptions, ListOptions, LoadOptions, Page, ParentLink, RemoveOptions } from "./store.ts"

/** Every name of the options of a store, alike for every kind of store. */
export const createNames: OptionNames<CreateOptions> = { id: true, title: true, parent: true, operation: true }
export const loadNames: OptionNames<LoadOptions> = { at: true, last: true }
export const forkNames: OptionNames<ForkOptions> = { at: true, id: true, title: true, operation: true }
export const removeNames: OptionNames<RemoveOptions> = { lease: true, updatedBefore: true }

/** The last moment that a Date can hold. */
const latest = 8.64e15

/** A clock that gives whole milliseconds since 1970, or throws. */
export const checkedClock =
  (now: () => number): (() => number) =>
  () => {
    const time: unknown = now()
    if (typeof time === "number" && time >= 0 && time <= latest) return Math.floor(time)
    throw new StoreError("bad-entry", `Expected \`now\` to give milliseconds since 1970, got ${String(time)}`)
  }

/** Ids the store gives: short, because each is written several times, and random, because stores on many machines give them. */
const alphabet = Buffer.from("0123456789abcdefghjkmnpqrstvwxyz")

/** Random letters in stock: asking the system for a few bytes costs as much as asking for many. */
const stockBytes = Buffer.alloc(4_096)
let stock = ""
let used = 0

const letters = (count: number): string => {
  if (used + count > stock.length) {
    randomFillSync(stockBytes)
    for (let index = 0; index < stockBytes.length; index++) stockBytes[index] = alphabet[(stockBytes[index] ?? 0) % 32] ?? 0
    stock = stockBytes.toString("latin1")
    used = 0
  }
  used += count
  return stock.slice(used - count, used)
}

/** 60 random bits. Entry ids only have to be unique in their conversation, where a collision would be noticed. */
export const newId = (): string => letters(12)

/** 100 random bits, for what is unique in the whole store. */
export const newConversationId = (): string => letters(20)

/** The link without anything beside it; undefined where it is none. */
export const readParent = (value: unknown): ParentLink | undefined => {
  if (!isWire(value)) return undefined
  const { conversation, call } = value
  if (typeof conversation !== "string" || conversation === "") return undefined
  if (call !== undefined && typeof call !== "string") return undefined
  return { conversation, ...(call !== undefined && { call }) }
}

/** The fields of a record for what a caller of `create` gave as parent. Throws for a link that nobody could follow. */
export const givenParent = (parent: ParentLink | undefined, child: string): { readonly parent?: ParentLink } => {
  if (parent === undefined) return {}
  const link = readParent(parent)
  if (link) return { parent: link }
  const message = "Expected a parent of the shape { conversation, call? } with texts that are not empty"
  throw new StoreError("bad-entry", message, { conversation: child })
}

/** Where a page begins: after this conversation. */
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

/** Where a list goes on that leaves out what was last used after this time: with millions of conversations, nobody reads those. */
export const listedBefore = (time: number): string => `${time}:`

/** More than anybody asks for, and small enough for every database. */
const mostPerPage = 1_000_000_000

interface AskedList {
  readonly count: number
  readonly cursor: ListCursor | undefined
  /** Undefined: whoever started them, if anybody did. */
  readonly parents: readonly string[] | undefined
}

/** What a list is asked for: so many conversations, after this one. */
export const readListOptions = (options: ListOptions): AskedList => {
  assertOptions(options, { limit: true, after: true, parent: true })
  const { limit = 50, after, parent } = options
  return {
    count: Number.isNaN(limit) ? 1 : Math.min(Math.max(1, Math.floor(limit)), mostPerPage),
    cursor: after === undefined ? undefined : readCursor(after),
    parents: parent === undefined ? undefined : typeof parent === "string" ? [parent] : parent,
  }
}

/** A page from its conversations in order; one more than `count` says that there is another page. */
export const pageOfSorted = (sorted: readonly ConversationRecord[], count: number, unreadable: Page["unreadable"] = []): Page => {
  const conversations = sorted.slice(0, count)
  const last = conversations.at(-1)
  const more = sorted.length > conversations.length
  return { conversations, unreadable, ...(more && last && { next: `${last.updated}:${last.id}` }) }
}

/** A page for a store that has all records at hand. */
export const pageOf = (records: readonly ConversationRecord[], options: ListOptions, unreadable: Page["unreadable"] = []): Page => {
  const { count, cursor, parents } = readListOptions(options)
  const isOfParent = ({ parent }: ConversationRecord): boolean => parent !== undefined && above.has(parent.conversation)
  const above = new Set(parents)
  const asked = parents ? records.filter(isOfParent) : [...records]
  const sorted = asked.sort((left, right) => (isBefore(left, right) ? -1 : 1))
  return pageOfSorted(cursor ? sorted.filter((record) => isBefore(cursor, record)) : sorted, count, unreadable)
}
