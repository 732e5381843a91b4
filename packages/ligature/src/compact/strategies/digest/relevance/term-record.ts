/** How one term is used in a history: how often, by whom, where and when. */
import type { TermKind } from "../../../text/terms.ts"

export interface TermRecord {
  readonly text: string
  readonly kind: TermKind
  /** Lines it is in; lines it starts. */
  lines: number
  starts: number
  /** Lines by who wrote it. */
  replies: number
  user: number
  errors: number
  /** Lines of results where it is the value of a field of a record. */
  values: number
  lastStep: number
  /** Place of its last line among all lines. */
  lastLine: number
  /** Steps in which the agent itself used it, in arguments or replies, and the last of them; -1: never. */
  uses: number
  lastUse: number
  /** Seen in a file that a call was about; in one that was written; in one that a request names and that was not written since. */
  isTouched: boolean
  isWritten: boolean
  isAwaited: boolean
  /** Files it was seen in, and the number of the last of them. */
  files: number
  lastFile: number
  /** Lines of the smallest passage it was seen in. */
  smallest: number
  /** In the goal, or asked for and hardly mentioned; in the newest request or in the goal; on a line with another term that is; in the first request. */
  isWanted: boolean
  isAsked: boolean
  isNearAsked: boolean
  isTask: boolean
  /** A call was about it. */
  isSubject: boolean
  /** Stood on a line that is nothing but a path. */
  isListed: boolean
  /** How much a passage it was seen in is about the current work; whether it shares words with that. See current-work.ts. */
  focus: number
  kinship: number
}

export const newRecord = (text: string, kind: TermKind): TermRecord => ({
  text,
  kind,
  lines: 0,
  starts: 0,
  replies: 0,
  user: 0,
  errors: 0,
  values: 0,
  lastStep: 0,
  lastLine: 0,
  uses: 0,
  lastUse: -1,
  isTouched: false,
  isWritten: false,
  isAwaited: false,
  files: 0,
  lastFile: -1,
  smallest: Number.POSITIVE_INFINITY,
  isWanted: false,
  isAsked: false,
  isNearAsked: false,
  isTask: false,
  isSubject: false,
  isListed: false,
  focus: 0,
  kinship: 0,
})

/** Whether it is only in results: neither the agent nor the user wrote it. */
export const isSeenOnly = ({ uses, user }: TermRecord): boolean => uses === 0 && user === 0
