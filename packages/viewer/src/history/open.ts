/**
 * From the bytes of a file to the conversations in it, and from a conversation to what the page shows of it: rows, findings, and what a
 * repair for this view did. Pure: the same in the page, in a saved page and in tests.
 */
import {
  check,
  checkSession,
  decode,
  decodeOptionsOf,
  findCodec,
  isSessionCodec,
  openDocument,
  profiles,
  resumeLine,
  ruleIds,
  settle,
} from "../library.ts"
import type {
  Conversation,
  Diagnostic,
  Document,
  DocumentPart,
  Place,
  Problem,
  ProfileName,
  ReportEntry,
  SessionOutline,
  SessionPath,
  Transcript,
} from "../library-types.ts"
import type { Child, Content, StoredConversation } from "../source/source.ts"
import { phrase } from "../words.ts"
import { type Row, rowsOf } from "./rows.ts"

/** A file, what was read of a database or of many files, or a conversation of a store. */
export interface OpenedFile {
  readonly name: string
  readonly bytes: number
  readonly parts: readonly DocumentPart[]
  readonly problems: readonly Problem[]
  /** The way back to the text of the file; undefined where there is no text, or it is not here. */
  readonly document?: Document
  readonly stored?: StoredConversation
  readonly children: readonly Child[]
}

const storedPart = ({ transcript, title, id }: StoredConversation): DocumentPart =>
  ({
    format: transcript.format,
    certainty: "certain",
    why: "",
    value: transcript,
    container: "session",
    path: "",
    name: title ?? id,
    copies: [],
  }) as unknown as DocumentPart

export const openContent = (content: Content): OpenedFile => {
  const { name, children = [] } = content
  if ("bytes" in content) {
    const document = openDocument(content.bytes, { name })
    return { name, bytes: content.bytes.length, parts: document.parts, problems: document.problems, document, children }
  }
  if ("parts" in content) return { name, bytes: 0, parts: content.parts, problems: content.problems, children }
  const { stored } = content
  return { name, bytes: 0, parts: [storedPart(stored)], problems: [], stored, children }
}

/** What of a file is read: see `DecodeOptions`. */
export interface Reading {
  readonly branch?: string
  readonly view?: "effective" | "whole"
  /** Also what this provider requires. */
  readonly profile?: ProfileName
}

export interface History {
  readonly part: DocumentPart
  readonly stored?: StoredConversation
  /** `Claude Code`, `Anthropic Messages`. */
  readonly title: string
  readonly transcript: Transcript
  readonly conversation: Conversation
  /** What was changed to make it valid. */
  readonly entries: readonly ReportEntry[]
  readonly findings: readonly Diagnostic[]
  readonly outline?: SessionOutline
  /** The command that goes on with the session, or what to click. */
  readonly resume?: string
  readonly rows: readonly Row[]
  /** Positions of the rows that each finding is about. */
  readonly rowOfFinding: readonly number[]
  /** The row that a place of the transcript is shown in. */
  readonly rowOf: (place: Place) => number
  /** Other paths, by the row after which they leave this one. */
  readonly forks: ReadonlyMap<number, readonly SessionPath[]>
  /** Who refuses a history for a finding. */
  readonly refusedBy: (finding: Diagnostic) => string
}

const rank = { error: 0, warning: 1, info: 2 } as const

/** The tip is open: a call that still runs is no damage. */
export const readHistory = (part: DocumentPart, reading: Reading = {}, stored?: StoredConversation): History => {
  const { profile, ...shown } = reading
  const options = { ...decodeOptionsOf(part), ...shown }
  const transcript = stored?.transcript ?? decode(part.format, part.value, options)
  const { conversation, report } = settle(transcript, { tip: "open" })
  const found = [
    ...check(transcript, { tip: "open", ...(profile && { profile }) }),
    ...(stored ? [] : checkSession(part.value, transcript, options)),
  ]
  const codec = stored ? undefined : findCodec(part.format)
  const session = codec !== undefined && isSessionCodec(codec) ? codec.session : undefined
  const outline = session?.outline(part.value)
  const place = outline?.subagent === undefined ? session?.place?.(part.value) : undefined
  const { rows, rowOf } = rowsOf(conversation, transcript, report.entries)
  const placed = found
    .map((finding) => ({ finding, row: rowOf(finding.place) }))
    .toSorted((left, right) => left.row - right.row || rank[left.finding.severity] - rank[right.finding.severity])
  placed.forEach(({ row }, index) => rows[row]?.findings.push(index))
  const title = stored ? phrase`stored conversation` : (session?.agent ?? codec?.title ?? part.format)
  return {
    part,
    ...(stored && { stored }),
    title,
    transcript,
    conversation,
    entries: report.entries,
    findings: placed.map(({ finding }) => finding),
    ...(outline && { outline }),
    ...(place && { resume: resumeLine(place.resume, outline?.folder) }),
    rows,
    rowOfFinding: placed.map(({ row }) => row),
    rowOf,
    forks: forksOf(outline, part, rows, transcript, reading.branch),
    refusedBy: ({ rule }) => (ruleIds.has(rule) ? phrase`every provider` : profile !== undefined ? profiles[profile].title : title),
  }
}

/** Where the paths that were left begin: after the last row whose record is not after the one at which they leave. */
const forksOf = (
  outline: SessionOutline | undefined,
  { lines }: DocumentPart,
  rows: readonly Row[],
  { messages }: Transcript,
  branch: string | undefined,
): ReadonlyMap<number, readonly SessionPath[]> => {
  const forks = new Map<number, SessionPath[]>()
  for (const path of outline?.paths ?? []) {
    if (path.kind !== "abandoned" || path.id === branch || path.leaves === undefined) continue
    const line = lines?.[path.leaves] ?? path.leaves + 1
    const row = rows.findLast((each) => each.messages.some((message) => (messages[message]?.line ?? Number.POSITIVE_INFINITY) <= line))
    const at = row?.index ?? 0
    const known = forks.get(at)
    if (known) known.push(path)
    else forks.set(at, [path])
  }
  return forks
}
