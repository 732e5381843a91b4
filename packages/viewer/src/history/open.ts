/**
 * From the bytes of a file to the conversations in it, and from a conversation to what the page shows of it: rows, findings, and what a
 * repair for this view did. Pure: the same in the page, in a saved page and in tests.
 */
import { check, checkSession, decode, decodeOptionsOf, findCodec, isSessionCodec, openDocument, settle } from "../library.ts"
import type {
  Conversation,
  Diagnostic,
  Document,
  DocumentPart,
  Place,
  Problem,
  ReportEntry,
  SessionOutline,
  Transcript,
} from "../library-types.ts"
import { type Row, rowsOf } from "./rows.ts"

/** A file, or what was read of a database or of many files. */
export interface OpenedFile {
  readonly name: string
  readonly bytes: number
  readonly parts: readonly DocumentPart[]
  readonly problems: readonly Problem[]
  /** The way back to the text of the file; undefined where there is no text, or it is not here. */
  readonly document?: Document
}

export const openBytes = (name: string, bytes: Uint8Array): OpenedFile => {
  const document = openDocument(bytes, { name })
  return { name, bytes: bytes.length, parts: document.parts, problems: document.problems, document }
}

/** What of a file is read: see `DecodeOptions`. */
export interface Reading {
  readonly branch?: string
  readonly view?: "effective" | "whole"
}

export interface History {
  readonly part: DocumentPart
  /** `Claude Code`, `Anthropic Messages`. */
  readonly title: string
  readonly transcript: Transcript
  readonly conversation: Conversation
  /** What was changed to make it valid. */
  readonly entries: readonly ReportEntry[]
  readonly findings: readonly Diagnostic[]
  readonly outline?: SessionOutline
  readonly rows: readonly Row[]
  /** Positions of the rows that each finding is about. */
  readonly rowOfFinding: readonly number[]
  /** The row that a place of the transcript is shown in. */
  readonly rowOf: (place: Place) => number
}

const rank = { error: 0, warning: 1, info: 2 } as const

/** The tip is open: a call that still runs is no damage. */
export const readHistory = (part: DocumentPart, reading: Reading = {}): History => {
  const options = { ...decodeOptionsOf(part), ...reading }
  const transcript = decode(part.format, part.value, options)
  const { conversation, report } = settle(transcript, { tip: "open" })
  const found = [...check(transcript, { tip: "open" }), ...checkSession(part.value, transcript, options)]
  const codec = findCodec(part.format)
  const outline = codec !== undefined && isSessionCodec(codec) ? codec.session.outline(part.value) : undefined
  const { rows, rowOf } = rowsOf(conversation, transcript, report.entries)
  const placed = found
    .map((finding) => ({ finding, row: rowOf(finding.place) }))
    .toSorted((left, right) => left.row - right.row || rank[left.finding.severity] - rank[right.finding.severity])
  placed.forEach(({ row }, index) => rows[row]?.findings.push(index))
  return {
    part,
    title: codec === undefined ? part.format : isSessionCodec(codec) ? codec.session.agent : codec.title,
    transcript,
    conversation,
    entries: report.entries,
    findings: placed.map(({ finding }) => finding),
    ...(outline && { outline }),
    rows,
    rowOfFinding: placed.map(({ row }) => row),
    rowOf,
  }
}
