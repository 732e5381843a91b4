/**
 * Where the page has its conversations from: the server of `ligature view`, the page itself when it was saved as one file, or nothing but
 * files that are dropped on it. A live source (a gateway) adds `watch`.
 */
import type { DocumentPart, Problem } from "../library-types.ts"

/** From best to worst; see `doctor`. */
export type State = "healthy" | "open" | "warnings" | "errors"

/** A session in the list. */
export interface SessionEntry {
  readonly id: string
  readonly agent: string
  readonly format: string
  /** The path, as a person would write it. */
  readonly file: string
  readonly bytes: number
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

/** What a source has for one session: the bytes of its file, or what was read of it where there are no such bytes. */
export type Content =
  | { readonly name: string; readonly bytes: Uint8Array; readonly argument?: string }
  | { readonly name: string; readonly parts: readonly DocumentPart[]; readonly problems: readonly Problem[]; readonly argument?: string }

export interface Hit {
  readonly id: string
  readonly excerpt: string
  readonly times: number
}

export interface Source {
  readonly kind: "served" | "embedded" | "dropped"
  /** What to show first. */
  readonly first?: string
  readonly open: (id: string, signal: AbortSignal) => Promise<Content>
  /** Entries as they are found, and again as more is known of them. */
  readonly sessions?: (onEntries: (entries: readonly SessionEntry[]) => void, signal: AbortSignal) => Promise<void>
  readonly search?: (words: string, onHit: (hit: Hit) => void, signal: AbortSignal) => Promise<void>
  /** Of a live source: called with the id of a conversation whenever it grew. Returns how to stop. */
  readonly watch?: (onChange: (id: string) => void) => () => void
}
