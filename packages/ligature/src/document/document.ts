/**
 * What opening a file gives: plain readonly values, apart from `rebuild`, which remembers the file's text.
 */

import type { Format } from "../registry/registry.ts"
import type { Problem } from "../json/problem.ts"

export interface DocumentPart {
  readonly format: Format
  readonly certainty: "certain" | "likely" | "guess"
  readonly why: string
  /** What the format's decoder takes: a request object or a bare list, the reply of a log entry at its end. */
  readonly value: unknown
  /**
   * `request`: `value` is the request around the list. `list`: it is the list. `lines`: one message per line.
   * `message`: the file is one message. `reply`: a response without its request. `session`: an agent's session, whose
   * value is the list of its records or what its codec says.
   */
  readonly container: "request" | "list" | "lines" | "message" | "reply" | "session"
  /** JSON pointer of the list, in the file or in the JSON value that starts on `line`. */
  readonly path: string
  /** Line on which the JSON value with this conversation starts; absent when the file is one JSON value. */
  readonly line?: number
  /** Line of each message or record, where each has its own. */
  readonly lines?: readonly number[]
  /** What the session is called in its database. */
  readonly name?: string
  readonly tools?: unknown
  /** The last `count` messages of the list are elsewhere in the file, as the reply to this request. */
  readonly appended?: {
    readonly count: number
    readonly path: string
    readonly line?: number
    /** The reply is a list of items, not one message. */
    readonly list?: true
  }
  /** Further places in the same record with an equal list; they are rewritten together with it. */
  readonly copies: readonly string[]
}

export interface Document {
  /** `rows`: a database, which has no text. */
  readonly syntax: "json" | "jsonl" | "concatenated" | "rows"
  /** Whose session file it is; absent for requests, message lists and logs, whose parts say it. */
  readonly format?: string
  readonly parts: readonly DocumentPart[]
  readonly problems: readonly Problem[]
  /** The file's text with the given parts replaced by new wire values; without replacements, the text as it was. */
  readonly rebuild: (replacements: ReadonlyMap<DocumentPart, unknown>) => string
}

export interface OpenOptions {
  /** Read every conversation as this format, whatever it looks like. */
  readonly from?: Format
  /** The file's name, for the texts of problems only: a name never decides what a file is. */
  readonly name?: string
}
