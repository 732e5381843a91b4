/** What a session named on the command line is, without the code that finds it: most runs name files. */
import type { FoundFile } from "../../files/find-sessions.ts"

/** What identifies a session to a person, as far as its file says it. */
export interface SessionIdentity {
  readonly format: string
  /** Whose session it is; for requests and message lists the name of their format. */
  readonly agent: string
  readonly id?: string
  readonly title?: string
  readonly folder?: string
  /** The command that goes on with it, or what to click. */
  readonly resume?: string
  readonly isSubagent?: true
  /** Of a sub-agent: the session that started it. */
  readonly startedBy?: string
}

/** One session of a file. */
export interface FoundSession {
  readonly file: FoundFile
  readonly session: SessionIdentity
  /** Of several in one file: which. */
  readonly isOneOfMany: boolean
}

/** A word that can only mean a session: paths have separators or dots. */
export const mayNameSession = (word: string): boolean => /^[A-Za-z0-9][\w-]{3,}$/.test(word)
