/** What a change of style is asked for, and what it tells: the same for session files, requests and lists of messages. */
import type { ReportEntry } from "../../model/index.ts"
import type { KnownTool } from "./known-tools.ts"

export interface MigrateOptions {
  /** `blocks`: calls and results as the API has them. `xml`: calls as tags in the assistant's text, results in the user's. */
  readonly to: "blocks" | "xml"
  /**
   * The tools there are: names, or declarations as requests have them. Text is then taken for a call with more
   * certainty, and a value becomes the number, boolean, list or object that its schema wants.
   */
  readonly tools?: readonly KnownTool[]
  /** One-based line of each message, for the report. */
  readonly lines?: readonly number[]
}

interface Spot {
  /** Index of the message or record. */
  readonly message: number
  readonly line?: number
}

export interface MigratedCall extends Spot {
  readonly name: string
  readonly id: string
  /** How sure it is that this was a call: 1 for blocks. */
  readonly certainty: number
  /** How it was written before. */
  readonly from: "xml" | "block"
}

export interface MigratedResult extends Spot {
  readonly callId: string
  readonly name?: string
  /** `invented`: nothing answered the call, and a block must be answered. */
  readonly from: "xml" | "block" | "invented"
}

export interface UnsureCall extends Spot {
  readonly name: string
  readonly certainty: number
  readonly became: "call" | "text"
  readonly why: string
}

export interface StyleReport {
  readonly calls: readonly MigratedCall[]
  readonly results: readonly MigratedResult[]
  /** What a person should look at: calls in text that were doubtful, and calls that kept their style. */
  readonly unsure: readonly UnsureCall[]
  /** Damage that had to be repaired before the calls could be written in their new style. Session files have none. */
  readonly repairs: readonly ReportEntry[]
}

/** A session file's list of records, migrated. */
export interface Migrated {
  readonly list: readonly unknown[]
  readonly report: StyleReport
  readonly changed: boolean
}

/** Below this a person should look at a call that was found in text. */
export const sureEnough = 0.9

/** The version of what a migration writes. */
export const styleVersion = 2

export const spotOf = (message: number, lines: readonly number[] | undefined): Spot => {
  const line = lines?.[message]
  return { message, ...(line !== undefined && { line }) }
}
