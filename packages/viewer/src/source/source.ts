/**
 * Where the page has its conversations from: the server of `ligature view`, a gateway, the page itself when it was saved as one file, or
 * nothing but files that are dropped on it.
 */
import type { DocumentPart, Message, Problem, Transcript } from "../library-types.ts"
import type { LiveFeed } from "../live/feed.ts"

/** From best to worst; see `doctor`. */
export type State = "healthy" | "open" | "warnings" | "errors"

/** A session in the list. */
export interface SessionEntry {
  readonly id: string
  readonly agent: string
  readonly format: string
  /** The path, as a person would write it. */
  readonly file: string
  /** Not known of conversations in a store. */
  readonly bytes?: number
  /** Milliseconds since 1970. */
  readonly modified: number
  readonly title?: string
  readonly session?: string
  readonly project?: string
  /** How to go on with it. */
  readonly resume?: string
  /** The words that name it on the command line. */
  readonly argument?: string
  /** Known after it was examined. */
  readonly state?: State
  readonly causes?: readonly string[]
  readonly messages?: number
}

/** What is beside the messages in the log of a stored conversation. */
export interface StoredEntry {
  readonly id: string
  readonly parent: string | null
  readonly kind: "summary" | "hide" | "note" | "rename" | "tip"
  readonly at: number
  readonly covers?: readonly { readonly id: string }[]
  readonly message?: Message
  readonly name?: string
  readonly value?: unknown
}

/** A conversation of a store: everything that was said, and what compactions took out of sight. */
export interface StoredConversation {
  readonly id: string
  readonly title?: string
  readonly created: number
  readonly updated: number
  readonly transcript: Transcript
  /** The entry of each message. */
  readonly sources: readonly string[]
  /** Summaries and hides that do not count. */
  readonly stale: readonly string[]
  readonly beside: readonly StoredEntry[]
}

/** A session that another one started. */
export interface Child {
  readonly id: string
  readonly title?: string
}

/** What a source has for one session: the bytes of its file, what was read of it where there are no such bytes, or the log of a store. */
export type Content = { readonly name: string; readonly argument?: string; readonly children?: readonly Child[] } & (
  | { readonly bytes: Uint8Array }
  | { readonly parts: readonly DocumentPart[]; readonly problems: readonly Problem[] }
  | { readonly stored: StoredConversation }
)

export interface Hit {
  readonly id: string
  readonly excerpt: string
  readonly times: number
}

export interface Source {
  readonly kind: "served" | "gateway" | "embedded" | "dropped"
  /** What to show first. */
  readonly first?: string
  readonly open: (id: string, signal: AbortSignal) => Promise<Content>
  /** Reads a file that the page cannot: a database, an archive. On this machine. */
  readonly read?: (name: string, bytes: Uint8Array) => Promise<Content>
  /** Entries as they are found, and again as more is known of them. */
  readonly sessions?: (onEntries: (entries: readonly SessionEntry[]) => void, signal: AbortSignal) => Promise<void>
  readonly search?: (words: string, onHit: (hit: Hit) => void, signal: AbortSignal) => Promise<void>
  /** Of a gateway: what happens in it now. */
  readonly live?: LiveFeed
}
