/**
 * A session is what an agent keeps on disk: more than a message list. Its file holds bookkeeping, abandoned branches,
 * compactions and subagents beside the conversation. A session codec is a codec like any other (`decode` gives the
 * transcript of one path through the session, `encode` gives the file's value back with as little changed as possible),
 * and beside that it says how its files are recognised, what paths lead through a session, and where a written one goes.
 *
 * The value of a session is what the file holds: for JSON lines the list of records, for a JSON file its value.
 * Records that no repair touches come back as the very same objects, so that their lines stay byte-identical.
 */
import type { Path } from "../../json/json-value.ts"
import { isWire, type ReportEntry, shellFile, type Transcript } from "../../model/index.ts"
import type { Codec } from "./codec.ts"
import type { KnownTool } from "./tools.ts"

// What a change of style is asked for, and what it tells: the same for session files, requests and lists of messages.

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

/** The beginning of a file, parsed: the first records of JSON lines, or the one value of a JSON file. */
export interface SessionSample {
  readonly syntax: "lines" | "value"
  /** At most `recordsLookedAt` records; for `value` the one value. */
  readonly records: readonly unknown[]
}

export interface Recognised {
  readonly certainty: "certain" | "likely" | "guess"
  /** The mark that gave it away, as half a sentence: `the first record is a session_meta`. */
  readonly why: string
}

/** One way through a session: the conversation the agent would go on with, one it left behind, or a subagent's. */
export interface SessionPath {
  /** What `--branch` takes: the id of the path's last record, or of the subagent. */
  readonly id: string
  readonly kind: "active" | "abandoned" | "subagent"
  /** A few words to know it by: the first words of its first own prompt, the agent's name. */
  readonly title?: string
  /** Messages that belong to this path alone; for the active one all of them. */
  readonly messages: number
  /** Index of the record from which it starts, and of the record at which it leaves the active path. */
  readonly first: number
  readonly leaves?: number
}

/** Where the session was cut down: what was before is summarised, hidden or cleared. */
export interface SessionCompaction {
  /** Index of the record that says so. */
  readonly record: number
  readonly kind: "summary" | "truncation" | "cleared-results"
  readonly trigger?: "auto" | "manual"
  readonly summary?: string
}

/** Whose sub-agent a session is. */
export interface Subagent {
  /** The session that started it. The same as `id` where the file has no id of its own. */
  readonly session?: string
  /** The tool call in that session that started it. */
  readonly call?: string
}

/** What a session says beside its messages. Everything but `paths` may be missing: old files say little. */
export interface SessionOutline {
  readonly id?: string
  readonly title?: string
  readonly folder?: string
  readonly model?: string
  readonly agentVersion?: string
  readonly startedAt?: string
  /** The whole file is the conversation of a sub-agent. */
  readonly subagent?: Subagent
  /** Active path first. */
  readonly paths: readonly SessionPath[]
  readonly compactions: readonly SessionCompaction[]
  /** Other files without which this one is not whole, as half sentences: `the first 40 records of thread 0198…`. */
  readonly needs?: readonly string[]
}

/** What one record does, for readers that see a file record by record and may not keep it. */
export interface RecordPulse {
  /** A message of the user's own starts here, or one that continues nothing before it: a good place to cut. */
  readonly starts?: true
  /** Ids of calls made, and of calls answered. */
  readonly calls?: readonly string[]
  readonly results?: readonly string[]
}

/** Where a written session must lie for its agent to find it, and how it is opened there. */
export interface SessionPlace {
  /** From the home folder (`~/…`) or the project. */
  readonly path: string
  /** The command, or what to click. */
  readonly resume: string
  /** The command where the agent has the session already, in a database of its own. Default: `resume`. */
  readonly reopen?: string
  /** Anything else a person must know: `the folder must be the one the session names`. */
  readonly note?: string
  /** Small files that must be in the same folder, by their names: the agent finds the session by them. `path`: where it is. */
  readonly beside?: (path: string) => Readonly<Record<string, string>>
}

/** What a new session file says of itself. Codecs have no clock: what is not given is derived from the conversation. */
export interface SessionWriting {
  readonly id?: string
  readonly folder?: string
  /** ISO time of the first record; the following ones count up from it. Default: the epoch's begin of the source, or 1970. */
  readonly startedAt?: string
  readonly title?: string
}

