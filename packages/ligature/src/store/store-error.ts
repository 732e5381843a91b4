/** Errors of stores. `reason` says what happened; the fields beside it carry what a program needs to go on. */
import { type ErrorCode, LigatureError } from "../model/index.ts"

export type StoreErrorReason =
  | "conflict"
  | "held"
  | "lease-lost"
  | "missing-conversation"
  | "missing-entry"
  | "exists"
  | "operation-reused"
  | "bad-entry"
  | "newer-version"
  | "unreadable"
  | "unwritable"
  | "closed"

const codes: Readonly<Record<StoreErrorReason, ErrorCode>> = {
  conflict: "cannot-write",
  held: "cannot-write",
  "lease-lost": "cannot-write",
  "missing-conversation": "cannot-read",
  "missing-entry": "bad-option",
  exists: "cannot-write",
  "operation-reused": "bad-option",
  "bad-entry": "bad-option",
  "newer-version": "cannot-read",
  unreadable: "cannot-read",
  unwritable: "cannot-write",
  closed: "bad-option",
}

export interface StoreErrorDetails extends ErrorOptions {
  readonly conversation?: string
  /** With `conflict`: the real tip. */
  readonly tip?: string | null
  /** With `held` and `lease-lost`: who holds it now. */
  readonly holder?: string
  /** With `held`: when that lease runs out. */
  readonly expires?: number
  /** With `held`: that lease runs longer than any may, because a clock is or was wrong. */
  readonly isOverlong?: boolean
}

export class StoreError extends LigatureError {
  readonly reason: StoreErrorReason
  readonly conversation: string | undefined
  readonly tip: string | null | undefined
  readonly holder: string | undefined
  readonly expires: number | undefined
  readonly isOverlong: boolean

  constructor(reason: StoreErrorReason, message: string, details: StoreErrorDetails = {}) {
    super(codes[reason], message, details.cause === undefined ? {} : { cause: details.cause })
    this.name = "StoreError"
    this.reason = reason
    this.conversation = details.conversation
    this.tip = details.tip
    this.holder = details.holder
    this.expires = details.expires
    this.isOverlong = details.isOverlong ?? false
  }
}

export const missingConversation = (id: string): StoreError =>
  new StoreError("missing-conversation", `Expected a conversation ${JSON.stringify(id)}, found none`, { conversation: id })

export const missingEntry = (id: string, conversation: string): StoreError =>
  new StoreError("missing-entry", `Expected an entry ${JSON.stringify(id)} in the conversation, found none`, { conversation })

export const existingConversation = (id: string): StoreError =>
  new StoreError("exists", `There is a conversation ${JSON.stringify(id)} already`, { conversation: id })

/** Throws where something was written to a conversation that was to be removed for its age. */
export const insistUnused = (conversation: string, updated: number, before: number | undefined): void => {
  if (before === undefined || updated < before) return
  const message = `The conversation was used at ${new Date(updated).toISOString()} and is kept`
  throw new StoreError("conflict", message, { conversation })
}

/** What every call of a store insists on first. */
export const insistOpen = (closed: boolean): void => {
  if (closed) throw new StoreError("closed", "The store was closed")
}

export const insistNamed = (id: string): void => {
  if (id === "") throw new StoreError("bad-entry", "Expected a conversation id that is not empty")
}

/**
 * Errors of the system become errors of the store; those of the store stay as they are. The system does not say which file it
 * could not read or write once that is open: `place` says at least where that is.
 */
export const asStoreError = (error: unknown, reason: "unreadable" | "unwritable", conversation?: string, place?: string): StoreError => {
  if (error instanceof StoreError) return error
  const what = error instanceof Error ? error.message : String(error)
  const isNamed = place === undefined || (error instanceof Error && "path" in error)
  const where = isNamed ? "" : ` (in ${place})`
  const details = { cause: error, ...(conversation !== undefined && { conversation }) }
  return new StoreError(reason, `The store cannot be ${reason === "unreadable" ? "read" : "written"}: ${what}${where}`, details)
}
