/** One thing said on a path through a session, with the place in the file where it stands. */
import type { Diagnostic, Wire } from "../../model/index.ts"

export interface Entry {
  /** The item; for words that stand in no item, the record that holds them. Tells entries apart by identity. */
  readonly source: Wire
  /** Index of the record. */
  readonly record: number
  /** Index in the history that a compaction put in place of what was said. */
  readonly at?: number
  /** Words that stand in no item: a compaction's message, an event without twin. */
  readonly words?: { readonly role: "user" | "assistant"; readonly text: string; readonly images?: readonly string[] }
  /** Written by a compaction in place of what it hides. */
  readonly summary?: true
}

/** What a file says of one path, and what is odd about the file. */
export interface Reading {
  readonly entries: readonly Entry[]
  readonly findings: readonly Finding[]
  /** Records that repeat the one in front of them: read once, written once. */
  readonly repeated: ReadonlySet<number>
}

/** A finding, before the line of its record is known. */
export interface Finding {
  readonly kind: "missing-history" | "repeated-record" | "unknown-record" | "malformed-record" | "kind-mismatch"
  readonly record: number
  readonly what: string
  readonly ids?: readonly string[]
  /** In place of what the kind says in general. */
  readonly why?: string
  readonly help?: string
  /** What writing the session does about it. */
  readonly repair?: NonNullable<Diagnostic["repair"]>
}