/** A session in a text that is no JSON, with its place. */
export interface TextSession {
  readonly value: unknown
  readonly start: number
  readonly end: number
  readonly line: number
}

export interface SessionCodec extends Codec {
  readonly session: {
    /** `Claude Code`, `Codex CLI`, … */
    readonly agent: string
    /**
     * How the value lies in the file. `lines`: one record per line; encode returns `{ records }`. `list`: the file is
     * the list under `listKey` of what encode returns. `value`: the file is what encode returns.
     */
    readonly layout: "lines" | "list" | "value"
    readonly listKey?: string
    /** Some files of this format have their records on lines, whatever `layout` says of new ones. */
    readonly orLines?: true
    /** `any`: other agents' conversations can be written as new sessions. `own`: only its own, repaired. */
    readonly writes: "any" | "own" | "none"
    /** What `decode` gives when nobody asks: the whole story, or what the agent would send next. */
    readonly view: "whole" | "effective"
    /** The profile whose rules a session moved here must pass, because the agent sends it there next. */
    readonly profile?: string
    /** Its ids name tasks, which may be run many times: two files of one id need not be one session. */
    readonly idsRepeat?: true
    /** Findings and problems of files that the agent settles by itself when it resumes, so that no provider sees them. */
    readonly heals?: readonly string[]
    /** Other names people call it by, for `--to` and `--from`. */
    readonly aliases: readonly string[]
    /** Where the facts about the format come from, and which versions. */
    readonly sources: string
    readonly recognise: (sample: SessionSample) => Recognised | undefined
    /** Where several sessions share a file: the value of each, with its path in the file's JSON value. */
    readonly sessionsIn?: (root: unknown) => readonly { readonly path: Path; readonly value: unknown }[]
    /** For files that are no JSON: the sessions in a text, undefined where it is not of this format. */
    readonly fromText?: (text: string) => readonly TextSession[] | undefined
    readonly outline: (value: unknown) => SessionOutline
    readonly pulse?: (record: unknown) => RecordPulse
    readonly place?: (value: unknown) => SessionPlace
    /** The session under other ids, for an agent that imports into a database and leaves what it has as it is. */
    readonly copy?: (value: unknown) => unknown
    /** Where calls may be text as well as blocks: the records with all of them in one style, and nothing else changed. */
    readonly migrate?: (value: unknown, options: MigrateOptions) => Migrated
  }
}

/** What resumes a session, as a line for a shell, in the session's folder: many agents look for sessions there only. What is clicked stays as it is. */
export const resumeLine = (resume: string, folder: string | undefined): string =>
  folder === undefined || !/^[a-z]+ (?:--|resume |session |import )/.test(resume) ? resume : `cd ${shellFile(folder)} && ${resume}`

export const recordsLookedAt = 64

const isUnread = ({ diagnostics = [] }: Transcript): boolean =>
  diagnostics.some(({ rule }) => rule === "unknown-record" || rule === "malformed-record")

/** Agents share their envelopes: a value of whose records most are not known is of another agent. Each is read by itself, so ask rarely. */
export const isMostlyUnread = (codec: Codec, value: unknown): boolean => {
  if (!isUnread(codec.decode(value))) return false
  const records: readonly unknown[] = Array.isArray(value) ? value.slice(0, recordsLookedAt) : []
  return records.filter((record) => isUnread(codec.decode([record]))).length * 2 >= records.length
}

/** What `encode` gave, as the value the file holds. */
export const fileValueOf = (codec: SessionCodec, encoded: unknown): unknown => {
  const { layout, listKey = "records" } = codec.session
  if (!isWire(encoded)) return encoded
  if (hasLines(codec, encoded)) return encoded["records"]
  return layout === "value" ? encoded : (encoded[listKey] ?? encoded)
}

/** Whether what `encode` gave goes into a file of lines. */
export const hasLines = ({ session: { layout, orLines } }: SessionCodec, encoded: unknown): boolean =>
  (layout === "lines" || orLines === true) && isWire(encoded) && Array.isArray(encoded["records"])
